//! Inputs that expand to much memory or disk; endless files.

use crate::support::{Desk, Said, sine};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// Gzip of a beginning and repeated word.
fn packed(beginning: &str, word: &str, times: usize) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(beginning.as_bytes()).unwrap();
    let words = word.repeat(1 << 12);
    (0..times >> 12).for_each(|_| packed.write_all(words.as_bytes()).unwrap());
    packed.finish().unwrap()
}

/// Address space that matrix products reserve on this machine beyond that of a cache of 32 MiB: twice the largest cache.
#[cfg(target_os = "linux")]
fn kilobytes_of_products() -> u32 {
    let text = |name: &str| std::fs::read_to_string(format!("/sys/devices/system/cpu/{name}")).ok();
    let count = |list: String| -> Option<u32> {
        let count = |range: &str| {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            Some(1 + last.parse::<u32>().ok()? - first.parse::<u32>().ok()?)
        };
        list.trim().split(',').map(count).sum()
    };
    let cache = || {
        let size: u32 = text("cpu0/cache/index3/size")?.trim().strip_suffix('K')?.parse().ok()?;
        Some(size * count(text("online")?)? / count(text("cpu0/cache/index3/shared_cpu_list")?)?)
    };
    2 * cache().unwrap_or_default().saturating_sub(32 << 10)
}

/// Under an address-space limit, where the allocator aborts.
#[cfg(target_os = "linux")]
#[track_caller]
fn refused_within(desk: &Desk, megabytes: u32, line: &str, texts: &[&str]) {
    let limit = (megabytes << 10) + kilobytes_of_products();
    let script = format!("ulimit -v {limit}; exec \"$0\" {line} --threads 1 --quiet");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", &script, env!("CARGO_BIN_EXE_gp")]).current_dir(desk.folder());
    let said = Said::of(&command.output().unwrap());
    assert_eq!(said.code, 3, "gp {line}\n{}", said.err);
    assert!(said.err.starts_with("error: ") && said.err.lines().count() == 1, "gp {line}\n{}", said.err);
    for text in texts {
        assert!(said.err.contains(text), "gp {line}\nno `{text}` in {}", said.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_long_line_stays_within_the_budget() {
    let desk = Desk::new();
    desk.write("s.csv", sine(40));
    desk.ok("fit s.csv --target y --method exact --iterations 3 -o m.gp");
    let advice = "is the file a table of lines, and is every quotation mark closed?";
    // Half the text of 60 MB would exceed the address space, once it is in the parser too.
    let texts = ["not enough memory: `t.csv.gz`, line 2, with more than", "--memory leaves", advice];
    desk.write("t.csv.gz", packed("x,y\n", "aaaaaaaa", 60_000_000 / 8));
    for command in ["check t.csv.gz", "predict m.gp t.csv.gz", "fit t.csv.gz --target y --stream always"] {
        refused_within(&desk, 400, &format!("{command} --memory 100M"), &texts);
    }
    desk.write("t.csv.gz", packed("", "\0\0\0\0\0\0\0\0", 60_000_000 / 8));
    refused_within(
        &desk,
        400,
        "predict m.gp t.csv.gz --memory 100M",
        &["`t.csv.gz`, line 1, with more than"],
    );
    desk.write("t.csv.gz", packed("x,y\n1,\"2\n", "3,4\n5,6\n", 60_000_000 / 8));
    refused_within(
        &desk,
        400,
        "check t.csv.gz --memory 100M",
        &["`t.csv.gz`, line 2, with more than", advice],
    );
    desk.write("t.svm.gz", packed("1", " 1:0 1:0", 60_000_000 / 8));
    let texts = ["not enough memory: `t.svm.gz`, line 1, with more than", "--memory leaves"];
    for command in ["check t.svm.gz", "fit t.svm.gz --target label --stream always"] {
        refused_within(&desk, 400, &format!("{command} --memory 100M"), &texts);
    }
}

#[test]
fn lines_of_too_many_cells_are_refused_early() {
    let desk = Desk::new();
    desk.write("t.csv", format!("x,y\n1,2\n{}", ",".repeat(3_000_000)));
    let texts =
        ["`t.csv`, line 3: ", " cells or more, but the header has 2; quote cells that hold the separator"];
    desk.refused("check t.csv", 3, &texts);
    desk.write("t.csv", ",".repeat(3_000_000));
    desk.refused("check t.csv", 3, &["`t.csv`, line 1: ", "and at most 100000 columns are read"]);
    // A long cell with separators within quotes is one cell.
    desk.write("t.csv", format!("x,y\n1,\"{}\"\n2,b\n", "a,".repeat(1_000_000)));
    assert!(desk.ok("check t.csv").err.contains("2 rows, 2 columns"));
}

#[cfg(target_os = "linux")]
#[test]
fn wide_rows_and_long_words_are_counted_before_many_are_read() {
    let desk = Desk::new();
    let line_of = |line: &str| {
        let said = desk.gp(&format!("{line} --threads 1 --quiet"));
        assert_eq!(said.code, 3, "gp {line}\n{}", said.err);
        let (_, rest) = said.err.split_once("not enough memory: `t.csv`, in memory up to line ").unwrap();
        rest.split_once(',').unwrap().0.parse::<usize>().unwrap()
    };
    let word = "a".repeat(200_000);
    let rows: String = (0..80).map(|i| format!("{i},{i}{word}\n")).collect();
    desk.write("t.csv", "x,y\n".to_owned() + &rows);
    let line = line_of("fit t.csv --target x --features y --stream always --memory 40M");
    assert!(line < 70, "{line}");
    let header: String = (0..20_000).map(|i| format!("x{i},")).collect();
    desk.write("t.csv", format!("{header}y\n") + &format!("{}0\n", "0,".repeat(20_000)).repeat(150));
    let line = line_of("check t.csv --memory 50M");
    assert!(line < 140, "{line}");
}

#[test]
fn sparse_rows_are_compared_with_the_free_space() {
    let desk = Desk::new();
    desk.write("t.svm", "0 99999:1\n1 1:1\n".repeat(500_000));
    let fit = "fit t.svm --target label --stream always --method svgp";
    let texts =
        ["`t.svm`, 1000000 × 100000 numbers, needs a temporary file of 800.0 GB", "set TMPDIR to a folder"];
    if cfg!(unix) {
        desk.refused(fit, 7, &texts);
    }
}

#[test]
fn headers_of_arrays_are_short() {
    let desk = Desk::new();
    let header = format!("{{'descr': '<f8', 'shape': ({}), }}", "1,".repeat(10_000));
    let mut bytes = b"\x93NUMPY\x02\x00".to_vec();
    bytes.extend((header.len() as u32).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend([0; 8]);
    desk.write("t.npy", bytes);
    desk.refused("check t.npy", 3, &["`t.npy` is damaged: its header has 20", "at most 10000 are read"]);
}

#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let desk = Desk::new();
    desk.write("t.csv", sine(40));
    desk.write("c.toml", format!("# {}\n", "a".repeat(4_000_000)));
    desk.write("latin.toml", b"# \xe9\n");
    for (name, text) in
        [("/dev/zero", "more than 4 MB"), ("c.toml", "more than 4 MB"), ("latin.toml", "UTF-8")]
    {
        let fit = format!("fit t.csv --target y --config {name}");
        desk.refused(&fit, 2, &[&format!("`{name}`: "), text, "is it a configuration file?"]);
    }
    let texts = ["not enough memory: model `/dev/zero` needs", "--memory leaves"];
    for command in ["predict /dev/zero t.csv", "inspect /dev/zero", "update /dev/zero t.csv -o m.gp"] {
        desk.refused(&format!("{command} --memory 100M"), 4, &texts);
    }
    desk.ok("fit t.csv --target y --iterations 1 -o m.gp");
    // A model comes through a pipe, too.
    let line = "mkfifo pipe.gp; cat m.gp > pipe.gp & exec \"$0\" predict pipe.gp t.csv";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line, env!("CARGO_BIN_EXE_gp")]).current_dir(desk.folder());
    assert_eq!(Said::of(&command.output().unwrap()).out, desk.ok("predict m.gp t.csv").out);
}

#[cfg(unix)]
#[test]
fn checkpoints_without_an_end_are_refused() {
    let fit = "fit t.csv --target y --resume state --memory 200M";
    for name in ["fit.json", "training.checkpoint", "starts.json"] {
        let desk = Desk::new();
        desk.write("t.csv", sine(60));
        std::fs::create_dir(desk.path("state")).unwrap();
        let file = desk.path("state").join(name);
        std::os::unix::fs::symlink("/dev/zero", &file).unwrap();
        desk.refused(fit, 4, &[&format!("checkpoint `state/{name}` is no file")]);
        std::fs::remove_file(&file).unwrap();
        std::fs::File::create(&file).unwrap().set_len(100_000_000).unwrap();
        desk.refused(fit, 4, &[&format!("not enough memory: checkpoint `state/{name}` needs")]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_address_space_is_told_what_is_needed() {
    let desk = Desk::new();
    desk.write("t.csv", sine(60));
    let within = |kilobytes: &str| {
        let script =
            format!("ulimit -v {kilobytes}; exec \"$0\" fit t.csv --target y --threads 1 --quiet --force");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_gp")]).current_dir(desk.folder());
        Said::of(&command.output().unwrap())
    };
    let said = within("163840");
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("address space leaves nothing beside "), "{}", said.err);
    assert!(!said.err.contains("fewer"), "{}", said.err);
    let (_, enough) = said.err.split_once("raise it, such as with ulimit -v ").unwrap();
    let enough: f64 = enough.trim().parse().unwrap();
    // The advice has some reserve.
    for enough in [enough, 0.914 * enough] {
        let said = within(&enough.round().to_string());
        assert_eq!(said.code, 0, "{enough}: {}", said.err);
    }
}

/// 300 GB of text as a dictionary of one long word; before, each row was looked up by its letters, for minutes. The name of
/// the file keeps it out of the inputs for fuzzing.
#[test]
fn long_words_of_a_dictionary_are_looked_up_once() {
    let desk = Desk::new();
    desk.write("t.parquet", include_bytes!("../data/long_word.bin"));
    let begun = std::time::Instant::now();
    let found = desk.ok("check t.parquet --quiet").out;
    assert!(found.contains("column x: every row has the value"), "{}", &found[..found.len().min(200)]);
    assert!(begun.elapsed() < std::time::Duration::from_secs(60), "{:?}", begun.elapsed());
}
