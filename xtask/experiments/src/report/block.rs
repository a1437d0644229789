//! Contents of a page.

use gp_cli::picture::Picture;

/// One part of a page.
#[derive(Clone, Debug)]
pub enum Block {
    /// A place that links lead to, by this name.
    Anchor(String),
    /// A heading of this depth.
    Heading(usize, String),
    /// Text, in Markdown without tables and pictures.
    Text(String),
    /// Rows of cells below a header.
    Table {
        /// Names of columns.
        header: Vec<String>,
        /// Cells, row by row.
        rows: Vec<Vec<String>>,
    },
    /// A picture, and the name of its file without an end.
    Figure(String, Box<Picture>),
}

impl Block {
    /// A table of these columns.
    pub fn table<const N: usize>(header: [&str; N], rows: Vec<Vec<String>>) -> Self {
        Self::Table { header: header.map(str::to_owned).to_vec(), rows }
    }

    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}
