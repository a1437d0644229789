//! The method goes through the conformance kit.

use gp_cli::Context;
use gp_cli::testkit::{Check, Failures, MethodKit};
use rain_gp::Laplace;

#[test]
fn laplace() -> Result<(), Failures> {
    let context = Context::built_in().with_method(Laplace);
    let report = MethodKit::new(&context, &Laplace).check()?;
    let passed = [Check::AtTheData, Check::Resuming].iter().all(|check| report.passed().contains(check));
    assert!(passed, "{report}");
    Ok(())
}
