//! Documentation in attributes.

use syn::{Attribute, Expr, ExprLit, ExprMacro, Lit, LitStr, Meta};

use crate::tidy::tree::Tree;

/// Documentation lines, including `#[doc = include_str!("…")]` relative to `path`.
pub(crate) fn text(attributes: &[Attribute], path: &str, tree: &Tree) -> String {
    let parts = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => value(&pair.value, path, tree),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("\n")
}

pub(crate) fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("doc") && list.tokens.to_string() == "hidden",
        _ => false,
    })
}

fn value(expression: &Expr, path: &str, tree: &Tree) -> Option<String> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Macro(ExprMacro { mac, .. }) if mac.path.is_ident("include_str") => {
            let included = mac.parse_body::<LitStr>().ok()?.value();
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            tree.read(&format!("{folder}/{included}"))
        }
        _ => None,
    }
}
