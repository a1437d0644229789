//! Imports between files of a crate.

use std::collections::{BTreeMap, BTreeSet};

use syn::{Item, UseTree, Visibility, spanned::Spanned};

use crate::tidy::tree::audience::{Audience, is_test_only, item_attributes};
use crate::tidy::tree::mention::MentionKind;
use crate::tidy::tree::source::SourceFile;

/// Maximum re-exports in a chain.
const MAX_STEPS: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) from: usize,
    /// Index of the defining file.
    pub(crate) to: usize,
    pub(crate) name: String,
    pub(crate) line: usize,
}

/// First import per pair of files, in shipped code; re-exports lead to the defining file.
pub(crate) fn imports(sources: &[&SourceFile]) -> Vec<Import> {
    let modules = Modules::new(sources);
    let mut found: Vec<Import> = (0..modules.list.len()).flat_map(|from| modules.imports_of(from)).collect();
    let mut seen = BTreeSet::new();
    found.retain(|import| import.from != import.to && seen.insert((import.from, import.to)));
    found
}

struct Module<'a> {
    source: &'a SourceFile,
    path: Vec<String>,
    items: BTreeSet<String>,
    uses: Vec<Use>,
}

struct Use {
    /// None for `*`.
    name: Option<String>,
    path: Vec<String>,
    /// Lines of a `pub use`; None if private.
    handed_on: Option<(usize, usize)>,
}

struct Modules<'a> {
    list: Vec<Module<'a>>,
    by_path: BTreeMap<Vec<String>, usize>,
}

impl<'a> Modules<'a> {
    fn new(sources: &[&'a SourceFile]) -> Self {
        let list: Vec<Module<'a>> = sources.iter().map(|source| Module::new(source)).collect();
        let by_path =
            list.iter().enumerate().rev().map(|(index, module)| (module.path.clone(), index)).collect();
        Self { list, by_path }
    }

    fn imports_of(&self, from: usize) -> Vec<Import> {
        let module = &self.list[from];
        let mentioned = module.source.shipped_mentions().filter_map(|mention| match &mention.kind {
            MentionKind::Path(path) if !module.hands_on(mention.line) => Some((path, mention.line)),
            _ => None,
        });
        let used = module.uses.iter().filter_map(|bound| {
            let line = module.use_of(bound.name.as_deref()?, bound.handed_on?)?;
            Some((&bound.path, line))
        });
        let all = mentioned.chain(used).filter_map(|(path, line)| {
            let to = self.definition(from, path, 0)?;
            Some(Import { from, to, name: path.last().cloned().unwrap_or_default(), line })
        });
        all.collect()
    }

    /// Defining file; None for modules and other crates.
    fn definition(&self, at: usize, path: &[String], steps: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let own = &self.list[at].path;
        match first.as_str() {
            "crate" => self.definition(*self.by_path.get(&Vec::new())?, rest, steps),
            "self" => self.definition(at, rest, steps),
            "super" => {
                let parent = own.split_last().map(|(_, parent)| parent)?;
                self.definition(*self.by_path.get(parent)?, rest, steps)
            }
            name => self.named(at, name, rest, steps),
        }
    }

    fn named(&self, at: usize, name: &str, rest: &[String], steps: usize) -> Option<usize> {
        let module = &self.list[at];
        let child: Vec<String> = module.path.iter().cloned().chain([name.to_owned()]).collect();
        if let Some(child) = self.by_path.get(&child) {
            return self.definition(*child, rest, steps);
        }
        if module.items.contains(name) {
            return Some(at);
        }
        if steps == MAX_STEPS {
            return None;
        }
        let follow = |path: &[String], more: &[String]| {
            let path: Vec<String> = path.iter().chain(more).cloned().collect();
            // `use name::…` of another crate would lead back here.
            (path.first().is_some_and(|first| first != name))
                .then(|| self.definition(at, &path, steps + 1))?
        };
        let bound = module.uses.iter().find(|bound| bound.name.as_deref() == Some(name));
        if let Some(bound) = bound {
            return follow(&bound.path, rest);
        }
        let whole: Vec<String> = [name.to_owned()].into_iter().chain(rest.iter().cloned()).collect();
        module.uses.iter().filter(|bound| bound.name.is_none()).find_map(|glob| follow(&glob.path, &whole))
    }
}

impl<'a> Module<'a> {
    fn new(source: &'a SourceFile) -> Self {
        let (mut items, mut uses) = (BTreeSet::new(), Vec::new());
        for item in source.syntax.items.iter().filter(|item| !is_test_only(item_attributes(item))) {
            match item {
                Item::Use(item) => {
                    let lines = (item.span().start().line, item.span().end().line);
                    let handed_on = (!matches!(item.vis, Visibility::Inherited)).then_some(lines);
                    spell_out(&item.tree, &mut Vec::new(), handed_on, &mut uses);
                }
                other => items.extend(name_of(other)),
            }
        }
        Self { source, path: module_path(&source.path), items, uses }
    }

    fn hands_on(&self, line: usize) -> bool {
        let mut lines = self.uses.iter().filter_map(|bound| bound.handed_on);
        lines.any(|(first, last)| (first..=last).contains(&line))
    }

    /// First shipped use of a re-exported name.
    fn use_of(&self, name: &str, (first, last): (usize, usize)) -> Option<usize> {
        let lines = self.source.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let mut code = lines.filter(|(line, text)| {
            !(first..=last).contains(line)
                && !self.hands_on(*line)
                && !text.trim_start().starts_with("//")
                && self.source.audience_at(*line) == Audience::Users
        });
        code.find(|(_, text)| words(text).any(|word| word == name)).map(|(line, _)| line)
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
}

fn module_path(file: &str) -> Vec<String> {
    let below = file.split_once("/src/").map_or(file, |(_, below)| below);
    let mut parts: Vec<String> = below.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if parts.last().is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Mod(item) => &item.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

fn spell_out(
    tree: &UseTree,
    before: &mut Vec<String>,
    handed_on: Option<(usize, usize)>,
    uses: &mut Vec<Use>,
) {
    let whole = |last: Option<String>| before.iter().cloned().chain(last).collect::<Vec<_>>();
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            spell_out(&path.tree, before, handed_on, uses);
            before.pop();
        }
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| spell_out(tree, before, handed_on, uses));
        }
        UseTree::Name(name) if name.ident == "self" => {
            uses.push(Use { name: before.last().cloned(), path: whole(None), handed_on });
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            uses.push(Use { path: whole(Some(name.clone())), name: Some(name), handed_on });
        }
        UseTree::Rename(name) => {
            let path = whole(Some(name.ident.to_string()));
            uses.push(Use { name: Some(name.rename.to_string()), path, handed_on });
        }
        UseTree::Glob(_) => uses.push(Use { name: None, path: whole(None), handed_on }),
    }
}
