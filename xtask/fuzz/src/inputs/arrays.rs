//! Arrays in the formats of numpy and MNIST, with rare faults in their headers.

use crate::random::Random;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::io::Write;

const TYPES: [&str; 18] = [
    "<f8",
    "<f4",
    ">f8",
    "|b1",
    "|u1",
    "|i1",
    "<i2",
    ">u2",
    "<i8",
    "=f8",
    "<u4",
    "<f2",
    "<c16",
    "|O",
    "",
    "é",
    "<f0",
    "<f99999999999999999999",
];
const SIZES: [usize; 12] = [8, 4, 8, 1, 1, 1, 2, 2, 8, 8, 4, 2];

pub(crate) fn npy(random: &mut Random) -> Vec<u8> {
    let kind = if random.once_in(6) { random.below(TYPES.len()) } else { random.below(SIZES.len() - 1) };
    let mut shape: Vec<u64> = (0..random.below(4)).map(|_| random.below(5) as u64).collect();
    let count: u64 = shape.iter().product();
    if random.once_in(8) && !shape.is_empty() {
        let axis = random.below(shape.len());
        shape[axis] = random.edge();
    }
    let axes: String = shape.iter().map(|axis| format!("{axis}, ")).collect();
    let order = random.pick(&["False", "True", "False"]);
    let descr = TYPES[kind];
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': ({axes}), }}");
    if random.once_in(12) {
        let at = random.below(header.len() + 1);
        let at = (0..=at).rev().find(|at| header.is_char_boundary(*at)).unwrap_or(0);
        header.insert_str(at, random.pick(&["'", "(", ")", ",", "-", "shape", "99999999999999999999", "é"]));
    }
    header.push('\n');
    let version = if random.once_in(8) { random.below(4) as u8 } else { 1 };
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    let length = if random.once_in(20) { random.edge() } else { header.len() as u64 };
    if version == 1 {
        bytes.extend((length as u16).to_le_bytes());
    } else {
        bytes.extend((length as u32).to_le_bytes());
    }
    bytes.extend(header.as_bytes());
    let mut data = count as usize * SIZES.get(kind).copied().unwrap_or(8);
    if random.once_in(12) {
        data = data.saturating_add(random.below(9)).saturating_sub(4);
    }
    bytes.extend((0..data).map(|_| random.next() as u8));
    bytes
}

pub(crate) fn npz(random: &mut Random) -> Vec<u8> {
    let (mut bytes, mut list) = (Vec::new(), Vec::new());
    let count = random.below(4);
    for place in 0..count {
        let array = if random.once_in(8) { vec![7; random.below(30)] } else { npy(random) };
        let name = match random.below(8) {
            0 => "X.npy".to_owned(),
            1 => "long".repeat(random.below(40)),
            2 => random.pick(&["", ".npy", "é.npy", "a/b.npy"]).to_owned(),
            _ => format!("a{place}.npy"),
        };
        let is_packed = random.once_in(3);
        let packed = if is_packed { deflated(&array) } else { array.clone() };
        let method = if random.once_in(20) { random.below(20) as u16 } else { 8 * u16::from(is_packed) };
        let offset = if random.once_in(20) { random.edge() as u32 } else { bytes.len() as u32 };
        let size = if random.once_in(15) { random.edge() as u32 } else { array.len() as u32 };
        let sizes = Sizes { method, packed: packed.len() as u32, size, name: name.len() as u16 };
        bytes.extend(b"PK\x03\x04\x14\0");
        sizes.write(&mut bytes);
        bytes.extend(name.as_bytes());
        bytes.extend(packed);
        list.extend(b"PK\x01\x02\x14\0\x14\0");
        sizes.write(&mut list);
        list.extend([0; 10]);
        list.extend(offset.to_le_bytes());
        list.extend(name.as_bytes());
    }
    let start = if random.once_in(20) { random.edge() as u32 } else { bytes.len() as u32 };
    let count = if random.once_in(20) { random.edge() as u16 } else { count as u16 };
    let length = list.len() as u32;
    bytes.extend(list);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend(length.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

/// Fields of both archive headers.
struct Sizes {
    method: u16,
    packed: u32,
    size: u32,
    name: u16,
}

impl Sizes {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend([0, 0]);
        to.extend(self.method.to_le_bytes());
        to.extend([0; 8]);
        to.extend(self.packed.to_le_bytes());
        to.extend(self.size.to_le_bytes());
        to.extend(self.name.to_le_bytes());
        to.extend([0, 0]);
    }
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}

/// Array in MNIST's format.
pub(crate) fn idx(random: &mut Random) -> Vec<u8> {
    const KINDS: [(u8, usize); 8] = [(8, 1), (9, 1), (11, 2), (12, 4), (13, 4), (14, 8), (10, 1), (0, 1)];
    let known = if random.once_in(8) { 8 } else { 6 };
    let (kind, size) = KINDS[random.below(known)];
    let count = if random.once_in(40) { random.below(256) } else { 1 + random.below(3) };
    let mut axes: Vec<u32> = (0..count).map(|_| random.below(5) as u32).collect();
    let numbers = axes.iter().map(|axis| *axis as usize).fold(1, usize::saturating_mul).min(1 << 12);
    if random.once_in(6) && !axes.is_empty() {
        for _ in 0..1 + random.below(3) {
            let axis = random.below(axes.len());
            axes[axis] = random.edge() as u32;
        }
    }
    let mut bytes = vec![0, 0, kind, count as u8];
    axes.iter().for_each(|axis| bytes.extend(axis.to_be_bytes()));
    let mut data = numbers * size;
    if random.once_in(12) {
        data = (data + random.below(9)).saturating_sub(4);
    }
    bytes.extend((0..data).map(|_| random.next() as u8));
    bytes
}
