//! Texts in messages: short, without control characters.

use std::fmt::Write;

/// Maximum characters of a cell or name.
const MOST: usize = 60;
const CUT: char = '…';

/// Text of up to [`MOST`] characters; control characters and line ends escaped.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::new();
    let count = text.chars().count();
    let kept = if count > MOST { MOST - 1 } else { count };
    text.chars().take(kept).for_each(|letter| push(&mut out, letter, ""));
    if kept < count {
        out.push(CUT);
    }
    out
}

/// Escapes control characters, except line ends and tabs.
pub(crate) fn printable(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    message.chars().for_each(|letter| push(&mut out, letter, "\n\t"));
    out
}

fn push(out: &mut String, letter: char, allowed: &str) {
    match letter {
        letter if allowed.contains(letter) => out.push(letter),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        letter if letter.is_control() || turns_text(letter) => {
            // Writing to a string does not fail.
            let _ = write!(out, "{}", letter.escape_unicode());
        }
        letter => out.push(letter),
    }
}

fn turns_text(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(shown("a\u{1b}[31mb\nc\t\u{202e}d"), "a\\u{1b}[31mb\\nc\\t\\u{202e}d");
        assert_eq!(shown("Größe 1 €"), "Größe 1 €");
        assert_eq!(printable("one\ntwo\t\u{7}"), "one\ntwo\t\\u{7}");
    }

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown(&"ä".repeat(MOST)), "ä".repeat(MOST));
        let cut = shown(&"ä".repeat(MOST + 1));
        assert!(cut.chars().count() == MOST && cut.ends_with("ä…"), "{cut}");
    }
}
