//! Only one module queries memory; tables are read through the counting reader.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Audience, SourceFile, Tree};

const COMMAND: &str = "gp-cli/src/";
const ASKS: &str = "gp-cli/src/memory/";
/// Table readers.
const READERS: &str = "gp-cli/src/data/";
const COUNTS: &str = "gp-cli/src/data/counted.rs";
const FILES: &[&str] = &["proc/meminfo", "proc/self/limits", "sys/fs/cgroup", "MemAvailable"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().filter(|source| source.path.starts_with(COMMAND)).flat_map(check_source).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = source.text.lines().zip(1..);
    for (text, line) in lines.filter(|(_, line)| source.audience_at(*line) == Audience::Users) {
        let asks = FILES.iter().any(|name| text.contains(name));
        if asks && !source.path.starts_with(ASKS) {
            let message = "ask `Budget`, not the system, how much memory there is";
            findings.push(Finding::new(&source.path, line, message));
        }
        let reads = source.path.starts_with(READERS) && source.path != COUNTS;
        if reads && text.contains(concat!(".read_to_", "end(")) {
            let message = "read through `data::counted`, which counts the memory of tables";
            findings.push(Finding::new(&source.path, line, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn the_system_is_asked_by_one_module() {
        let code = "fn free() -> &'static str {\n    \"/proc/meminfo\"\n}\n";
        let fixture = Fixture::clean();
        fixture.write("gp-cli/src/memory/system.rs", code);
        fixture.expect_none(check);
        fixture.write("gp-cli/src/other.rs", code);
        fixture.expect_one(check, "gp-cli/src/other.rs", 2, "ask `Budget`");
    }

    #[test]
    fn tables_are_read_by_the_reader_that_counts() {
        let code = "fn all(mut from: impl Read, to: &mut Vec<u8>) {\n    from.read_to_end(to);\n}\n";
        let fixture = Fixture::clean();
        for path in ["gp-cli/src/data/counted.rs", "gp-cli/src/out.rs", "gp-cli/tests/data.rs"] {
            fixture.write(path, code);
        }
        fixture.write("gp-cli/src/data/other.rs", &format!("#[cfg(test)]\nmod tests {{\n{code}}}\n"));
        fixture.expect_none(check);
        fixture.write("gp-cli/src/data/other.rs", code);
        fixture.expect_one(check, "gp-cli/src/data/other.rs", 2, "data::counted");
    }
}
