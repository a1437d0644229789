//! `--no-train` refuses idle flags; posterior flags remain.

use crate::support::{Desk, circle, sine};

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.write("c.csv", circle(60));
    desk
}

fn are_equal(desk: &Desk, fit: &str, flags: [&str; 2]) -> bool {
    let predictions = |flags: &str| {
        desk.ok(&format!("fit c.csv --target y --no-train --inducing 8 --force {fit} {flags}"));
        desk.ok("predict model.gp c.csv").out
    };
    predictions(flags[0]) == predictions(flags[1])
}

#[test]
fn flags_of_training_are_refused_without_training() {
    let desk = desk();
    for (flags, reason) in [
        ("--restarts 2", "--restarts makes no difference with --no-train: all parameters keep"),
        ("--optimizer lbfgs --method exact", "--optimizer makes no difference with --no-train: method exact"),
        ("--iterations 5", "--iterations makes no difference with --no-train: method exact needs it only"),
    ] {
        desk.refused(
            &format!("fit t.csv --target y --no-train {flags}"),
            2,
            &[reason, "leave one of them out"],
        );
    }
    for method in ["exact", "pep", "vfe", "fitc", "ep", "gfitc", "svgp", "savigp"] {
        let line = format!("fit t.csv --target y --no-train --method {method}");
        desk.refused(
            &format!("{line} --iterations 0 --force"),
            2,
            &["--iterations", &format!("method {method}")],
        );
        desk.ok(&format!("{line} -o kept.gp --force"));
    }
    desk.refused(
        "fit c.csv --target y --no-train --method ivm --iterations 5",
        2,
        &["--iterations", "method ivm"],
    );
    desk.refused(
        "fit c.csv --target y --no-train --method sep --optimizer adam",
        2,
        &["--optimizer", "method sep"],
    );
    desk.refused("cv t.csv --target y --no-train --iterations 5", 2, &["--iterations makes no difference"]);
    desk.write("c.toml", "target = \"y\"\nno-train = true\nrestarts = 3\n");
    desk.refused("fit t.csv --config c.toml", 2, &["--restarts makes no difference with --no-train"]);
}

#[test]
fn flags_that_change_a_fit_without_training_remain() {
    let desk = desk();
    for (fit, flags) in [
        ("--method sep", ["--batch-size 7", "--batch-size 20"]),
        ("--method sep", ["--epochs 2", "--epochs 5"]),
        ("--method svgp", ["--optimizer lbfgs", "--optimizer adam"]),
        ("--method svgp", ["--batch-size 7", "--batch-size 20"]),
        ("--method ep --optimizer adam", ["--iterations 1", "--iterations 30"]),
        ("--method savigp --components 2", ["--iterations 1", "--iterations 9"]),
        ("--method savigp --covariance diagonal", ["--iterations 1", "--iterations 9"]),
    ] {
        assert!(!are_equal(&desk, fit, flags), "{fit} {flags:?}");
    }
}
