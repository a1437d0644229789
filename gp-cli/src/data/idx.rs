//! IDX arrays, as of MNIST.

use super::column::{Column, Kind};
use super::format::{Format, check_width};
use super::frame::Frame;
use super::heading::Heading;
use super::input::Input;
use super::options::ReadOptions;
use super::source::Source;
use super::supply::Supply;
use crate::error::CliError;
use std::path::Path;

/// Column `label` of a vector, or columns `p0`, `p1`, …. Labels of images come from the file with the corresponding
/// MNIST name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Idx;

impl Format for Idx {
    fn name(&self) -> &'static str {
        "idx"
    }

    fn summary(&self) -> &'static str {
        "arrays of MNIST; columns are p0, p1, … and, from the file of labels beside it, label"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["idx", "idx1-ubyte", "idx3-ubyte"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        matches!(bytes, [0, 0, 0x08..=0x0e, 1..=8, ..])
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let labels = labels_beside(source.name())
            .map(|path| Input::open(&path, u64::MAX)?.within(source.budget()).load());
        let labels = labels.transpose()?;
        let mut arrays = vec![Array::of(source)?];
        if let Some(labels) = &labels {
            arrays.push(Array::of(labels)?);
        }
        let mut room = source.room();
        for array in &arrays {
            room.take_table(array.rows, array.columns, 1)?;
        }
        let names = arrays.iter().flat_map(Array::names).collect();
        let heading = Heading::new(names, options);
        let images = arrays[0].columns;
        let column = |&place: &usize| {
            let (array, column) = if place < images { (0, place) } else { (1, place - images) };
            arrays[array].column(heading.names()[place].clone(), column)
        };
        let columns = heading.places().iter().map(column).collect();
        Ok(Frame::new(source.name(), columns, None)?.with_heading(heading))
    }
}

pub(crate) fn labels_beside(name: &str) -> Option<String> {
    let path = Path::new(name);
    let labels = path
        .file_name()?
        .to_str()?
        .replace("images-idx3", "labels-idx1")
        .replace("images.idx3", "labels.idx1");
    let beside = path.with_file_name(labels);
    (beside != path && beside.is_file()).then(|| beside.to_string_lossy().into_owned())
}

type Read = fn(&[u8]) -> f64;

struct Array<'a> {
    is_vector: bool,
    rows: usize,
    columns: usize,
    data: &'a [u8],
    size: usize,
    read: Read,
}

impl<'a> Array<'a> {
    fn of(source: &'a Source) -> Result<Self, CliError> {
        let array =
            Self::read(source.bytes()).map_err(|what| source.fault(format!(" is damaged: {what}")))?;
        check_width(source, array.columns)?;
        Ok(array)
    }

    fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let &[0, 0, kind, axes, ref rest @ ..] = bytes else {
            return Err("it does not begin as IDX files do".to_owned());
        };
        let (sizes, data) = rest.split_at_checked(4 * usize::from(axes)).ok_or("it ends in its header")?;
        let mut axes = sizes.as_chunks::<4>().0.iter().map(|&size| u32::from_be_bytes(size) as usize);
        let is_vector = axes.len() == 1;
        let rows = axes.next().ok_or("it has no axes")?;
        let columns = axes.try_fold(1usize, |product, axis| product.checked_mul(axis));
        let (size, read) =
            reader(kind).ok_or_else(|| format!("its numbers are of the unknown type {kind}"))?;
        let count = columns.and_then(|columns| rows.checked_mul(columns));
        let length = count.and_then(|count| count.checked_mul(size));
        let (columns, length) = columns.zip(length).ok_or("its shape is too large")?;
        if data.len() != length {
            return Err(format!("it holds {} bytes of numbers where its shape needs {length}", data.len()));
        }
        Ok(Self { is_vector, rows, columns, data, size, read })
    }

    fn names(&self) -> Vec<String> {
        let name = |place: usize| if self.is_vector { "label".to_owned() } else { format!("p{place}") };
        (0..self.columns).map(name).collect()
    }

    fn column(&self, name: String, place: usize) -> Column {
        let number = |row: usize| (self.read)(&self.data[(row * self.columns + place) * self.size..]);
        Column::of_numbers(name, Kind::Number, (0..self.rows).map(number).collect())
    }
}

fn reader(kind: u8) -> Option<(usize, Read)> {
    Some(match kind {
        0x08 => (1, |b| f64::from(b[0])),
        0x09 => (1, |b| f64::from(b[0] as i8)),
        0x0b => (2, |b| f64::from(i16::from_be_bytes([b[0], b[1]]))),
        0x0c => (4, |b| f64::from(i32::from_be_bytes([b[0], b[1], b[2], b[3]]))),
        0x0d => (4, |b| f64::from(f32::from_be_bytes([b[0], b[1], b[2], b[3]]))),
        0x0e => (8, |b| f64::from_be_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]])),
        _ => return None,
    })
}
