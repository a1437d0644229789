//! `cargo xtask tidy`: project rules beyond compiler lints.
//!
//! [`tree`] reads the workspace; [`rules`] map it to [`Finding`](finding::Finding)s.

mod finding;
#[cfg(test)]
mod fixture;
mod rules;
mod tree;
mod words;

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{XtaskError, count};
use crate::workspace;
use rules::RULES;
use tree::Tree;

/// Options of `cargo xtask tidy`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print the rules instead
    #[arg(long, conflicts_with = "root")]
    list: bool,
    /// Count words of documentation per crate instead
    #[arg(long, conflicts_with = "list")]
    words: bool,
    /// Check the workspace in this folder instead of the current one
    #[arg(long, value_name = "FOLDER")]
    root: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), XtaskError> {
    if args.list {
        return list(out);
    }
    let root = args.root.clone().map_or_else(workspace::root, Ok)?;
    if args.words {
        return Ok(words::print(&Tree::load(&root)?, out)?);
    }
    check(&root, out)
}

pub(crate) fn check(root: &Path, out: &mut dyn Write) -> Result<(), XtaskError> {
    let tree = Tree::load(root)?;
    let findings = rules::check_all(&tree);
    for finding in &findings {
        writeln!(out, "{finding}")?;
    }
    match findings.len() {
        0 => {
            let files = count(tree.sources().count(), "source file");
            writeln!(out, "tidy: {} hold in {files}", count(RULES.len(), "rule"))?;
            Ok(())
        }
        faults => Err(XtaskError::Untidy { faults }),
    }
}

fn list(out: &mut dyn Write) -> Result<(), XtaskError> {
    for rule in RULES {
        writeln!(out, "{:<11} {}", rule.name, rule.about)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    fn report(fixture: &Fixture) -> (String, Option<String>) {
        let mut out = Vec::new();
        let result = check(fixture.root(), &mut out);
        (String::from_utf8(out).unwrap(), result.err().map(|error| error.to_string()))
    }

    #[test]
    fn a_clean_tree_passes_every_rule() {
        let (report, error) = report(&Fixture::clean());
        assert_eq!(error, None, "{report}");
        assert!(report.starts_with(&format!("tidy: {} rules hold in ", RULES.len())), "{report}");
    }

    #[test]
    fn faults_are_listed_by_file_and_line_and_counted() {
        let fixture = Fixture::clean();
        fixture.append(
            "gp-optim/src/lib.rs",
            "\n/// Sums.\npub struct Sums;\nmod inner {\n    #![allow(dead_code)]\n}\n",
        );
        let (report, error) = report(&fixture);
        let first = fixture.line_of("gp-optim/src/lib.rs", "pub struct");
        let lines: Vec<&str> = report.lines().collect();
        assert_eq!(lines.len(), 2, "{report}");
        assert!(lines[0].starts_with(&format!("gp-optim/src/lib.rs:{first}: [documented] ")), "{report}");
        assert!(
            lines[1].starts_with(&format!("gp-optim/src/lib.rs:{}: [exceptions] ", first + 2)),
            "{report}"
        );
        assert_eq!(error.as_deref(), Some("tidy found 2 faults"));
    }

    #[test]
    fn a_file_that_does_not_parse_is_an_error_with_its_place() {
        let fixture = Fixture::clean();
        fixture.write("gp-optim/src/broken.rs", "//! Broken.\nfn f( {\n");
        let (_, error) = report(&fixture);
        assert!(error.is_some_and(|error| error.starts_with("gp-optim/src/broken.rs:2: invalid syntax")));
    }
}
