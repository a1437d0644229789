//! Every third-party dependency has a reason in ARCHITECTURE.md.

use crate::tidy::finding::Finding;
use crate::tidy::tree::Tree;
use std::collections::BTreeSet;

const FILE: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Third-party crates";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let own: BTreeSet<&str> = tree.manifests().filter_map(|manifest| manifest.package.as_deref()).collect();
    let (text, mut seen, mut findings) = (tree.read(FILE).unwrap_or_default(), BTreeSet::new(), Vec::new());
    let reasons = listed(&text);
    for manifest in tree.manifests() {
        for dependency in &manifest.dependencies {
            let name = dependency.package.as_str();
            if own.contains(name) || !seen.insert(name) || reasons.iter().any(|(_, listed)| *listed == name) {
                continue;
            }
            let message = format!("say in {FILE}, below `{HEADING}`, what `{name}` is needed for");
            findings.push(Finding::new(&manifest.path, dependency.line, message));
        }
    }
    let gone = reasons.into_iter().filter(|(_, name)| !seen.contains(name));
    findings.extend(gone.map(|(line, name)| {
        Finding::new(FILE, line, format!("remove `{name}`: no manifest names it any more"))
    }));
    findings
}

/// Lines and crate names of the table.
fn listed(text: &str) -> Vec<(usize, &str)> {
    let lines = text.lines().enumerate().skip_while(|(_, line)| *line != HEADING).skip(1);
    let table =
        lines.take_while(|(_, line)| !line.starts_with("## ")).filter(|(_, line)| line.starts_with("| `"));
    table.flat_map(|(at, line)| names(line).map(move |name| (at + 1, name))).collect()
}

fn names(row: &str) -> impl Iterator<Item = &str> {
    row.split('|').nth(1).unwrap_or_default().split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    #[test]
    fn a_dependency_needs_a_reason() {
        let fixture = Fixture::clean();
        fixture.expect_none(check);
        fixture.append("gp-ep/Cargo.toml", "rand = \"1\"\n");
        let line = fixture.line_of("gp-ep/Cargo.toml", "rand = \"1\"");
        fixture.expect_one(check, "gp-ep/Cargo.toml", line, "what `rand` is needed for");
        fixture
            .write(FILE, &format!("{HEADING}\n\n| crate | for |\n|---|---|\n| `rand`, `other` | draws |\n"));
        fixture.expect_one(check, FILE, 5, "remove `other`");
        fixture.write(FILE, &format!("{HEADING}\n\n| `rand` | draws |\n\n## More\n\n| `other` | draws |\n"));
        fixture.expect_none(check);
    }
}
