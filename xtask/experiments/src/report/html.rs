//! HTML pages, with plots in separate files.

use super::Block;
use std::fmt::Write as _;

const STYLE: &str = "body{font:15px/1.5 sans-serif;color:#282c34;max-width:64em;margin:2em auto;padding:0 1em}\
table{border-collapse:collapse;margin:1em 0;font-size:13px}th,td{padding:.15em .7em;border-bottom:1px solid #ddd;\
text-align:left;font-variant-numeric:tabular-nums}img{max-width:100%;height:auto}code{background:#f2f2f2}";

/// Plots are links to `figures/NAME.svg`.
pub(super) fn render(title: &str, blocks: &[Block]) -> String {
    let title = escape(title);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title><style>{STYLE}</style></head><body>\n"
    );
    for block in blocks {
        // Writing to a string cannot fail.
        let _ = match block {
            Block::Anchor(name) => writeln!(text, "<a id=\"{name}\"></a>"),
            Block::Heading(depth, words) => writeln!(text, "<h{depth}>{}</h{depth}>", inline(words)),
            Block::Text(words) => writeln!(text, "{}", paragraphs(words)),
            Block::Figure(name, picture) => {
                let title = escape(&picture.title);
                writeln!(
                    text,
                    "<figure><img src=\"figures/{name}.svg\" alt=\"{title}\" loading=\"lazy\"></figure>"
                )
            }
            Block::Table { header, rows } => writeln!(text, "{}", table(header, rows)),
        };
    }
    text.push_str("</body></html>\n");
    text
}

fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String], tag: &str| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", inline(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = rows.iter().map(|row| line(row, "td")).collect();
    format!("<table>\n{}{rows}</table>", line(header, "th"))
}

fn paragraphs(words: &str) -> String {
    let part = |part: &str| {
        let lines: Vec<&str> = part.lines().collect();
        if lines.first().is_some_and(|line| line.starts_with("- ")) {
            let joined = part.replace("\n  ", " ");
            let items: String = joined
                .lines()
                .map(|line| format!("<li>{}</li>", inline(line.trim_start_matches("- "))))
                .collect();
            return format!("<ul>{items}</ul>");
        }
        format!("<p>{}</p>", inline(&lines.join(" ")))
    };
    words.trim().split("\n\n").map(part).collect()
}

fn inline(words: &str) -> String {
    let mut text = String::new();
    for (i, part) in escape(words).split('`').enumerate() {
        let piece = if i % 2 == 1 { format!("<code>{part}</code>") } else { strong(&linked(part)) };
        text.push_str(&piece);
    }
    text
}

fn linked(words: &str) -> String {
    let Some((before, rest)) = words.split_once('[') else { return words.to_owned() };
    let link = rest.split_once("](").and_then(|(label, rest)| Some((label, rest.split_once(')')?)));
    match link {
        Some((label, (page, after))) if !label.contains('[') => {
            let page = page.replace("README.md", "index.html").replace(".md", ".html");
            format!("{before}<a href=\"{page}\">{label}</a>{}", linked(after))
        }
        _ => format!("{before}[{}", linked(rest)),
    }
}

fn strong(words: &str) -> String {
    let parts: Vec<&str> = words.split("**").collect();
    let piece = |(i, part): (usize, &&str)| {
        if i % 2 == 1 && i + 1 < parts.len() {
            format!("<strong>{part}</strong>")
        } else {
            (*part).to_owned()
        }
    };
    parts.iter().enumerate().map(piece).collect()
}

fn escape(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_marks_become_tags() {
        assert_eq!(inline("a < `b` & **c**"), "a &lt; <code>b</code> &amp; <strong>c</strong>");
        assert_eq!(
            inline("[a](README.md) [b](003.md#c) [d]"),
            "<a href=\"index.html\">a</a> <a href=\"003.html#c\">b</a> [d]"
        );
        assert_eq!(paragraphs("one\ntwo\n\n- a\n- b"), "<p>one two</p><ul><li>a</li><li>b</li></ul>");
    }
}
