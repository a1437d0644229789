//! The `gp` command in several processes.

use gp_cli::Context;
use std::process::ExitCode;

fn main() -> ExitCode {
    match gp_mpi::team() {
        Ok(team) => gp_cli::main_with(&Context::built_in().with_team(team)),
        Err(error) => {
            // If standard error is closed, there is no way to report.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("error: {error}\n").as_bytes());
            ExitCode::FAILURE
        }
    }
}
