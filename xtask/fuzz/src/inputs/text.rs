//! Text tables and configuration files.

use crate::random::Random;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

const CELLS: [&str; 28] = [
    "",
    "0",
    "1",
    "-1.5",
    "1e300",
    "1e999",
    "nan",
    "NA",
    "inf",
    "true",
    "FALSE",
    "2024-02-29",
    "2023-02-29",
    "1970-01-01T12:30",
    "0000-00-00",
    "red",
    "blue",
    "\"a,b\"",
    "\"say \"\"x\"\"\"",
    "\"",
    "ü",
    "1,5",
    "1.000,5",
    "31.12.2020",
    "12/31/20",
    " 3 ",
    "9223372036854775808",
    "\"line\nbreak\"",
];
const NAMES: [&str; 14] =
    ["x", "y", "", "x", "1", "0", "2", "a b", "\"q,r\"", "__index_level_0__", "target", "ä", "id", "\"\""];
const DELIMITERS: [&str; 6] = [",", ",", ";", "\t", "|", ", "];
const ENDS: [&str; 5] = ["\n", "\n", "\n", "\r\n", "\r"];

pub(crate) fn csv(random: &mut Random) -> Vec<u8> {
    let (columns, rows) = (1 + random.below(5), random.below(8));
    let (between, end) = (random.pick(&DELIMITERS), random.pick(&ENDS));
    let mut text = if random.once_in(20) { "\u{feff}".to_owned() } else { String::new() };
    let sound = !random.once_in(3);
    let header: Vec<String> = (0..columns)
        .map(|place| if sound { format!("c{place}") } else { random.pick(&NAMES).to_owned() })
        .collect();
    text.push_str(&header.join(between));
    text.push_str(end);
    for _ in 0..rows {
        let count = if random.once_in(30) { columns + random.below(3) } else { columns };
        let cell = |_| {
            if sound && !random.once_in(6) {
                random.below(9).to_string()
            } else {
                random.pick(&CELLS).to_owned()
            }
        };
        let cells: Vec<String> = (0..count).map(cell).collect();
        text.push_str(&cells.join(between));
        text.push_str(if random.once_in(40) { "\n\n" } else { end });
    }
    text.into_bytes()
}

/// One or two members, compressed or stored.
pub(crate) fn gzip(random: &mut Random) -> Vec<u8> {
    let text = csv(random);
    let mut bytes = member(&text, random);
    if random.once_in(4) {
        let more = csv(random);
        bytes.extend(member(&more, random));
    }
    if random.once_in(10) {
        bytes.extend(b"rest");
    }
    bytes
}

fn member(text: &[u8], random: &mut Random) -> Vec<u8> {
    if random.once_in(4) {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        // Writing to memory cannot fail.
        let _ = packed.write_all(text);
        return packed.finish().unwrap_or_default();
    }
    let flags = if random.once_in(4) { random.below(32) as u8 } else { 0 };
    let mut bytes = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 255];
    if flags & 4 != 0 {
        bytes.extend([2, 0, 7, 7]);
    }
    if flags & 8 != 0 {
        bytes.extend(b"name\0");
    }
    if flags & 16 != 0 {
        bytes.extend(b"words\0");
    }
    if flags & 2 != 0 {
        bytes.extend([0, 0]);
    }
    let length = text.len() as u16;
    bytes.push(1);
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(text);
    let mut sum = flate2::Crc::new();
    sum.update(text);
    bytes.extend(sum.sum().to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes
}

pub(crate) fn libsvm(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..random.below(6) {
        text.push_str(random.pick(&["0", "1", "-1", "+1", "0.5", "a", "1e999", "# words", "", "1,2"]));
        for _ in 0..random.below(5) {
            let index = match random.below(24) {
                0 => random.edge().to_string(),
                // Rare, because so many column names take long.
                1 if random.once_in(100) => random.pick(&["99999", "100000"]).to_owned(),
                2 => random.pick(&["", "-1", "qid", "x", "1.5", "100001"]).to_owned(),
                _ => (1 + random.below(30)).to_string(),
            };
            let value = if random.once_in(8) {
                random.pick(&["", "nan", "x", "1:2", "1e300"]).to_owned()
            } else {
                (random.below(99) as f64 / 7.0).to_string()
            };
            text.push_str(&format!(" {index}:{value}"));
        }
        text.push_str(random.pick(&["\n", "\n", "\n", "\r\n", " # end\n", "\n\n"]));
    }
    text.into_bytes()
}

const KEYS: [&str; 34] = [
    "target",
    "features",
    "exclude",
    "type",
    "missing",
    "missing-in",
    "task",
    "order",
    "method",
    "likelihood",
    "kernel",
    "search",
    "inducing",
    "inducing-file",
    "placement",
    "windows",
    "standardize",
    "units",
    "fix",
    "bound",
    "prior",
    "optimizer",
    "time-limit",
    "seed",
    "no-train",
    "restarts",
    "iterations",
    "epochs",
    "batch-size",
    "alpha",
    "components",
    "threads",
    "memory",
    "config",
];
const VALUES: [&str; 26] = [
    "\"y\"",
    "[\"a\", \"b\"]",
    "1",
    "0",
    "-1",
    "1.5",
    "true",
    "false",
    "nan",
    "inf",
    "\"\"",
    "[]",
    "[[1]]",
    "{ a = 1 }",
    "2024-02-29",
    "07:32:00",
    "\"10s\"",
    "\"exact\"",
    "\"svgp\"",
    "[1, 2]",
    "[true]",
    "9223372036854775807",
    "0x_1",
    "'''\nx\n'''",
    "\"\\u00e9\"",
    "\"1 * rbf\"",
];

pub(crate) fn config(random: &mut Random) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..random.below(6) {
        match random.below(16) {
            0 => text.push_str(&format!("[{}]\n", random.pick(&KEYS))),
            1 => text.push_str(&format!("[[{}]]\n", random.pick(&KEYS))),
            2 => text.push_str("# words\n\n"),
            3 => text.push_str(&format!("{}.{} = 1\n", random.pick(&KEYS), random.pick(&KEYS))),
            4 if random.once_in(50) => {
                let depth = random.below(3000);
                text.push_str(&format!("kernel = {}{}\n", "[".repeat(depth), "]".repeat(depth)));
            }
            _ => text.push_str(&format!("{} = {}\n", random.pick(&KEYS), random.pick(&VALUES))),
        }
    }
    text.into_bytes()
}
