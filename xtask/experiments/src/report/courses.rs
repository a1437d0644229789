//! Scores in the end, and the way there.

use super::{Block, Comparison, Scale, course};

/// A table for each of some scores as they are in the end, with its title; then, for every setting of the only data set,
/// curves of some scores by seconds, in pictures whose files are named `FILE-SETTING-SCORE`.
#[must_use]
pub fn courses(
    of: &Comparison<'_>,
    file: &str,
    ends: &[(&'static str, &str)],
    by_seconds: &[&str],
    digits: usize,
) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (measure, title) in ends {
        blocks.push(Block::text(format!("{title}:")));
        blocks.push(Comparison { measure, ..of.clone() }.grid(digits));
    }
    for setting in of.settings {
        for score in by_seconds {
            let (file, curve) = (format!("{file}-{setting}-{score}"), format!("{score} by seconds"));
            let names = ["seconds", score, curve.as_str()];
            blocks.extend(course(of.results, &file, [of.data[0], setting], of.methods, names, Scale::Log));
        }
    }
    blocks
}
