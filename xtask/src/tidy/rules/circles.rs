//! No import cycles between files of a crate.

use std::collections::VecDeque;

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Audience, Import, Member, SourceFile, Tree, imports};

/// One shortest cycle per finding.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.members.iter().flat_map(circles).collect()
}

fn circles(member: &Member) -> Vec<Finding> {
    let root = format!("{}/src/", member.folder);
    let is_shipped =
        |source: &&SourceFile| source.path.starts_with(&root) && source.audience == Audience::Users;
    let sources: Vec<&SourceFile> = member.sources.iter().filter(is_shipped).collect();
    let mut imports = imports(&sources);
    imports.retain(|import| !is_inside(&sources[import.from].path, &sources[import.to].path));
    let mut told = vec![false; sources.len()];
    let mut findings = Vec::new();
    for start in 0..sources.len() {
        let Some(circle) = shortest_circle(start, &imports, &told) else { continue };
        circle.iter().for_each(|import| told[import.from] = true);
        findings.push(finding(&circle, &sources));
    }
    findings
}

/// `true` for `a/b.rs` in module `a.rs` or `a/mod.rs`: both share private items and count as one.
fn is_inside(file: &str, module: &str) -> bool {
    let folder = module.strip_suffix("/mod.rs").or_else(|| module.strip_suffix(".rs"));
    folder.and_then(|folder| file.strip_prefix(folder)).is_some_and(|below| below.starts_with('/'))
}

/// Shortest cycle through `start` without reported files.
fn shortest_circle<'a>(start: usize, imports: &'a [Import], told: &[bool]) -> Option<Vec<&'a Import>> {
    let mut before: Vec<Option<&Import>> = vec![None; told.len()];
    let mut next = VecDeque::from([start]);
    while let Some(at) = next.pop_front() {
        for import in imports.iter().filter(|import| import.from == at && !told[import.to] && !told[at]) {
            if before[import.to].is_some() {
                continue;
            }
            before[import.to] = Some(import);
            if import.to == start {
                return Some(way_to(start, &before));
            }
            next.push_back(import.to);
        }
    }
    None
}

fn way_to<'a>(end: usize, before: &[Option<&'a Import>]) -> Vec<&'a Import> {
    let mut way = Vec::new();
    let mut at = end;
    while let Some(import) = before[at] {
        way.push(import);
        at = import.from;
        if at == end {
            break;
        }
    }
    way.reverse();
    way
}

fn finding(circle: &[&Import], sources: &[&SourceFile]) -> Finding {
    let steps: Vec<String> =
        circle.iter().map(|import| format!("`{}` from {}", import.name, sources[import.to].path)).collect();
    let first = circle[0];
    let message = format!("break the import cycle: the file imports {}", steps.join(", which imports "));
    Finding::new(&sources[first.from].path, first.line, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    fn two_files(a: &str, b: &str) -> Fixture {
        let fixture = Fixture::clean();
        fixture.append("gp-optim/src/lib.rs", "\nmod a;\nmod b;\npub use a::A;\npub use b::B;\n");
        fixture.write("gp-optim/src/a.rs", &format!("//! A.\n\n{a}\npub struct A;\n"));
        fixture.write("gp-optim/src/b.rs", &format!("//! B.\n\n{b}\npub struct B;\n"));
        fixture
    }

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
        two_files("use crate::b::B;", "").expect_none(check);
    }

    #[test]
    fn a_circle_of_two_files_is_seen_once() {
        for (a, b) in [
            ("use crate::b::B;", "use crate::a::A;"),
            ("use super::b::B;", "use super::a::A;"),
            ("use crate::B;", "use crate::{a::A as Other};"),
            ("fn f() -> crate::b::B { crate::b::B }", "use crate::a;\nfn f() -> a::A { a::A }"),
        ] {
            let fixture = two_files(a, b);
            fixture.expect_one(
                check,
                "gp-optim/src/a.rs",
                3,
                "`B` from gp-optim/src/b.rs, which imports `A`",
            );
        }
    }

    #[test]
    fn a_longer_circle_is_told_step_by_step() {
        let fixture = two_files("use crate::b::B;", "use crate::c::C;");
        fixture.append("gp-optim/src/lib.rs", "mod c;\n");
        fixture.write("gp-optim/src/c/mod.rs", "//! C.\n\nmod inner;\npub use inner::C;\n");
        fixture.write("gp-optim/src/c/inner.rs", "//! C.\n\nuse crate::a::A;\npub struct C(A);\n");
        let way = "which imports `C` from gp-optim/src/c/inner.rs, which imports `A` from gp-optim/src/a.rs";
        fixture.expect_one(check, "gp-optim/src/a.rs", 3, way);
    }

    #[test]
    fn a_re_export_counts_where_the_name_is_used_too() {
        let fixture = two_files("use crate::B;", "");
        fixture.expect_none(check);
        fixture.append("gp-optim/src/lib.rs", "/// Here.\npub struct Root(B);\n");
        fixture.replace("gp-optim/src/b.rs", "pub struct B;", "use crate::Root;\npub struct B(Box<Root>);");
        fixture.expect_one(
            check,
            "gp-optim/src/b.rs",
            4,
            "`Root` from gp-optim/src/lib.rs, which imports `B`",
        );
    }

    #[test]
    fn files_of_a_module_take_from_each_other_through_it_and_from_it() {
        let fixture = two_files("mod one;\nmod two;\nuse one::One;\ntype Whole = One;", "");
        fixture.write("gp-optim/src/a/one.rs", "//! One.\n\nuse super::A;\npub struct One(A);\n");
        fixture.write("gp-optim/src/a/two.rs", "//! Two.\n\nuse super::One;\npub struct Two(One);\n");
        fixture.expect_none(check);
        fixture.replace("gp-optim/src/a/one.rs", "use super::A;", "use super::A;\nuse super::two::Two;");
        fixture.expect_one(check, "gp-optim/src/a/one.rs", 4, "`Two` from gp-optim/src/a/two.rs");
    }

    #[test]
    fn tests_and_documentation_may_know_everything() {
        let tests = "#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}";
        two_files("use crate::b::B;", &format!("/// [`crate::a::A`]\ntype Own = u8;\n{tests}"))
            .expect_none(check);
    }
}
