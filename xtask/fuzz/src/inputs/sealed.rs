//! Mutated files with recomputed checksums.

use super::bytes::damage;
use crate::random::Random;
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::{Number, Value};
use std::collections::HashMap;

/// Names of a model's record and checksum.
const RECORD: &str = "gp-model";
const CHECK: &str = "record.crc32";
/// Magic, version, payload length; the checksum follows.
const HEAD: usize = 20;

const WORDS: [&str; 14] = [
    "",
    "rbf",
    "1 * rbf(ard=true) + linear",
    "gaussian",
    "gaussian(variance=-1)",
    "softmax(classes=3)",
    "exact",
    "x",
    "y",
    "number",
    "category",
    "record.crc32",
    "nan",
    "rbf(lengthscale=[1, 2, 3])",
];

/// Mutated model file with correct checksums.
pub(crate) fn model(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (_, metadata) = SafeTensors::read_metadata(bytes).ok()?;
    let text = metadata.metadata().as_ref()?.get(RECORD)?;
    let mut record: Value = serde_json::from_str(text).ok()?;
    let file = SafeTensors::deserialize(bytes).ok()?;
    let mut tensors: Vec<(String, Vec<usize>, Vec<u8>)> = file
        .tensors()
        .into_iter()
        .map(|(name, view)| (name, view.shape().to_vec(), view.data().to_vec()))
        .collect();
    tensors.retain(|(name, ..)| name != CHECK);
    tensors.sort();
    for _ in 0..1 + random.below(3) {
        if random.once_in(4) && !tensors.is_empty() {
            let place = random.below(tensors.len());
            change_numbers(&mut tensors[place], random);
        } else {
            let mut left = random.below(count(&record));
            change(&mut record, &mut left, random);
        }
    }
    // A mutated record may name tensors that do not exist; those keep their checksums.
    let sums: HashMap<&str, u32> =
        tensors.iter().map(|(name, _, data)| (name.as_str(), crc32(data))).collect();
    seal(&mut record, &sums);
    let text = record.to_string();
    tensors.push((CHECK.to_owned(), vec![1], f64::from(crc32(text.as_bytes())).to_le_bytes().to_vec()));
    let views: Option<Vec<(&str, TensorView<'_>)>> = tensors
        .iter()
        .map(|(name, shape, data)| {
            Some((name.as_str(), TensorView::new(Dtype::F64, shape.clone(), data).ok()?))
        })
        .collect();
    safetensors::serialize(views?, Some(HashMap::from([(RECORD.to_owned(), text)]))).ok()
}

fn change_numbers((_, shape, data): &mut (String, Vec<usize>, Vec<u8>), random: &mut Random) {
    let count = data.len() / 8;
    match random.below(4) {
        0 => {
            let count = random.below(count + 3);
            data.resize(8 * count, 0);
            *shape = vec![count];
        }
        _ if count > 0 => {
            let at = 8 * random.below(count);
            data[at..at + 8].copy_from_slice(&number(random).to_le_bytes());
        }
        _ => {}
    }
}

fn number(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => 0.0,
        3 => -1.0,
        4 => 1e300,
        5 => f64::from_bits(random.next()),
        _ => random.below(1000) as f64 / 100.0 - 5.0,
    }
}

fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(entries) => entries.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value at this depth-first index.
fn change(value: &mut Value, left: &mut usize, random: &mut Random) {
    if *left == 0 {
        *value = changed(value, random);
        *left = usize::MAX;
        return;
    }
    *left -= 1;
    match value {
        Value::Array(items) => {
            items.iter_mut().for_each(|item| {
                if *left != usize::MAX {
                    change(item, left, random);
                }
            });
        }
        Value::Object(entries) => {
            entries.values_mut().for_each(|item| {
                if *left != usize::MAX {
                    change(item, left, random);
                }
            });
        }
        _ => {}
    }
}

fn changed(value: &Value, random: &mut Random) -> Value {
    match (value, random.below(4)) {
        (_, 0) => match random.below(6) {
            0 => Value::Null,
            1 => Value::Bool(random.once_in(2)),
            2 => random.edge().into(),
            3 => Value::Array(Vec::new()),
            4 => random.pick(&WORDS).into(),
            _ => Number::from_f64(number(random)).map_or(Value::Null, Value::Number),
        },
        (Value::Number(known), 1) => known.as_u64().map_or(Value::Null, |known| known.wrapping_add(1).into()),
        (Value::Number(_), 2) => random.edge().into(),
        (Value::Number(_), _) => Number::from_f64(number(random)).map_or(Value::Null, Value::Number),
        (Value::String(text), 1 | 2) => {
            let mut bytes = text.clone().into_bytes();
            damage(&mut bytes, random);
            String::from_utf8_lossy(&bytes).into_owned().into()
        }
        (Value::String(_), _) => random.pick(&WORDS).into(),
        (Value::Array(items), _) => {
            let mut items = items.clone();
            let place = random.below(items.len().max(1));
            match items.get(place).cloned() {
                Some(_) if random.once_in(2) => drop(items.remove(place)),
                Some(item) => items.insert(place, item),
                None => items.push(Value::Null),
            }
            items.into()
        }
        (Value::Object(entries), _) => {
            let mut entries = entries.clone();
            let key = entries.keys().nth(random.below(entries.len().max(1))).cloned();
            let taken = key.and_then(|key| entries.remove(&key));
            if let Some(taken) = taken.filter(|_| random.once_in(2)) {
                entries.insert(random.pick(&WORDS).to_owned(), taken);
            }
            entries.into()
        }
        (other, _) => other.clone(),
    }
}

fn seal(value: &mut Value, sums: &HashMap<&str, u32>) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| seal(item, sums)),
        Value::Object(entries) => {
            let sum = entries.get("tensor").and_then(|name| sums.get(name.as_str()?)).copied();
            if let (Some(sum), Some(entry)) = (sum, entries.get_mut("crc32")) {
                *entry = sum.into();
            }
            entries.values_mut().for_each(|item| seal(item, sums));
        }
        _ => {}
    }
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Mutated checkpoint with correct length and checksum.
pub(crate) fn checkpoint(bytes: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let (head, rest) = bytes.split_at_checked(HEAD)?;
    let mut payload = rest.get(8..)?.to_vec();
    damage(&mut payload, random);
    let mut sealed = head[..HEAD - 8].to_vec();
    sealed.extend((payload.len() as u64).to_le_bytes());
    sealed.extend(checksum(&sealed, &payload).to_le_bytes());
    sealed.extend(payload);
    Some(sealed)
}

fn checksum(head: &[u8], payload: &[u8]) -> u64 {
    let words = head.chunks(8).chain(payload.chunks(8)).map(|chunk| {
        let mut word = [0; 8];
        word.iter_mut().zip(chunk).for_each(|(to, byte)| *to = *byte);
        u64::from_le_bytes(word)
    });
    words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| {
        (sum ^ word).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inputs::Inputs;
    use gp_cli::fuzzing::{Readers, Reading};

    #[test]
    fn sums_are_those_of_the_programs() {
        let readers = Readers::new(1 << 26).unwrap();
        for (name, word) in [("model", "are not what was written"), ("checkpoint", "check sum")] {
            let inputs = Inputs::of(name).unwrap();
            let (mut read, mut refused) = (0, 0);
            for index in 0..400 {
                let mut random = Random::of(1, name, index);
                let bytes = inputs.sealed(&mut random).unwrap();
                match readers.read(name, &bytes).unwrap() {
                    Reading::Read => read += 1,
                    Reading::Refused(why) => {
                        refused += 1;
                        assert!(!why.contains(word), "{name}: {why}");
                    }
                }
            }
            assert!(read > 20 && refused > 20, "{name}: {read} read, {refused} refused");
        }
    }
}
