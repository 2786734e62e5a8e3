use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(beanjar_cli::main(std::env::args_os()))
}
