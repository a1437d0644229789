//! Audience of code (users or tests), for rules about panics and documentation.

use std::ops::RangeInclusive;

use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Meta, Token};

/// From strict to lax; nested code takes the laxest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Audience {
    /// Run by users.
    Users,
    /// Public code for tests, which may assert.
    TestKit,
    /// Own tests, benchmarks, examples.
    Tests,
}

#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) lines: RangeInclusive<usize>,
    pub(crate) audience: Audience,
}

pub(crate) fn of_path(path: &str) -> Audience {
    let mut parts = path.split('/');
    match parts.next() {
        Some("tests" | "benches" | "examples") => Audience::Tests,
        _ if parts.any(|part| matches!(part, "testkit" | "testkit.rs")) => Audience::TestKit,
        _ => Audience::Users,
    }
}

/// Audience by `#[test]` and `#[cfg(…)]`.
pub(crate) fn of_attributes(attributes: &[Attribute]) -> Audience {
    attributes.iter().map(of_attribute).fold(Audience::Users, Audience::max)
}

/// `true` for items of own tests only.
pub(crate) fn is_test_only(attributes: &[Attribute]) -> bool {
    of_attributes(attributes) == Audience::Tests
}

fn of_attribute(attribute: &Attribute) -> Audience {
    if attribute.path().is_ident("test") {
        return Audience::Tests;
    }
    if !attribute.path().is_ident("cfg") {
        return Audience::Users;
    }
    attribute.parse_args::<Meta>().map_or(Audience::Users, |condition| of_condition(&condition))
}

/// Strictest audience under which the condition may hold.
fn of_condition(condition: &Meta) -> Audience {
    match condition {
        Meta::Path(path) if path.is_ident("test") => Audience::Tests,
        Meta::NameValue(pair) if pair.path.is_ident("feature") && is_literal(&pair.value, "testkit") => {
            Audience::TestKit
        }
        Meta::List(list) => {
            let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
            let parts = parts.into_iter().flatten().map(|part| of_condition(&part));
            match list.path.get_ident().map(ToString::to_string).as_deref() {
                Some("all") => parts.max().unwrap_or(Audience::Users),
                Some("any") => parts.min().unwrap_or(Audience::Users),
                _ => Audience::Users,
            }
        }
        _ => Audience::Users,
    }
}

fn is_literal(value: &syn::Expr, expected: &str) -> bool {
    matches!(value, syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if text.value() == expected)
}

pub(crate) fn regions(file: &syn::File) -> Vec<Region> {
    let mut collector = Collector { regions: Vec::new() };
    collector.note(&file.attrs, 1, usize::MAX);
    collector.visit_file(file);
    collector.regions
}

struct Collector {
    regions: Vec<Region>,
}

impl Collector {
    fn note(&mut self, attributes: &[Attribute], first: usize, last: usize) {
        let audience = of_attributes(attributes);
        if audience > Audience::Users {
            self.regions.push(Region { lines: first..=last, audience });
        }
    }
}

impl<'ast> Visit<'ast> for Collector {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let span = item.span();
        self.note(item_attributes(item), span.start().line, span.end().line);
        if let syn::Item::Mod(module) = item
            && module.ident == "testkit"
        {
            self.regions
                .push(Region { lines: span.start().line..=span.end().line, audience: Audience::TestKit });
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if let syn::ImplItem::Fn(function) = item {
            let span = function.span();
            self.note(&function.attrs, span.start().line, span.end().line);
        }
        visit::visit_impl_item(self, item);
    }
}

/// Empty for items without code.
pub(crate) fn item_attributes(item: &syn::Item) -> &[Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audience(item: &str) -> Audience {
        of_attributes(item_attributes(&syn::parse_str(item).unwrap()))
    }

    #[test]
    fn conditions_are_read_as_the_strictest_audience_that_sees_the_item() {
        for (item, expected) in [
            ("fn f() {}", Audience::Users),
            ("#[test] fn f() {}", Audience::Tests),
            ("#[cfg(test)] mod m {}", Audience::Tests),
            ("#[cfg(all(test, unix))] mod m {}", Audience::Tests),
            ("#[cfg(any(test, unix))] mod m {}", Audience::Users),
            ("#[cfg(any(test, feature = \"testkit\"))] mod m {}", Audience::TestKit),
            ("#[cfg(feature = \"testkit\")] mod m {}", Audience::TestKit),
            ("#[cfg(feature = \"solvers\")] mod m {}", Audience::Users),
            ("#[cfg(not(test))] mod m {}", Audience::Users),
        ] {
            assert_eq!(audience(item), expected, "{item}");
        }
    }

    #[test]
    fn paths_decide_for_whole_files() {
        for (path, expected) in [
            ("src/lib.rs", Audience::Users),
            ("src/tests/a.rs", Audience::Users),
            ("tests/a.rs", Audience::Tests),
            ("tests/common/mod.rs", Audience::Tests),
            ("benches/a.rs", Audience::Tests),
            ("examples/a.rs", Audience::Tests),
            ("src/testkit.rs", Audience::TestKit),
            ("src/testkit/gradients.rs", Audience::TestKit),
        ] {
            assert_eq!(of_path(path), expected, "{path}");
        }
    }

    #[test]
    fn regions_cover_the_item_from_its_attribute_to_its_end() {
        let file =
            syn::parse_file("fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() {}\n}\nfn h() {}\n").unwrap();
        let regions = regions(&file);
        assert_eq!(regions.len(), 1);
        assert_eq!(regions[0].lines, 2..=5);
        assert_eq!(regions[0].audience, Audience::Tests);
    }
}
