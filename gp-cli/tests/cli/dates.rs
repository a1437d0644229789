//! Date notations, words among dates.

use crate::support::{Desk, noise};

fn days(written: impl Fn(u32, u32, u32) -> String) -> String {
    let row = |i: u32| {
        let day = written(2020, 1 + i / 28, 1 + i % 28);
        format!("{day},{}\n", f64::from(i).sin() + noise(i as usize))
    };
    "when,y\n".to_owned() + &(0..40).map(row).collect::<String>()
}

fn kind_of_when(desk: &Desk, flags: &str) -> String {
    desk.ok(&format!("fit t.csv --target y --iterations 1 --force {flags}"));
    let about = desk.ok("inspect model.gp --json").json()["about"].clone();
    about["inputs"]["features"][0]["kind"].as_str().unwrap().to_owned()
}

#[test]
fn dates_of_every_notation_are_the_same_dates() {
    let desk = Desk::new();
    desk.write("t.csv", days(|y, m, d| format!("{y}-{m:02}-{d:02}")));
    assert_eq!(kind_of_when(&desk, ""), "date");
    let same = desk.ok("predict model.gp t.csv").out;
    type Written = fn(u32, u32, u32) -> String;
    let notations: [Written; 4] = [
        |y, m, d| format!("{y}/{m:02}/{d:02}"),
        |y, m, d| format!("{y}/{m}/{d}"),
        |y, m, d| format!("{y}-{m:02}-{d:02}T01:30:00+01:30"),
        |y, m, d| format!("{y}-{m:02}-{d:02}T00:00:00Z"),
    ];
    for written in notations {
        desk.write("t.csv", days(written));
        for flags in ["", "--stream always --method exact"] {
            assert_eq!(kind_of_when(&desk, flags), "date");
            assert_eq!(desk.ok("predict model.gp t.csv").out, same);
        }
    }
    let names = ["Jan", "feb", "MAR", "April", "May", "June", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let row = |i: usize| format!("{} {},{}\n", names[i % 12], 2010 + i / 12, noise(i));
    desk.write("t.csv", "when,y\n".to_owned() + &(0..40).map(row).collect::<String>());
    assert_eq!(kind_of_when(&desk, ""), "date");
}

#[test]
fn digits_that_are_dates_are_pointed_out() {
    let desk = Desk::new();
    desk.write("t.csv", days(|y, m, d| format!("{y}{m:02}{d:02}")));
    let what =
        "column when: its numbers look like dates, such as 20240229; --type COLUMN=date reads them as dates";
    for flags in ["", "--stream always --method exact"] {
        let said = desk.ok(&format!("fit t.csv --target y --iterations 1 --force {flags}"));
        assert!(said.err.contains(what), "{}", said.err);
    }
    assert!(desk.ok("check t.csv").out.contains(what));
    assert_eq!(kind_of_when(&desk, "--type when=date"), "date");
    let same = desk.ok("predict model.gp t.csv").out;
    desk.write("t.csv", days(|y, m, d| format!("{y}-{m:02}-{d:02}")));
    assert_eq!(desk.ok("predict model.gp t.csv").out, same);
    // One number that is no date: amounts.
    desk.write("t.csv", days(|y, m, d| format!("{y}{m:02}{d:02}")) + "20201301,1\n");
    let said = desk.ok("fit t.csv --target y --iterations 1 --force --type when=number");
    assert!(!said.err.contains("look like"), "{}", said.err);
    let said = desk.ok("fit t.csv --target y --iterations 1 --force");
    assert!(!said.err.contains("look like"), "{}", said.err);
}

#[test]
fn a_word_among_dates_is_named_with_its_place() {
    let desk = Desk::new();
    let good = days(|y, m, d| format!("{y}-{m:02}-{d:02}"));
    desk.write("t.csv", good.replace("2020-01-09", "2020-01-99"));
    let what = "column when: its words look like dates, such as `2020-01-01`, but `2020-01-99` at line 10 is none; correct it";
    for flags in ["", "--stream always --method exact"] {
        let said = desk.ok(&format!("fit t.csv --target y --iterations 1 --force {flags}"));
        assert!(said.err.contains(what), "{}", said.err);
    }
    assert!(desk.ok("check t.csv").out.contains(what));
    let said = desk.ok("fit t.csv --target y --iterations 1 --force --type when=category");
    assert!(!said.err.contains("look like"), "{}", said.err);
}

#[test]
fn days_are_suggested_as_days() {
    let desk = Desk::new();
    desk.write("t.csv", days(|y, m, d| format!("{y}-{m:02}-{d:02}")));
    desk.ok("fit t.csv --target y --parameters known");
    for line in
        ["suggest model.gp --count 5", "suggest model.gp --count 5 --range when=2021-01-01..2021-02-01"]
    {
        for row in desk.ok(line).table().1 {
            assert_eq!(row[0].len(), "2020-01-01".len(), "{row:?}");
        }
    }
    let fractions = days(|y, m, d| format!("{y}-{m:02}-{d:02}T{:02}:17", (7 * d) % 24));
    desk.write("t.csv", fractions);
    desk.ok("fit t.csv --target y --parameters known --force");
    let rows = desk.ok("suggest model.gp --count 5").table().1;
    assert!(rows.iter().any(|row| row[0].contains('T')), "{rows:?}");
}
