//! All user texts, in one file for review.
//!
//! `GP_TEXTS=write` writes the file. `#` replaces processor-dependent numbers: with a decimal point, with
//! four or more digits, of iterations, and of the program's own memory.

use crate::support::{Desk, circle, sine, words};
use std::fmt::Write as _;
use std::path::Path;

const COMMANDS: [&str; 14] = [
    "fit", "predict", "eval", "cv", "inspect", "report", "plot", "check", "suggest", "diagnose", "update",
    "convert", "generate", "demo",
];

/// Unfit tables and flags.
const BAD_TABLES: &[(&str, &str)] = &[
    ("x,y\n1,2\n2,NaN\n3,4\n", ""),
    ("x,y\n1,2\n,5\n3,4\n", ""),
    ("x,y\n1,2\n2,3\nred,4\n", ""),
    ("x,y\n1,2\n2,inf\n3,4\n", ""),
    ("x,y\n1,2\n1,2,3\n", ""),
    ("x,y\n1,2\n7\n", ""),
    ("x,y,x\n1,2,3\n", ""),
    ("x,,y\n1,2,3\n", ""),
    ("1.5,2.5\n1,2\n", ""),
    ("x,y\n", ""),
    ("", ""),
    ("x,z\n1,2\n", ""),
    ("x y\n1 2\n", ""),
    ("y\n1\n2\n", ""),
    ("x,y\n1,2\n", ""),
    ("x,y\n1,2\n2,2\n3,2\n", ""),
    ("x,y\n1,0\n2,-3\n3,4\n", "--task count"),
    ("x,y\n1,0\n2,-3\n3,4\n", "--task binary"),
    ("x,y\n,a\n2,\n,b\n", "--missing drop"),
    ("x,y\n1,a\n2,a\n3,a\n4,b\n", "--task regression"),
];

/// Refused flags of a good table.
const BAD_FLAGS: &[&str] = &[
    "--kernel rbff",
    "--kernel \"rbf(lengthscale=-1)\"",
    "--kernel \"rbf(lengthscale=1e-308)\"",
    "--kernel \"rbf(dims=[z])\"",
    "--kernel \"rbf +\"",
    "--likelihood poison",
    "--likelihood poisson",
    "--method exat",
    "--method exact --inducing 5",
    "--method vfe --likelihood student_t",
    "--inducing 0",
    "--placement grid",
    "--iterations -1",
    "--fix rbf.lengthscal",
    "--bound \"rbf.lengthscale=[3, 1]\"",
    "--prior \"rbf.lengthscale=gama(2, 1)\"",
    "--features a,z",
    "--exclude z",
    "--target z",
    "--standardize all",
    "--alpha 2 --method pep",
    "--time-limit soon",
    "--memory 1KB",
    "--nonsense",
];

/// After good fits.
const AFTER: &[&str] = &[
    "fit s.csv --target y -o s.gp",
    "fit s.csv --target y --method vfe --inducing 5 --iterations 20 -o vfe.gp",
    "fit c.csv --target y --iterations 5 -o c.gp",
    "inspect s.gp",
    "inspect vfe.gp",
    "inspect c.gp",
    "eval s.gp s.csv",
    "eval c.gp c.csv",
    "check s.csv --target y",
    "check bad.csv --target y",
    "cv s.csv --target y --folds 2 --method vfe --inducing 3 --iterations 5",
    "predict s.gp no_x.csv",
    "predict s.gp missing.csv",
    "predict missing.gp s.csv",
    "predict s.csv s.csv",
    "predict s.gp s.csv --interval 2",
    "eval c.gp label.csv",
    "update s.gp s.csv -o s.gp",
    "update s.gp s.csv -o more.gp",
    "suggest s.gp --count 2",
    "plot s.gp s.csv -o s.txt",
    "plot s.gp s.csv -o s.svg",
    "report s.gp -o s.html",
    "convert s.gp --to yaml",
    "generate nothing",
    "diagnose s.csv --target y",
];

#[test]
fn all_texts_are_those_of_the_file() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/texts.txt");
    let found = format!("{}{}{}", help(), refusals(), reports());
    if std::env::var_os("GP_TEXTS").is_some_and(|value| value == "write") {
        std::fs::write(&file, &found).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = kept.lines().zip(found.lines()).position(|(kept, found)| kept != found);
    if let Some(at) =
        differs.or((kept.len() != found.len()).then(|| kept.lines().count().min(found.lines().count())))
    {
        panic!(
            "line {} of {} is\n{:?}\nbut the program says\n{:?}\nread the difference, then set GP_TEXTS=write",
            at + 1,
            file.display(),
            kept.lines().nth(at).unwrap_or_default(),
            found.lines().nth(at).unwrap_or_default()
        );
    }
}

fn help() -> String {
    let mut text = String::new();
    let desk = Desk::new();
    say(&mut text, &desk, "--help");
    for command in COMMANDS {
        say(&mut text, &desk, &format!("{command} --help"));
    }
    text
}

fn refusals() -> String {
    let mut text = String::new();
    for (table, flags) in BAD_TABLES {
        let desk = Desk::new();
        desk.write("t.csv", table);
        writeln!(text, "t.csv: {table:?}").unwrap();
        say(&mut text, &desk, format!("fit t.csv --target y -o m.gp {flags}").trim_end());
    }
    let desk = Desk::new();
    desk.write("c.csv", circle(40));
    for flags in BAD_FLAGS {
        let target = if flags.contains("--target") { "" } else { "--target y " };
        say(&mut text, &desk, &format!("fit c.csv {target}{flags} -o m.gp"));
    }
    text
}

fn reports() -> String {
    let mut text = String::new();
    let desk = Desk::new();
    desk.write("s.csv", sine(40));
    desk.write("c.csv", circle(60));
    desk.write("no_x.csv", "z\n1\n");
    desk.write("label.csv", "a,b,kind,y\n1,1,red,maybe\n");
    desk.write("bad.csv", "x,k,y\n1,a,1\n1,a,1\n,b,2\n4,a,900\n5,a,3\n6,a,4\n");
    for line in AFTER {
        say(&mut text, &desk, line);
    }
    text
}

/// Adds command, exit code unless 0, both outputs.
fn say(text: &mut String, desk: &Desk, line: &str) {
    let split = words(line);
    let output = desk
        .command(&split.iter().map(String::as_str).collect::<Vec<_>>())
        .env_remove("COLUMNS")
        .output()
        .unwrap();
    let said = crate::support::Said::of(&output);
    writeln!(text, "$ gp {line}").unwrap();
    let shown = if line.ends_with("--help") { said.out } else { masked(&said.err) + &masked(&said.out) };
    for line in shown.lines() {
        writeln!(text, "{}", line.trim_end()).unwrap();
    }
    if said.code != 0 {
        writeln!(text, "(exit code {})", said.code).unwrap();
    }
    text.push('\n');
}

/// `#` for processor-dependent numbers; progress and blanks shortened.
fn masked(text: &str) -> String {
    text.lines().map(masked_line).collect::<Vec<_>>().join("\n")
        + if text.ends_with('\n') { "\n" } else { "" }
}

fn masked_line(line: &str) -> String {
    let (mut out, mut number) = (String::new(), String::new());
    for letter in line.chars().chain(std::iter::once('\n')) {
        let goes_on = letter.is_ascii_digit()
            || (!number.is_empty() && letter == '.')
            || (letter == 'e' && number.ends_with(|c: char| c.is_ascii_digit()))
            || (letter == '-' && number.ends_with('e'));
        if goes_on {
            number.push(letter);
            continue;
        }
        let whole = number.trim_end_matches(['.', 'e', '-']);
        let before = ["after ", "holds ", "--memory "];
        let varies = whole.contains(['.', 'e'])
            || whole.len() > 3
            || before.iter().any(|before| out.ends_with(before));
        out.push_str(if varies && !whole.is_empty() { "#" } else { whole });
        out.push_str(&number[whole.len()..]);
        let is_bar = |c: char| ('\u{2581}'..='\u{2588}').contains(&c);
        if !(is_bar(letter) && out.ends_with(is_bar) || letter == '\n') {
            out.push(letter);
        }
        number.clear();
    }
    if out.contains('#') { shortened(&out) } else { out }
}

/// Two blanks for longer runs: column widths depend on numbers.
fn shortened(line: &str) -> String {
    let (indent, mut rest) = line.split_at(line.len() - line.trim_start().len());
    let mut out = indent.to_owned();
    while let Some((before, after)) = rest.split_once("  ") {
        out.push_str(before);
        out.push_str("  ");
        rest = after.trim_start();
    }
    out + rest
}
