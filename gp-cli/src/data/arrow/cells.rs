//! Arrow arrays as numbers or words.

use crate::data::column::{Kind, LevelBuilder};
use crate::data::{units, wide};
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, ByteViewType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    Time32MillisecondType, Time32SecondType, Time64MicrosecondType, Time64NanosecondType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, GenericByteViewArray};
use arrow_schema::{DataType, TimeUnit};

pub(super) fn kind_of_numbers(kind: &DataType) -> Option<Kind> {
    match kind {
        DataType::Boolean => Some(Kind::Boolean),
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Some(Kind::Date),
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => Some(Kind::Number),
        kind => kind.is_numeric().then_some(Kind::Number),
    }
}

/// Appends numbers: NaN if missing, dates in days, times in seconds. Errors name unsupported types.
pub(super) fn append_numbers(array: &dyn Array, out: &mut Vec<f64>) -> Result<(), String> {
    match array.data_type() {
        DataType::Boolean => {
            let flags = array.as_boolean().iter();
            out.extend(flags.map(|flag| flag.map_or(f64::NAN, |flag| f64::from(u8::from(flag)))));
        }
        DataType::Float16 => append::<Float16Type>(array, out, |v| v.to_f64()),
        DataType::Float32 => append::<Float32Type>(array, out, f64::from),
        DataType::Float64 => append::<Float64Type>(array, out, |v| v),
        DataType::Int8 => append::<Int8Type>(array, out, f64::from),
        DataType::Int16 => append::<Int16Type>(array, out, f64::from),
        DataType::Int32 => append::<Int32Type>(array, out, f64::from),
        DataType::Int64 => append::<Int64Type>(array, out, |v| v as f64),
        DataType::UInt8 => append::<UInt8Type>(array, out, f64::from),
        DataType::UInt16 => append::<UInt16Type>(array, out, f64::from),
        DataType::UInt32 => append::<UInt32Type>(array, out, f64::from),
        DataType::UInt64 => append::<UInt64Type>(array, out, |v| v as f64),
        kind if kind.is_decimal() => append_decimals(array, out),
        _ => return append_times(array, out),
    }
    Ok(())
}

fn append<T: ArrowPrimitiveType>(array: &dyn Array, out: &mut Vec<f64>, number: impl Fn(T::Native) -> f64) {
    out.extend(array.as_primitive::<T>().iter().map(|value| value.map_or(f64::NAN, &number)));
}

fn append_decimals(array: &dyn Array, out: &mut Vec<f64>) {
    match array.data_type() {
        DataType::Decimal32(_, scale) => {
            append::<Decimal32Type>(array, out, |v| f64::from(v) / power(*scale));
        }
        DataType::Decimal64(_, scale) => append::<Decimal64Type>(array, out, |v| v as f64 / power(*scale)),
        DataType::Decimal128(_, scale) => append::<Decimal128Type>(array, out, |v| v as f64 / power(*scale)),
        DataType::Decimal256(_, scale) => append::<Decimal256Type>(array, out, |v| {
            let (lower, upper) = v.to_parts();
            wide::to_f64(upper, lower) / power(*scale)
        }),
        _ => {}
    }
}

fn power(scale: i8) -> f64 {
    10f64.powi(scale.into())
}

fn append_times(array: &dyn Array, out: &mut Vec<f64>) -> Result<(), String> {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    use units::TimeUnit::{Micros, Millis, Nanos, Seconds};
    match array.data_type() {
        DataType::Date32 => append::<Date32Type>(array, out, f64::from),
        DataType::Date64 => append::<Date64Type>(array, out, |v| Millis.days(v)),
        DataType::Timestamp(Second, _) => append::<TimestampSecondType>(array, out, |v| Seconds.days(v)),
        DataType::Timestamp(Millisecond, _) => {
            append::<TimestampMillisecondType>(array, out, |v| Millis.days(v));
        }
        DataType::Timestamp(Microsecond, _) => {
            append::<TimestampMicrosecondType>(array, out, |v| Micros.days(v));
        }
        DataType::Timestamp(Nanosecond, _) => {
            append::<TimestampNanosecondType>(array, out, |v| Nanos.days(v));
        }
        DataType::Time32(Second) => append::<Time32SecondType>(array, out, f64::from),
        DataType::Time32(Millisecond) => {
            append::<Time32MillisecondType>(array, out, |v| Millis.seconds(v.into()));
        }
        DataType::Time64(Microsecond) => append::<Time64MicrosecondType>(array, out, |v| Micros.seconds(v)),
        DataType::Time64(Nanosecond) => append::<Time64NanosecondType>(array, out, |v| Nanos.seconds(v)),
        DataType::Duration(Second) => append::<DurationSecondType>(array, out, |v| Seconds.seconds(v)),
        DataType::Duration(Millisecond) => {
            append::<DurationMillisecondType>(array, out, |v| Millis.seconds(v));
        }
        DataType::Duration(Microsecond) => {
            append::<DurationMicrosecondType>(array, out, |v| Micros.seconds(v));
        }
        DataType::Duration(Nanosecond) => append::<DurationNanosecondType>(array, out, |v| Nanos.seconds(v)),
        other => return Err(unread(other)),
    }
    Ok(())
}

/// Appends words. Errors name unsupported types or non-UTF-8 bytes.
pub(super) fn append_words(array: &dyn Array, out: &mut LevelBuilder) -> Result<(), String> {
    let mut push = |bytes: Option<&[u8]>| bytes.map(text).transpose().map(|word| out.push(word));
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().iter().for_each(|word| out.push(word)),
        DataType::LargeUtf8 => array.as_string::<i64>().iter().for_each(|word| out.push(word)),
        DataType::Utf8View => array.as_string_view().iter().for_each(|word| out.push(word)),
        DataType::Binary => array.as_binary::<i32>().iter().try_for_each(push)?,
        DataType::LargeBinary => array.as_binary::<i64>().iter().try_for_each(push)?,
        DataType::BinaryView => array.as_binary_view().iter().try_for_each(push)?,
        DataType::FixedSizeBinary(_) => array.as_fixed_size_binary().iter().try_for_each(push)?,
        DataType::Null => (0..array.len()).try_for_each(|_| push(None))?,
        DataType::Dictionary(..) => append_dictionary(array, out)?,
        other => return Err(unread(other)),
    }
    Ok(())
}

/// `true` for integers that f64 may round.
pub(super) fn are_long(kind: &DataType) -> bool {
    matches!(kind, DataType::Int64 | DataType::UInt64)
}

pub(super) fn append_digits(array: &dyn Array, out: &mut LevelBuilder) {
    match array.data_type() {
        DataType::Int64 => digits::<Int64Type>(array, out),
        DataType::UInt64 => digits::<UInt64Type>(array, out),
        _ => {}
    }
}

fn digits<T: ArrowPrimitiveType<Native: ToString>>(array: &dyn Array, out: &mut LevelBuilder) {
    let values = array.as_primitive::<T>().iter();
    values.for_each(|value| out.push(value.map(|value| value.to_string()).as_deref()));
}

/// Bytes of words beyond the buffers: views may overlap.
pub(super) fn shared_letters(array: &dyn Array) -> f64 {
    match array.data_type() {
        DataType::Utf8View => beyond_buffers(array.as_string_view()),
        DataType::BinaryView => beyond_buffers(array.as_binary_view()),
        DataType::Dictionary(..) => {
            array.as_any_dictionary_opt().map_or(0.0, |dictionary| shared_letters(dictionary.values()))
        }
        _ => 0.0,
    }
}

fn beyond_buffers<T: ByteViewType>(array: &GenericByteViewArray<T>) -> f64 {
    // Short words are stored in the views.
    let held = (size_of_val(array.views().as_ref())
        + array.data_buffers().iter().map(|b| b.len()).sum::<usize>()) as f64;
    // The low 32 bits of a view are its length.
    let views = array.views().iter().enumerate().filter(|(row, _)| array.is_valid(*row));
    let letters: f64 = views.map(|(_, view)| f64::from(*view as u32)).sum();
    (letters - held).max(0.0)
}

fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|_| "holds bytes that are no text".to_owned())
}

fn append_dictionary(array: &dyn Array, out: &mut LevelBuilder) -> Result<(), String> {
    let Some(dictionary) = array.as_any_dictionary_opt() else { return Err(unread(array.data_type())) };
    let (words, mut places) = (words(dictionary.values())?, Vec::new());
    append_numbers(dictionary.keys(), &mut places)?;
    // Once per word: words may be long.
    let mut codes = vec![None; words.len()];
    for place in places {
        let place = if place.is_nan() { usize::MAX } else { place as usize };
        match words.get(place).and_then(Option::as_deref) {
            None => out.push(None),
            Some(word) => {
                let code = *codes[place].get_or_insert_with(|| out.code_of(word));
                out.push_code(code);
            }
        }
    }
    Ok(())
}

fn words(values: &dyn Array) -> Result<Vec<Option<String>>, String> {
    let kind = kind_of_numbers(values.data_type()).filter(|_| !are_long(values.data_type()));
    let Some(kind) = kind else {
        let mut words = LevelBuilder::default();
        match are_long(values.data_type()) {
            true => append_digits(values, &mut words),
            false => append_words(values, &mut words)?,
        }
        let column = words.into_column("");
        return Ok((0..values.len())
            .map(|at| Some(column.text(at)).filter(|_| !column.is_missing(at)))
            .collect());
    };
    let mut numbers = Vec::new();
    append_numbers(values, &mut numbers)?;
    Ok(numbers.into_iter().map(|number| (!number.is_nan()).then(|| kind.text(number))).collect())
}

fn unread(kind: &DataType) -> String {
    format!("values of the type {kind} are not read")
}
