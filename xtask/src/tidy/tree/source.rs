//! Parsed Rust file.

use std::path::Path;

use proc_macro2::TokenStream;

use crate::error::XtaskError;
use crate::tidy::tree::audience::{self, Audience, Region};
use crate::tidy::tree::mention::{self, Mention};

pub(crate) struct SourceFile {
    /// From the workspace root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    pub(crate) syntax: syn::File,
    /// All paths and method calls.
    pub(crate) mentions: Vec<Mention>,
    /// Audience outside `regions`.
    pub(crate) audience: Audience,
    regions: Vec<Region>,
}

impl SourceFile {
    /// Parses `path` of crate `folder`, both from `root`.
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

    /// Mentions in code for users.
    pub(crate) fn shipped_mentions(&self) -> impl Iterator<Item = &Mention> {
        self.mentions.iter().filter(|mention| self.audience_at(mention.line) == Audience::Users)
    }
}

fn syntax_error(path: &str, error: &syn::Error) -> XtaskError {
    XtaskError::Syntax { path: path.to_owned(), line: error.span().start().line, message: error.to_string() }
}
