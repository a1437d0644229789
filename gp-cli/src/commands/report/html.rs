//! Self-contained HTML page without scripts.

use crate::error::{CliError, ErrorKind};
use crate::picture::Picture;

/// Light and dark style sheet; plots stay white.
const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1d232b;--paper:#fff;--faint:#5c6773;--line:#d6dbe1;--bar:#9dbbe0;--shade:#f3f5f8}
@media(prefers-color-scheme:dark){:root{--ink:#e4e8ec;--paper:#14181d;--faint:#9aa5b1;--line:#38414b;--bar:#35598a;--shade:#1d232b}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:68rem;margin:2rem auto;padding:0 1rem}
h1{margin-bottom:.2rem}h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
.lead,caption,small{color:var(--faint)}
nav ul{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;padding:0;list-style:none}
a{color:inherit}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:1rem 0}
caption{text-align:left;padding-bottom:.3rem}
th,td{padding:.25rem .8rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top;font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left;font-weight:normal}
thead th{font-weight:600;border-bottom-width:2px}
td.words{text-align:left;overflow-wrap:anywhere}
td.bar{background:linear-gradient(to right,var(--bar) var(--share),transparent var(--share))}
td.kept{background:color-mix(in srgb,var(--bar) var(--share),transparent)}
code,pre{font-family:ui-monospace,monospace;font-size:.92em}
pre{background:var(--shade);padding:.8rem 1rem;overflow-x:auto}
.warning{border-left:4px solid #d98200;padding:.1rem 1rem;background:var(--shade)}
figure{margin:1rem 0}svg{width:100%;height:auto;background:#fff;border-radius:4px}";

pub(super) enum Cell {
    Number(String),
    Words(String),
    Bar(f64, String),
    Shaded(f64, String),
}

pub(super) struct Section {
    title: String,
    body: String,
}

impl Section {
    pub(super) fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), body: String::new() }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.body += &format!("<p>{}</p>\n", escaped(text));
    }

    pub(super) fn warning(&mut self, text: &str) {
        self.body += &format!("<p class=\"warning\">{}</p>\n", escaped(text));
    }

    pub(super) fn code(&mut self, text: &str) {
        self.body += &format!("<pre>{}</pre>\n", escaped(text));
    }

    pub(super) fn table(&mut self, caption: &str, header: &[String], rows: &[(String, Vec<Cell>)]) {
        let names: String =
            header.iter().map(|name| format!("<th scope=\"col\">{}</th>", escaped(name))).collect();
        let head = if header.is_empty() { String::new() } else { format!("<thead><tr>{names}</tr></thead>") };
        let body: String = rows.iter().map(row).collect();
        let caption = if caption.is_empty() {
            String::new()
        } else {
            format!("<caption>{}</caption>", escaped(caption))
        };
        self.body +=
            &format!("<div class=\"wide\"><table>{caption}{head}<tbody>\n{body}</tbody></table></div>\n");
    }

    pub(super) fn picture(&mut self, picture: &Picture) -> Result<(), CliError> {
        let text = String::from_utf8(picture.svg()?)
            .map_err(|cause| CliError::caused(ErrorKind::Io, "cannot draw the picture", cause))?;
        // Plots use the fonts of the page.
        let text = text.replace("font-family=\"gp-picture\"", "font-family=\"sans-serif\"");
        self.body += &format!("<figure>{text}</figure>\n");
        Ok(())
    }
}

fn row((name, cells): &(String, Vec<Cell>)) -> String {
    let cells: String = cells.iter().map(cell).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escaped(name))
}

fn cell(cell: &Cell) -> String {
    let with_share = |class: &str, share: &f64, text: &str| {
        let share = (100.0 * share).clamp(0.0, 100.0);
        format!("<td class=\"{class}\" style=\"--share:{share:.1}%\">{}</td>", escaped(text))
    };
    match cell {
        Cell::Number(text) => format!("<td>{}</td>", escaped(text)),
        Cell::Words(text) => format!("<td class=\"words\">{}</td>", escaped(text)),
        Cell::Bar(share, text) => with_share("bar", share, text),
        Cell::Shaded(share, text) => with_share("kept", share, text),
    }
}

pub(super) fn page(title: &str, lead: &str, sections: &[Section]) -> String {
    let (title, lead) = (escaped(title), escaped(lead));
    let entry = |(place, section): (usize, &Section)| {
        format!("<li><a href=\"#part-{place}\">{}</a></li>", escaped(&section.title))
    };
    let index: String = sections.iter().enumerate().map(entry).collect();
    let part = |(place, section): (usize, &Section)| {
        let (title, body) = (escaped(&section.title), &section.body);
        format!("<section id=\"part-{place}\"><h2>{title}</h2>\n{body}</section>\n")
    };
    let parts: String = sections.iter().enumerate().map(part).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{title}</title><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n<p class=\"lead\">{lead}</p>\n<nav><ul>{index}</ul></nav>\n{parts}</body></html>\n"
    )
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_is_text() {
        let mut section = Section::new("a <b> & \"c\"");
        section.table(
            "",
            &["<i>".to_owned()],
            &[("<u>".to_owned(), vec![Cell::Bar(2.0, "</td>".to_owned())])],
        );
        let page = page("<script>", "x", &[section]);
        assert!(page.contains("&lt;script&gt;") && page.contains("--share:100.0%\">&lt;/td&gt;</td>"));
        for tag in ["<script", "<b>", "<i>", "<u>"] {
            assert!(!page.contains(tag), "{tag}");
        }
    }
}
