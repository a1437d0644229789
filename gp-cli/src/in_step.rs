//! Commands run by several processes.
//!
//! All run the same code and make the same choices. Only process 0 writes files and messages; it broadcasts all that
//! may differ: clocks, signals, memory, changing files. A failing process ends all.

use crate::content::content_mark;
use crate::context::Context;
use crate::error::{CliError, ErrorKind};
use crate::files::InputFiles;
use crate::interrupt;
use crate::line::Line;
use gp_optim::files::DiscardedWrites;
use gp_optim::{Team, TeamError};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

/// Waiting time for process 0's report.
const FOR_THE_FIRST: Duration = Duration::from_secs(2);
/// Waiting time for another's message.
const FOR_THE_CAUSE: Duration = Duration::from_secs(10);
/// Bytes of messages kept.
const LAST_WORDS: usize = 4096;

type RunLine<'a> = &'a dyn Fn(&mut (dyn Write + Send), &mut (dyn Write + Send), &Line) -> u8;

pub(crate) fn run(team: &Team, line: &Line, run: RunLine<'_>) -> ExitCode {
    let mut words = LastWords::default();
    let code = if team.leads() {
        run(&mut io::stdout(), &mut io::stderr(), line)
    } else {
        interrupt::end_silently();
        let _onlooker = DiscardedWrites::new();
        run(&mut io::sink(), &mut words, &Line::default())
    };
    if code != 0 {
        end_all(team, code, &words);
    }
    ExitCode::from(code)
}

fn end_all(team: &Team, code: u8, words: &LastWords) {
    let is_of = |kind: ErrorKind| kind.exit_code() == code;
    // Process 0 alone receives interrupts, and reports them after writing its checkpoint.
    if is_of(ErrorKind::Elsewhere) || (is_of(ErrorKind::Interrupted) && !team.leads()) {
        sleep(FOR_THE_CAUSE);
    } else if !team.leads() {
        sleep(FOR_THE_FIRST);
        // Whole lines, which launchers do not mix; print failures cannot be reported.
        let line = format!("process {}: {}\n", team.rank(), words.last_line());
        let _ = io::stderr().write_all(line.as_bytes());
    }
    team.end_all(code);
}

#[derive(Debug, Default)]
struct LastWords(Vec<u8>);

impl LastWords {
    fn last_line(&self) -> String {
        let text = String::from_utf8_lossy(&self.0);
        text.trim_end().lines().next_back().unwrap_or_default().to_owned()
    }
}

impl Write for LastWords {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.extend_from_slice(bytes);
        let surplus = self.0.len().saturating_sub(LAST_WORDS);
        self.0.drain(..surplus);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Refuses processes with different version, program, arguments or processor features; names the first.
pub(crate) fn check(context: &Context, words: &[OsString]) -> Result<(), CliError> {
    if context.team.is_alone() {
        return Ok(());
    }
    let is_output = |word: &OsString| ["-o", "--output", "--trace"].iter().any(|flag| word == flag);
    if words.windows(2).any(|pair| pair[1] == "-" && !is_output(&pair[0])) {
        let message =
            "several processes do not share the standard input; name a file that all of them can read";
        return Err(CliError::usage(message));
    }
    let words: Vec<String> = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let own = [
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("program", program_mark()),
        ("instructions of the processor", gp_linalg::vector::instruction_set()),
        ("command line", words.join(" ")),
    ];
    own.iter().try_for_each(|(what, value)| check_same(&context.team, what, value))
}

/// Checksum of this program; empty if unreadable.
fn program_mark() -> String {
    let program = std::env::current_exe().map_err(|cause| CliError::io("read", Path::new("program"), cause));
    program.and_then(|path| content_mark(&path)).ok().flatten().unwrap_or_default()
}

/// Refuses input files that differ, naming the first file and process; leaves unreadable files to the command.
pub(crate) fn check_inputs(team: &Team, inputs: &InputFiles) -> Result<(), CliError> {
    if team.is_alone() {
        return Ok(());
    }
    for (word, path) in inputs.iter() {
        let mark = match content_mark(path) {
            Ok(Some(mark)) => mark,
            Ok(None) => "a pipe".to_owned(),
            Err(error) => error.with_causes(),
        };
        check_same(team, &format!("content of {word}"), &mark)?;
    }
    Ok(())
}

/// Refuses values that differ, naming the first process.
pub(crate) fn check_same(team: &Team, what: &str, own: &str) -> Result<(), CliError> {
    let all = texts(team, own)?;
    let first = all.first().map(String::as_str).unwrap_or_default();
    match all.iter().enumerate().find(|(_, value)| *value != first) {
        None => Ok(()),
        Some((rank, other)) => Err(CliError::usage(format!(
            "processes do not agree on the {what}: it is `{first}` in process 0 and `{other}` in process {rank}"
        ))),
    }
}

/// Texts of all processes, by rank.
pub(crate) fn texts(team: &Team, own: &str) -> Result<Vec<String>, TeamError> {
    let all = team.gather_bytes(own.as_bytes())?;
    Ok(all.into_iter().map(|text| String::from_utf8_lossy(&text).into_owned()).collect())
}

/// Broadcasts process 0's result; its error is [`Elsewhere`](ErrorKind::Elsewhere) in others.
pub(crate) fn of_first<T: serde::Serialize + serde::de::DeserializeOwned>(
    team: &Team,
    find: impl FnOnce() -> Result<T, CliError>,
) -> Result<T, CliError> {
    if team.is_alone() {
        return find();
    }
    let unwritten =
        |cause| CliError::caused(ErrorKind::Numerical, "a decision cannot be told to others", cause);
    let bytes =
        team.bytes_of_first(|| Ok::<_, CliError>(Some(serde_json::to_vec(&find()?).map_err(unwritten)?)))?;
    serde_json::from_slice(&bytes.unwrap_or_default()).map_err(unwritten)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_differs_is_named_by_all() {
        let same = Team::in_threads(3, |team| check_same(&team, "version", "1.0 ä").is_ok());
        assert_eq!(same, [true; 3]);
        let refused = Team::in_threads(3, |team| {
            let own = if team.rank() == 2 { "" } else { "1.0" };
            check_same(&team, "version", own).unwrap_err().to_string()
        });
        let expected = "processes do not agree on the version: it is `1.0` in process 0 and `` in process 2";
        assert_eq!(refused, [expected; 3]);
    }

    #[test]
    fn processes_with_other_inputs_are_refused() {
        let folders = [(); 3].map(|()| tempfile::tempdir().unwrap());
        let check = |third: &str| {
            let write =
                |text, folder: &tempfile::TempDir| std::fs::write(folder.path().join("t.csv"), text).unwrap();
            ["x,y\n1,2\n", "x,y\n1,2\n", third]
                .into_iter()
                .zip(&folders)
                .for_each(|(text, folder)| write(text, folder));
            Team::in_threads(3, |team| {
                let path = folders[team.rank()].path().join("t.csv");
                check_inputs(&team, &InputFiles::none().and("DATA", Some(&path)))
                    .map_err(|error| error.to_string())
            })
        };
        assert_eq!(check("x,y\n1,2\n"), [Ok(()), Ok(()), Ok(())]);
        for refused in check("x,y\n1,3\n") {
            let refused = refused.unwrap_err();
            assert!(
                refused.starts_with("processes do not agree on the content of DATA: it is `8 bytes"),
                "{refused}"
            );
            assert!(refused.ends_with("in process 2"), "{refused}");
        }
    }

    #[test]
    fn the_last_line_is_kept() {
        let mut words = LastWords::default();
        (0..LAST_WORDS).for_each(|i| writeln!(words, "line {i}").unwrap());
        assert_eq!(words.last_line(), format!("line {}", LAST_WORDS - 1));
        assert!(words.0.len() <= LAST_WORDS);
    }

    #[test]
    fn decisions_are_those_of_the_first() {
        let told = Team::in_threads(3, |team| of_first(&team, || Ok((team.rank(), 0.1))).unwrap());
        assert_eq!(told, [(0, 0.1); 3]);
        let failed = Team::in_threads(2, |team| {
            of_first::<f64>(&team, || Err(CliError::usage("no"))).unwrap_err().kind()
        });
        assert_eq!(failed, [ErrorKind::Usage, ErrorKind::Elsewhere]);
    }
}
