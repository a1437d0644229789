//! Memory claims, checked because the third-party reader's allocations can kill the process.

use crate::data::counted::read_up_to;
use crate::own_rows::share_of_rows;
use arrow_ipc::{Field, Message, RecordBatch, Schema, root_as_footer, root_as_message};
use gp_optim::Team;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

/// Maximum bytes of a column buffer, exclusive.
const MAX_BYTES: i64 = 1 << 32;
/// Message start; absent from old files.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// Footer length and magic bytes.
const END: u64 = 10;

pub(super) enum SizeFault {
    Unreadable(io::Error),
    Impossible(i64),
    NoList,
    Unread { column: String, kind: String },
}

impl From<io::Error> for SizeFault {
    fn from(cause: io::Error) -> Self {
        Self::Unreadable(cause)
    }
}

/// Claimed bytes, with buffers unpacked.
#[derive(Default)]
pub(super) struct Claims {
    pub(super) all: f64,
    /// Names and dictionaries.
    kept: f64,
    largest: f64,
    /// Per batch.
    rows: Vec<usize>,
}

impl Claims {
    /// Bytes with one batch in memory at a time.
    pub(super) fn of_one_batch(&self) -> f64 {
        self.kept + self.largest
    }

    /// Claims of a stream from its current position; checks sizes only.
    pub(super) fn of_stream(from: &mut (impl Read + Seek)) -> Result<Self, SizeFault> {
        let mut at = from.stream_position()?;
        let end = from.seek(SeekFrom::End(0))?;
        let mut claims = Self::default();
        while let Some((head, length)) = description(from, at, end)? {
            let body = skip(head, length.into(), end)?;
            let bytes = read_at(from, head, body - head)?;
            let Ok(message) = root_as_message(&bytes) else { break };
            let next = skip(body, message.bodyLength(), end)?;
            claims.add(from, &message, at, body..next)?;
            at = next;
        }
        Ok(claims)
    }

    /// Claims of the listed parts. Refuses overlapping parts: they let small files claim unlimited memory.
    pub(super) fn of_list(from: &mut (impl Read + Seek)) -> Result<Self, SizeFault> {
        let (list, bytes) = list(from)?;
        let footer = root_as_footer(&bytes).map_err(|_| SizeFault::NoList)?;
        let mut claims = Self::default();
        footer.schema().map_or(Ok(()), check_types)?;
        claims.keep(footer.schema().map_or(0.0, letters));
        let mut listed = 0;
        let parts = footer.dictionaries().into_iter().chain(footer.recordBatches());
        for part in parts.flatten() {
            let at = skip(0, part.offset(), list)?;
            let body = skip(at, part.metaDataLength().into(), list)?;
            let next = skip(body, part.bodyLength(), list)?;
            listed += next - at;
            if listed > list {
                return Err(SizeFault::Impossible(part.bodyLength()));
            }
            let bytes = read_at(from, at, body - at)?;
            let message = root_as_message(behind_prefix(&bytes)).map_err(|_| SizeFault::NoList)?;
            claims.add(from, &message, at, body..next)?;
        }
        Ok(claims)
    }

    fn add(
        &mut self,
        from: &mut (impl Read + Seek),
        message: &Message<'_>,
        at: u64,
        body: Range<u64>,
    ) -> Result<(), SizeFault> {
        let own = (body.end - at) as f64;
        if let Some(dictionary) = message.header_as_dictionary_batch() {
            let buffers = dictionary.data().map_or(Ok(0.0), |batch| buffers(from, &batch, body))?;
            self.keep(own + buffers);
        } else if let Some(batch) = message.header_as_record_batch() {
            let claim = own + buffers(from, &batch, body)?;
            (self.all, self.largest) = (self.all + claim, self.largest.max(claim));
            self.rows.push(usize::try_from(batch.length()).unwrap_or_default());
        } else {
            message.header_as_schema().map_or(Ok(()), check_types)?;
            self.keep(own + message.header_as_schema().map_or(0.0, letters));
        }
        Ok(())
    }

    /// Batches of this process, and number of rows before them.
    pub(super) fn own_batches(&self, team: &Team) -> (Range<usize>, u64) {
        let before = self.rows.iter().scan(0_usize, |sum, &rows| {
            let before = *sum;
            *sum = sum.saturating_add(rows);
            Some(before)
        });
        let (before, all) = (
            before.collect::<Vec<_>>(),
            self.rows.iter().fold(0, |sum: usize, &rows| sum.saturating_add(rows)),
        );
        let own = share_of_rows(team, team.rank(), all);
        let batch = |row: usize| before.partition_point(|&first| first < row);
        let batches = batch(own.start)..batch(own.end);
        let first = before.get(batches.start).copied().unwrap_or(all);
        (batches, first as u64)
    }

    fn keep(&mut self, claim: f64) {
        (self.all, self.kept) = (self.all + claim, self.kept + claim);
    }
}

/// Bytes of buffers beyond the body, by compression or overlap.
fn buffers(
    from: &mut (impl Read + Seek),
    batch: &RecordBatch<'_>,
    body: Range<u64>,
) -> Result<f64, SizeFault> {
    let packed = batch.compression().is_some();
    let mut claimed = 0.0;
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() > 0) {
        let Ok(first) = skip(body.start, buffer.offset(), body.end) else { continue };
        if !packed {
            claimed += buffer.length().min((body.end - first) as i64) as f64;
            continue;
        }
        if first + 8 > body.end {
            continue;
        }
        let claim = i64::from_le_bytes(read_at(from, first, 8)?.try_into().unwrap_or_default());
        // −1 marks an uncompressed buffer.
        if !(-1..MAX_BYTES).contains(&claim) {
            return Err(SizeFault::Impossible(claim));
        }
        claimed += claim.max(0) as f64;
    }
    let held = if packed { 0.0 } else { (body.end - body.start) as f64 };
    Ok((claimed - held).max(0.0))
}

const BITS_OF_INTEGERS: [i32; 4] = [8, 16, 32, 64];
const BITS_OF_DECIMALS: [i32; 4] = [32, 64, 128, 256];

fn check_types(schema: Schema<'_>) -> Result<(), SizeFault> {
    let unread = |field: Field<'_>| {
        let kind = match (field.type_as_int(), field.type_as_decimal()) {
            (Some(of), _) if !BITS_OF_INTEGERS.contains(&of.bitWidth()) => {
                format!("{}Int{}", if of.is_signed() { "" } else { "U" }, of.bitWidth())
            }
            (_, Some(of)) if !BITS_OF_DECIMALS.contains(&of.bitWidth()) => {
                format!("Decimal{}", of.bitWidth())
            }
            _ => return None,
        };
        Some(SizeFault::Unread { column: field.name().unwrap_or_default().to_owned(), kind })
    };
    schema.fields().into_iter().flatten().find_map(unread).map_or(Ok(()), Err)
}

/// Bytes of column names, which may overlap in files.
fn letters(schema: Schema<'_>) -> f64 {
    schema.fields().into_iter().flatten().map(|field| letters_of(&field)).sum()
}

fn letters_of(field: &Field<'_>) -> f64 {
    let inner: f64 = field.children().into_iter().flatten().map(|child| letters_of(&child)).sum();
    field.name().map_or(0, str::len) as f64 + inner
}

fn list(from: &mut (impl Read + Seek)) -> Result<(u64, Vec<u8>), SizeFault> {
    let size = from.seek(SeekFrom::End(0))?;
    let end = size.checked_sub(END).ok_or(SizeFault::NoList)?;
    let length = read_at(from, end, 4)?.try_into().map_err(|_| SizeFault::NoList)?;
    let length = i32::from_le_bytes(length);
    let place = u64::try_from(length).ok().and_then(|length| end.checked_sub(length));
    let place = place.ok_or(SizeFault::Impossible(length.into()))?;
    Ok((place, read_at(from, place, end - place)?))
}

fn behind_prefix(bytes: &[u8]) -> &[u8] {
    let prefix = if bytes.starts_with(&CONTINUATION) { 8 } else { 4 };
    bytes.get(prefix..).unwrap_or_default()
}

fn description<M: Read + Seek>(messages: &mut M, at: u64, end: u64) -> io::Result<Option<(u64, i32)>> {
    let number = |messages: &mut M, at: u64| -> io::Result<Option<[u8; 4]>> {
        if at + 4 > end { Ok(None) } else { Ok(read_at(messages, at, 4)?.try_into().ok()) }
    };
    let (head, length) = match number(messages, at)? {
        Some(CONTINUATION) => (at + 8, number(messages, at + 4)?),
        length => (at + 4, length),
    };
    let length = length.map(i32::from_le_bytes).filter(|&length| length != 0);
    Ok(length.map(|length| (head, length)))
}

/// Adds `length`; fails past `end`.
fn skip(at: u64, length: i64, end: u64) -> Result<u64, SizeFault> {
    let there = u64::try_from(length).ok().and_then(|length| at.checked_add(length));
    there.filter(|&there| there <= end).ok_or(SizeFault::Impossible(length))
}

fn read_at(from: &mut (impl Read + Seek), at: u64, length: u64) -> io::Result<Vec<u8>> {
    from.seek(SeekFrom::Start(at))?;
    read_up_to(from, length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    const FILE: &[u8] = include_bytes!("../../../tests/data/polars_none.feather");

    fn claims(bytes: Vec<u8>) -> Result<Claims, SizeFault> {
        Claims::of_list(&mut Cursor::new(bytes))
    }

    fn with(at: usize, change: &[u8]) -> Vec<u8> {
        let mut bytes = FILE.to_vec();
        bytes[at..at + change.len()].copy_from_slice(change);
        bytes
    }

    /// Offset, description length, body length.
    fn last_batch() -> usize {
        let (at, bytes) = list(&mut Cursor::new(FILE)).ok().unwrap();
        let footer = root_as_footer(&bytes).unwrap();
        let batches = footer.recordBatches().unwrap();
        let block = batches.get(batches.len() - 1);
        at as usize + bytes.windows(24).position(|window| window == block.0).unwrap()
    }

    #[test]
    fn a_sound_file_claims_about_its_size() {
        let claims = claims(FILE.to_vec()).ok().unwrap();
        assert!(
            claims.all > 0.2 * FILE.len() as f64 && claims.all < 1.5 * FILE.len() as f64,
            "{}",
            claims.all
        );
        assert!(claims.of_one_batch() < claims.all);
    }

    #[test]
    fn a_list_longer_than_the_file_is_no_list() {
        for length in [i32::MAX, -1, FILE.len() as i32] {
            let damaged = with(FILE.len() - 10, &length.to_le_bytes());
            assert!(matches!(claims(damaged), Err(SizeFault::Impossible(size)) if size == i64::from(length)));
        }
    }

    #[test]
    fn parts_outside_the_file_are_none() {
        let place = last_batch();
        for (at, value) in [(place, i64::MAX), (place, -8), (place + 16, FILE.len() as i64), (place + 16, -1)]
        {
            assert!(
                matches!(claims(with(at, &value.to_le_bytes())), Err(SizeFault::Impossible(size)) if size == value)
            );
        }
        let long = with(place + 8, &i32::MAX.to_le_bytes());
        assert!(matches!(claims(long), Err(SizeFault::Impossible(_))));
    }
}
