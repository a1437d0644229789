//! Constant targets, also with offset or exposure.

use crate::support::Desk;

fn table(header: &str, row: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", (0..40).map(|i| row(i) + "\n").collect::<String>())
}

#[test]
fn a_constant_number_with_an_offset_that_varies_is_a_target() {
    let desk = Desk::new();
    let sine = |i: usize| (0.2 * i as f64).sin() + 0.01 * (i * 7 % 5) as f64;
    desk.write("t.csv", table("x,y,o", |i| format!("{},5,{}", 0.2 * i as f64, 5.0 - sine(i))));
    for flags in ["", "--method vfe --inducing 10"] {
        desk.ok(&format!("fit t.csv --target y --offset o --features x -o m.gp --force {flags}"));
        let mean = desk.ok("predict m.gp t.csv").column("mean");
        for value in mean {
            assert!((value - 5.0).abs() < 0.1, "{value}");
        }
    }
}

#[test]
fn a_constant_count_with_an_exposure_that_varies_is_a_target() {
    let desk = Desk::new();
    let exposure = |i: usize| (2.0 + (0.2 * i as f64).sin()).exp();
    desk.write("t.csv", table("x,n,e", |i| format!("{},7,{}", 0.2 * i as f64, exposure(i))));
    let said = desk.ok("fit t.csv --target n --exposure e --features x -o m.gp --inducing 8");
    assert!(said.err.contains("n has one value, and --exposure varies"), "{}", said.err);
    for mean in desk.ok("predict m.gp t.csv").column("mean") {
        assert!((mean - 7.0).abs() < 1.0, "{mean}");
    }
    // Without events, rates cannot be compared. Labels have no exposure.
    desk.write("t.csv", table("x,n,e", |i| format!("{i},0,{}", exposure(i))));
    desk.refused("fit t.csv --target n --exposure e --features x -o n.gp", 3, &["column n", "value `0`"]);
    desk.refused("fit t.csv --target n --offset e --task multiclass -o n.gp", 3, &["column n", "value `0`"]);
}

#[test]
fn a_target_that_is_its_offset_is_refused() {
    let desk = Desk::new();
    // The differences are constant in decimals, but not in binary numbers.
    desk.write("t.csv", table("x,y,o", |i| format!("{i},{}.3,{i}.1", i + 2)));
    desk.refused(
        "fit t.csv --target y --offset o -o m.gp",
        3,
        &["column y", "less its offset o", "does not vary", "--offset"],
    );
    desk.write("t.csv", table("x,y,o", |i| format!("{i},5,3")));
    desk.refused("fit t.csv --target y --offset o -o m.gp", 3, &["column y", "value `5`", "does not vary"]);
    // Differences of a few ulps are rounding.
    let near = |i: usize| f64::from_bits(0.3_f64.to_bits() + i as u64 % 3);
    desk.write("t.csv", table("x,y", |i| format!("{i},{}", near(i))));
    desk.refused("fit t.csv --target y -o m.gp --task regression", 3, &["column y", "but for rounding"]);
}
