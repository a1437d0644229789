//! Program, input files and undisturbed results.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::scenario::{self, Scenario};

#[derive(Debug)]
pub(super) struct Workbench {
    program: PathBuf,
    folder: PathBuf,
    inputs: Vec<(&'static str, Vec<u8>)>,
    expected: BTreeMap<&'static str, Expected>,
    impossible: Vec<(Fault, &'static str)>,
}

#[derive(Debug)]
pub(super) struct Expected {
    /// Output file or printed text.
    pub(super) bytes: Vec<u8>,
    pub(super) time: Duration,
}

impl Workbench {
    pub(super) fn new(program: &Path) -> Result<Self, String> {
        let folder = std::env::temp_dir().join(format!("gp-faults-{}", std::process::id()));
        let program = fs::canonicalize(program).map_err(|cause| format!("{}: {cause}", program.display()))?;
        let inputs = scenario::tables().into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        let (expected, impossible) = (BTreeMap::new(), Vec::new());
        let mut bench = Self { program, folder, inputs, expected, impossible };
        let place = bench.begin("models")?;
        for (name, words) in scenario::MODELS {
            bench.undisturbed(&place, words)?;
            bench.undisturbed(&place, &format!("inspect {name}"))?;
            bench.inputs.push((name, read(&place.join(name))?));
        }
        for scenario in scenario::ALL {
            let place = bench.begin("undisturbed")?;
            let start = Instant::now();
            let printed = bench.undisturbed(&place, &bench.words(scenario, true).join(" "))?.stdout;
            let time = start.elapsed();
            let bytes = scenario.output.map_or(Ok(printed), |name| read(&place.join(name)))?;
            if let Some(model) = scenario.output.filter(|name| name.ends_with(".gp")) {
                bench.undisturbed(&place, &format!("inspect {model}"))?;
            }
            bench.expected.insert(scenario.name, Expected { bytes, time });
        }
        bench.impossible = bench.find_impossible();
        Ok(bench)
    }

    pub(super) fn impossible(&self) -> &[(Fault, &'static str)] {
        &self.impossible
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn expected(&self, scenario: &Scenario) -> Result<&Expected, String> {
        self.expected.get(scenario.name).ok_or_else(|| format!("{} was not tried", scenario.name))
    }

    pub(super) fn begin(&self, name: &str) -> Result<PathBuf, String> {
        let place = self.folder.join(name);
        let made = remove(&place).and_then(|()| fs::create_dir_all(&place));
        let written = made.and_then(|()| {
            self.inputs.iter().try_for_each(|(name, bytes)| fs::write(place.join(name), bytes))
        });
        written.map_err(|cause| format!("{}: {cause}", place.display())).map(|()| place)
    }

    pub(super) fn words(&self, scenario: &Scenario, force: bool) -> Vec<String> {
        let force = if (force || scenario.in_place) && scenario.takes_force() { " --force" } else { "" };
        let line = format!("{} --quiet --threads 1{force}", scenario.words);
        line.split(' ').map(str::to_owned).collect()
    }

    pub(super) fn command(&self, place: &Path, words: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(words);
        Self::at(command, place)
    }

    /// Command called as `"$@"` by a shell script.
    pub(super) fn under(&self, shell: &[&str], script: &str, place: &Path, words: &[String]) -> Command {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).args(["sh", "-c", script, "sh"]).arg(&self.program).args(words);
        Self::at(command, place)
    }

    fn at(mut command: Command, place: &Path) -> Command {
        command.current_dir(place).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(super) fn undisturbed(&self, place: &Path, line: &str) -> Result<Output, String> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let output = self.command(place, &words).output();
        let output = output.map_err(|cause| format!("{}: {cause}", self.program.display()))?;
        if output.status.success() {
            return Ok(output);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("undisturbed `gp {line}` ended with {}: {said}", output.status))
    }

    fn find_impossible(&self) -> Vec<(Fault, &'static str)> {
        let mut impossible = Vec::new();
        let mut mount = Command::new(MOUNTED[0]);
        mount.args(&MOUNTED[1..]).args(["mount", "-t", "tmpfs", "tmpfs"]).arg(&self.folder);
        let status = mount.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !status.is_ok_and(|status| status.success()) {
            impossible.push((Fault::FullDisk, "no permission to mount a file system"));
        }
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
        if ignored.is_some_and(|ignored| ignored & 1 == 1) {
            impossible.push((Fault::Hangup, "SIGHUP is ignored, as under nohup"));
        }
        impossible
    }

    pub(super) fn remove(&self) -> io::Result<()> {
        remove(&self.folder)
    }
}

/// Gives permission to mount.
pub(super) const MOUNTED: [&str; 2] = ["unshare", "-rm"];

pub(super) fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(missing) if missing.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|cause| format!("{}: {cause}", path.display()))
}
