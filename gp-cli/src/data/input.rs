//! Table input, inspected before reading.

use super::counted::{read_all, read_up_to};
use super::listing::tables;
use super::source::{GZIP, Source, damaged_gzip, extension_of};
use super::spool::Spool;
use super::supply::{Supply, cannot_read, own_error};
use crate::error::{CliError, ErrorKind};
use crate::memory::{Budget, size_text};
use flate2::read::MultiGzDecoder;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Bytes for detection and size estimates.
const HEAD: u64 = 1 << 18;
/// Maximum bytes from a device such as a terminal; some have no end.
const FROM_DEVICES: u64 = 1 << 26;

/// File or spooled input, not loaded.
#[derive(Debug)]
pub struct Input {
    name: String,
    from: From,
    size: u64,
    budget: Budget,
    head: Head,
}

#[derive(Debug)]
enum From {
    Path(PathBuf),
    /// Unnamed file.
    Spooled(File),
    Memory(Vec<u8>),
    Folder(Vec<Input>),
}

#[derive(Debug, Default)]
struct Head {
    packed: bool,
    unpacked: Vec<u8>,
    /// Estimated file bytes per content byte.
    ratio: f64,
}

impl Input {
    /// Opens a file, a folder of one table's files, or, for `-`, standard input, spooled beyond `keep` bytes to an
    /// unnamed file.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if unreadable, [`Data`](ErrorKind::Data) for damaged gzip data or empty input.
    pub fn open(path: &str, keep: u64) -> Result<Self, CliError> {
        let failed = |cause| CliError::io("read", Path::new(path), cause);
        if path == "-" {
            let is_device = fs::metadata("/dev/stdin").is_ok_and(|about| is_device(&about));
            return Self::spooled("standard input", &mut io::stdin().lock(), (keep, is_device));
        }
        let file = File::open(path).map_err(failed)?;
        let about = file.metadata().map_err(failed)?;
        if about.is_dir() {
            return Self::folder(path, keep);
        }
        if !about.is_file() {
            // Pipes can be read only once.
            return Self::spooled(path, &mut { file }, (keep, is_device(&about)));
        }
        Self {
            name: path.to_owned(),
            from: From::Path(path.into()),
            size: about.len(),
            budget: Budget::default(),
            head: Head::default(),
        }
        .begun()
    }

    fn folder(path: &str, keep: u64) -> Result<Self, CliError> {
        let open = |table: PathBuf| Self::open(&table.to_string_lossy(), keep);
        let parts = tables(path)?.into_iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let size = parts.iter().map(Self::size).sum::<f64>() as u64;
        let unpacked = parts[0].head().to_vec();
        let head = Head { packed: false, unpacked, ratio: 1.0 };
        Ok(Self { name: path.to_owned(), from: From::Folder(parts), size, budget: Budget::default(), head })
    }

    /// Tables in a folder; else empty.
    #[must_use]
    pub fn parts(&self) -> &[Self] {
        match &self.from {
            From::Folder(parts) => parts,
            _ => &[],
        }
    }

    /// Input from raw bytes.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, CliError> {
        let size = bytes.len() as u64;
        let budget = Budget::default();
        Self { name: name.to_owned(), from: From::Memory(bytes), size, budget, head: Head::default() }.begun()
    }

    /// Sets the memory budget.
    #[must_use]
    pub fn within(self, budget: Budget) -> Self {
        let from = match self.from {
            From::Folder(parts) => From::Folder(parts.into_iter().map(|part| part.within(budget)).collect()),
            one => one,
        };
        Self { from, budget, ..self }
    }

    fn spooled(name: &str, stream: &mut dyn Read, (keep, is_device): (u64, bool)) -> Result<Self, CliError> {
        let failed = |cause| cannot_read(name, cause);
        let most = if is_device { keep.min(FROM_DEVICES) } else { keep };
        let bytes = read_up_to(stream, most).map_err(failed)?;
        let mut size = bytes.len() as u64;
        let from = if size < most {
            From::Memory(bytes)
        } else if is_device {
            let what =
                format!("`{name}` is a device that sent {}, and may have no end", size_text(size as f64));
            return Err(CliError::new(ErrorKind::Data, what));
        } else {
            let (file, count) = pour(&mut bytes.as_slice().chain(stream))?;
            size = count;
            From::Spooled(file)
        };
        let budget = Budget::default();
        Self { name: name.to_owned(), from, size, budget, head: Head::default() }.begun()
    }

    fn begun(mut self) -> Result<Self, CliError> {
        let failed = |cause| cannot_read(&self.name, cause);
        let first = read_up_to(self.raw()?.as_mut(), HEAD).map_err(failed)?;
        if first.is_empty() {
            return Err(CliError::new(ErrorKind::Data, format!("`{}` is empty", self.name)));
        }
        self.head = if first.starts_with(&GZIP) {
            self.head.packed = true;
            let unpacked = read_up_to(self.reader()?.as_mut(), HEAD);
            let unpacked = unpacked.map_err(|cause| own_error(cause, failed))?;
            // Ratio of the first bytes, as an estimate for the file.
            let ratio = first.len() as f64 / unpacked_length(&first).max(1) as f64;
            Head { packed: true, unpacked, ratio }
        } else {
            Head { packed: false, unpacked: first, ratio: 1.0 }
        };
        if self.head.unpacked.is_empty() {
            return Err(CliError::new(ErrorKind::Data, format!("`{}` is empty", self.name)));
        }
        Ok(self)
    }

    /// Name in errors: the given path.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[cfg(feature = "sqlite")]
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.from {
            From::Path(path) if !self.head.packed => Some(path),
            _ => None,
        }
    }

    /// Extension, as [`Source::extension`]; for folders, the first table's.
    #[must_use]
    pub fn extension(&self) -> String {
        extension_of(self.parts().first().map_or(&self.name, |first| &first.name))
    }

    /// First bytes, unpacked; all if short.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head.unpacked
    }

    /// Unpacked bytes; estimated if compressed.
    #[must_use]
    pub fn size(&self) -> f64 {
        self.size as f64 / self.head.ratio.max(f64::MIN_POSITIVE)
    }

    /// Exact size; None if packed.
    pub(super) fn plain_size(&self) -> Option<u64> {
        (!self.head.packed && self.parts().is_empty()).then_some(self.size)
    }

    /// Reads everything into memory.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io) if unreadable, [`Data`](ErrorKind::Data) for damaged gzip data or too little memory.
    pub fn load(self) -> Result<Source, CliError> {
        let bytes = match self.from {
            From::Memory(bytes) if !self.head.packed => bytes,
            _ => {
                let expected = if self.head.packed { 0 } else { self.size as usize };
                read_all(self.reader()?.as_mut(), &self, expected)?
            }
        };
        Ok(Source::new(self.name, bytes, self.budget))
    }

    /// Unpacked content, seekable.
    ///
    /// # Errors
    /// [`Io`](ErrorKind::Io), such as no room to unpack.
    pub fn file(&self) -> Result<File, CliError> {
        let failed = |cause| cannot_read(&self.name, cause);
        match &self.from {
            From::Path(path) if !self.head.packed => File::open(path).map_err(failed),
            From::Spooled(file) if !self.head.packed => file.try_clone().map_err(failed),
            _ => pour(&mut self.reader()?).map(|(file, _)| file),
        }
    }

    fn not_of_a_folder(&self) -> String {
        format!("`{}` is a folder, and tables of this format are not read from folders", self.name)
    }

    fn raw(&self) -> Result<Box<dyn Read + '_>, CliError> {
        let failed = |cause| cannot_read(&self.name, cause);
        Ok(match &self.from {
            From::Path(path) => Box::new(File::open(path).map_err(failed)?),
            From::Memory(bytes) => Box::new(bytes.as_slice()),
            From::Folder(_) => {
                return Err(CliError::new(ErrorKind::Data, self.not_of_a_folder()));
            }
            From::Spooled(file) => {
                let mut again = file.try_clone().map_err(failed)?;
                again.seek(SeekFrom::Start(0)).map_err(failed)?;
                Box::new(again)
            }
        })
    }
}

impl Source {
    /// Unpacks gzip data.
    ///
    /// # Errors
    /// [`Data`](ErrorKind::Data) for damaged gzip data, too little memory, or empty input.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, CliError> {
        Input::from_bytes(name, bytes)?.load()
    }
}

impl Supply for Input {
    fn name(&self) -> &str {
        &self.name
    }

    fn budget(&self) -> Budget {
        self.budget
    }

    fn reader(&self) -> Result<Box<dyn Read + '_>, CliError> {
        let raw = self.raw()?;
        if !self.head.packed {
            return Ok(raw);
        }
        Ok(Box::new(Unpacked {
            from: MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, raw)),
            name: &self.name,
        }))
    }

    fn reader_at(&self, at: u64) -> Result<Box<dyn Read + '_>, CliError> {
        let failed = |cause| cannot_read(&self.name, cause);
        match &self.from {
            From::Memory(bytes) if !self.head.packed => {
                Ok(Box::new(bytes.get(at as usize..).unwrap_or_default()))
            }
            From::Path(_) | From::Spooled(_) => {
                let mut file = self.file()?;
                file.seek(SeekFrom::Start(at)).map_err(failed)?;
                Ok(Box::new(file))
            }
            _ => {
                let mut reader = self.reader()?;
                let skipped = io::copy(&mut (&mut reader).take(at), &mut io::sink());
                skipped.map_err(|cause| own_error(cause, failed))?;
                Ok(reader)
            }
        }
    }
}

struct Unpacked<'a, R> {
    from: MultiGzDecoder<R>,
    name: &'a str,
}

impl<R: Read> Read for Unpacked<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.from.read(buffer).map_err(|cause| io::Error::other(damaged_gzip(self.name, cause)))
    }
}

fn unpacked_length(packed: &[u8]) -> u64 {
    let (mut from, mut buffer, mut length) = (MultiGzDecoder::new(packed), vec![0; 1 << 16], 0);
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        length += count as u64;
    }
    length
}

fn pour(from: &mut dyn Read) -> Result<(File, u64), CliError> {
    let folder = std::env::temp_dir();
    let (mut to, mut buffer, mut total) = (Spool::new(&folder)?, vec![0; 1 << 16], 0);
    loop {
        let count = match from.read(&mut buffer) {
            Ok(0) => return Ok((to.into_file(), total)),
            Ok(count) => count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
            Err(cause) => {
                return Err(own_error(cause, |cause| {
                    CliError::caused(ErrorKind::Io, "cannot read the table", cause)
                }));
            }
        };
        to.write_all(&buffer[..count]).map_err(|cause| Spool::unwritten(&folder, cause))?;
        total += count as u64;
    }
}

#[cfg(unix)]
fn is_device(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_char_device()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::super::supply::unreadable;
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(bytes).unwrap();
        packed.finish().unwrap()
    }

    fn text(lines: u32) -> Vec<u8> {
        (0..lines).flat_map(|i| format!("{},{}\n", i, f64::from(i).sin()).into_bytes()).collect()
    }

    fn all(mut from: impl Read) -> Vec<u8> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn bytes_come_from_their_beginning_every_time() {
        let text = text(40_000);
        for bytes in [text.clone(), packed(&text)] {
            for keep in [10, u64::MAX] {
                let input = Input::spooled("pipe", &mut bytes.as_slice(), (keep, false)).unwrap();
                assert_eq!(matches!(input.from, From::Memory(_)), keep > 10);
                assert!(input.head() == &text[..HEAD as usize]);
                assert!((0..2).all(|_| all(input.reader().unwrap()) == text));
                let mut file = input.file().unwrap();
                file.seek(SeekFrom::Start(70)).unwrap();
                assert!(all(file) == text[70..]);
                // Estimated from the first bytes.
                assert!((input.size() / text.len() as f64 - 1.0).abs() < 0.1, "{}", input.size());
                assert!(input.load().unwrap().bytes() == text);
            }
        }
    }

    #[test]
    fn damaged_gzip_data_are_said_to_be_that() {
        let whole = packed(&text(400_000));
        let input = Input::from_bytes("t.csv.gz", whole[..whole.len() / 2].to_vec()).unwrap();
        let mut bytes = Vec::new();
        let cause = input.reader().unwrap().read_to_end(&mut bytes).unwrap_err();
        let error = unreadable(&input, cause);
        assert_eq!(error.kind(), ErrorKind::Data);
        assert!(error.with_causes().starts_with("`t.csv.gz` is a damaged or truncated gzip file"));
        assert!(Input::from_bytes("t.csv.gz", whole[..20].to_vec()).is_err());
        assert!(
            Input::from_bytes("t.csv", Vec::new()).unwrap_err().with_causes().ends_with("`t.csv` is empty")
        );
    }
}
