//! Label names, from fit to plots.

use crate::support::{Desk, noise};

/// Rows of `x,y`: 1 above x = 3, with errors; 2 above 4.5 if `three`.
fn table(rows: usize, three: bool) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        let seen = x + 0.4 * noise(i);
        let y = u8::from(seen > 3.0) + u8::from(three && seen > 4.5);
        format!("{x},{y}\n")
    };
    "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[test]
fn names_are_shown_and_read() {
    let desk = Desk::new();
    desk.write("t.csv", table(80, false));
    let named: String = table(80, false).replace(",0\n", ",no\n").replace(",1\n", ",yes\n");
    desk.write("named.csv", named);
    desk.ok("fit t.csv --target y --iterations 5 -o plain.gp");
    desk.ok("fit t.csv --target y --iterations 5 --labels 0=no,1=yes -o m.gp");
    let (said, plain) = (desk.ok("predict m.gp t.csv --proba"), desk.ok("predict plain.gp t.csv --proba"));
    let (header, rows) = said.table();
    assert_eq!(header, ["label", "p(no)", "p(yes)", "log_density"]);
    assert!(rows.iter().all(|row| row[0] == "no" || row[0] == "yes"));
    assert_eq!(said.column("p(yes)"), plain.column("p(1)"));
    assert_eq!(desk.ok("predict m.gp named.csv --proba").out, said.out);

    let scores = desk.ok("eval m.gp t.csv");
    assert!(scores.out.contains("yes") && scores.out.contains("no"), "{}", scores.out);
    assert_eq!(desk.ok("eval m.gp named.csv").out, scores.out);
    let inspect = desk.ok("inspect m.gp").out;
    assert!(inspect.contains("labels      no (0), yes (1)"), "{inspect}");
    desk.ok("report m.gp --test named.csv -o page.html");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    assert!(page.contains("no (0), yes (1)") && page.contains("p(yes)"), "no names on the page");
    desk.ok("plot m.gp t.csv -o t.svg");
    desk.ok("plot m.gp named.csv -o named.svg");
    assert!(desk.read("t.svg") == desk.read("named.svg"));
    let picture = String::from_utf8(desk.read("t.svg")).unwrap();
    assert!(picture.contains("p(yes)"), "no names in the picture");

    desk.ok("update m.gp named.csv -o more.gp");
    assert!(desk.ok("predict more.gp t.csv").out.starts_with("label,log_density\n"));
    desk.write("odd.csv", "x,y\n1,maybe\n");
    desk.refused(
        "eval m.gp odd.csv",
        3,
        &["line 2", "`maybe` is not among the training labels: no (0), yes (1)"],
    );
    // Earlier programs refuse a model with named labels.
    assert_eq!(desk.ok("inspect m.gp --json").json()["about"]["target"]["names"][1], "yes");
}

#[test]
fn some_labels_have_names() {
    let desk = Desk::new();
    desk.write("t.csv", table(90, true));
    let flags = "--target y --task ordinal --labels \"2=very, very high,0=low\" --iterations 3";
    desk.refused(&format!("fit t.csv {flags} -o no.gp"), 2, &["--labels very high", "LABEL=NAME"]);
    desk.write(
        "fit.toml",
        "target = \"y\"\ntask = \"ordinal\"\nlabels = [\"2=very high\", \"0=low\"]\niterations = 3\n",
    );
    desk.ok("fit t.csv --config fit.toml -o m.gp");
    let (header, _) = desk.ok("predict m.gp t.csv --proba").table();
    assert_eq!(header[1..4], ["p(low)", "p(1)", "p(very high)"]);
    let scores = desk.ok("cv t.csv --config fit.toml --folds 2 --json").json();
    assert!(scores["summary"].is_array(), "{scores}");
    desk.refused(
        "fit t.csv --target y --task regression --labels 0=low -o no.gp",
        2,
        &["--labels names labels, and column y is the target of a regression"],
    );
    desk.refused(
        "fit t.csv --target y --task multiclass --labels 7=low -o no.gp",
        2,
        &["--labels 7=low: column y has no label 7; its labels are 0, 1, 2"],
    );
}
