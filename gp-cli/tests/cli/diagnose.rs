//! `gp diagnose`: gradients, finite differences.

use crate::support::{Desk, circle, sine};

fn with(table: &str) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table);
    desk
}

#[test]
fn gradients_of_every_method_agree_with_differences() {
    for (table, method, parameters) in [
        (sine(60), "exact", ["scale.", "likelihood.variance"].as_slice()),
        (sine(60), "pep", &["rbf.", "inducing["]),
        (sine(60), "pep --alpha 0.2", &["rbf.", "inducing["]),
        (sine(60), "vfe", &["rbf.", "inducing["]),
        (sine(60), "fitc --fix none", &["rbf.", "inducing["]),
        (sine(60), "ep --likelihood student_t --fix none", &["likelihood.", "inducing["]),
        (circle(60), "ep --fix none", &["rbf.", "inducing["]),
        (circle(60), "gfitc --fix none", &["rbf.", "inducing["]),
        (circle(60), "sep", &["rbf."]),
        (circle(60), "svgp --fix none", &["rbf.", "inducing[", "posterior[0].mean", "posterior[0].lower"]),
        (
            circle(60),
            "savigp --components 2 --covariance diagonal",
            &["posterior.logit", "posterior[1,0].variance"],
        ),
        (circle(60), "savigp --samples 20", &["posterior[0].mean"]),
        (circle(60), "ivm --inducing 10", &["rbf.lengthscale[0] (function 1)"]),
    ] {
        let desk = with(&table);
        let json = desk.ok(&format!("diagnose t.csv --target y --rows 40 --json --method {method}")).json();
        assert_eq!(json["agree"], true, "{method}: {json}");
        let found: Vec<&str> = json["gradients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|check| check["parameter"].as_str().unwrap())
            .collect();
        for part in parameters {
            assert!(found.iter().any(|name| name.contains(part)), "{method}: no {part} in {found:?}");
        }
        let sizes = json["gradients"]
            .as_array()
            .unwrap()
            .iter()
            .map(|check| check["gradient"].as_f64().unwrap().abs());
        assert!(sizes.fold(0.0, f64::max) > 1e-2, "{method}: nothing moves");
    }
}

#[test]
fn a_table_by_parameter_and_an_exit_code_where_they_disagree() {
    let desk = with(&sine(60));
    let said = desk.ok("diagnose t.csv --target y --method vfe --inducing 5");
    let header = said.out.lines().next().unwrap();
    assert!(header.starts_with("parameter") && header.ends_with("relative error"), "{}", said.out);
    let z = said.out.lines().find(|line| line.starts_with("inducing ")).unwrap();
    assert_eq!(z.split_whitespace().nth(1), Some("5"), "{z}");
    // Finite differences are never exact.
    let strict = desk.gp("diagnose t.csv --target y --method vfe --inducing 5 --tolerance 1e-16");
    assert_eq!(strict.code, 5, "{}", strict.err);
    assert!(
        strict.err.contains("disagree with differences") && strict.out.starts_with("parameter"),
        "{}",
        strict.err
    );
    // The method is that of a fit to all rows.
    let exact = desk.ok("diagnose t.csv --target y --rows 20").err;
    assert!(exact.contains("method exact at the start of training, on 20 rows\n"), "{exact}");
    assert!(desk.names() == ["t.csv"]);
    let said = desk.ok("diagnose t.csv --target y --method exact --iterations 5 --time-limit 9s");
    assert!(
        said.err.contains("--iterations, --time-limit make no difference to gp diagnose"),
        "{}",
        said.err
    );
    desk.refused("diagnose t.csv --target y --method exact --alpha 0.5", 2, &["--alpha makes no difference"]);
    desk.refused("diagnose t.csv", 2, &["--target COL"]);
}
