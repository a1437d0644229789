//! Summaries start with a noun phrase or a third-person verb; counts say "per", not "a".

use crate::tidy::finding::Finding;
use crate::tidy::tree::{DocComment, SourceFile, Tree, shipped_comments};

/// Banned first words of summaries.
const RIDDLES: &[&str] = &[
    "what",
    "how",
    "whether",
    "where",
    "who",
    "whom",
    "whose",
    "whoever",
    "why",
    "when",
    "which",
    "of",
    "so",
    "as",
    "that",
    "nobody",
    "somebody",
    "everybody",
    "something",
    "it",
    "its",
    "they",
    "their",
    "also",
];

const VAGUE: &[&str] = &["whoever", "somebody", "nobody"];

/// Banned first verbs of function summaries.
const BARE_VERBS: &[&str] = &[
    "add", "apply", "build", "compute", "create", "fill", "find", "get", "give", "make", "put", "remove",
    "replace", "return", "take", "write",
];

/// Words before a wrong "a", and `COUNTED_BY`.
const COUNTED: &[&str] = &[
    "one",
    "number",
    "numbers",
    "value",
    "values",
    "entry",
    "entries",
    "line",
    "lines",
    "row",
    "rows",
    "column",
    "columns",
    "byte",
    "bytes",
    "file",
    "files",
    "length-scale",
    "weight",
    "lane",
];
const COUNTED_BY: &[&str] = &[
    "observation",
    "row",
    "column",
    "class",
    "latent",
    "point",
    "run",
    "parameter",
    "dimension",
    "level",
    "lane",
    "function",
    "site",
    "input",
    "cell",
    "kernel",
    "output",
    "pair",
    "iteration",
    "thread",
    "block",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().flat_map(check_source).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let comments = shipped_comments(source);
    let faults = comments.iter().filter_map(|comment| Some((comment.line, fault(comment)?)));
    faults.map(|(line, message)| Finding::new(&source.path, line, message)).collect()
}

fn fault(comment: &DocComment<'_>) -> Option<String> {
    let summary = comment.summary();
    let first = words(&summary).next()?;
    if RIDDLES.contains(&first.as_str()) {
        return Some(format!("open with a noun or a verb in the third person, not with `{first}`"));
    }
    if BARE_VERBS.contains(&first.as_str()) && comment.item.contains("fn ") {
        return Some(format!("put the verb `{first}` in the third person"));
    }
    if let Some(word) = words(&summary).find(|word| VAGUE.contains(&word.as_str())) {
        return Some(format!("say what it is instead of `{word}`"));
    }
    distributive(comment).map(|found| format!("write \"per\" in `{found}`"))
}

/// Count and unit joined by "a".
fn distributive(comment: &DocComment<'_>) -> Option<String> {
    let all: Vec<String> = words(&comment.prose.join(" ")).collect();
    let found = all.windows(3).find(|three| {
        COUNTED.contains(&three[0].as_str())
            && matches!(three[1].as_str(), "a" | "an")
            && COUNTED_BY.contains(&three[2].as_str())
    })?;
    Some(found.join(" "))
}

/// Lower-case words without punctuation, except backticks.
fn words(text: &str) -> impl Iterator<Item = String> {
    let is_edge = |character: char| !character.is_alphanumeric() && character != '`';
    text.split_whitespace().map(move |word| word.trim_matches(is_edge).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    fn with(documentation: &str) -> (Fixture, usize) {
        let fixture = Fixture::clean();
        fixture.append("gp-ep/src/lib.rs", &format!("\n/// {documentation}\nfn item() {{}}\n"));
        let line = fixture.line_of("gp-ep/src/lib.rs", documentation);
        (fixture, line)
    }

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn riddles_bare_verbs_vague_words_and_the_distributive_a_are_seen() {
        for (documentation, expected) in [
            ("What is known of a row.", "not with `what`"),
            ("Whether it is.", "not with `whether`"),
            ("Of whoever asks.", "not with `of`"),
            ("Compute the sum.", "put the verb `compute`"),
            ("Scratch for whoever wants some.", "instead of `whoever`"),
            ("Scratch: one number an observation.", "write \"per\" in `number an observation`"),
        ] {
            let (fixture, line) = with(documentation);
            fixture.expect_one(check, "gp-ep/src/lib.rs", line, expected);
        }
    }

    #[test]
    fn noun_phrases_and_verbs_in_the_third_person_are_free() {
        for documentation in ["Number of rows.", "Computes the sum.", "`true` where a row is known."] {
            with(documentation).0.expect_none(check);
        }
    }

    #[test]
    fn tests_are_free() {
        let fixture = Fixture::clean();
        fixture.write("gp-ep/tests/long.rs", "/// What is tried.\nfn tried() {}\n");
        fixture.expect_none(check);
    }
}
