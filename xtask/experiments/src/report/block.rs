//! Parts of a page.

use gp_cli::picture::Picture;

/// Part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// Named link target.
    Anchor(String),
    /// Level and heading.
    Heading(usize, String),
    /// Markdown without tables and plots.
    Text(String),
    /// Table with a header.
    Table {
        /// Column names.
        header: Vec<String>,
        /// Rows of cells.
        rows: Vec<Vec<String>>,
    },
    /// Name without extension, and plot.
    Figure(String, Box<Picture>),
}

impl Block {
    /// Table with this header.
    pub fn table<const N: usize>(header: [&str; N], rows: Vec<Vec<String>>) -> Self {
        Self::Table { header: header.map(str::to_owned).to_vec(), rows }
    }

    /// Paragraph of Markdown.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}
