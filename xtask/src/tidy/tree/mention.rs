//! What code mentions: paths, method calls, macro calls and attributes, found in the token stream.
//!
//! Tokens rather than the syntax tree, because the arguments of a macro call are nothing but tokens to a parser, and
//! `assert!(x.unwrap() > 0.0)` has to be seen as well. Strings, comments and examples in documentation are single
//! tokens or none, so they mention nothing.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// One thing that code mentions, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) kind: MentionKind,
    /// Line, counted from 1.
    pub(crate) line: usize,
}

/// The kinds of things that code mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MentionKind {
    /// `a::b::c`: its segments, at least two. Members of a `use` group have the group's prefix.
    Path(Vec<String>),
    /// `.name(…)`, also with type arguments.
    Method(String),
    /// `name!(…)`; of a path, its last segment.
    Macro(String),
    /// `#[name…]` or `#![name…]`, also inside `cfg_attr`.
    Attribute(String),
}

/// Everything that the tokens mention, in order.
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
            TokenTree::Punct(punct) if punct.as_char() == '#' => scan_attribute(&tokens, at, mentions),
            TokenTree::Group(group) => {
                scan_into(group.stream(), &[], mentions);
                at + 1
            }
            _ => at + 1,
        };
    }
}

/// Reads the path that starts at `at`, and what follows it decides what was mentioned. The next position to read.
fn scan_name(tokens: &[TokenTree], at: usize, prefix: &[String], mentions: &mut Vec<Mention>) -> usize {
    let line = tokens[at].span().start().line;
    let (own_segments, end) = path_from(tokens, at);
    let segments: Vec<String> = prefix.iter().cloned().chain(own_segments).collect();
    let mut note = |kind| mentions.push(Mention { kind, line });
    let last = segments.last().cloned().unwrap_or_default();
    if is_punct(tokens, end, '!') && matches!(tokens.get(end + 1), Some(TokenTree::Group(_))) {
        note(MentionKind::Macro(last));
    } else if at > 0 && is_punct(tokens, at - 1, '.') && is_called(tokens, end) {
        note(MentionKind::Method(last));
    } else if is_separator(tokens, end)
        && let Some(group) = group_at(tokens, end + 2, Delimiter::Brace)
    {
        scan_into(group.stream(), &segments, mentions);
        return end + 3;
    } else if segments.len() > 1 {
        note(MentionKind::Path(segments));
    }
    end
}

/// The segments of the path that starts at the name at `at`, and the position behind it.
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

/// Reads `#[…]` or `#![…]` at `at`. The next position to read: the group's content is scanned like other tokens.
fn scan_attribute(tokens: &[TokenTree], at: usize, mentions: &mut Vec<Mention>) -> usize {
    let bracket = if is_punct(tokens, at + 1, '!') { at + 2 } else { at + 1 };
    if let Some(group) = group_at(tokens, bracket, Delimiter::Bracket) {
        note_attribute(group.stream(), mentions);
    }
    bracket
}

fn note_attribute(tokens: TokenStream, mentions: &mut Vec<Mention>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let Some(TokenTree::Ident(name)) = tokens.first() else { return };
    mentions.push(Mention { kind: MentionKind::Attribute(name.to_string()), line: name.span().start().line });
    // cfg_attr(condition, attribute, …): whatever stands in front of an argument list may be an attribute.
    if name == "cfg_attr"
        && let Some(group) = group_at(&tokens, 1, Delimiter::Parenthesis)
    {
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        for (index, token) in inner.iter().enumerate() {
            if let TokenTree::Ident(name) = token
                && group_at(&inner, index + 1, Delimiter::Parenthesis).is_some()
            {
                let kind = MentionKind::Attribute(name.to_string());
                mentions.push(Mention { kind, line: name.span().start().line });
            }
        }
    }
}

fn is_punct(tokens: &[TokenTree], at: usize, character: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

/// `::` at this position.
fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    is_punct(tokens, at, ':') && is_punct(tokens, at + 1, ':')
}

/// An argument list, or the type arguments in front of one, at this position.
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
    fn method_and_macro_calls_are_seen_also_inside_macros() {
        let found = scanned(
            "fn f() {\n    x.unwrap();\n    assert!(\n        y.parse::<f64>());\n    std::panic!();\n}",
        );
        let expected = [
            (MentionKind::Method("unwrap".into()), 2),
            (MentionKind::Macro("assert".into()), 3),
            (MentionKind::Method("parse".into()), 4),
            (MentionKind::Macro("panic".into()), 5),
        ];
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
    fn attributes_are_seen_also_behind_a_condition() {
        let found =
            scanned("#![warn(x)]\n#[cfg_attr(test, allow(dead_code))]\nfn f() {}\n#[must_use]\nfn g() {}");
        let names: Vec<_> = found
            .into_iter()
            .filter_map(|(kind, line)| match kind {
                MentionKind::Attribute(name) => Some((name, line)),
                _ => None,
            })
            .collect();
        let expected = [("warn", 1), ("cfg_attr", 2), ("allow", 2), ("must_use", 4)];
        assert_eq!(names, expected.map(|(name, line)| (name.to_owned(), line)));
    }

    #[test]
    fn strings_comments_and_documentation_mention_nothing() {
        assert_eq!(scanned("// a.unwrap()\n/* b::c */ \"d.unwrap() panic!()\" 'e' 1.0"), []);
        let documented = scanned("/// `a.unwrap()` and `panic!()`\nstruct S;");
        assert_eq!(documented, [(MentionKind::Attribute("doc".into()), 1)]);
    }

    #[test]
    fn comparisons_and_ranges_are_no_calls() {
        assert_eq!(scanned("if a != (b) { c.field }"), []);
    }
}
