//! The method goes through the conformance kit.

use gp_cli::Context;
use gp_cli::testkit::{Failures, MethodKit};
use rain_gp::{AtMode, Laplace};

#[test]
fn laplace() -> Result<(), Failures> {
    let context = Context::built_in().with_method(Laplace).with_posterior(AtMode::entry());
    MethodKit::new(&context, &Laplace).check()?;
    Ok(())
}
