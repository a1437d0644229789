//! Small files and settings that need much memory are refused early.

use crate::support::{Desk, sine};
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::io::Write;

fn flags(rows: usize, columns: usize) -> Vec<u8> {
    let header = format!("{{'descr': '|b1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n");
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + rows * columns, 0);
    bytes
}

fn archive(array: &[u8]) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    packed.write_all(array).unwrap();
    let packed = packed.finish().unwrap();
    let name = b"X.npy";
    let sizes = |bytes: &mut Vec<u8>| {
        // Version, flags, method, time, date, checksum; then sizes.
        for number in [20u16, 0, 8, 0, 0, 0, 0] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend((packed.len() as u32).to_le_bytes());
        bytes.extend((array.len() as u32).to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0; 2]);
    };
    let mut bytes = b"PK\x03\x04".to_vec();
    sizes(&mut bytes);
    bytes.extend(name);
    bytes.extend(&packed);
    let list = bytes.len();
    bytes.extend(b"PK\x01\x02\x14\x00");
    sizes(&mut bytes);
    bytes.extend([0; 14]);
    bytes.extend(name);
    let size = bytes.len() - list;
    bytes.extend(b"PK\x05\x06\0\0\0\0\x01\x00\x01\x00");
    bytes.extend((size as u32).to_le_bytes());
    bytes.extend((list as u32).to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

#[test]
fn archives_that_unpack_to_much_are_refused() {
    let desk = Desk::new();
    desk.write("few.npz", archive(&flags(4, 2)));
    assert!(desk.ok("check few.npz --memory 100M").err.contains("4 rows, 2 columns"));
    desk.write("flags.npz", archive(&flags(1_000_000, 50)));
    assert!(desk.read("flags.npz").len() < 100_000);
    desk.refused("check flags.npz --memory 100M", 3, &["not enough memory: `flags.npz`", "1000000 × 50"]);
    desk.refused("check flags.npz --memory 40M", 3, &["array X unpacked, needs 50 MB or more"]);
}

/// 7 kB with a word of 200 MB, in data or dictionary pages.
#[test]
fn pages_of_parquet_that_unpack_to_much_are_refused() {
    let desk = Desk::new();
    desk.write("data.parquet", include_bytes!("../data/page_of_200_mb.parquet"));
    desk.write("words.parquet", include_bytes!("../data/word_of_200_mb.parquet"));
    for name in ["data.parquet", "words.parquet"] {
        let needs = format!("not enough memory: `{name}`, column w unpacked, needs 200 MB or more");
        desk.refused(&format!("check {name} --memory 100M"), 3, &[&needs, "--memory leaves"]);
        desk.refused(&format!("fit {name} --target y --stream always --memory 100M"), 3, &[&needs]);
        // Without the column, no memory is needed.
        let without = format!(
            "fit {name} --target y --task regression --features x --method exact -o m.gp --force --memory 100M"
        );
        assert!(desk.ok(&without).err.contains("wrote m.gp"));
    }
}

#[test]
fn text_that_unpacks_to_much_is_refused() {
    let (desk, mut packed) = (Desk::new(), GzEncoder::new(Vec::new(), Compression::best()));
    packed.write_all(b"x,y\n").unwrap();
    for _ in 0..400 {
        packed.write_all("1,2\n".repeat(1 << 18).as_bytes()).unwrap();
    }
    desk.write("t.csv.gz", packed.finish().unwrap());
    let texts = ["not enough memory: `t.csv.gz` in memory needs", "--memory leaves", "need not hold tables"];
    desk.refused("check t.csv.gz --memory 100M", 3, &texts);
}

#[test]
fn sparse_rows_are_counted_before_they_are_dense() {
    let desk = Desk::new();
    desk.write("t.svm", "0 99999:1\n".repeat(20_000));
    let texts = ["20000 × 100000 numbers, needs 32.0 GB or more, and --memory leaves"];
    desk.refused("check t.svm --memory 2G", 3, &texts);
    desk.write("few.svm", "0 3:1\n1 1:2\n");
    assert!(desk.ok("check few.svm --memory 2G").err.contains("2 rows, 4 columns"));
}

#[test]
fn tables_of_text_are_counted_as_they_are_read() {
    let desk = Desk::new();
    desk.write("t.csv", sine(200_000));
    desk.refused("check t.csv --memory 26M", 3, &["not enough memory: `t.csv`", "--memory leaves"]);
    desk.ok("check t.csv --memory 200M");
}

#[cfg(target_os = "linux")]
#[test]
fn a_budget_below_the_program_itself_is_told_what_is_needed() {
    let desk = Desk::new();
    desk.write("t.csv", sine(150));
    let said = desk.gp("fit t.csv --target y --memory 2M -o m.gp");
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("--memory leaves nothing: the program already holds "), "{}", said.err);
    assert!(!said.err.contains("fewer columns"), "{}", said.err);
    let (_, flag) = said.err.split_once("; give it more, such as --memory ").unwrap();
    let enough = flag.split_whitespace().next().unwrap();
    desk.ok(&format!("fit t.csv --target y --memory {enough} -o m.gp"));
}

#[test]
fn methods_and_settings_are_checked_before_they_take_memory() {
    let desk = Desk::new();
    desk.write("t.csv", sine(3_000));
    let exact = ["method exact for 3000 rows needs 288 MB or more, and --memory leaves"];
    desk.refused("fit t.csv --target y --method exact --memory 200M", 5, &exact);
    // The estimate is a lower bound. With --force too, the fit is refused.
    desk.refused("fit t.csv --target y --method exact --memory 200M --force", 5, &exact);
    desk.write("gp.toml", "memory = \"200M\"\n");
    desk.refused("fit t.csv --target y --method exact --config gp.toml", 5, &exact);
    let savigp = "fit t.csv --target y --method savigp";
    desk.refused(&format!("{savigp} --components 1000 --memory 1G"), 5, &["--components 1000 needs"]);
    desk.refused(&format!("{savigp} --components 1001"), 2, &["--components 1001", "from 1 to 1000"]);
    desk.write("s.csv", sine(40));
    desk.ok("fit s.csv --target y --method exact -o m.gp --memory 2GiB");
    desk.refused("predict m.gp s.csv --samples 1000000", 2, &["--samples 1000000: at most 100000"]);
    desk.refused("predict m.gp s.csv --samples 100000 --memory 100M", 5, &["--samples 100000 for 40 rows"]);
    for (line, text) in
        [("--threads 20000", "1..=1024"), ("--memory 2X", "2G or 2GiB"), ("--memory 0", "2GiB")]
    {
        let said = desk.gp(&format!("fit s.csv --target y {line}"));
        assert_eq!(said.code, 2, "{line}: {}", said.err);
        assert!(said.err.contains(text), "{line}: {}", said.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn limits_of_address_space_end_in_a_model_or_in_one_line() {
    use crate::support::Said;
    let desk = Desk::new();
    desk.write("t.csv", sine(300));
    let mut models = 0;
    for megabytes in [110, 140, 180, 220, 260, 300, 700, 1500] {
        for method in ["exact", "vfe"] {
            let limited = format!(
                "ulimit -v {}; exec \"$0\" fit t.csv --target y --method {method} --iterations 5 --force -q",
                megabytes << 10
            );
            let mut command = std::process::Command::new("sh");
            command.args(["-c", &limited, env!("CARGO_BIN_EXE_gp")]).current_dir(desk.folder());
            let said = Said::of(&command.env("RUST_BACKTRACE", "1").output().unwrap());
            let what = format!("{method} in {megabytes} MiB: {}", said.err);
            match said.code {
                0 => models += 1,
                code => {
                    assert!([3, 5].contains(&code), "{code}, {what}");
                    assert!(said.err.starts_with("error: ") && said.err.lines().count() == 1, "{what}");
                }
            }
        }
    }
    assert!(models >= 2, "{models}");
}
