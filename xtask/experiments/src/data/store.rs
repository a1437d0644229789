//! Data sets from a folder, or small generated tables of the same names.

use super::Part;
use crate::error::ExperimentError;
use faer::Mat;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Source of data sets.
#[derive(Clone, Debug)]
pub enum Store {
    /// Files in a folder.
    Folder(PathBuf),
    /// Small random tables, for tests.
    Synthetic,
}

impl Store {
    /// Reads a folder.
    #[must_use]
    pub fn folder(path: &Path) -> Self {
        Self::Folder(path.to_owned())
    }

    /// `true` for existing files and generated tables.
    #[must_use]
    pub fn has(&self, file: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.join(file).is_file(),
            Self::Synthetic => true,
        }
    }

    /// Path for display.
    #[must_use]
    pub fn path(&self, file: &str) -> PathBuf {
        match self {
            Self::Folder(folder) => folder.join(file),
            Self::Synthetic => PathBuf::from(file),
        }
    }

    /// Error for invalid file content.
    #[must_use]
    pub fn bad(&self, file: &str, line: usize, what: String) -> ExperimentError {
        ExperimentError::BadData { path: self.path(file), line, what }
    }

    /// Reads a file, unpacking gzip.
    ///
    /// # Errors
    /// Missing or damaged file.
    pub fn bytes(&self, file: &str) -> Result<Vec<u8>, ExperimentError> {
        let path = self.path(file);
        let read = |path: &Path| -> std::io::Result<Vec<u8>> {
            let (mut file, mut bytes) = (File::open(path)?, Vec::new());
            if path.extension().is_some_and(|end| end == "gz") {
                MultiGzDecoder::new(file).read_to_end(&mut bytes)?;
            } else {
                file.read_to_end(&mut bytes)?;
            }
            Ok(bytes)
        };
        read(&path).map_err(|cause| ExperimentError::NoData { path, cause })
    }

    /// Reads a text file.
    ///
    /// # Errors
    /// As [`bytes`](Self::bytes); invalid UTF-8.
    pub fn text(&self, file: &str) -> Result<String, ExperimentError> {
        String::from_utf8(self.bytes(file)?).map_err(|cause| self.bad(file, 0, cause.to_string()))
    }

    /// Numbers of a CSV file with header, N×D.
    ///
    /// # Errors
    /// As [`text`](Self::text); non-numeric cell (with line), uneven or no rows.
    pub fn numbers(&self, file: &str) -> Result<Mat<f64>, ExperimentError> {
        let text = self.text(file)?;
        let (mut cells, mut width) = (Vec::new(), 0);
        for (i, line) in text.lines().enumerate().skip(1) {
            let before = cells.len();
            for cell in line.split(',') {
                let number = cell.trim().parse::<f64>();
                cells.push(number.map_err(|_| self.bad(file, i + 1, format!("`{cell}` is no number")))?);
            }
            if width == 0 {
                width = cells.len();
            } else if cells.len() - before != width {
                return Err(self.bad(
                    file,
                    i + 1,
                    format!("{} cells instead of {width}", cells.len() - before),
                ));
            }
        }
        if width == 0 {
            return Err(self.bad(file, 1, "it has no rows".to_owned()));
        }
        Ok(Mat::from_fn(cells.len() / width, width, |i, d| cells[i * width + d]))
    }

    /// Table with the last `targets` columns as targets.
    ///
    /// # Errors
    /// As [`numbers`](Self::numbers).
    pub fn table(&self, file: &str, targets: usize) -> Result<Part, ExperimentError> {
        let table = self.numbers(file)?;
        let dim = table.ncols().checked_sub(targets);
        let dim = dim.ok_or_else(|| self.bad(file, 1, format!("fewer than {targets} columns")))?;
        Ok(Part {
            inputs: table.as_ref().subcols(0, dim).to_owned(),
            targets: table.as_ref().subcols(dim, targets).to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_their_line() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::folder(folder.path());
        let refusal = |text: &str| {
            std::fs::write(folder.path().join("t.csv"), text).unwrap();
            store.numbers("t.csv").unwrap_err().to_string()
        };
        assert!(refusal("a,b\n1,2\n3,x\n").contains("line 3: `x` is no number"));
        assert!(refusal("a,b\n1,2\n3\n").contains("line 3: 1 cells instead of 2"));
        assert!(refusal("a,b\n").contains("it has no rows"));
        assert!(store.numbers("none.csv").unwrap_err().to_string().contains("--data"));
    }

    #[test]
    fn tables_are_read_packed_or_not() {
        use std::io::Write as _;
        let folder = tempfile::tempdir().unwrap();
        let store = Store::folder(folder.path());
        let file = File::create(folder.path().join("t.csv.gz")).unwrap();
        let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
        packed.write_all(b"a,b,y\n1,2,3\n4,5,6\n").unwrap();
        packed.finish().unwrap();
        let part = store.table("t.csv.gz", 1).unwrap();
        assert_eq!((part.len(), part.dim(), part.labels()), (2, 2, vec![3.0, 6.0]));
    }
}
