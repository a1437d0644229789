//! Markdown pages, with plots in separate files.

use super::Block;
use std::fmt::Write as _;

/// Plots are links to `figures/NAME.svg`.
pub(super) fn render(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        // Writing to a string cannot fail.
        let _ = match block {
            Block::Anchor(name) => writeln!(text, "<a id=\"{name}\"></a>\n"),
            Block::Heading(depth, words) => writeln!(text, "{} {words}\n", "#".repeat(*depth)),
            Block::Text(words) => writeln!(text, "{}\n", words.trim_end()),
            Block::Figure(name, picture) => writeln!(text, "![{}](figures/{name}.svg)\n", picture.title),
            Block::Table { header, rows } => writeln!(text, "{}", table(header, rows)),
        };
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        let cells: Vec<String> =
            cells.iter().map(|cell| cell.replace('|', "\\|").replace('\n', " ")).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let rule = format!("|{}\n", "---|".repeat(header.len()));
    let rows: String = rows.iter().map(|row| line(row)).collect();
    line(header) + &rule + &rows
}
