//! Round: command, fault, and properties that must hold.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::draw::Draw;
use super::fault::Fault;
use super::outcome::Played;
use super::scenario::{self, STATE, Scenario};
use super::workbench::{MOUNTED, Workbench, remove};

/// Maximum duration of a command.
const PATIENCE: Duration = Duration::from_secs(120);
/// Exit codes of `gp --help`.
const CODES: [i32; 8] = [0, 2, 3, 4, 5, 6, 7, 130];
/// Loader's exit code if memory is too small.
const NOT_LOADED: i32 = 127;
const UNFINISHED: &str = ".gp-unfinished-";
const OLD: &[u8] = b"precious";

struct Round<'a> {
    bench: &'a Workbench,
    scenario: &'static Scenario,
    fault: Fault,
    place: PathBuf,
    /// `true` if the output existed.
    force: bool,
    draw: Draw,
}

/// Runs a round; a violation is an error and keeps the folder.
pub(super) fn play(bench: &Workbench, seed: u64, number: u64) -> Result<Played, String> {
    let mut draw = Draw::of_round(seed, number);
    let possible = |fault: &&Fault| bench.impossible().iter().all(|(known, _)| known != *fault);
    let faults: Vec<Fault> = Fault::ALL.iter().filter(possible).copied().collect();
    let fault = *draw.one_of(&faults);
    let fits = |scenario: &&Scenario| match fault {
        Fault::BrokenPipe => scenario.output.is_none(),
        Fault::FullDisk => scenario.output.is_some(),
        Fault::Rival => scenario.output.is_some() || scenario.checkpoint,
        _ => true,
    };
    let scenarios: Vec<&Scenario> = scenario::ALL.iter().filter(fits).collect();
    let scenario = *draw.one_of(&scenarios);
    let place = bench.begin(&format!("round-{number}"))?;
    let force = draw.coin();
    let told = format!("{} under {}: ", scenario.name, fault.name());
    let mut round = Round { bench, scenario, fault, place, force, draw };
    let played = round.play().map_err(|what| told + &what)?;
    remove(&round.place).map_err(|cause| cause.to_string())?;
    Ok(played)
}

impl Round<'_> {
    fn play(&mut self) -> Result<Played, String> {
        fs::create_dir(self.place.join("tmp")).map_err(|cause| cause.to_string())?;
        if let Some(output) = self.scenario.output.filter(|_| self.force && !self.scenario.in_place) {
            fs::write(self.place.join(output), OLD).map_err(|cause| cause.to_string())?;
        }
        let ends = if self.fault == Fault::Rival { self.rivals()? } else { vec![self.disturbed()?] };
        for end in &ends {
            self.check_end(end)?;
        }
        let abrupt = ends.iter().any(|end| end.status.code().is_none());
        let successes = succeeded(&ends);
        self.check_successes(successes, ends.len())?;
        // Rivals that share a checkpoint write to different files.
        let own = self.fault == Fault::Rival && self.scenario.checkpoint;
        let found = self.check_output(if own { succeeded(&ends[..1]) } else { successes })?;
        if !abrupt {
            self.check_nothing_unfinished()?;
        }
        if successes == 0 && (abrupt || self.place.join(STATE).exists()) {
            self.recover()?;
        }
        let last = ends.last().and_then(|end| end.status.code());
        let ended = last.map_or_else(|| "signal".to_owned(), |code| format!("code {code}"));
        Ok(Played { fault: self.fault.name(), ended, found })
    }

    fn words(&self) -> Vec<String> {
        let mut words = self.bench.words(self.scenario, self.force);
        if self.scenario.checkpoint {
            words.extend(["--checkpoint", STATE, "--checkpoint-every", "0s"].map(str::to_owned));
        }
        words
    }

    fn disturbed(&mut self) -> Result<Output, String> {
        let (bench, place, mut words) = (self.bench, self.place.clone(), self.words());
        match self.fault {
            Fault::FileSize => {
                let script = format!("ulimit -f {}; exec \"$@\"", self.draw.one_of(&[0, 1, 2, 4, 8]));
                self.watched(bench.under(&["env"], &script, &place, &words), &[])
            }
            Fault::Memory => {
                let kilobytes = 4_000.0 * 200f64.powf(self.draw.share());
                let script = format!("ulimit -v {kilobytes:.0}; exec \"$@\"");
                self.watched(bench.under(&["env"], &script, &place, &words), &[])
            }
            Fault::FullDisk => {
                write_to(&mut words, self.scenario, "full/");
                let script = "mkdir full && mount -t tmpfs -o size=4k tmpfs full || exit 99; \"$@\"; code=$?; \
                              ls -A full > left; exit $code";
                let end = self.watched(bench.under(&MOUNTED, script, &place, &words), &[])?;
                let left = fs::read_to_string(place.join("left")).map_err(|cause| cause.to_string())?;
                if left.is_empty() { Ok(end) } else { Err(format!("{left} stays on a full disk")) }
            }
            Fault::FullDevice => {
                let full = fs::OpenOptions::new().write(true).open("/dev/full");
                let full = full.map_err(|cause| format!("/dev/full: {cause}"))?;
                write_to(&mut words, self.scenario, "/dev/full");
                let mut command = bench.command(&place, &words);
                if self.scenario.output.is_none() {
                    command.stdout(full);
                }
                self.watched(command, &[])
            }
            Fault::BrokenPipe => self.left_by_reader(bench.command(&place, &words)),
            fault => self.watched(bench.command(&place, &words), fault.signals()),
        }
    }

    /// Two concurrent runs with common checkpoint, else output.
    fn rivals(&mut self) -> Result<Vec<Output>, String> {
        let words = self.words();
        let mut others = words.clone();
        if self.scenario.checkpoint {
            write_to(&mut others, self.scenario, "other-");
        }
        let wait = self.moment(0.5)?;
        let spawn = |words: &[String]| {
            let mut command = self.bench.command(&self.place, words);
            command.env("TMPDIR", self.place.join("tmp")).spawn().map_err(|cause| cause.to_string())
        };
        let first = spawn(&words)?;
        thread::sleep(wait);
        let second = spawn(&others)?;
        Ok(vec![ended(first, wait, &[])?, ended(second, wait, &[])?])
    }

    fn watched(&mut self, mut command: Command, signals: &[&'static str]) -> Result<Output, String> {
        let child = command.env("TMPDIR", self.place.join("tmp")).spawn();
        ended(child.map_err(|cause| cause.to_string())?, self.moment(1.1)?, signals)
    }

    /// Closes the pipe after some bytes.
    fn left_by_reader(&mut self, mut command: Command) -> Result<Output, String> {
        let child = command.env("TMPDIR", self.place.join("tmp")).spawn();
        let mut child = child.map_err(|cause| cause.to_string())?;
        let mut bytes = vec![0; (self.draw.share() * 2_000.0) as usize];
        if let Some(mut out) = child.stdout.take() {
            let _ = out.read(&mut bytes);
        }
        ended(child, Duration::ZERO, &[])
    }

    /// Random time, up to `share` of the duration.
    fn moment(&mut self, share: f64) -> Result<Duration, String> {
        let time = self.bench.expected(self.scenario)?.time;
        Ok(time.mul_f64(share * self.draw.share()))
    }

    fn check_end(&self, end: &Output) -> Result<(), String> {
        let said = String::from_utf8_lossy(&end.stderr);
        let lines = said.lines().count();
        if said.contains("panicked") {
            return Err(format!("it panicked: {said}"));
        }
        let allowed = match (self.fault, end.status.code()) {
            // Before the handler is installed, a signal ends the process in the default way.
            (fault, None) => !fault.signals().is_empty() || fault.may_end_abruptly(),
            (Fault::FileSize | Fault::FullDisk | Fault::FullDevice | Fault::Rival, Some(code)) => {
                matches!(code, 0 | 7)
            }
            (Fault::BrokenPipe, Some(code)) => code == 0,
            (Fault::Memory, Some(code)) => code == NOT_LOADED || CODES.contains(&code),
            (_, Some(code)) => matches!(code, 0 | 130),
        };
        if !allowed {
            return Err(format!("it ended with {}: {said}", end.status));
        }
        match end.status.code() {
            None | Some(NOT_LOADED) => Ok(()),
            Some(0) if lines > 0 => Err(format!("it succeeded, and said: {said}")),
            Some(code) if code != 0 && lines != 1 => Err(format!("it ended with {code}, and said: {said}")),
            Some(_) => Ok(()),
        }
    }

    fn check_successes(&self, successes: usize, of: usize) -> Result<(), String> {
        let alone = self.fault == Fault::Rival && !self.force && !self.scenario.in_place;
        match successes {
            0 if self.fault == Fault::Rival => Err(format!("none of {of} rivals succeeded")),
            2.. if alone && !self.scenario.checkpoint => Err(format!("{successes} of {of} rivals succeeded")),
            _ => Ok(()),
        }
    }

    /// Output found: `old`, `new`, `none` or `printed`.
    fn check_output(&self, successes: usize) -> Result<&'static str, String> {
        let Some(name) = self.scenario.output else { return Ok("printed") };
        let (path, new) = (self.place.join(name), &self.bench.expected(self.scenario)?.bytes);
        // If output went elsewhere, this file is unchanged.
        let elsewhere = matches!(self.fault, Fault::FullDisk | Fault::FullDevice);
        let found = match fs::read(&path) {
            Err(missing) if missing.kind() == std::io::ErrorKind::NotFound => "none",
            Err(cause) => return Err(format!("{}: {cause}", path.display())),
            Ok(bytes) if bytes == *new => "new",
            Ok(bytes) if self.force && bytes == OLD => "old",
            Ok(_) if self.scenario.in_place => {
                self.bench.undisturbed(&self.place, &format!("inspect {name}"))?;
                "old"
            }
            Ok(bytes) => return Err(format!("{name} has {} bytes that are not those expected", bytes.len())),
        };
        match found {
            "new" => Ok(found),
            _ if successes > 0 && !elsewhere && !(self.scenario.in_place && successes > 1) => {
                Err(format!("it succeeded, and {name} is {found}"))
            }
            "none" if self.force => Err(format!("{name} is gone")),
            _ => Ok(found),
        }
    }

    fn check_nothing_unfinished(&self) -> Result<(), String> {
        let mut left = Vec::new();
        unfinished_in(&self.place, &mut left).map_err(|cause| cause.to_string())?;
        let temporary = fs::read_dir(self.place.join("tmp")).map_err(|cause| cause.to_string())?;
        left.extend(temporary.flatten().map(|entry| entry.path()));
        match left.first() {
            None => Ok(()),
            Some(path) => Err(format!("{} stays", path.display())),
        }
    }

    /// Repeats the command undisturbed; checks result and clean-up.
    fn recover(&self) -> Result<(), String> {
        let mut words = self.bench.words(self.scenario, true);
        if self.scenario.checkpoint {
            let flag = if self.has_checkpoint() { "--resume" } else { "--checkpoint" };
            words.extend([flag, STATE].map(str::to_owned));
        }
        let output = self.bench.undisturbed(&self.place, &words.join(" "))?;
        let expected = self.bench.expected(self.scenario)?;
        let bytes = match self.scenario.output {
            Some(name) => fs::read(self.place.join(name)).map_err(|cause| cause.to_string())?,
            None => output.stdout,
        };
        // A model updated in place may have its rows twice now.
        if bytes != expected.bytes && !self.scenario.in_place {
            return Err("what goes on ends elsewhere than what is left alone".to_owned());
        }
        if self.place.join(STATE).exists() {
            return Err("the checkpoint stays behind the end of training".to_owned());
        }
        self.check_nothing_unfinished()
    }

    fn has_checkpoint(&self) -> bool {
        let entries = fs::read_dir(self.place.join(STATE)).into_iter().flatten().flatten();
        let begun = |name: &str| name == "fit.json" || name.starts_with("part-");
        entries.into_iter().any(|entry| begun(&entry.file_name().to_string_lossy()))
    }
}

fn succeeded(ends: &[Output]) -> usize {
    ends.iter().filter(|end| end.status.success()).count()
}

/// Redirects output to folder, device or prefixed name.
fn write_to(words: &mut Vec<String>, scenario: &Scenario, front: &str) {
    let Some(name) = scenario.output else { return };
    let Some(place) = words.iter().position(|word| word == "-o").map(|flag| flag + 1) else { return };
    let is_device = front.starts_with("/dev/");
    words[place] = if is_device { front.to_owned() } else { format!("{front}{name}") };
    let format = name.rsplit('.').next().filter(|format| is_device && *format != "gp");
    words.extend(format.into_iter().flat_map(|format| ["--output-format".to_owned(), format.to_owned()]));
}

fn ended(child: Child, after: Duration, signals: &[&'static str]) -> Result<Output, String> {
    let id = child.id().to_string();
    let (done, waiting) = mpsc::channel::<()>();
    let (id, signals) = (id.as_str(), signals.to_vec());
    thread::scope(|scope| {
        let watch = scope.spawn(move || {
            let mut pause = after;
            for name in signals {
                if waiting.recv_timeout(pause) != Err(mpsc::RecvTimeoutError::Timeout) {
                    return false;
                }
                send(name, id);
                pause = Fault::PAUSE;
            }
            let hangs = waiting.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
            if hangs {
                send("-KILL", id);
            }
            hangs
        });
        let output = child.wait_with_output().map_err(|cause| cause.to_string());
        drop(done);
        match watch.join() {
            Ok(false) => output,
            _ => Err(format!("it did not end within {} s", PATIENCE.as_secs())),
        }
    })
}

/// Sends a signal; ignores failure.
fn send(signal: &str, id: &str) {
    let _ = Command::new("kill").args([signal, id]).stdout(Stdio::null()).stderr(Stdio::null()).status();
}

fn unfinished_in(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            found.push(entry.path());
        } else if entry.file_type()?.is_dir() {
            unfinished_in(&entry.path(), found)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_go_elsewhere() {
        let scenario = scenario::ALL.iter().find(|scenario| scenario.name == "predict").unwrap();
        let words = |front: &str| {
            let mut words: Vec<String> = scenario.words.split(' ').map(str::to_owned).collect();
            write_to(&mut words, scenario, front);
            words.join(" ")
        };
        assert_eq!(words("full/"), "predict model.gp new.csv -o full/out.csv");
        assert_eq!(words("/dev/full"), "predict model.gp new.csv -o /dev/full --output-format csv");
    }

    #[test]
    fn unfinished_files_are_found_at_any_depth() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("a/b")).unwrap();
        fs::write(folder.path().join("a/b/.gp-unfinished-x"), "").unwrap();
        fs::write(folder.path().join("a/x"), "").unwrap();
        let mut found = Vec::new();
        unfinished_in(folder.path(), &mut found).unwrap();
        assert_eq!(found, [folder.path().join("a/b/.gp-unfinished-x")]);
    }
}
