//! What a page is made of.

use gp_cli::picture::Picture;

/// One part of a page.
#[derive(Clone, Debug)]
pub enum Block {
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
        /// Differences from the paper's numbers, in standard errors: cells show them rounded.
        apart: Vec<f64>,
    },
    /// A picture, and the name of its file without an end.
    Figure(String, Box<Picture>),
}

impl Block {
    /// A table of these columns.
    pub fn table<const N: usize>(header: [&str; N], rows: Vec<Vec<String>>) -> Self {
        Self::Table { header: header.map(str::to_owned).to_vec(), rows, apart: Vec::new() }
    }

    /// A table with these differences from the paper's numbers.
    pub(super) fn with_differences(self, apart: Vec<f64>) -> Self {
        match self {
            Self::Table { header, rows, .. } => Self::Table { header, rows, apart },
            other => other,
        }
    }

    /// A paragraph.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}
