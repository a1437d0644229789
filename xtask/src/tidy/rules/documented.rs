//! Public documentation says more than names; rustc's `missing_docs` requires its existence.

use proc_macro2::Ident;
use syn::{Attribute, Fields, Item, ItemMod, Visibility};

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Audience, Member, SourceFile, Tree, docs, is_test_only, item_attributes};

const FILLERS: &[&str] = &[
    "a", "an", "the", "this", "that", "of", "for", "is", "it", "its", "get", "gets", "set", "sets", "return",
    "returns",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let libraries = tree.members.iter().filter(|member| member.library_root().is_some());
    libraries.flat_map(|member| check_library(tree, member)).collect()
}

fn check_library(tree: &Tree, member: &Member) -> Vec<Finding> {
    let sources = member.sources.iter().filter(|source| source.audience != Audience::Tests);
    sources
        .flat_map(|source| {
            let mut visit = Visit { tree, source, findings: Vec::new() };
            visit.items(&source.syntax.items);
            visit.findings
        })
        .collect()
}

struct Visit<'a> {
    tree: &'a Tree,
    source: &'a SourceFile,
    findings: Vec<Finding>,
}

impl Visit<'_> {
    fn items(&mut self, items: &[Item]) {
        for item in items {
            let attributes = item_attributes(item);
            if !is_test_only(attributes) && !docs::is_hidden(attributes) {
                self.item(item);
            }
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Const(item) => self.public(&item.vis, &item.attrs, &item.ident),
            Item::Static(item) => self.public(&item.vis, &item.attrs, &item.ident),
            Item::Type(item) => self.public(&item.vis, &item.attrs, &item.ident),
            Item::Fn(item) => self.public(&item.vis, &item.attrs, &item.sig.ident),
            Item::Struct(item) => self.structure(item),
            Item::Enum(item) => self.enumeration(item),
            Item::Trait(item) => self.interface(item),
            Item::Impl(item) if item.trait_.is_none() => self.implementation(item),
            Item::Mod(item) => self.module(item),
            Item::Macro(item) => self.exported_macro(item),
            _ => {}
        }
    }

    fn structure(&mut self, item: &syn::ItemStruct) {
        self.public(&item.vis, &item.attrs, &item.ident);
        if is_public(&item.vis) {
            self.fields(&item.fields, |field| is_public(&field.vis));
        }
    }

    fn enumeration(&mut self, item: &syn::ItemEnum) {
        self.public(&item.vis, &item.attrs, &item.ident);
        if is_public(&item.vis) {
            for variant in &item.variants {
                self.require(&variant.attrs, &variant.ident);
                self.fields(&variant.fields, |_| true);
            }
        }
    }

    /// Named fields only.
    fn fields(&mut self, fields: &Fields, is_visible: impl Fn(&syn::Field) -> bool) {
        for field in fields.iter().filter(|field| is_visible(field)) {
            if let Some(name) = &field.ident {
                self.require(&field.attrs, name);
            }
        }
    }

    fn interface(&mut self, item: &syn::ItemTrait) {
        self.public(&item.vis, &item.attrs, &item.ident);
        if is_public(&item.vis) {
            for part in &item.items {
                match part {
                    syn::TraitItem::Fn(part) => self.require(&part.attrs, &part.sig.ident),
                    syn::TraitItem::Const(part) => self.require(&part.attrs, &part.ident),
                    syn::TraitItem::Type(part) => self.require(&part.attrs, &part.ident),
                    _ => {}
                }
            }
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl) {
        for part in &item.items {
            match part {
                syn::ImplItem::Fn(part) if !is_test_only(&part.attrs) => {
                    self.public(&part.vis, &part.attrs, &part.sig.ident);
                }
                syn::ImplItem::Const(part) => self.public(&part.vis, &part.attrs, &part.ident),
                _ => {}
            }
        }
    }

    fn module(&mut self, item: &ItemMod) {
        self.public(&item.vis, &item.attrs, &item.ident);
        if let Some((_, items)) = &item.content {
            self.items(items);
        }
    }

    fn exported_macro(&mut self, item: &syn::ItemMacro) {
        if let Some(name) = &item.ident
            && item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export"))
        {
            self.require(&item.attrs, name);
        }
    }

    fn public(&mut self, visibility: &Visibility, attributes: &[Attribute], name: &Ident) {
        if is_public(visibility) {
            self.require(attributes, name);
        }
    }

    fn require(&mut self, attributes: &[Attribute], name: &Ident) {
        let text = docs::text(attributes, &self.source.path, self.tree);
        if !text.trim().is_empty() && repeats_name(&name.to_string(), &text) {
            let message = format!("say more about `{name}` than its name does, or find a better name");
            self.findings.push(Finding::new(&self.source.path, name.span().start().line, message));
        }
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn repeats_name(name: &str, text: &str) -> bool {
    let known = words(&spaced(name));
    words(text).iter().all(|word| known.contains(word) || FILLERS.contains(&word.as_str()))
}

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|character: char| !character.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// Name with a space before each capital.
fn spaced(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_uppercase() {
            out.push(' ');
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn every_kind_of_public_item_is_seen() {
        for code in [
            "/// Found.\npub struct Found;",
            "/// Found.\npub enum Found {}",
            "/// Kinds of noise.\npub enum E {\n    /// Found.\n    Found(f64),\n}",
            "/// Kinds of noise.\npub enum E {\n    /// Shared.\n    V {\n        /// Found.\n        found: f64,\n    },\n}",
            "/// Two numbers.\npub struct S {\n    /// Found.\n    pub found: f64,\n}",
            "/// Found.\npub fn found() {}",
            "/// Found.\npub trait Found {}",
            "/// Many things.\npub trait T {\n    /// Found.\n    fn found();\n}",
            "/// Many things.\npub trait T {\n    /// Found.\n    type Found;\n}",
            "/// Many things.\npub trait T {\n    /// Found.\n    const found: f64;\n}",
            "/// Found.\npub type Found = f64;",
            "/// Found.\npub const found: f64 = 1.0;",
            "/// Found.\npub static found: f64 = 1.0;",
            "/// Found.\npub mod found {}",
            "mod inner {\n    /// Found.\n    pub fn found() {}\n}",
            "impl S {\n    /// Found.\n    pub fn found() {}\n}",
            "/// Found.\n#[macro_export]\nmacro_rules! found { () => {} }",
        ] {
            let fixture = Fixture::clean();
            fixture.write("gp-ep/src/planted.rs", &format!("//! Planted.\n{code}\n"));
            let is_item = |line: &str| line.to_lowercase().contains("found") && !line.contains("///");
            let line = 2 + code.lines().position(is_item).unwrap();
            fixture.expect_one(check, "gp-ep/src/planted.rs", line, "say more about `");
        }
    }

    #[test]
    fn what_users_cannot_see_is_free() {
        let fixture = Fixture::clean();
        fixture.append(
            "gp-ep/src/lib.rs",
            "\n/// F.\nfn f() {}\n/// S.\npub(crate) struct S {\n    /// X.\n    pub x: f64,\n}\n\
             #[doc(hidden)]\n/// H.\npub fn h() {}\n#[cfg(test)]\nmod tests {\n    /// I.\n    pub fn i() {}\n}\n",
        );
        fixture.write("gp-ep/tests/helpers.rs", "/// J.\npub fn j() {}\n");
        fixture.write("xtask/src/more.rs", "/// K.\npub fn k() {}\n");
        fixture.expect_none(check);
    }

    #[test]
    fn documentation_that_only_repeats_the_name_is_seen() {
        for (name, text, repeats) in [
            ("name", "Gets the name.", true),
            ("noise_variance", "The noise variance", true),
            ("NoiseVariance", "Noise variance.", true),
            ("mean", "Returns the `mean`.", true),
            ("mean", "Posterior mean, one entry per point.", false),
            ("n", "Number of data.", false),
            ("new", "A kernel of unit variance.", false),
            ("variance", "Variance σ², in squared units of the observations.", false),
        ] {
            assert_eq!(repeats_name(name, text), repeats, "{name}: {text}");
        }
        let fixture = Fixture::clean();
        fixture.append("gp-ep/src/lib.rs", "\n/// The noise.\npub fn noise() {}\n");
        let line = fixture.line_of("gp-ep/src/lib.rs", "pub fn noise");
        fixture.expect_one(check, "gp-ep/src/lib.rs", line, "say more about `noise`");
    }
}
