//! Ordered labels; checks of several targets.

use crate::support::{Desk, noise};

fn graded(labels: [&str; 3]) -> String {
    let row = |i: usize| format!("{i},{}\n", labels[i % 3]);
    "x,grade\n".to_owned() + &(0..60).map(row).collect::<String>()
}

#[test]
fn words_with_a_usual_order_get_a_hint() {
    let desk = Desk::new();
    for (labels, order) in [
        (["good", "poor", "fair"], Some("poor,fair,good")),
        (["Low", "High", "Medium"], Some("Low,Medium,High")),
        (["L", "S", "M"], Some("S,M,L")),
        (["agree", "strongly disagree", "disagree"], Some("\"strongly disagree,disagree,agree\"")),
        (["red", "green", "blue"], None),
    ] {
        desk.write("t.csv", graded(labels));
        let said = desk.ok("fit t.csv --target grade --iterations 1 --force");
        let found = desk.ok("check t.csv --target grade").out;
        match order {
            Some(order) => {
                assert!(
                    said.err.contains(&format!("--order {order} if their order matters")),
                    "{}",
                    said.err
                );
                let what = format!("column grade: its labels look ordered; tell gp fit with --order {order}");
                assert!(found.contains(&what), "{found}");
                let line = format!("fit t.csv --target grade --iterations 1 --force --order {order}");
                assert!(desk.ok(&line).err.contains("ordinal"));
            }
            None => assert!(!said.err.contains("--order") && found.is_empty(), "{}{found}", said.err),
        }
    }
}

#[test]
fn several_targets_are_checked_together() {
    let desk = Desk::new();
    let row = |i: usize| {
        let b = if i == 3 { String::new() } else { noise(i).to_string() };
        format!("{i},{},{b},{},{}\n", noise(2 * i), ["u", "v", "w"][i % 3], i % 7)
    };
    desk.write("t.csv", "x,a,b,w,\"c,d\"\n".to_owned() + &(0..40).map(row).collect::<String>());
    let found = desk.ok("check t.csv --target a,b").out;
    assert!(
        found.contains("column b: 1 value is missing, the first at line 5; fill in values, or leave rows")
    );
    assert_eq!(found.lines().count(), 1, "{found}");
    let found = desk.ok("check t.csv --target a,b,w").out;
    assert!(found.contains("column w: it holds words, and several targets must be numbers"), "{found}");
    // A name with a comma, in quotes.
    let quoted = desk.command(&["check", "t.csv", "--target", "a,\"c,d\""]).output().unwrap();
    assert!(quoted.status.success(), "{quoted:?}");
    desk.refused("check t.csv --target a,z", 3, &["`t.csv` has no column z"]);
}

#[test]
fn one_statement_about_one_column() {
    let desk = Desk::new();
    let row = |i: usize| format!("\"{},{:03}\",{i}\n", 1 + i, (37 * i) % 1000);
    desk.write("t.csv", "amount,y\n".to_owned() + &(0..60).map(row).collect::<String>());
    let found = desk.ok("check t.csv --target y").out;
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(
        found.starts_with(
            "column amount: its words look like numbers with a comma, for decimals or thousands"
        ),
        "{found}"
    );
}
