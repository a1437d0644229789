//! Files declared by `mod name;`, to find modules of tests.

use syn::{Expr, ExprLit, Item, ItemMod, Lit, Meta};

use crate::tidy::tree::audience::{self, Audience};
use crate::tidy::tree::source::SourceFile;

/// Passes audiences on to declared modules.
pub(crate) fn spread_audience(sources: &mut [SourceFile]) {
    // Terminates, because each pass raises one audience.
    while let Some((index, audience)) = first_laxer(sources) {
        sources[index].audience = audience;
    }
}

fn first_laxer(sources: &[SourceFile]) -> Option<(usize, Audience)> {
    sources.iter().find_map(|source| {
        declarations(source).into_iter().find_map(|declaration| {
            let target = sources.iter().position(|other| declaration.files.contains(&other.path))?;
            (declaration.audience > sources[target].audience).then_some((target, declaration.audience))
        })
    })
}

pub(crate) fn declared_files(source: &SourceFile) -> Vec<String> {
    declarations(source).into_iter().flat_map(|declaration| declaration.files).collect()
}

struct Declaration {
    files: Vec<String>,
    audience: Audience,
}

fn declarations(source: &SourceFile) -> Vec<Declaration> {
    let mut found = Vec::new();
    let folder = children_folder(&source.path);
    collect(&source.syntax.items, &source.path, &folder, source.audience, &mut found);
    found
}

fn collect(items: &[Item], path: &str, folder: &str, outer: Audience, found: &mut Vec<Declaration>) {
    for item in items {
        let Item::Mod(module) = item else { continue };
        let audience = outer.max(audience::of_attributes(&module.attrs));
        match &module.content {
            None => found.push(Declaration { files: candidate_files(module, path, folder), audience }),
            Some((_, items)) => collect(items, path, &format!("{folder}/{}", module.ident), audience, found),
        }
    }
}

fn candidate_files(module: &ItemMod, path: &str, folder: &str) -> Vec<String> {
    match explicit_path(module) {
        Some(explicit) => vec![without_steps_up(&format!("{}/{explicit}", parent(path)))],
        None => vec![format!("{folder}/{}.rs", module.ident), format!("{folder}/{}/mod.rs", module.ident)],
    }
}

fn explicit_path(module: &ItemMod) -> Option<String> {
    module.attrs.iter().find_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

fn children_folder(path: &str) -> String {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    match stem.rsplit_once('/') {
        Some((folder, "lib" | "main" | "mod")) => folder.to_owned(),
        _ => stem.to_owned(),
    }
}

fn without_steps_up(path: &str) -> String {
    let mut parts = Vec::new();
    for part in path.split('/') {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;
    use crate::tidy::tree::Tree;

    fn audience_of(tree: &Tree, path: &str) -> Audience {
        tree.sources().find(|source| source.path == path).unwrap().audience
    }

    #[test]
    fn a_module_declared_for_tests_makes_its_files_test_files() {
        let fixture = Fixture::clean();
        fixture.append("gp-optim/src/lib.rs", "\n#[cfg(test)]\nmod checks;\nmod shipped;\n");
        fixture.write("gp-optim/src/checks.rs", "//! Checks.\nmod deeper;\n");
        fixture.write("gp-optim/src/checks/deeper.rs", "//! Deeper.\n");
        fixture.write("gp-optim/src/shipped/mod.rs", "//! Shipped.\n");
        let tree = fixture.tree();
        assert_eq!(audience_of(&tree, "gp-optim/src/checks.rs"), Audience::Tests);
        assert_eq!(audience_of(&tree, "gp-optim/src/checks/deeper.rs"), Audience::Tests);
        assert_eq!(audience_of(&tree, "gp-optim/src/shipped/mod.rs"), Audience::Users);
    }

    #[test]
    fn inline_modules_and_explicit_paths_are_followed() {
        let fixture = Fixture::clean();
        fixture.append(
            "gp-optim/src/lib.rs",
            "\n#[cfg(test)]\nmod a {\n    mod b;\n}\n#[cfg(test)]\n#[path = \"elsewhere.rs\"]\nmod c;\n",
        );
        fixture.write("gp-optim/src/a/b.rs", "//! B.\n");
        fixture.write("gp-optim/src/elsewhere.rs", "//! Elsewhere.\n");
        let tree = fixture.tree();
        assert_eq!(audience_of(&tree, "gp-optim/src/a/b.rs"), Audience::Tests);
        assert_eq!(audience_of(&tree, "gp-optim/src/elsewhere.rs"), Audience::Tests);
    }
}
