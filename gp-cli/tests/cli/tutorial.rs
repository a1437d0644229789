//! Tutorial and guide commands give the answers shown.

use crate::support::Desk;

/// Bundled tables by page names.
const TABLES: [(&str, &str); 5] = [
    ("accidents.csv", include_str!("../../data/accidents.csv")),
    ("demo.csv", include_str!("../../data/demo.csv")),
    ("penguins.csv", include_str!("../../data/penguins.csv")),
    ("co2.csv", include_str!("../../data/co2.csv")),
    ("co2-later.csv", include_str!("../../data/co2-later.csv")),
];

/// Relative tolerance: processors round products differently; one unit of the last digit is also allowed.
const TOLERANCE: f64 = 0.02;

/// Language and text per code block.
pub(crate) fn blocks(text: &str) -> Vec<(&str, &str)> {
    let mut parts = text.split("\n```");
    let mut blocks = Vec::new();
    parts.next();
    while let Some(block) = parts.next() {
        blocks.push(block.split_once('\n').unwrap());
        parts.next();
    }
    blocks
}

/// `true` for equal words or close numbers.
fn alike(shown: &str, said: &str) -> bool {
    let number =
        |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').parse::<f64>().ok();
    match (number(shown), number(said)) {
        (Some(a), Some(b)) => {
            let places = shown
                .split_once('.')
                .map_or(0, |(_, tail)| tail.trim_matches(|c: char| !c.is_ascii_digit()).len());
            (a - b).abs() <= (TOLERANCE * a.abs()).max(1.5 * 0.1f64.powi(places as i32))
        }
        _ => shown == said,
    }
}

/// Lines in order; `…` marks omissions.
pub(crate) fn check(command: &str, shown: &str, said: &str) {
    let words = |line: &str| -> Vec<String> {
        line.split([' ', ',']).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let mut lines = said.lines();
    for line in shown.lines().filter(|line| !line.trim().is_empty() && line.trim() != "…") {
        let wanted = words(line);
        let matches = |said: &str| {
            let said = words(said);
            let open = wanted.last().is_some_and(|word| word == "…");
            let wanted = if open { &wanted[..wanted.len() - 1] } else { &wanted[..] };
            let long_enough = if open { said.len() >= wanted.len() } else { said.len() == wanted.len() };
            long_enough && wanted.iter().zip(&said).all(|(shown, said)| alike(shown, said))
        };
        assert!(
            lines.any(matches),
            "gp {command}\ndoes not say (any more, or in this order)\n{line}\nbut\n{said}"
        );
    }
}

/// Numbers of commands and compared answers.
fn run(page: &str) -> (usize, usize) {
    let (desk, mut count, mut shown) = (Desk::new(), 0, 0);
    TABLES.iter().for_each(|(name, table)| desk.write(name, table));
    let mut last = None;
    for (language, block) in blocks(page) {
        match language.split_once(' ') {
            // Blocks of data name their file.
            Some(("csv" | "toml", name)) => desk.write(name, block),
            _ if language == "sh" => {
                for line in block.lines().filter(|line| !line.starts_with('#')) {
                    let command = line.strip_prefix("gp ").unwrap();
                    last = Some((command.to_owned(), desk.ok(command)));
                    count += 1;
                }
            }
            _ if language == "text" => {
                let (command, said) = last.take().unwrap();
                check(&command, block, &(said.err + &said.out));
                shown += 1;
            }
            _ => {}
        }
    }
    (count, shown)
}

#[test]
fn every_command_of_the_tutorial_runs_and_says_what_is_shown() {
    let (count, shown) = run(include_str!("../../docs/tutorial.md"));
    assert!(count >= 12 && shown >= 6, "{count} commands, {shown} answers");
}

#[test]
fn every_command_of_the_guide_runs_and_says_what_is_shown() {
    let (count, shown) = run(include_str!("../../docs/guide.md"));
    assert!(count >= 15 && shown >= 2, "{count} commands, {shown} answers");
}

#[test]
fn what_differs_is_found() {
    assert!(alike("81.3", "81.4") && alike("(0.25)", "(0.251)") && !alike("81.3", "88.1"));
    assert!(alike("0", "1") && !alike("yes", "no"));
    let differs = std::panic::catch_unwind(|| check("x", "a 1\nb 2", "b 2\na 1"));
    assert!(differs.is_err());
    check("x", "a 1 …\n…\nb 2", "a 1 c\nother\nb 2");
}
