//! Contents of a page.

use gp_cli::picture::Picture;

/// Part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// Link target of this name.
    Anchor(String),
    /// Heading of this depth.
    Heading(usize, String),
    /// Markdown text without tables and plots.
    Text(String),
    /// Table with a header.
    Table {
        /// Names of columns.
        header: Vec<String>,
        /// Cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// Plot, and its file name without extension.
    Figure(String, Box<Picture>),
}

impl Block {
    /// Table with these columns.
    pub fn table<const N: usize>(header: [&str; N], rows: Vec<Vec<String>>) -> Self {
        Self::Table { header: header.map(str::to_owned).to_vec(), rows }
    }

    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}
