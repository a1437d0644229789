//! Parsed Rust file.

use std::path::Path;

use proc_macro2::TokenStream;

use crate::error::XtaskError;
use crate::tidy::tree::audience::{self, Audience, Region};
use crate::tidy::tree::mention::{self, Mention};

pub(crate) struct SourceFile {
    /// Relative to the workspace root, separated by `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) syntax: syn::File,
    /// Every path and method call, for rules about usage.
    pub(crate) mentions: Vec<Mention>,
    /// Audience of the file; some regions may be test-only.
    pub(crate) audience: Audience,
    regions: Vec<Region>,
}

impl SourceFile {
    /// Parses `path`, relative to `root`; `folder` is its crate's.
    pub(crate) fn load(root: &Path, folder: &str, path: &str) -> Result<Self, XtaskError> {
        let file = root.join(path);
        let text =
            std::fs::read_to_string(&file).map_err(|source| XtaskError::Read { path: file, source })?;
        let below_crate = path.strip_prefix(&format!("{folder}/")).unwrap_or(path);
        Self::parse(path, text, audience::of_path(below_crate))
    }

    fn parse(path: &str, text: String, audience: Audience) -> Result<Self, XtaskError> {
        let syntax = syn::parse_file(&text).map_err(|error| syntax_error(path, &error))?;
        // A shebang line is not a token.
        let tokens: TokenStream = match &syntax.shebang {
            None => text.parse(),
            Some(shebang) => text[shebang.len()..].parse(),
        }
        .map_err(|error: proc_macro2::LexError| syntax_error(path, &error.into()))?;
        let regions = audience::regions(&syntax);
        Ok(Self { path: path.to_owned(), mentions: mention::scan(tokens), syntax, text, audience, regions })
    }

    pub(crate) fn audience_at(&self, line: usize) -> Audience {
        let inside = self.regions.iter().filter(|region| region.lines.contains(&line));
        inside.map(|region| region.audience).fold(self.audience, Audience::max)
    }

    /// Mentions outside tests, benchmarks, examples and test kits.
    pub(crate) fn shipped_mentions(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| self.audience_at(mention.line) == Audience::Users)
    }
}

fn syntax_error(path: &str, error: &syn::Error) -> XtaskError {
    XtaskError::Syntax { path: path.to_owned(), line: error.span().start().line, message: error.to_string() }
}
