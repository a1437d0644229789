//! Public type names are unique among libraries, all type names within a library.
//!
//! Equal names in one module are `cfg` alternatives and count as one.

use std::collections::BTreeMap;

use syn::{Item, Visibility};

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Audience, SourceFile, Tree, docs, is_test_only, item_attributes};

/// Allowed repetitions with reasons.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("Build", "makes a kernel, or a likelihood, of its arguments"),
    ("Registry", "of kernels, and of likelihoods"),
    ("Workspace", "memory of an evaluation, of a kernel or of a likelihood"),
    ("Sum", "of kernels, and of numbers of a column"),
];

const HERE: &str = "src/tidy/rules/names.rs";

struct Definition<'a> {
    folder: &'a str,
    is_public: bool,
    module: String,
    path: &'a str,
    line: usize,
}

impl Definition<'_> {
    fn clashes(&self, other: &Self) -> bool {
        (self.is_public && other.is_public) || self.folder == other.folder
    }
}

/// Repeated type names, and obsolete exceptions.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let twice = defined_twice(tree);
    let is_excused = |name: &str| EXCEPTIONS.iter().any(|(other, _)| *other == name);
    let mut findings = Vec::new();
    for (name, all) in twice.iter().filter(|(name, _)| !is_excused(name)) {
        for (later, earlier) in clashes(all) {
            let (path, line) = (earlier.path, earlier.line);
            let message =
                format!("give `{name}` another name: it is that of a type in {path}:{line} already");
            findings.push(Finding::new(later.path, later.line, message));
        }
    }
    if let Some(source) = tree.member("xtask").and_then(|member| member.source(HERE)) {
        let stale = EXCEPTIONS.iter().filter(|(name, _)| !twice.contains_key(*name));
        findings.extend(stale.map(|(name, _)| {
            Finding::new(
                &source.path,
                1,
                format!("remove the exception `{name}`: the name is no longer repeated"),
            )
        }));
    }
    findings
}

fn clashes<'d, 'a>(
    all: &'d [Definition<'a>],
) -> impl Iterator<Item = (&'d Definition<'a>, &'d Definition<'a>)> {
    let earlier = |i: usize| all[..i].iter().find(|earlier| earlier.clashes(&all[i]));
    (1..all.len()).filter_map(move |i| earlier(i).map(|earlier| (&all[i], earlier)))
}

fn defined_twice(tree: &Tree) -> BTreeMap<String, Vec<Definition<'_>>> {
    let mut all: BTreeMap<String, Vec<Definition<'_>>> = BTreeMap::new();
    for member in
        tree.members.iter().filter(|member| member.folder.starts_with("gp-") && !member.folder.contains('/'))
    {
        for source in member.sources.iter().filter(|source| source.audience != Audience::Tests) {
            collect((&member.folder, source), &source.syntax.items, &source.path, &mut all);
        }
    }
    for definitions in all.values_mut() {
        definitions.dedup_by(|later, earlier| later.module == earlier.module);
    }
    all.retain(|_, definitions| clashes(definitions).next().is_some());
    all
}

fn collect<'a>(
    (folder, source): (&'a str, &'a SourceFile),
    items: &[Item],
    module: &str,
    all: &mut BTreeMap<String, Vec<Definition<'a>>>,
) {
    for item in items {
        let attributes = item_attributes(item);
        if is_test_only(attributes) || docs::is_hidden(attributes) {
            continue;
        }
        let (visibility, name) = match item {
            Item::Struct(item) => (&item.vis, &item.ident),
            Item::Enum(item) => (&item.vis, &item.ident),
            Item::Trait(item) => (&item.vis, &item.ident),
            Item::Type(item) => (&item.vis, &item.ident),
            Item::Mod(inner) => {
                let items = inner.content.as_ref().map_or(&[][..], |(_, items)| items);
                collect((folder, source), items, &format!("{module}::{}", inner.ident), all);
                continue;
            }
            _ => continue,
        };
        let (module, line) = (module.to_owned(), name.span().start().line);
        let is_public = matches!(visibility, Visibility::Public(_));
        let definition = Definition { folder, is_public, module, path: &source.path, line };
        all.entry(name.to_string()).or_default().push(definition);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    const CODE: &str = "/// Sums of sites.\npub struct Sums;\n";

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn a_second_type_of_a_name_is_seen_in_every_form_and_anywhere() {
        for code in [
            "pub struct Sums;",
            "pub enum Sums {}",
            "pub trait Sums {}",
            "pub type Sums = f64;",
            "pub mod inner {\n    pub struct Sums;\n}",
        ] {
            for path in ["gp-ep/src/other.rs", "gp-variational/src/other.rs"] {
                let fixture = Fixture::clean();
                fixture.append("gp-ep/src/lib.rs", CODE);
                fixture.write(path, &format!("//! Other.\n\n{code}\n"));
                fixture.expect_one(check, path, fixture.line_of(path, "Sums"), "in gp-ep/src/lib.rs:");
            }
        }
    }

    #[test]
    fn a_private_type_of_a_name_is_seen_in_the_same_library() {
        for code in ["struct Sums;", "pub(crate) enum Sums {}", "type Sums = f64;"] {
            let fixture = Fixture::clean();
            fixture.append("gp-ep/src/lib.rs", CODE);
            fixture.write("gp-variational/src/other.rs", &format!("//! Other.\n\n{code}\n"));
            fixture.expect_none(check);
            fixture.write("gp-ep/src/other.rs", &format!("//! Other.\n\n{code}\n"));
            fixture.expect_one(check, "gp-ep/src/other.rs", 3, "in gp-ep/src/lib.rs:");
        }
    }

    #[test]
    fn what_is_not_shipped_and_alternatives_are_free() {
        let fixture = Fixture::clean();
        fixture.append("gp-ep/src/lib.rs", CODE);
        fixture.append("gp-ep/src/lib.rs", "#[cfg(not(unix))]\n/// Sums of sites.\npub struct Sums;\n");
        fixture.write(
            "gp-ep/src/other.rs",
            "//! Other.\n#[cfg(test)]\nstruct Sums;\n#[cfg(test)]\npub struct Sums;\n\
             #[doc(hidden)]\npub struct Sums;\npub fn sums() -> Sums {}\npub use crate::Sums;\n",
        );
        fixture.write("gp-ep/tests/helpers.rs", CODE);
        fixture.write("xtask/src/more.rs", CODE);
        fixture.expect_none(check);
    }
}
