//! Page written as Markdown and HTML.

use super::printed::PAPERS;
use super::{Block, html, markdown};
use crate::error::ExperimentError;
use gp_cli::files;
use std::path::Path;

/// Page of own items.
pub(super) const BEYOND: &str = "beyond";
const INDEX: [&str; 2] = ["README.md", "index.html"];

/// Page of blocks.
#[derive(Clone, Debug)]
pub struct Page {
    name: String,
    title: String,
    blocks: Vec<Block>,
}

pub(super) fn page_of(item: &str) -> &str {
    let paper = item.split('-').next().unwrap_or(item);
    if PAPERS.iter().any(|(name, _)| *name == paper) { paper } else { BEYOND }
}

impl Page {
    pub(super) fn new(name: &str, title: &str, blocks: Vec<Block>) -> Self {
        Self { name: name.to_owned(), title: title.to_owned(), blocks }
    }

    /// File names of plots.
    pub fn pictures(&self) -> impl Iterator<Item = String> + use<'_> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure(name, _) => Some(format!("{name}.svg")),
            _ => None,
        })
    }

    /// Writes Markdown, HTML and `figures`; returns both page names.
    ///
    /// # Errors
    /// Unwritable file, or failed plot.
    pub fn write(&self, folder: &Path) -> Result<[String; 2], ExperimentError> {
        let figures = folder.join("figures");
        files::make_writable_folder(&figures)?;
        for block in &self.blocks {
            if let Block::Figure(name, picture) = block {
                files::write_whole(&figures, &format!("{name}.svg"), &picture.svg()?)?;
            }
        }
        let names = match self.name.as_str() {
            "index" => INDEX.map(str::to_owned),
            name => [format!("{name}.md"), format!("{name}.html")],
        };
        files::write_whole(folder, &names[0], markdown::render(&self.blocks).as_bytes())?;
        files::write_whole(folder, &names[1], html::render(&self.title, &self.blocks).as_bytes())?;
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_on_the_pages_of_their_papers() {
        assert_eq!((page_of("003-table-1"), page_of("calibration")), ("003", BEYOND));
    }
}
