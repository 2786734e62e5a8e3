use crate::Common;
use crate::failure::Result;
use clap::Args;

#[derive(Args)]
pub(crate) struct Demo {}
impl Demo {
    pub(crate) fn run(&self, _common: &Common) -> Result<()> {
        Ok(())
    }
}
