//! `gp` with the additions of this crate.

use gp_cli::Context;
use rain_gp::{AtMode, Cauchy, Laplace, Showers, SpacedReader, SpacedWriter};

fn main() -> std::process::ExitCode {
    let context = Context::built_in()
        .with_kernel(Cauchy::entry())
        .with_likelihood(Showers::entry())
        .with_format(SpacedReader)
        .with_writer(SpacedWriter)
        .with_method(Laplace)
        .with_posterior(AtMode::entry());
    gp_cli::main_with(&context)
}
