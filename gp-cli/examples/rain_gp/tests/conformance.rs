//! Laplace passes the conformance kit.

use gp_cli::Context;
use gp_cli::testkit::{Check, MethodFailures, MethodKit};
use rain_gp::{AtMode, Laplace};

#[test]
fn laplace() -> Result<(), MethodFailures> {
    let context = Context::built_in().with_method(Laplace).with_posterior(AtMode::entry());
    let report = MethodKit::new(&context, &Laplace).check()?;
    let concerned = [
        Check::Gradients,
        Check::AtTheData,
        Check::TwoClasses,
        Check::Converged,
        Check::Threads,
        Check::Resuming,
        Check::BadData,
        Check::Predictions,
        Check::Saving,
    ];
    assert!(concerned.iter().all(|check| report.passed().contains(check)), "{report}");
    Ok(())
}
