//! Parquet columns as numbers or words.

use crate::data::column::{Column, Kind, LevelBuilder};
use crate::data::units::TimeUnit;
use crate::data::wide;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit as ParquetUnit, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;
use std::collections::HashMap;

/// Values per step, to fit the cache.
pub(super) const AT_ONCE: usize = 1 << 14;
/// Bytes above which a lookup by address pays.
const LONG: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Boolean,
    Signed,
    Unsigned,
    /// 64-bit integer as digits; `true` if signed.
    Digits(bool),
    Real,
    Half,
    /// Integer over ten to this power.
    Decimal(i32),
    Date,
    Instant(TimeUnit),
    Seconds(TimeUnit),
    Words,
    Nothing,
}

impl Meaning {
    /// Meaning of a column; errors name unsupported types.
    pub(super) fn of(column: &ColumnDescriptor) -> Result<Self, String> {
        let physical = column.physical_type();
        let meaning = match column.logical_type_ref() {
            Some(logical) => of_logical(logical),
            None => of_converted(column.converted_type(), column.type_scale()),
        };
        let plain = match physical {
            PhysicalType::BOOLEAN => Some(Self::Boolean),
            PhysicalType::INT32 | PhysicalType::INT64 => Some(meaning.unwrap_or(Self::Signed)),
            PhysicalType::INT96 => Some(Self::Instant(TimeUnit::Nanos)),
            PhysicalType::FLOAT | PhysicalType::DOUBLE => Some(Self::Real),
            PhysicalType::BYTE_ARRAY => Some(meaning.unwrap_or(Self::Words)),
            PhysicalType::FIXED_LEN_BYTE_ARRAY => meaning,
        };
        let fits = |meaning: &Self| meaning.fits(physical, column.type_length());
        plain.filter(fits).ok_or_else(|| format!("values of the type {} are not read", named(column)))
    }

    fn fits(self, physical: PhysicalType, length: i32) -> bool {
        let bytes = [PhysicalType::BYTE_ARRAY, PhysicalType::FIXED_LEN_BYTE_ARRAY].contains(&physical);
        match self {
            Self::Nothing | Self::Decimal(_) => true,
            Self::Half => physical == PhysicalType::FIXED_LEN_BYTE_ARRAY && length == 2,
            Self::Words => bytes,
            _ => !bytes,
        }
    }

    /// Words for 64-bit integers, which f64 may round.
    pub(super) fn as_words(self, physical: PhysicalType) -> Self {
        match self {
            Self::Signed | Self::Decimal(0) if physical == PhysicalType::INT64 => Self::Digits(true),
            Self::Unsigned if physical == PhysicalType::INT64 => Self::Digits(false),
            other => other,
        }
    }

    /// `None` for words.
    pub(super) fn kind(self) -> Option<Kind> {
        match self {
            Self::Boolean => Some(Kind::Boolean),
            Self::Date | Self::Instant(_) => Some(Kind::Date),
            Self::Words | Self::Nothing | Self::Digits(_) => None,
            _ => Some(Kind::Number),
        }
    }

    fn integer(self, value: i64) -> f64 {
        match self {
            Self::Decimal(scale) => value as f64 / 10f64.powi(scale),
            Self::Instant(unit) => unit.days(value),
            Self::Seconds(unit) => unit.seconds(value),
            Self::Unsigned => value as u64 as f64,
            _ => value as f64,
        }
    }

    fn number(self, bytes: &[u8]) -> Option<f64> {
        match self {
            Self::Half => bytes.first_chunk().map(|&pair| half(u16::from_le_bytes(pair))),
            Self::Decimal(scale) => big_endian(bytes).map(|integer| integer / 10f64.powi(scale)),
            _ => None,
        }
    }
}

fn of_logical(logical: &LogicalType) -> Option<Meaning> {
    let unit = |unit: &ParquetUnit| match unit {
        ParquetUnit::MILLIS => TimeUnit::Millis,
        ParquetUnit::MICROS => TimeUnit::Micros,
        ParquetUnit::NANOS => TimeUnit::Nanos,
    };
    Some(match logical {
        LogicalType::Integer(about) if about.is_signed => Meaning::Signed,
        LogicalType::Integer(_) => Meaning::Unsigned,
        LogicalType::Decimal(about) => Meaning::Decimal(about.scale),
        LogicalType::Date => Meaning::Date,
        LogicalType::Timestamp(about) => Meaning::Instant(unit(&about.unit)),
        LogicalType::Time(about) => Meaning::Seconds(unit(&about.unit)),
        LogicalType::Float16 => Meaning::Half,
        LogicalType::Unknown => Meaning::Nothing,
        _ => return None,
    })
}

/// Annotation of older writers.
fn of_converted(converted: ConvertedType, scale: i32) -> Option<Meaning> {
    Some(match converted {
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
            Meaning::Unsigned
        }
        ConvertedType::DECIMAL => Meaning::Decimal(scale),
        ConvertedType::DATE => Meaning::Date,
        ConvertedType::TIMESTAMP_MILLIS => Meaning::Instant(TimeUnit::Millis),
        ConvertedType::TIMESTAMP_MICROS => Meaning::Instant(TimeUnit::Micros),
        ConvertedType::TIME_MILLIS => Meaning::Seconds(TimeUnit::Millis),
        ConvertedType::TIME_MICROS => Meaning::Seconds(TimeUnit::Micros),
        _ => return None,
    })
}

fn named(column: &ColumnDescriptor) -> String {
    match column.logical_type_ref() {
        Some(logical) => format!("{logical:?} as {}", column.physical_type()),
        None => column.physical_type().to_string(),
    }
}

/// Sign, 5 exponent bits, 10 mantissa bits.
fn half(bits: u16) -> f64 {
    let (exponent, mantissa) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let size = match exponent {
        0 => mantissa * 2f64.powi(-24),
        0x1f if mantissa == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        _ => (1024.0 + mantissa) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// Signed big-endian integer; `None` beyond 32 bytes.
fn big_endian(bytes: &[u8]) -> Option<f64> {
    let sign = if bytes.first().is_some_and(|&first| first >= 0x80) { 0xff } else { 0 };
    let mut filled = [sign; 32];
    filled[32usize.checked_sub(bytes.len())?..].copy_from_slice(bytes);
    let (upper, lower) = filled.split_first_chunk::<16>()?;
    Some(wide::to_f64(i128::from_be_bytes(*upper), u128::from_be_bytes(*lower.first_chunk()?)))
}

#[derive(Debug)]
pub(super) enum ParquetCells {
    Numbers(Kind, Vec<f64>),
    Words(LevelBuilder),
}

impl ParquetCells {
    pub(super) fn new(meaning: Meaning) -> Self {
        meaning
            .kind()
            .map_or_else(|| Self::Words(LevelBuilder::default()), |kind| Self::Numbers(kind, Vec::new()))
    }

    pub(super) fn bytes_of_words(&self) -> usize {
        match self {
            Self::Numbers(..) => 0,
            Self::Words(words) => words.bytes(),
        }
    }

    pub(super) fn into_column(self, name: &str) -> Column {
        match self {
            Self::Numbers(kind, numbers) => Column::of_numbers(name, kind, numbers),
            Self::Words(words) => words.into_column(name),
        }
    }

    pub(super) fn append(
        &mut self,
        from: &mut ColumnReader,
        meaning: Meaning,
        count: usize,
    ) -> Result<(), ParquetError> {
        if let (ColumnReader::ByteArrayColumnReader(from), Self::Words(words)) = (&mut *from, &mut *self) {
            return append_words(from, count, words);
        }
        match from {
            ColumnReader::BoolColumnReader(from) => {
                records(from, count, |value| self.push(value.map(|&v| f64::from(u8::from(v)))))
            }
            ColumnReader::Int32ColumnReader(from) => records(from, count, |value| {
                let widened =
                    |&v: &i32| if meaning == Meaning::Unsigned { (v as u32).into() } else { v.into() };
                self.push(value.map(|v| meaning.integer(widened(v))));
            }),
            ColumnReader::Int64ColumnReader(from) => {
                records(from, count, |value| self.push_long(value.copied(), meaning))
            }
            ColumnReader::Int96ColumnReader(from) => {
                records(from, count, |value| self.push(value.map(|v| meaning.integer(v.to_nanos()))))
            }
            ColumnReader::FloatColumnReader(from) => {
                records(from, count, |value| self.push(value.map(|&v| f64::from(v))))
            }
            ColumnReader::DoubleColumnReader(from) => records(from, count, |value| self.push(value.copied())),
            ColumnReader::ByteArrayColumnReader(from) => {
                try_records(from, count, |value| self.push_bytes(value.map(|v| v.data()), meaning))
            }
            ColumnReader::FixedLenByteArrayColumnReader(from) => {
                try_records(from, count, |value| self.push_bytes(value.map(|v| v.data()), meaning))
            }
        }
    }

    fn push(&mut self, number: Option<f64>) {
        match self {
            Self::Numbers(_, numbers) => numbers.push(number.unwrap_or(f64::NAN)),
            Self::Words(words) => words.push(None),
        }
    }

    fn push_long(&mut self, value: Option<i64>, meaning: Meaning) {
        match (self, meaning) {
            (Self::Words(words), Meaning::Digits(is_signed)) => {
                let digits = |v: i64| if is_signed { v.to_string() } else { (v as u64).to_string() };
                words.push(value.map(digits).as_deref());
            }
            (cells, _) => cells.push(value.map(|v| meaning.integer(v))),
        }
    }

    fn push_bytes(&mut self, bytes: Option<&[u8]>, meaning: Meaning) -> Result<(), ParquetError> {
        match self {
            Self::Numbers(_, numbers) => {
                let number = bytes.map_or(Some(f64::NAN), |bytes| meaning.number(bytes));
                let unread = || ParquetError::General("a number has too many bytes".to_owned());
                numbers.push(number.ok_or_else(unread)?);
            }
            Self::Words(words) => words.push(bytes.map(std::str::from_utf8).transpose()?),
        }
        Ok(())
    }
}

pub(super) fn skip(from: &mut ColumnReader, count: usize) -> Result<(), ParquetError> {
    let skipped = match from {
        ColumnReader::BoolColumnReader(from) => from.skip_records(count),
        ColumnReader::Int32ColumnReader(from) => from.skip_records(count),
        ColumnReader::Int64ColumnReader(from) => from.skip_records(count),
        ColumnReader::Int96ColumnReader(from) => from.skip_records(count),
        ColumnReader::FloatColumnReader(from) => from.skip_records(count),
        ColumnReader::DoubleColumnReader(from) => from.skip_records(count),
        ColumnReader::ByteArrayColumnReader(from) => from.skip_records(count),
        ColumnReader::FixedLenByteArrayColumnReader(from) => from.skip_records(count),
    }?;
    if skipped < count { Err(ParquetError::EOF("a column ends too early".to_owned())) } else { Ok(()) }
}

/// Passes `count` values, `None` if missing.
fn records<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    count: usize,
    mut push: impl FnMut(Option<&T::T>),
) -> Result<(), ParquetError> {
    try_records(from, count, |value| {
        push(value);
        Ok(())
    })
}

fn try_records<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    count: usize,
    mut push: impl FnMut(Option<&T::T>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    in_steps(from, count, |values| values.into_iter().try_for_each(&mut push))
}

/// Words of a dictionary share their bytes, and are looked up once in each step: they may be long.
fn append_words(
    from: &mut ColumnReaderImpl<ByteArrayType>,
    count: usize,
    words: &mut LevelBuilder,
) -> Result<(), ParquetError> {
    in_steps(from, count, |values| {
        let mut shared: HashMap<*const [u8], u32> = HashMap::new();
        for value in values {
            let Some(bytes) = value.map(ByteArray::data) else {
                words.push(None);
                continue;
            };
            let known = shared.get(&std::ptr::from_ref(bytes)).filter(|_| bytes.len() > LONG);
            let code = match known {
                Some(&code) => code,
                None => words.code_of(std::str::from_utf8(bytes)?),
            };
            if bytes.len() > LONG {
                shared.insert(std::ptr::from_ref(bytes), code);
            }
            words.push_code(code);
        }
        Ok(())
    })
}

/// Passes the values of each step, `None` if missing.
fn in_steps<T: DataType>(
    from: &mut ColumnReaderImpl<T>,
    count: usize,
    mut step: impl FnMut(Vec<Option<&T::T>>) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let (mut left, mut levels, mut values) = (count, Vec::new(), Vec::new());
    while left > 0 {
        levels.clear();
        values.clear();
        let (rows, known, _) = from.read_records(left.min(AT_ONCE), Some(&mut levels), None, &mut values)?;
        if rows == 0 {
            return Err(ParquetError::EOF("a column ends too early".to_owned()));
        }
        left = left.saturating_sub(rows);
        if known == rows {
            step(values.iter().map(Some).collect())?;
            continue;
        }
        let mut values = values.iter();
        step(levels.iter().map(|&level| if level > 0 { values.next() } else { None }).collect())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_16_bits() {
        let cases: [(u16, f64); 8] = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x3555, 0.33325195),
            (0x7bff, 65504.0),
            (0x0001, 5.960464477539063e-8),
            (0x0400, 6.103515625e-5),
            (0x7c00, f64::INFINITY),
            (0x8000, 0.0),
        ];
        for (bits, number) in cases {
            assert!((half(bits) - number).abs() < 1e-8 || half(bits) == number, "{bits:#x}: {}", half(bits));
        }
        assert!(half(0x7e00).is_nan());
    }

    #[test]
    fn integers_of_any_length() {
        for (bytes, integer) in
            [(&[][..], 0.0), (&[0xff], -1.0), (&[1, 0], 256.0), (&[0xff, 0], -256.0), (&[0; 32], 0.0)]
        {
            assert_eq!(big_endian(bytes), Some(integer), "{bytes:?}");
        }
        let wide = |first: u8, last: u8| [&[first; 19][..], &[last]].concat();
        assert_eq!([big_endian(&wide(0, 7)), big_endian(&wide(0xff, 0xfe))], [Some(7.0), Some(-2.0)]);
        assert_eq!(big_endian(&[0; 33]), None);
    }
}
