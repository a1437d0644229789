//! Parsed workspace: manifests and Rust sources.

mod audience;
mod comments;
pub(crate) mod docs;
mod imports;
mod manifest;
mod mention;
mod modules;
mod source;
mod walk;

use std::path::{Path, PathBuf};

pub(crate) use audience::{Audience, is_test_only, item_attributes};
pub(crate) use comments::{DocComment, shipped as shipped_comments};
pub(crate) use imports::{Import, imports};
pub(crate) use manifest::{Dependency, Manifest, Section};
pub(crate) use mention::{Mention, MentionKind};
pub(crate) use modules::declared_files;
pub(crate) use source::SourceFile;

use crate::error::XtaskError;

pub(crate) struct Tree {
    root: PathBuf,
    pub(crate) manifest: Manifest,
    /// Crates in manifest order.
    pub(crate) members: Vec<Member>,
}

pub(crate) struct Member {
    /// From the workspace root.
    pub(crate) folder: String,
    pub(crate) manifest: Manifest,
    /// Sorted by path, with tests and examples.
    pub(crate) sources: Vec<SourceFile>,
}

impl Tree {
    /// Reads and parses manifests and sources.
    pub(crate) fn load(root: &Path) -> Result<Self, XtaskError> {
        let manifest = Manifest::load(root, "Cargo.toml")?;
        let members =
            manifest.members.iter().map(|folder| Member::load(root, folder)).collect::<Result<_, _>>()?;
        Ok(Self { root: root.to_path_buf(), manifest, members })
    }

    pub(crate) fn member(&self, folder: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.folder == folder)
    }

    pub(crate) fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        std::iter::once(&self.manifest).chain(self.members.iter().map(|member| &member.manifest))
    }

    pub(crate) fn sources(&self) -> impl Iterator<Item = &SourceFile> {
        self.members.iter().flat_map(|member| &member.sources)
    }

    /// Text of a file; `None` if unreadable.
    pub(crate) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }
}

impl Member {
    fn load(root: &Path, folder: &str) -> Result<Self, XtaskError> {
        let manifest = Manifest::load(root, &format!("{folder}/Cargo.toml"))?;
        let mut sources = walk::rust_files(root, folder)?
            .iter()
            .map(|path| SourceFile::load(root, folder, path))
            .collect::<Result<Vec<_>, _>>()?;
        modules::spread_audience(&mut sources);
        Ok(Self { folder: folder.to_owned(), manifest, sources })
    }

    pub(crate) fn library_root(&self) -> Option<&SourceFile> {
        self.source("src/lib.rs")
    }

    pub(crate) fn source(&self, path: &str) -> Option<&SourceFile> {
        let path = format!("{}/{path}", self.folder);
        self.sources.iter().find(|source| source.path == path)
    }
}
