//! Paths and method calls among tokens, because syntax trees do not parse macro arguments.
//!
//! Strings, comments and documentation are ignored.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) kind: MentionKind,
    pub(crate) line: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MentionKind {
    /// Two or more segments, with `use` prefix.
    Path(Vec<String>),
    /// `.name(…)`, also with type arguments.
    Method(String),
}

pub(crate) fn scan(tokens: TokenStream) -> Vec<Mention> {
    let mut mentions = Vec::new();
    scan_into(tokens, &[], &mut mentions);
    mentions
}

fn scan_into(tokens: TokenStream, prefix: &[String], mentions: &mut Vec<Mention>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        at = match &tokens[at] {
            TokenTree::Ident(_) => scan_name(&tokens, at, prefix, mentions),
            TokenTree::Group(group) => {
                scan_into(group.stream(), &[], mentions);
                at + 1
            }
            _ => at + 1,
        };
    }
}

/// Scans the path at `at`; returns the next position.
fn scan_name(tokens: &[TokenTree], at: usize, prefix: &[String], mentions: &mut Vec<Mention>) -> usize {
    let line = tokens[at].span().start().line;
    let (own_segments, end) = path_from(tokens, at);
    let segments: Vec<String> = prefix.iter().cloned().chain(own_segments).collect();
    let mut note = |kind| mentions.push(Mention { kind, line });
    let is_macro = is_punct(tokens, end, '!') && matches!(tokens.get(end + 1), Some(TokenTree::Group(_)));
    if at > 0 && is_punct(tokens, at - 1, '.') && is_called(tokens, end) {
        note(MentionKind::Method(segments.last().cloned().unwrap_or_default()));
    } else if is_separator(tokens, end)
        && let Some(group) = group_at(tokens, end + 2, Delimiter::Brace)
    {
        scan_into(group.stream(), &segments, mentions);
        return end + 3;
    } else if segments.len() > 1 && !is_macro {
        note(MentionKind::Path(segments));
    }
    end
}

fn path_from(tokens: &[TokenTree], at: usize) -> (Vec<String>, usize) {
    let mut segments = vec![tokens[at].to_string()];
    let mut end = at + 1;
    while is_separator(tokens, end)
        && let Some(TokenTree::Ident(name)) = tokens.get(end + 2)
    {
        segments.push(name.to_string());
        end += 3;
    }
    (segments, end)
}

fn is_punct(tokens: &[TokenTree], at: usize, character: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens, at, ':') && is_punct(tokens, at + 1, ':')
}

/// `true` at an argument list or type arguments.
fn is_called(tokens: &[TokenTree], at: usize) -> bool {
    group_at(tokens, at, Delimiter::Parenthesis).is_some()
        || (is_separator(tokens, at) && is_punct(tokens, at + 2, '<'))
}

fn group_at(tokens: &[TokenTree], at: usize, delimiter: Delimiter) -> Option<&Group> {
    match tokens.get(at) {
        Some(TokenTree::Group(group)) if group.delimiter() == delimiter => Some(group),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(text: &str) -> Vec<(MentionKind, usize)> {
        scan(text.parse().unwrap()).into_iter().map(|mention| (mention.kind, mention.line)).collect()
    }

    fn path(text: &str) -> MentionKind {
        MentionKind::Path(text.split("::").map(str::to_owned).collect())
    }

    #[test]
    fn method_calls_are_seen_also_inside_macros() {
        let found = scanned(
            "fn f() {\n    x.unwrap();\n    assert!(\n        y.parse::<f64>());\n    std::panic!();\n}",
        );
        let expected = [(MentionKind::Method("unwrap".into()), 2), (MentionKind::Method("parse".into()), 4)];
        assert_eq!(found, expected);
    }

    #[test]
    fn use_groups_are_spelt_out() {
        let found = scanned("use faer::{Mat,\n    linalg::{matmul::matmul, solvers::Llt}};\nuse a::b;");
        let expected = [
            (path("faer::Mat"), 1),
            (path("faer::linalg::matmul::matmul"), 2),
            (path("faer::linalg::solvers::Llt"), 2),
            (path("a::b"), 3),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn strings_comments_and_documentation_mention_nothing() {
        assert_eq!(scanned("// a.unwrap()\n/* b::c */ \"d.unwrap() panic!()\" 'e' 1.0"), []);
        assert_eq!(scanned("/// `a.unwrap()` and `b::c`\nstruct S;"), []);
    }

    #[test]
    fn comparisons_and_ranges_are_no_calls() {
        assert_eq!(scanned("if a != (b) { c.field }"), []);
    }
}
