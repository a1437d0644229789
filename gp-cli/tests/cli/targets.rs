//! Labels, counts or amounts; label order.

use crate::support::Desk;

/// Shuffled rows of `x,y`, each y as often as given.
fn table(values: &[(&str, usize)]) -> String {
    let all: Vec<&str> = values.iter().flat_map(|(value, count)| vec![*value; *count]).collect();
    let row = |i: usize| {
        // 7 is coprime to numbers of rows that are not multiples of 7.
        let value = all[(i * 7) % all.len()];
        format!("{},{value}\n", 0.1 * ((i * 7) % all.len()) as f64 + 0.03 * (i % 5) as f64)
    };
    "x,y\n".to_owned() + &(0..all.len()).map(row).collect::<String>()
}

fn with(values: &[(&str, usize)]) -> Desk {
    let desk = Desk::new();
    desk.write("t.csv", table(values));
    desk
}

const FIT: &str = "fit t.csv --target y --iterations 2 --inducing 5 --force";

/// Without flags, held and streamed.
#[track_caller]
fn likelihood(values: &[(&str, usize)]) -> String {
    let desk = with(values);
    let held = desk.ok(&format!("{FIT} --json")).json()["likelihood"].as_str().unwrap().to_owned();
    let streamed = desk
        .ok("fit t.csv --target y --force --stream always --method sep --epochs 1 --batch-size 50 --inducing 5 --json")
        .json()["likelihood"]
        .as_str()
        .unwrap()
        .to_owned();
    let name = |text: &str| text.split('(').next().unwrap_or_default().to_owned();
    assert_eq!(name(&held), name(&streamed));
    name(&held)
}

#[test]
fn labels_counts_and_amounts_are_told_apart() {
    let counts = [("0", 45), ("1", 66), ("2", 50), ("3", 25), ("4", 9), ("5", 3), ("6", 2)];
    assert_eq!(likelihood(&counts), "poisson");
    let digits: Vec<(String, usize)> = (0..10).map(|digit| (digit.to_string(), 18 + digit % 3)).collect();
    let digits: Vec<(&str, usize)> = digits.iter().map(|(digit, count)| (digit.as_str(), *count)).collect();
    assert_eq!(likelihood(&digits), "multiclass_probit");
    assert_eq!(likelihood(&[("1", 50), ("2", 51), ("3", 50)]), "multiclass_probit");
    let quality = [("3", 2), ("4", 9), ("5", 81), ("6", 70), ("7", 24), ("8", 3)];
    assert_eq!(likelihood(&quality), "gaussian");
    assert_eq!(likelihood(&[("0", 61), ("3", 60)]), "bernoulli_probit");
    assert_eq!(likelihood(&[("0.5", 60), ("1", 30), ("2", 20)]), "gaussian");
    assert_eq!(likelihood(&[("low", 31), ("high", 30), ("between", 30)]), "multiclass_probit");
}

#[test]
fn the_plan_says_why_numbers_are_counts() {
    let desk = with(&[("0", 45), ("1", 66), ("2", 50), ("3", 25), ("4", 9), ("5", 3), ("6", 2)]);
    let said = desk.ok(FIT).err;
    let line = said.lines().next().unwrap();
    for part in [
        "task: regression of counts with likelihood poisson",
        "column y has whole numbers from 0 to 6, large ones rarely",
        "--task multiclass",
        "--task regression",
    ] {
        assert!(line.contains(part), "no `{part}` in {line}");
    }
    let scores = desk.ok("eval model.gp t.csv --json").json();
    assert!(scores["scores"]["gp"]["rmse"].is_number(), "{scores}");
}

#[test]
fn what_is_not_clear_is_asked_for() {
    let desk = with(&[("0", 111), ("1", 34), ("2", 5), ("3", 1)]);
    let texts = [
        "`t.csv`, column y",
        "0 (111 rows), 1 (34), 2 (5) and 3 (1)",
        "--task multiclass",
        "--task ordinal",
        "--task count",
        "--task regression",
    ];
    desk.refused("fit t.csv --target y", 2, &texts);
    desk.refused("fit t.csv --target y --stream always --method sep", 2, &texts);
    desk.refused("cv t.csv --target y", 2, &texts);
    desk.refused("diagnose t.csv --target y", 2, &texts);
    assert!(desk.ok("check t.csv --target y").out.contains(
        "column y: it is unclear whether these are labels, counts or amounts; tell gp fit with --task"
    ));
    for (answer, expected) in [
        ("--task multiclass", "multiclass_probit(classes=4)"),
        ("--task count", "poisson("),
        ("--task regression", "gaussian("),
        ("--task ordinal", "ordinal_probit(classes=4"),
        ("--likelihood negative_binomial", "negative_binomial("),
        ("--order 0,1,2,3", "ordinal_probit(classes=4"),
        ("--order 0,1,2,3 --task multiclass", "multiclass_probit(classes=4)"),
    ] {
        let json = desk.ok(&format!("{FIT} {answer} --json")).json();
        assert!(json["likelihood"].as_str().unwrap().starts_with(expected), "{answer}: {json}");
    }
}

/// Possible labels always lead to questions; other numbers come with advice on `--task`.
#[test]
fn numbers_that_may_be_labels_are_never_amounts_without_a_word() {
    let many: Vec<(String, usize)> = [1, 3, 8, 9, 17, 11, 17, 16, 7, 6, 3, 2, 1]
        .into_iter()
        .enumerate()
        .map(|(place, count)| ((place + 2).to_string(), count))
        .collect();
    let after_zeros: Vec<(&str, usize)> =
        std::iter::once(("0", 198)).chain(many.iter().map(|(name, count)| (name.as_str(), *count))).collect();
    for values in [
        &[("2", 69), ("3", 73), ("4", 82), ("5", 76)][..],
        &[("1", 94), ("3", 110), ("5", 96)],
        &[("0", 101), ("50", 103), ("100", 96)],
        &after_zeros,
    ] {
        let flags = ["--task multiclass", "--task ordinal", "--task count", "--task regression"];
        with(values).refused("fit t.csv --target y", 2, &flags);
    }
    let quality = [("3", 10), ("4", 53), ("5", 381), ("6", 338), ("7", 199), ("8", 18)];
    let said = with(&quality).ok(FIT);
    let line = said.err.lines().next().unwrap();
    let words = "because column y has 6 different numbers; --task multiclass or ordinal if they are labels, --task count";
    assert!(line.contains(words), "{line}");
    let sizes = [("0.5", 60), ("1", 30), ("2", 20)];
    assert!(
        with(&sizes)
            .ok(FIT)
            .err
            .contains("3 different numbers; --task multiclass or ordinal if they are labels\n")
    );
}

#[test]
fn an_order_of_many_numbers_is_refused_in_a_line() {
    let desk = Desk::new();
    desk.write("t.csv", crate::support::sine(60));
    let said = desk.gp("fit t.csv --target y --order 1,2");
    assert_eq!(said.code, 2);
    assert_eq!(
        said.err.trim(),
        "error: --order is for labels, and column y holds 60 different numbers; leave it out"
    );
}

#[test]
fn parts_of_a_cross_validation_have_the_task_of_the_table() {
    let desk = with(&[("0", 30), ("1", 24), ("2", 11), ("3", 4), ("4", 2)]);
    let json = desk.ok("cv t.csv --target y --folds 3 --iterations 2 --json").json();
    for fold in json["folds"].as_array().unwrap() {
        assert!(fold["scores"]["gp"]["rmse"].is_number(), "{json}");
    }
}

const GRADES: [(&str, usize); 4] = [("excellent", 20), ("fair", 31), ("good", 32), ("poor", 22)];

/// Grades increase in x.
fn graded() -> Desk {
    let desk = Desk::new();
    let grade = |i: usize| {
        ["poor", "fair", "good", "excellent"][(i * 4 / 100 + usize::from(i.is_multiple_of(9))).min(3)]
    };
    let rows = (0..100).map(|i| format!("{},{}\n", 0.1 * i as f64, grade(i))).collect::<String>();
    desk.write("t.csv", "x,y\n".to_owned() + &rows);
    desk
}

#[test]
fn words_have_the_order_that_is_said() {
    let desk = graded();
    desk.refused(
        "fit t.csv --target y --task ordinal",
        2,
        &["which order", "--order A,B,…", "excellent, fair, good, poor"],
    );
    desk.refused(
        "fit t.csv --target y --likelihood ordinal_probit(classes=4)",
        2,
        &["which order", "--order A,B,…"],
    );
    let order = "--order poor,fair,good,excellent";
    let json = desk.ok(&format!("fit t.csv --target y --task ordinal {order} --test t.csv --json")).json();
    assert_eq!(json["test"]["labels"], serde_json::json!(["poor", "fair", "good", "excellent"]));
    assert!(json["likelihood"].as_str().unwrap().starts_with("ordinal_probit(classes=4"), "{json}");
    // One function separates grades in their order, but not in alphabetical order.
    let (right, wrong) = (error(&json), {
        let order = "--order excellent,fair,good,poor --force";
        error(&desk.ok(&format!("fit t.csv --target y --task ordinal {order} --test t.csv --json")).json())
    });
    assert!(right < 0.2 && right <= wrong, "{right} {wrong}");
    let held =
        desk.ok(&format!("fit t.csv --target y --task ordinal {order} --method sep --epochs 2 --force"));
    let bytes = desk.read("model.gp");
    desk.ok(&format!(
        "fit t.csv --target y --task ordinal {order} --method sep --epochs 2 --stream always --force"
    ));
    assert!(bytes == desk.read("model.gp"), "{}", held.err);
    let header = desk.ok("predict model.gp t.csv --proba").table().0;
    assert_eq!(header[1..5], ["p(poor)", "p(fair)", "p(good)", "p(excellent)"]);
    let about = desk.ok("inspect model.gp --json").json();
    assert_eq!(about["about"]["config"]["order"], serde_json::json!(["poor", "fair", "good", "excellent"]));
}

fn error(json: &serde_json::Value) -> f64 {
    json["test"]["scores"]["gp"]["error"].as_f64().unwrap()
}

#[test]
fn an_order_says_the_task_and_is_for_classes_without_one_too() {
    let desk = with(&GRADES);
    desk.write("c.toml", "order = [\"poor\", \"fair\", \"good\", \"excellent\"]\n");
    let said = desk.ok(&format!("{FIT} --config c.toml"));
    assert!(said.err.contains("task: ordinal regression with likelihood ordinal_probit"), "{}", said.err);
    let why =
        "because --order says the order of the labels of column y; --task multiclass if it means nothing";
    assert!(said.err.contains(why), "{}", said.err);
    let likelihood = desk.ok("inspect model.gp --json").json()["likelihood"].to_string();
    assert!(likelihood.contains("ordinal_probit(classes=4"), "{likelihood}");
    let said = desk.ok(&format!("{FIT} --config c.toml --task multiclass"));
    assert!(said.err.contains("task: multi-class classification"), "{}", said.err);
    let header = desk.ok("predict model.gp t.csv --proba").table().0;
    assert_eq!(header[1..5], ["p(poor)", "p(fair)", "p(good)", "p(excellent)"]);
    desk.ok("cv t.csv --target y --folds 3 --iterations 1 --inducing 4 --config c.toml");
    desk.ok("diagnose t.csv --target y --rows 20 --config c.toml");

    let binary = with(&[("no", 30), ("yes", 31)]);
    binary.ok(&format!("{FIT} --order yes,no"));
    assert_eq!(binary.ok("predict model.gp t.csv --proba").table().0[1..3], ["p(yes)", "p(no)"]);
    let numbers = with(&[("1", 30), ("2", 31), ("3", 32)]);
    numbers.ok(&format!("{FIT} --task ordinal --order 3,1,2"));
    assert_eq!(numbers.ok("inspect model.gp --json").json()["about"]["target"]["values"]["classes"][0], "3");
    // Negative labels are not read as flags.
    let signs = with(&[("-1", 30), ("1", 31)]);
    signs.ok(&format!("{FIT} --order -1,1"));
    assert_eq!(signs.ok("predict model.gp t.csv --proba").table().0[1..3], ["p(-1)", "p(1)"]);
}

#[test]
fn an_order_names_every_label_once() {
    let desk = with(&GRADES);
    let fit = "fit t.csv --target y --task ordinal --order";
    desk.refused(
        &format!("{fit} poor,fair,god,excellent"),
        2,
        &["--order names god", "column y does not have", "leaves out good", "excellent, fair, good, poor"],
    );
    desk.refused(&format!("{fit} poor,fair,good,excellent,poor"), 2, &["names a label twice"]);
    desk.refused(
        &format!("{fit} poor,fair,good --stream always --method sep"),
        2,
        &["--order leaves out excellent"],
    );
    let numbers = with(&[("1.5", 20), ("2.5", 20), ("3.5", 20)]);
    numbers.refused(
        "fit t.csv --target y --task regression --order 1.5,2.5,3.5",
        2,
        &["--order is for labels", "column y"],
    );
}

#[test]
fn words_that_look_like_numbers_are_no_labels_by_themselves() {
    let rows: String = (0..60).map(|i| format!("{i};\"{},{}\"\n", i % 9, i % 10)).collect();
    let desk = Desk::new();
    desk.write("t.csv", "x;y\n".to_owned() + &rows);
    desk.refused(
        "fit t.csv --target y",
        2,
        &["`t.csv`, column y", "decimal comma", "`0,0`", "with a point", "--task multiclass"],
    );
    desk.refused(
        "fit t.csv --target y --task regression",
        3,
        &["column y holds words", "decimal comma", "with a point"],
    );
    desk.ok("fit t.csv --target y --task multiclass --iterations 1 --inducing 4");
}

/// Rarely repeated numbers are labels only if the likelihood gives their count; task and likelihood agree.
#[test]
fn likelihoods_of_labels_are_not_for_numbers() {
    let desk = Desk::new();
    let row = |i: usize| format!("{i},{}.5,{}\n", (i * 7) % 40, ["a", "b", "c"][i % 3]);
    desk.write("t.csv", "x,y,c\n".to_owned() + &(0..40).map(row).collect::<String>());
    let fit = "fit t.csv --features x -o m.gp";
    let many = ["40 different numbers in 40 rows", "--likelihood \"softmax(classes=40)\""];
    desk.refused(&format!("{fit} --target y --likelihood softmax"), 2, &many);
    // With `--task multiclass`, they are labels.
    let few = desk.gp("fit t.csv --features x -o other.gp --target y --task multiclass --likelihood softmax --time-limit 1ms");
    assert!(!few.err.contains("hardly labels"), "{}", few.err);
    let of_labels = ["regression, of numbers", "softmax takes labels", "leave out --task or --likelihood"];
    desk.refused(&format!("{fit} --target c --task regression --likelihood softmax"), 2, &of_labels);
    let of_numbers = ["classification, of labels", "gaussian takes numbers"];
    desk.refused(&format!("{fit} --target c --task multiclass --likelihood gaussian"), 2, &of_numbers);
    let more = ["3 different values", "bernoulli_logit takes 2", "--likelihood multiclass_probit takes"];
    desk.refused(&format!("{fit} --target c --likelihood bernoulli_logit"), 2, &more);
}

/// Count likelihoods mean counts; ordinal tasks need ordinal likelihoods, and vice versa.
#[test]
fn a_task_and_a_likelihood_agree_or_are_refused() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{}\n", i, [0, 2, 1, 3, 1, 0, 4, 2][i % 8]);
    desk.write("t.csv", "x,y\n".to_owned() + &(0..64).map(row).collect::<String>());
    let fit = "fit t.csv --target y --inducing 5 --iterations 2 --force -o m.gp";
    let said = desk.ok(&format!("{fit} --task regression --likelihood poisson"));
    assert!(
        said.err.contains("task: regression of counts with likelihood poisson, because of --likelihood"),
        "{}",
        said.err
    );
    for (flags, texts) in [
        (
            "--task ordinal --likelihood softmax",
            ["of labels in order", "softmax takes labels without an order"],
        ),
        (
            "--task multiclass --likelihood ordinal_probit",
            ["of labels without an order", "ordinal_probit takes labels in order"],
        ),
    ] {
        desk.refused(&format!("{fit} {flags}"), 2, &texts);
    }
    desk.ok(&format!("{fit} --task ordinal --likelihood ordinal_probit"));
    desk.ok(&format!("{fit} --task multiclass --likelihood softmax"));
}
