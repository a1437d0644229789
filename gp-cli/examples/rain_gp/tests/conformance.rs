//! The method goes through the conformance kit.

use gp_cli::Context;
use gp_cli::testkit::{Check, Failures, MethodKit};
use rain_gp::Laplace;

#[test]
fn laplace() -> Result<(), Failures> {
    let context = Context::built_in().with_method(Laplace);
    let report = MethodKit::new(&context, &Laplace).check()?;
    println!("{report}");
    assert!(report.has_passed(Check::AtTheData) && report.has_passed(Check::Resuming));
    Ok(())
}
