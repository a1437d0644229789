//! The program behind `cargo xtask experiment` and `cargo xtask data`.

fn main() -> std::process::ExitCode {
    gp_experiments::main_with(&gp_cli::Context::built_in())
}
