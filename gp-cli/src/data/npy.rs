//! numpy arrays.

use super::column::{Column, Kind};
use super::format::{Format, check_width};
use super::frame::Frame;
use super::heading::Heading;
use super::options::ReadOptions;
use super::source::Source;
use super::supply::Supply;
use crate::error::CliError;

/// `.npy`: one array, one point per row. Columns are `x0`, `x1`, …; a vector is `x`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Npy;

const MAGIC: &[u8] = b"\x93NUMPY";
/// Header limit, as in numpy.
const LONGEST_HEADER: usize = 10_000;

impl Format for Npy {
    fn name(&self) -> &'static str {
        "npy"
    }

    fn summary(&self) -> &'static str {
        "one array of numpy; columns are x0, x1, …"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["npy"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let array =
            NpyArray::read(source.bytes()).map_err(|what| source.fault(format!(" is damaged: {what}")))?;
        check_width(source, array.columns)?;
        source.room().take_table(array.rows, array.columns, 1)?;
        let heading = Heading::new(array.names("x"), options);
        let columns =
            heading.places().iter().map(|&place| array.column(heading.names()[place].clone(), place));
        Ok(Frame::new(source.name(), columns.collect(), None)?.with_heading(heading))
    }
}

/// Array in the file's layout.
pub(super) struct NpyArray<'a> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    vector: bool,
    fortran: bool,
    numbers: Numbers<'a>,
}

impl<'a> NpyArray<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let rest = bytes.strip_prefix(MAGIC).ok_or("it does not begin as numpy's arrays do")?;
        let (version, rest) = rest.split_at_checked(2).ok_or("it ends in its header")?;
        let width = if version[0] == 1 { 2 } else { 4 };
        let (length, rest) = rest.split_at_checked(width).ok_or("it ends in its header")?;
        let length = length.iter().rev().fold(0usize, |sum, &byte| sum << 8 | usize::from(byte));
        let (header, data) = rest.split_at_checked(length).ok_or("it ends in its header")?;
        if length > LONGEST_HEADER {
            return Err(format!("its header has {length} bytes, and at most {LONGEST_HEADER} are read"));
        }
        let header = String::from_utf8_lossy(header);
        let (shape, fortran) = (shape(&header)?, header.contains("'fortran_order': True"));
        let descr = quoted_after(&header, "'descr':").ok_or("its header has no type of numbers")?;
        let rows = shape.first().copied().unwrap_or(1);
        let columns = shape.iter().skip(1).try_fold(1usize, |product, &axis| product.checked_mul(axis));
        let columns = columns.ok_or("its shape is too large")?;
        let numbers = Numbers::new(descr, data, rows.checked_mul(columns).ok_or("its shape is too large")?)?;
        Ok(Self { rows, columns, vector: shape.len() < 2, fortran: fortran && shape.len() > 1, numbers })
    }

    /// Column names: `stem` with numbers, or alone for a vector.
    pub(super) fn names(&self, stem: &str) -> Vec<String> {
        let name = |place: usize| if self.vector { stem.to_owned() } else { format!("{stem}{place}") };
        (0..self.columns).map(name).collect()
    }

    pub(super) fn column(&self, name: String, place: usize) -> Column {
        let value = |row: usize| match self.fortran {
            true => self.numbers.at(place * self.rows + row),
            false => self.numbers.at(row * self.columns + place),
        };
        Column::of_numbers(name, Kind::Number, (0..self.rows).map(value).collect())
    }
}

/// Axis lengths in `'shape': (3, 4), `.
fn shape(header: &str) -> Result<Vec<usize>, String> {
    let inside = header.split_once("'shape':").and_then(|(_, rest)| rest.split_once('(')?.1.split_once(')'));
    let (axes, _) = inside.ok_or("its header has no shape")?;
    let parse = |axis: &str| axis.parse().map_err(|_| format!("its shape holds `{axis}`"));
    axes.split(',').map(str::trim).filter(|axis| !axis.is_empty()).map(parse).collect()
}

fn quoted_after<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_once(key)?.1.split_once('\'')?.1.split_once('\'').map(|(inside, _)| inside)
}

struct Numbers<'a> {
    data: &'a [u8],
    size: usize,
    big_endian: bool,
    read: fn(&[u8; 8]) -> f64,
}

impl<'a> Numbers<'a> {
    fn new(descr: &str, data: &'a [u8], count: usize) -> Result<Self, String> {
        let (order, kind) = descr.split_at_checked(1).unwrap_or(("", descr));
        let size: usize = kind.get(1..).and_then(|size| size.parse().ok()).unwrap_or(0);
        let read = reader(kind).ok_or_else(|| {
            format!("its numbers are of type `{descr}`, which is not read; save it as float64")
        })?;
        let length = count.checked_mul(size).ok_or("its shape is too large")?;
        if data.len() != length {
            return Err(format!("it holds {} bytes of numbers where its shape needs {length}", data.len()));
        }
        Ok(Self { data, size, big_endian: order == ">", read })
    }

    fn at(&self, place: usize) -> f64 {
        let mut buffer = [0; 8];
        buffer[..self.size].copy_from_slice(&self.data[place * self.size..][..self.size]);
        if self.big_endian {
            buffer[..self.size].reverse();
        }
        (self.read)(&buffer)
    }
}

/// Reads a little-endian number.
fn reader(kind: &str) -> Option<fn(&[u8; 8]) -> f64> {
    Some(match kind {
        "f8" => |b| f64::from_le_bytes(*b),
        "f4" => |b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        "i8" => |b| i64::from_le_bytes(*b) as f64,
        "u8" => |b| u64::from_le_bytes(*b) as f64,
        "i4" => |b| f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        "u4" => |b| f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        "i2" => |b| f64::from(i16::from_le_bytes([b[0], b[1]])),
        "u2" => |b| f64::from(u16::from_le_bytes([b[0], b[1]])),
        "i1" => |b| f64::from(b[0] as i8),
        "u1" | "b1" => |b| f64::from(b[0]),
        _ => return None,
    })
}
