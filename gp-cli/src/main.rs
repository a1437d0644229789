//! The `gp` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    gp_cli::main()
}
