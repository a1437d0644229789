//! Documentation comments with their items.

use crate::tidy::tree::{Audience, SourceFile};

/// Run of `///` lines, or leading `//!` lines.
#[derive(Debug)]
pub(crate) struct DocComment<'a> {
    /// First line, from 1.
    pub(crate) line: usize,
    /// Lines without markers and code blocks.
    pub(crate) prose: Vec<&'a str>,
    /// Item's first line after attributes; empty for files.
    pub(crate) item: &'a str,
}

impl DocComment<'_> {
    pub(crate) fn summary(&self) -> String {
        let lines = self.prose.iter().map(|line| line.trim());
        lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// Words outside code, without numbers and symbols.
    pub(crate) fn words(&self) -> usize {
        let text = self.prose.join("\n");
        let outside = text.split('`').step_by(2).flat_map(str::split_whitespace);
        outside.filter(|word| word.contains(char::is_alphabetic)).count()
    }
}

/// Comments outside tests, in order.
pub(crate) fn shipped(source: &SourceFile) -> Vec<DocComment<'_>> {
    let mut comments = of_text(&source.text);
    comments.retain(|comment| source.audience_at(comment.line) != Audience::Tests);
    comments
}

fn of_text(text: &str) -> Vec<DocComment<'_>> {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let mut comments = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let marker = if lines[at].starts_with("//!") { "//!" } else { "///" };
        let length = lines[at..].iter().take_while(|line| line.starts_with(marker)).count();
        if length > 0 {
            let body = lines[at..at + length].iter().map(|line| &line[marker.len()..]);
            let item = if marker == "///" { item_after(&lines[at + length..]) } else { "" };
            comments.push(DocComment { line: at + 1, prose: without_code(body), item });
        }
        at += length.max(1);
    }
    comments
}

fn item_after<'a>(lines: &[&'a str]) -> &'a str {
    lines.iter().find(|line| !line.starts_with('#')).copied().unwrap_or_default()
}

fn without_code<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut inside = false;
    lines
        .filter(|line| {
            let fence = line.trim_start().starts_with("```");
            inside ^= fence;
            !fence && !inside
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_have_their_first_paragraph_and_their_item() {
        let text = "//! File.\n\n/// Sum of\n/// squares.\n///\n/// More.\n#[must_use]\npub fn sum() {}\n";
        let comments = of_text(text);
        let found: Vec<_> = comments.iter().map(|c| (c.line, c.summary(), c.item)).collect();
        assert_eq!(
            found,
            [(1, "File.".to_owned(), ""), (3, "Sum of squares.".to_owned(), "pub fn sum() {}")]
        );
    }

    #[test]
    fn words_of_code_are_not_counted() {
        let text = "/// Two words, `a + b`: 1 = 1.\n///\n/// ```\n/// let a = 1;\n/// ```\n/// Two more.\nfn f() {}\n";
        assert_eq!(of_text(text)[0].words(), 4);
    }
}
