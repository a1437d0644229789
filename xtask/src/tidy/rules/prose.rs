//! Sources contain no notes of unfinished work.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{SourceFile, Tree};

/// Assembled, because this file is checked too.
const WORDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().flat_map(check_source).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        for word in words_of(line).filter(|word| WORDS.contains(word)) {
            let message = format!("finish the work or open an issue, and remove the word `{word}`");
            findings.push(Finding::new(&source.path, index + 1, message));
        }
    }
    findings
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric() && character != '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn every_banned_word_is_seen_in_comments_and_strings() {
        for word in WORDS {
            for text in [format!("// {word}: later"), format!("const A: &str = \"({word})\";")] {
                let fixture = Fixture::clean();
                fixture.append("gp-ep/src/lib.rs", &format!("\n{text}\n"));
                let line = fixture.line_of("gp-ep/src/lib.rs", &text);
                fixture.expect_one(check, "gp-ep/src/lib.rs", line, &format!("remove the word `{word}`"));
            }
        }
    }

    #[test]
    fn longer_words_and_other_cases_are_free() {
        let fixture = Fixture::clean();
        let words: String =
            WORDS.iter().map(|word| format!("// {word}S {word}_A {}\n", word.to_lowercase())).collect();
        fixture.append("gp-ep/src/lib.rs", &words);
        fixture.expect_none(check);
    }
}
