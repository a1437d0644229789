//! Results made by an earlier protocol, or by code changed since.

use crate::harness::essence::essence;
use crate::harness::{Item, Origin, Results};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Counts of an item's stale lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stale {
    /// All lines.
    pub all: usize,
    /// Lines of an earlier protocol.
    pub protocol: usize,
    /// Lines without training record (old format).
    pub silent: usize,
    /// Lines whose code has changed.
    pub code: usize,
    /// Files whose code has changed.
    pub files: BTreeSet<String>,
    /// Lines stale for any reason.
    pub lines: usize,
}

type Since = (String, &'static [&'static str]);

/// Cached comparisons of commits with `HEAD`.
#[derive(Debug, Default)]
pub struct Changes {
    known: RefCell<BTreeMap<Since, BTreeSet<String>>>,
}

impl Changes {
    /// Stale lines; without git, code counts as unchanged.
    #[must_use]
    pub fn since(&self, item: &dyn Item, results: &Results) -> Stale {
        let mut stale = Stale::default();
        for record in results.records() {
            let files = self.files(&record.origin, item);
            let is_old = record.protocol < item.protocol();
            let is_silent = record.failure.is_none() && record.outcome.effort.is_none();
            stale.all += 1;
            stale.protocol += usize::from(is_old);
            stale.silent += usize::from(is_silent);
            stale.code += usize::from(!files.is_empty());
            stale.lines += usize::from(is_old || is_silent || !files.is_empty());
            stale.files.extend(files);
        }
        stale
    }

    /// `true` if an item's code has changed since.
    #[must_use]
    pub fn has_changed(&self, since: &Origin, item: &dyn Item) -> bool {
        !self.files(since, item).is_empty()
    }

    fn files(&self, origin: &Origin, item: &dyn Item) -> BTreeSet<String> {
        let commit = origin.commit.trim_end_matches('+').to_owned();
        let key = (commit, item.depends_on());
        if let Some(found) = self.known.borrow().get(&key) {
            return found.clone();
        }
        let found = changed(&key.0, key.1).unwrap_or_default();
        self.known.borrow_mut().insert(key, found.clone());
        found
    }
}

impl Stale {
    /// Sentence with counts; None without stale lines.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let reasons = [
            (self.protocol, "of an earlier protocol".to_owned()),
            (self.silent, "without a training record".to_owned()),
            (self.code, format!("older than a change of {} they depend on", files(self.files.len()))),
        ];
        let said = reasons.into_iter().filter(|(count, _)| *count > 0);
        let said: Vec<String> = said.map(|(count, why)| format!("{count} {why}")).collect();
        let Self { lines, all, .. } = self;
        let verb = if *lines == 1 { "is" } else { "are" };
        (*lines > 0).then(|| format!("**Stale:** {lines} of {all} lines {verb}: {}.", said.join(", ")))
    }
}

fn files(count: usize) -> String {
    if count == 1 { "1 file that".to_owned() } else { format!("{count} files that") }
}

/// Files whose code differs between `commit` and `HEAD`.
fn changed(commit: &str, folders: &[&str]) -> Option<BTreeSet<String>> {
    let output = Command::new("git")
        .args(["diff", "--name-only", "--no-renames", commit, "HEAD", "--"])
        .args(folders)
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let names = String::from_utf8(output.stdout).ok()?;
    let names: Vec<&str> = names.lines().filter(|name| name.ends_with(".rs") && !is_test(name)).collect();
    let asked: Vec<String> =
        names.iter().flat_map(|name| [format!("{commit}:{name}"), format!("HEAD:{name}")]).collect();
    let texts = contents(&asked)?;
    let pairs = names.iter().zip(texts.chunks_exact(2));
    Some(pairs.filter(|(_, pair)| !is_same(&pair[0], &pair[1])).map(|(name, _)| (*name).to_owned()).collect())
}

fn is_test(name: &str) -> bool {
    name.ends_with("/tests.rs") || name.contains("/tests/") || name.contains("/testkit/")
}

fn is_same(before: &str, now: &str) -> bool {
    essence(before).eq(essence(now))
}

/// Git objects; empty if missing.
fn contents(names: &[String]) -> Option<Vec<String>> {
    let mut git = Command::new("git")
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let (mut to, mut from) = (git.stdin.take()?, git.stdout.take()?);
    let mut answer = Vec::new();
    std::thread::scope(|scope| {
        // Write in a separate thread, because git answers while it reads.
        scope.spawn(move || names.iter().try_for_each(|name| writeln!(to, "{name}")));
        from.read_to_end(&mut answer)
    })
    .ok()?;
    git.wait().ok()?;
    Some(parts(&answer, names.len()))
}

/// Texts of git's answer, each after its length.
fn parts(mut answer: &[u8], count: usize) -> Vec<String> {
    let mut texts = Vec::new();
    while texts.len() < count {
        let Some(end) = answer.iter().position(|byte| *byte == b'\n') else { break };
        let head = String::from_utf8_lossy(&answer[..end]);
        let length: usize = head.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let is_there = !head.ends_with("missing");
        let body = end + 1;
        let text = answer.get(body..body + length).unwrap_or_default();
        texts.push(String::from_utf8_lossy(text).into_owned());
        answer = answer.get(body + if is_there { length + 1 } else { 0 }..).unwrap_or_default();
    }
    texts.resize(count, String::new());
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_git_are_cut_where_they_say() {
        let answer = b"a1 blob 5\nfn a\n\nHEAD:b.rs missing\nc3 blob 2\nok\n";
        assert_eq!(parts(answer, 3), ["fn a\n", "", "ok"]);
        assert_eq!(parts(b"", 1), [""]);
    }

    #[test]
    fn comments_are_no_change() {
        assert!(is_same("fn a() {}\n", "/// Does it.\nfn a() {}\n") && !is_same("fn a() {}", "fn b() {}"));
        assert!(is_test("gp-ep/src/ivm/tests.rs") && !is_test("gp-ep/src/ivm/run.rs"));
    }

    #[test]
    fn what_is_stale_is_said_with_its_reasons() {
        assert_eq!(Stale { all: 3, ..Stale::default() }.text(), None);
        let files = BTreeSet::from(["a.rs".to_owned()]);
        let stale = Stale { all: 3, lines: 2, protocol: 1, code: 2, files, ..Stale::default() };
        let said = "**Stale:** 2 of 3 lines are: 1 of an earlier protocol, \
            2 older than a change of 1 file that they depend on.";
        assert_eq!(stale.text().unwrap(), said);
    }
}
