use crate::Common;
use crate::failure::Result;
use clap::Args;

#[derive(Args)]
pub(crate) struct Simulate {}
impl Simulate {
    pub(crate) fn run(&self, _common: &Common) -> Result<()> {
        Ok(())
    }
}
