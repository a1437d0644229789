//! Files are written only through `gp_optim::files`, which is atomic.
//!
//! Other writes lose data in a crash or leave files after a signal. Unnamed files and folders are exempt.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Mention, MentionKind, Tree};

const DOOR: &str = "gp-optim/src/files/";
/// Checked folders.
const THROUGH: [&str; 2] = ["gp-cli/src/", "gp-optim/src/"];

/// Functions by their last two path segments.
const CALLS: &[(&str, &str)] = &[
    ("File", "create"),
    ("File", "create_new"),
    ("File", "options"),
    ("fs", "OpenOptions"),
    ("OpenOptions", "new"),
    ("fs", "write"),
    ("fs", "rename"),
    ("fs", "copy"),
    ("fs", "hard_link"),
    ("tempfile", "NamedTempFile"),
    ("NamedTempFile", "new"),
    ("NamedTempFile", "new_in"),
];

const METHODS: &[&str] = &["persist", "persist_noclobber"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.sources().filter(|source| {
        THROUGH.iter().any(|folder| source.path.starts_with(folder)) && !source.path.starts_with(DOOR)
    });
    let found = sources.flat_map(|source| {
        let around = source.shipped_mentions().filter_map(|mention| Some((mention, goes_around(mention)?)));
        around.map(|(mention, what)| {
            let message = format!("write files through gp_optim::files instead of {what}");
            Finding::new(&source.path, mention.line, message)
        })
    });
    found.collect()
}

fn goes_around(mention: &Mention) -> Option<String> {
    match &mention.kind {
        MentionKind::Path(segments) => {
            let [.., before, last] = segments.as_slice() else { return None };
            let writes = CALLS.contains(&(before.as_str(), last.as_str()));
            writes.then(|| format!("`{}`", segments.join("::")))
        }
        MentionKind::Method(name) => METHODS.contains(&name.as_str()).then(|| format!("`.{name}(…)`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn files_written_around_the_door_are_seen() {
        for code in [
            "fn f() { std::fs::write(p, b); }",
            "use std::fs::{self, OpenOptions};",
            "fn f() { fs::File::create(p); }",
            "fn f() { OpenOptions::new().write(true).open(p); }",
            "fn f() { std::fs::rename(a, b); }",
            "fn f(t: T) { t.persist(p); }",
            "use tempfile::NamedTempFile;",
        ] {
            for file in ["gp-cli/src/lib.rs", "gp-optim/src/lib.rs"] {
                let fixture = Fixture::clean();
                fixture.append(file, &format!("\n{code}\n"));
                fixture.expect_one(check, file, fixture.line_of(file, code), "through gp_optim::files");
            }
        }
    }

    #[test]
    fn the_door_tests_and_readers_are_free() {
        let fixture = Fixture::clean();
        let code = "fn f() { std::fs::write(p, b); }\n";
        fixture.write("gp-optim/src/files/door.rs", &format!("//! The door.\n{code}"));
        fixture.write("gp-cli/tests/files.rs", &format!("//! Tests.\n{code}"));
        fixture.append("gp-ep/src/lib.rs", &format!("\n{code}"));
        fixture.append(
            "gp-cli/src/lib.rs",
            &format!("\nfn g() {{ std::fs::read(p); std::fs::File::open(p); }}\n#[cfg(test)]\nmod tests {{\n{code}}}\n"),
        );
        fixture.expect_none(check);
    }
}
