//! A `gp` that knows the likelihood.

fn main() -> std::process::ExitCode {
    gp_cli::main_with(&gp_cli::Context::built_in().with_likelihood(my_likelihood::Flipped::entry()))
}
