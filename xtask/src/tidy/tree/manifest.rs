//! `Cargo.toml`, reduced to what rules need.

use std::path::Path;

use toml::de::{DeTable, DeValue};

use crate::error::XtaskError;

#[derive(Debug)]
pub(crate) struct Manifest {
    /// From the workspace root.
    pub(crate) path: String,
    /// None in a pure workspace manifest.
    pub(crate) package: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    /// `workspace.members`; empty for a crate.
    pub(crate) members: Vec<String>,
    /// Line of the list; 1 if none.
    pub(crate) members_line: usize,
    pub(crate) inherits_lints: bool,
}

#[derive(Debug)]
pub(crate) struct Dependency {
    /// Original name, even if renamed.
    pub(crate) package: String,
    pub(crate) section: Section,
    pub(crate) line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// `[dependencies]`.
    Normal,
    /// `[build-dependencies]`.
    Build,
    /// `[dev-dependencies]`.
    Dev,
    /// `[workspace.dependencies]`.
    Workspace,
}

const SECTIONS: [(&str, Section); 3] = [
    ("dependencies", Section::Normal),
    ("build-dependencies", Section::Build),
    ("dev-dependencies", Section::Dev),
];

impl Manifest {
    pub(crate) fn load(root: &Path, path: &str) -> Result<Self, XtaskError> {
        let file = root.join(path);
        let text =
            std::fs::read_to_string(&file).map_err(|source| XtaskError::Read { path: file, source })?;
        Self::parse(path, &text)
    }

    fn parse(path: &str, text: &str) -> Result<Self, XtaskError> {
        let table = DeTable::parse(text).map_err(|error| XtaskError::Syntax {
            path: path.to_owned(),
            line: error.span().map_or(1, |span| line_at(text, span.start)),
            message: error.message().to_owned(),
        })?;
        let table = table.get_ref();
        let (members, members_line) = members(text, table);
        Ok(Self {
            path: path.to_owned(),
            package: subtable(table, "package")
                .and_then(|package| package.get("name")?.get_ref().as_str().map(str::to_owned)),
            dependencies: dependencies(text, table),
            members,
            members_line,
            inherits_lints: inherits_lints(table),
        })
    }
}

fn subtable<'a, 'i>(table: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    table.get(key)?.get_ref().as_table()
}

fn members(text: &str, table: &DeTable<'_>) -> (Vec<String>, usize) {
    let Some(value) = subtable(table, "workspace").and_then(|workspace| workspace.get("members")) else {
        return (Vec::new(), 1);
    };
    let names = value.get_ref().as_array().into_iter().flat_map(|array| array.iter());
    let names = names.filter_map(|name| name.get_ref().as_str().map(str::to_owned)).collect();
    (names, line_at(text, value.span().start))
}

fn inherits_lints(table: &DeTable<'_>) -> bool {
    subtable(table, "lints").and_then(|lints| lints.get("workspace")?.get_ref().as_bool()) == Some(true)
}

fn dependencies(text: &str, table: &DeTable<'_>) -> Vec<Dependency> {
    let mut found = sections(text, table);
    if let Some(shared) =
        subtable(table, "workspace").and_then(|workspace| subtable(workspace, "dependencies"))
    {
        found.extend(listed(text, shared, Section::Workspace));
    }
    // Sections such as [target.'cfg(unix)'.dependencies] are one level deeper.
    if let Some(targets) = subtable(table, "target") {
        let targets = targets.iter().filter_map(|(_, target)| target.get_ref().as_table());
        found.extend(targets.flat_map(|target| sections(text, target)));
    }
    found
}

fn sections(text: &str, table: &DeTable<'_>) -> Vec<Dependency> {
    let present = SECTIONS.iter().filter_map(|(key, section)| Some((subtable(table, key)?, *section)));
    present.flat_map(|(entries, section)| listed(text, entries, section)).collect()
}

fn listed(text: &str, entries: &DeTable<'_>, section: Section) -> Vec<Dependency> {
    let dependency = |key: &str, offset: usize, value: &DeValue<'_>| Dependency {
        package: renamed_from(value).unwrap_or_else(|| key.to_owned()),
        section,
        line: line_at(text, offset),
    };
    entries.iter().map(|(key, value)| dependency(key.get_ref(), key.span().start, value.get_ref())).collect()
}

/// Original name in `name = { package = "…" }`.
fn renamed_from(value: &DeValue<'_>) -> Option<String> {
    value.as_table()?.get("package")?.get_ref().as_str().map(str::to_owned)
}

fn line_at(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_read_with_lines_and_real_names() {
        let text = "[dependencies]\na.workspace = true\nb = { package = \"real\", version = \"1\" }\n\n\
                    [build-dependencies]\nc = \"1\"\n[dev-dependencies.d]\nversion = \"1\"\n\
                    [target.'cfg(unix)'.dependencies]\ne = \"1\"\n[workspace.dependencies]\nf = \"1\"\n";
        let manifest = Manifest::parse("Cargo.toml", text).unwrap();
        let mut seen: Vec<_> =
            manifest.dependencies.iter().map(|d| (d.package.as_str(), d.section, d.line)).collect();
        seen.sort_by_key(|(_, _, line)| *line);
        let expected = [
            ("a", Section::Normal, 2),
            ("real", Section::Normal, 3),
            ("c", Section::Build, 6),
            ("d", Section::Dev, 7),
            ("e", Section::Normal, 10),
            ("f", Section::Workspace, 12),
        ];
        assert_eq!(seen, expected);
        assert!(!manifest.inherits_lints);
    }

    #[test]
    fn members_and_lints_are_read() {
        let text =
            "[workspace]\nresolver = \"3\"\nmembers = [\n  \"x\",\n  \"y\",\n]\n[lints]\nworkspace = true\n";
        let manifest = Manifest::parse("Cargo.toml", text).unwrap();
        assert_eq!(manifest.members, ["x", "y"]);
        assert_eq!(manifest.members_line, 3);
        assert!(manifest.inherits_lints);
    }

    #[test]
    fn a_manifest_that_does_not_parse_names_the_line() {
        let error = Manifest::parse("x/Cargo.toml", "[package]\nname = \n").unwrap_err().to_string();
        assert!(error.starts_with("x/Cargo.toml:2: invalid syntax"), "{error}");
    }
}
