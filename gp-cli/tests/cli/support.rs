//! Folder for commands.

use std::f64::consts::SQRT_2;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub(crate) struct Desk(TempDir);

pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gp"));
        command.current_dir(self.folder()).args(words).stdin(Stdio::null());
        command
    }

    /// Runs words, split at blanks outside quotes.
    pub(crate) fn gp(&self, line: &str) -> Said {
        Said::of(&self.command(&words(line).iter().map(String::as_str).collect::<Vec<_>>()).output().unwrap())
    }

    /// [`gp`](Self::gp) with success.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> Said {
        let said = self.gp(line);
        assert_eq!(said.code, 0, "gp {line}\n{}", said.err);
        said
    }

    /// [`gp`](Self::gp) with this failure: no stdout, one line with all `texts`, unchanged files.
    #[track_caller]
    pub(crate) fn refused(&self, line: &str, code: i32, texts: &[&str]) {
        let before: Vec<(String, Vec<u8>)> = self.contents();
        let said = self.gp(&format!("{line} --quiet"));
        assert_eq!(said.code, code, "gp {line}\n{}", said.err);
        assert_eq!(said.err.lines().count(), 1, "gp {line}\n{}", said.err);
        for text in texts {
            assert!(said.err.contains(text), "gp {line}\nno `{text}` in {}", said.err);
        }
        assert!(said.out.is_empty(), "gp {line}\n{}", said.out);
        assert!(self.contents() == before, "gp {line} changed {:?}", self.names());
    }

    fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let files = self.names().into_iter().filter(|name| self.path(name).is_file());
        files.map(|name| (name.clone(), self.read(&name))).collect()
    }
}

impl Said {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            code: output.status.code().unwrap_or(-1),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    pub(crate) fn table(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut lines = self.out.lines().map(|line| line.split(',').map(str::to_owned).collect());
        (lines.next().unwrap(), lines.collect())
    }

    #[track_caller]
    pub(crate) fn column(&self, name: &str) -> Vec<f64> {
        let (header, rows) = self.table();
        let place = header.iter().position(|found| found == name).unwrap();
        rows.iter().map(|row| row[place].parse().unwrap()).collect()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap()
    }
}

pub(crate) fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted, mut begun) = (Vec::new(), String::new(), false, false);
    for letter in line.chars() {
        match letter {
            '"' => (quoted, begun) = (!quoted, true),
            ' ' if !quoted => {
                if begun || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            other => word.push(other),
        }
    }
    if begun || !word.is_empty() {
        words.push(word);
    }
    words
}

/// Rows of `x,y`: sine with reproducible errors.
pub(crate) fn sine(rows: usize) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        format!("{x},{}\n", x.sin() + 0.06 * noise(i))
    };
    "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// Rows of `a,b,kind,y`: `in` inside a circle; `kind` matters slightly.
pub(crate) fn circle(rows: usize) -> String {
    let row = |i: usize| {
        let (a, b) = (((i * 17) % 41) as f64 / 20.0 - 1.0, ((i * 29) % 37) as f64 / 18.0 - 1.0);
        let kind = ["red", "green", "blue"][i % 3];
        let label = if a * a + b * b < 0.5 { "in" } else { "out" };
        format!("{a},{b},{kind},{label}\n")
    };
    "a,b,kind,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

/// Nearly normal inputs x0, x1, …; targets from these and another number.
pub(crate) fn normal_table(
    seed: u64,
    (rows, inputs): (usize, usize),
    target: impl Fn(&[f64], f64) -> String,
) -> String {
    let mut state = seed;
    let mut even = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    let mut next = || (0..6).map(|_| even()).sum::<f64>() / SQRT_2;
    let names: Vec<String> = (0..inputs).map(|column| format!("x{column}")).collect();
    let mut table = format!("{},y\n", names.join(","));
    for _ in 0..rows {
        let x: Vec<f64> = (0..inputs).map(|_| next()).collect();
        let cells: Vec<String> = x.iter().map(|x| format!("{x:.5}")).collect();
        table += &format!("{},{}\n", cells.join(","), target(&x, next()));
    }
    table
}

/// Nearly standard normal: sum of twelve hash digits.
pub(crate) fn noise(place: usize) -> f64 {
    let mut state = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut uniform = || {
        state ^= state >> 30;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        state ^= state >> 27;
        state = state.wrapping_mul(0x94d0_49bb_1331_11eb).wrapping_add(0x9e37_79b9_7f4a_7c15);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    (0..12).map(|_| uniform()).sum::<f64>() - 6.0
}
