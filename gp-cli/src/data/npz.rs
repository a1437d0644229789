//! Zip archives of numpy arrays.

use super::counted::read_sized;
use super::format::{Format, check_width};
use super::frame::Frame;
use super::heading::Heading;
use super::npy::NpyArray;
use super::options::ReadOptions;
use super::source::Source;
use super::supply::Supply;
use super::table_room::TableMemory;
use crate::error::CliError;
use flate2::read::DeflateDecoder;
use std::borrow::Cow;

/// `.npz`: a vector `y` is the column `y`, a table `X` is `X0`, `X1`, ….
#[derive(Clone, Copy, Debug)]
pub(super) struct Npz;

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_SIZE: usize = 22;

impl Format for Npz {
    fn name(&self) -> &'static str {
        "npz"
    }

    fn summary(&self) -> &'static str {
        "arrays of numpy by name; columns are y for a vector y, X0, X1, … for a table X"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["npz"]
    }

    fn recognises(&self, bytes: &[u8]) -> bool {
        bytes.starts_with(LOCAL)
    }

    fn read(&self, source: &Source, options: &ReadOptions) -> Result<Frame, CliError> {
        let damaged = |what: String| source.fault(format!(" is damaged: {what}"));
        let (mut room, mut unpacked) = (source.room(), Vec::new());
        for entry in entries(source.bytes()).map_err(damaged)? {
            let bytes = entry.unpack(source, &mut room)?;
            unpacked.push((entry.name, bytes));
        }
        let (mut arrays, mut names, mut of) = (Vec::new(), Vec::new(), Vec::new());
        for (name, bytes) in &unpacked {
            let array = NpyArray::read(bytes).map_err(|what| damaged(format!("array {name}: {what}")))?;
            check_width(source, of.len().saturating_add(array.columns))?;
            room.take_table(array.rows, array.columns, name.len())?;
            names.extend(array.names(name));
            of.extend((0..array.columns).map(|column| (arrays.len(), column)));
            arrays.push(array);
        }
        let heading = Heading::new(names, options);
        let column = |&place: &usize| {
            let (array, column): (usize, usize) = of[place];
            arrays[array].column(heading.names()[place].clone(), column)
        };
        let columns = heading.places().iter().map(column).collect();
        Ok(Frame::new(source.name(), columns, None)?.with_heading(heading))
    }
}

struct Entry {
    name: String,
    method: u16,
    packed: usize,
    size: usize,
    offset: usize,
}

fn entries(bytes: &[u8]) -> Result<Vec<Entry>, String> {
    let last = bytes.len().checked_sub(END_SIZE).ok_or("it ends in its first entry")?;
    let end = (0..=last).rev().find(|&at| bytes[at..].starts_with(END));
    let end = end.ok_or("the list at its end is missing; is it truncated?")?;
    let (count, mut at) = (number(bytes, end + 10, 2)?, number(bytes, end + 16, 4)?);
    let mut entries = Vec::new();
    for _ in 0..count {
        if bytes.get(at..at.saturating_add(4)) != Some(CENTRAL) {
            return Err("the list at its end is broken".to_owned());
        }
        let lengths = [number(bytes, at + 28, 2)?, number(bytes, at + 30, 2)?, number(bytes, at + 32, 2)?];
        let name = bytes.get(at + 46..at + 46 + lengths[0]).ok_or("the list at its end is broken")?;
        let name = String::from_utf8_lossy(name);
        entries.push(Entry {
            name: name.strip_suffix(".npy").unwrap_or(&name).to_owned(),
            method: number(bytes, at + 10, 2)? as u16,
            packed: number(bytes, at + 20, 4)?,
            size: number(bytes, at + 24, 4)?,
            offset: number(bytes, at + 42, 4)?,
        });
        at += 46 + lengths.iter().sum::<usize>();
    }
    Ok(entries)
}

fn number(bytes: &[u8], at: usize, size: usize) -> Result<usize, String> {
    let bytes = bytes.get(at..at.saturating_add(size)).ok_or("it ends too early")?;
    Ok(bytes.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
}

impl Entry {
    /// Unpacks data, counted as table memory.
    fn unpack<'s>(&self, source: &'s Source, room: &mut TableMemory) -> Result<Cow<'s, [u8]>, CliError> {
        let fault = |what: &str| source.fault(format!(" is damaged: array {}: {what}", self.name));
        let packed = self.packed(source.bytes()).map_err(|what| fault(&what))?;
        match self.method {
            0 => Ok(Cow::Borrowed(packed)),
            8 => {
                room.take(self.size as f64, || format!(", array {} unpacked,", self.name))?;
                let out = read_sized(&mut DeflateDecoder::new(packed), self.size, source)?;
                let out = out.map_err(|cause| fault(&cause.to_string()))?;
                out.map(Cow::Owned).ok_or_else(|| fault("its length is wrong"))
            }
            other => Err(fault(&format!("it is packed by method {other}; save it with numpy.savez"))),
        }
    }

    fn packed<'a>(&self, archive: &'a [u8]) -> Result<&'a [u8], String> {
        let lengths = number(archive, self.offset + 26, 2)? + number(archive, self.offset + 28, 2)?;
        let start = self.offset + 30 + lengths;
        archive.get(start..start.saturating_add(self.packed)).ok_or_else(|| "it ends too early".to_owned())
    }
}
