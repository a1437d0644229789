//! Test tables, and runs of the command under `mpirun`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

pub(crate) struct Tables(TempDir);

const PROGRAM: &str = env!("CARGO_BIN_EXE_gp-mpi");
/// Enough rows for six lanes.
const ROWS: usize = 600;

impl Tables {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (mut numbers, mut labels) = ("a,b,y\n".to_owned(), "a,b,y\n".to_owned());
        for i in 0..ROWS {
            let at = |k: usize| ((i * k) as f64 * 0.37).sin();
            let (a, b) = (3.0 * at(7), 3.0 * at(11));
            let f = a.sin() + 0.3 * b + 0.2 * at(13);
            writeln!(numbers, "{a},{b},{f}").unwrap();
            writeln!(labels, "{a},{b},{}", if f > 0.0 { "yes" } else { "no" }).unwrap();
        }
        std::fs::write(folder.path().join("numbers.csv"), numbers).unwrap();
        std::fs::write(folder.path().join("labels.csv"), labels).unwrap();
        Self(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }

    pub(crate) fn mpirun(&self, processes: usize, words: &[&str]) -> Command {
        self.mpirun_of(&[(processes, ".", words)])
    }

    /// Processes, folder and arguments of each part; a folder with a program `gp-mpi` runs that.
    pub(crate) fn mpirun_of(&self, parts: &[(usize, &str, &[&str])]) -> Command {
        let mut command = Command::new("mpirun");
        command.current_dir(self.path()).arg("--oversubscribe");
        // Open MPI refuses root without these; MPICH's Hydra ignores them.
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        for (place, (processes, folder, words)) in parts.iter().enumerate() {
            if place > 0 {
                command.arg(":");
            }
            let folder = self.path().join(folder);
            let other = Some(folder.join("gp-mpi")).filter(|program| program.exists());
            command.args(["-n", &processes.to_string(), "-wdir"]).arg(&folder);
            command.arg(other.unwrap_or_else(|| PROGRAM.into())).args(*words);
        }
        command
    }

    /// Copy of the program with one more byte, which changes nothing it does.
    pub(crate) fn place_other_program(&self, folder: &str) {
        let path = self.path().join(folder).join("gp-mpi");
        std::fs::copy(PROGRAM, &path).unwrap();
        let mut copy = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        copy.write_all(b"\n").unwrap();
    }

    pub(crate) fn run(&self, processes: usize, words: &[&str]) -> Output {
        self.mpirun(processes, words).output().unwrap()
    }

    pub(crate) fn alone(&self, words: &[&str]) -> String {
        let words = words.iter().map(|word| {
            // File names are relative to this folder.
            let path = self.path().join(word);
            let is_file = word.ends_with(".csv") || word.ends_with(".gp");
            if is_file { path.into_os_string() } else { word.into() }
        });
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let all = std::iter::once("gp".into()).chain(words);
        let code = gp_cli::run(&gp_cli::Context::built_in(), all, &mut out, &mut err);
        assert_eq!(code, 0, "{}", String::from_utf8_lossy(&err));
        String::from_utf8(out).unwrap()
    }
}

/// JSON without `processes`, which a single process lacks; other text as it is.
pub(crate) fn without_traffic(out: &str) -> String {
    match serde_json::from_str(out) {
        Ok(serde_json::Value::Object(mut told)) => {
            told.remove("processes");
            serde_json::Value::Object(told).to_string()
        }
        _ => out.to_owned(),
    }
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
