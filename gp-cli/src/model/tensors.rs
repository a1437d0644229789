//! Safetensors form of a record: JSON, with long float lists as tensors, replaced by `{"tensor": NAME,
//! "crc32": …}`. NAME is the list's path.

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Shorter lists stay in readable JSON.
const LONG: usize = 16;
const RECORD: &str = "gp-model";
const CHECK: &str = "record.crc32";

struct Tensor {
    name: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

pub(super) fn to_bytes(record: Value) -> Result<Vec<u8>, String> {
    let mut tensors = Vec::new();
    let record = take_out(record, "", &mut tensors);
    let text = record.to_string();
    tensors.push(Tensor::new(CHECK.to_owned(), vec![1], &[f64::from(crc32(text.as_bytes()))]));
    let mut views = Vec::with_capacity(tensors.len());
    for tensor in &tensors {
        let view = TensorView::new(Dtype::F64, tensor.shape.clone(), &tensor.bytes);
        views.push((tensor.name.as_str(), view.map_err(|cause| cause.to_string())?));
    }
    let metadata = HashMap::from([(RECORD.to_owned(), text)]);
    safetensors::serialize(views, Some(metadata)).map_err(|cause| cause.to_string())
}

pub(super) fn record_text(bytes: &[u8]) -> Result<String, String> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).map_err(|cause| cause.to_string())?;
    let record = metadata.metadata().as_ref().and_then(|entries| entries.get(RECORD));
    record.cloned().ok_or_else(|| format!("it has no entry `{RECORD}`"))
}

pub(super) fn from_bytes(bytes: &[u8]) -> Result<Value, String> {
    let tensors = SafeTensors::deserialize(bytes).map_err(|cause| cause.to_string())?;
    let text = record_text(bytes)?;
    let check = numbers(&tensors, CHECK)?;
    if check != [f64::from(crc32(text.as_bytes()))] {
        return Err("its record is not what was written".to_owned());
    }
    let record = serde_json::from_str(&text).map_err(|cause| cause.to_string())?;
    put_back(record, &tensors)
}

fn take_out(value: Value, path: &str, tensors: &mut Vec<Tensor>) -> Value {
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    match value {
        Value::Array(items) if is_long_list(&items) => {
            let numbers: Vec<f64> = items.iter().filter_map(Value::as_f64).collect();
            let tensor = Tensor::new(path.to_owned(), vec![numbers.len()], &numbers);
            let mut entry = Map::new();
            entry.insert("tensor".to_owned(), tensor.name.clone().into());
            entry.insert("crc32".to_owned(), crc32(&tensor.bytes).into());
            tensors.push(tensor);
            Value::Object(entry)
        }
        Value::Array(items) => {
            let items = items.into_iter().enumerate();
            Value::Array(items.map(|(i, item)| take_out(item, &below(&i.to_string()), tensors)).collect())
        }
        Value::Object(entries) => {
            let shape = table_shape(&entries);
            let before = tensors.len();
            let taken = entries.into_iter().map(|(key, item)| {
                let item = take_out(item, &below(&key), tensors);
                (key, item)
            });
            let taken = Value::Object(taken.collect());
            for tensor in &mut tensors[before..] {
                if let Some([rows, columns]) =
                    shape.filter(|[rows, columns]| [rows * columns] == *tensor.shape)
                {
                    tensor.shape = vec![rows, columns];
                }
            }
            taken
        }
        other => other,
    }
}

/// Rows and columns of points (`count`, `dim`, flat list).
fn table_shape(entries: &Map<String, Value>) -> Option<[usize; 2]> {
    let size = |key: &str| entries.get(key)?.as_u64().and_then(|size| usize::try_from(size).ok());
    Some([size("count")?, size("dim")?])
}

fn is_long_list(items: &[Value]) -> bool {
    items.len() >= LONG && items.iter().all(Value::is_f64)
}

fn put_back(value: Value, tensors: &SafeTensors<'_>) -> Result<Value, String> {
    match value {
        Value::Object(entries) => {
            if let (Some(Value::String(name)), Some(Value::Number(check))) =
                (entries.get("tensor"), entries.get("crc32"))
            {
                let view = tensors.tensor(name).map_err(|cause| cause.to_string())?;
                if check.as_u64() != Some(u64::from(crc32(view.data()))) {
                    return Err(format!("the numbers of `{name}` are not what was written"));
                }
                return Ok(numbers(tensors, name)?.into());
            }
            let entries = entries.into_iter().map(|(key, item)| Ok((key, put_back(item, tensors)?)));
            entries.collect::<Result<_, String>>().map(Value::Object)
        }
        Value::Array(items) => {
            items.into_iter().map(|item| put_back(item, tensors)).collect::<Result<_, _>>().map(Value::Array)
        }
        other => Ok(other),
    }
}

fn numbers(tensors: &SafeTensors<'_>, name: &str) -> Result<Vec<f64>, String> {
    let view = tensors.tensor(name).map_err(|cause| cause.to_string())?;
    if view.dtype() != Dtype::F64 {
        return Err(format!("`{name}` does not hold 64-bit floats"));
    }
    Ok(view.data().as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

impl Tensor {
    fn new(name: String, shape: Vec<usize>, numbers: &[f64]) -> Self {
        Self { name, shape, bytes: numbers.iter().flat_map(|number| number.to_le_bytes()).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record() -> Value {
        let long: Vec<f64> = (0..20).map(|i| f64::from(i) / 3.0).collect();
        json!({"format": "x", "a": [{"count": 5, "dim": 4, "z": long}], "short": [0.5, 1.5], "counts": vec![1; 30]})
    }

    #[test]
    fn records_come_back_and_tables_have_shapes() {
        let bytes = to_bytes(record()).unwrap();
        assert_eq!(from_bytes(&bytes).unwrap(), record());
        assert_eq!(to_bytes(record()).unwrap(), bytes);
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        assert_eq!(tensors.tensor("a.0.z").unwrap().shape(), [5, 4]);
        assert_eq!(tensors.len(), 2);
    }

    #[test]
    fn every_changed_byte_is_found() {
        let bytes = to_bytes(record()).unwrap();
        for place in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            // Changes that JSON ignores, such as trailing blanks in the header, may go unnoticed.
            assert!(from_bytes(&damaged).map_or(true, |read| read == record()), "byte {place}");
        }
        assert!((0..bytes.len()).all(|length| from_bytes(&bytes[..length]).is_err()));
    }
}
