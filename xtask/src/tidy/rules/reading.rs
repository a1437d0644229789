//! Only code that limits sizes reads whole files, because devices and compressed files may be endless.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Mention, MentionKind, Tree};

const COMMAND: &str = "gp-cli/src/";
/// Code with size limits, and readers of system files.
const EXEMPT: [&str; 4] = [
    "gp-cli/src/files/read.rs",
    "gp-cli/src/data/counted.rs",
    "gp-cli/src/memory/",
    "gp-cli/src/interrupt.rs",
];
/// Functions by their last two path segments.
const CALLS: &[(&str, &str)] = &[("fs", "read"), ("fs", "read_to_string"), ("io", "read_to_string")];
const METHODS: &[&str] = &["read_to_end", "read_to_string"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let is_limited = |path: &str| EXEMPT.iter().any(|exempt| path.starts_with(exempt));
    let sources =
        tree.sources().filter(|source| source.path.starts_with(COMMAND) && !is_limited(&source.path));
    let found = sources.flat_map(|source| {
        let unlimited = source.shipped_mentions().filter_map(|mention| Some((mention, reads_all(mention)?)));
        unlimited.map(|(mention, what)| {
            let message = format!(
                "read tables through data::counted and other files through files::read_within or read_at_most, instead of {what}"
            );
            Finding::new(&source.path, mention.line, message)
        })
    });
    found.collect()
}

fn reads_all(mention: &Mention) -> Option<String> {
    match &mention.kind {
        MentionKind::Path(segments) => {
            let [.., before, last] = segments.as_slice() else { return None };
            let reads = CALLS.contains(&(before.as_str(), last.as_str()));
            reads.then(|| format!("`{}`", segments.join("::")))
        }
        MentionKind::Method(name) => METHODS.contains(&name.as_str()).then(|| format!("`.{name}(…)`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn files_read_without_a_limit_are_seen() {
        for code in [
            "fn f() { std::fs::read(p); }",
            "use std::fs::{self, read_to_string};",
            "fn f() { fs::read_to_string(p); }",
            "fn f() { std::io::read_to_string(r); }",
            "fn f(mut r: R) { r.read_to_end(b); }",
            "fn f(mut r: R) { r.read_to_string(b); }",
        ] {
            let (fixture, file) = (Fixture::clean(), "gp-cli/src/lib.rs");
            fixture.append(file, &format!("\n{code}\n"));
            fixture.expect_one(check, file, fixture.line_of(file, code), "files::read_within");
        }
    }

    #[test]
    fn limits_tests_and_libraries_are_free() {
        let fixture = Fixture::clean();
        let code = "fn f(mut r: R) {\n    std::fs::read(p);\n    r.read_to_end(b);\n}\n";
        for path in EXEMPT.into_iter().filter(|path| path.ends_with(".rs")) {
            fixture.write(path, &format!("//! Limits.\n{code}"));
        }
        fixture.write("gp-cli/src/memory/system.rs", &format!("//! The system.\n{code}"));
        fixture.write("gp-cli/tests/files.rs", &format!("//! Tests.\n{code}"));
        fixture.append("gp-optim/src/lib.rs", &format!("\n{code}"));
        fixture.append("gp-cli/src/lib.rs", &format!("\n#[cfg(test)]\nmod tests {{\n{code}}}\n"));
        fixture.expect_none(check);
    }
}
