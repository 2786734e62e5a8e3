use crate::Common;
use crate::failure::Result;
use beanjar_io::Output;
use clap::{Args, Command};
use clap_complete::Shell;
use std::io::Write;

/// Write the completions of a shell: commands and flags, when you press the tab key.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  beanjar completions bash > ~/.local/share/bash-completion/completions/beanjar\n  beanjar completions fish > ~/.config/fish/completions/beanjar.fish"
)]
pub(crate) struct Completions {
    /// Which shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write the manual page of beanjar, or of one of its commands.
#[derive(Args)]
#[command(after_help = "Examples:\n  beanjar man > beanjar.1\n  beanjar man aggregate > beanjar-aggregate.1")]
pub(crate) struct Man {
    /// Of which command.
    command: Option<String>,
}

impl Completions {
    pub(crate) fn run(&self, common: &Common, mut command: Command) -> Result<()> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command, "beanjar", &mut text);
        write(common, &text)
    }
}

impl Man {
    pub(crate) fn run(&self, common: &Common, mut command: Command) -> Result<()> {
        command.build();
        let page = match &self.command {
            None => command,
            Some(name) => match command.find_subcommand(name) {
                Some(found) => found.clone(),
                None => {
                    let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
                    let words = format!("man: no command '{name}'; there are {}", names.join(", "));
                    return Err(crate::failure::Failure::Words(words));
                }
            },
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        write(common, &text)
    }
}

fn write(common: &Common, text: &[u8]) -> Result<()> {
    match &common.out {
        None => Ok(std::io::stdout().lock().write_all(text)?),
        Some(path) => {
            let mut output = Output::create(path, &[])?;
            output.write_with(|out| out.write_all(text))?;
            Ok(output.finish()?)
        }
    }
}
