//! Shipped code returns errors. What its authors chose to call is checked here; indexing and arithmetic are not.
//!
//! A call that cannot panic, where a type cannot say so, stands in an item under
//! `#[expect(clippy::expect_used, reason = "…")]`: each such attribute excuses the one call that follows it.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{MentionKind, SourceFile, Tree};

const METHODS: &[&str] = &["unwrap", "expect"];
const MACROS: &[&str] = &["panic", "todo", "unimplemented", "unreachable"];

/// Findings about calls that panic, in code that is neither test nor test kit.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().flat_map(check_source).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut excuse: Option<&str> = None;
    for mention in source.shipped_mentions() {
        excuse = excused_lint(&mention.kind).or(excuse);
        let Some(call) = panicking_call(&mention.kind) else { continue };
        if excuse.take().is_some_and(|lint| excuses(lint, &call)) {
            continue;
        }
        let message =
            format!("return an error instead of `{call}`, or state the case so that it cannot arise");
        findings.push(Finding::new(&source.path, mention.line, message));
    }
    findings
}

/// The lint in `#[expect(clippy::LINT, …)]`, the only place where such a path is mentioned.
fn excused_lint(kind: &MentionKind) -> Option<&str> {
    match kind {
        MentionKind::Path(segments) => match segments.as_slice() {
            [tool, lint] if tool == "clippy" => Some(lint),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the lint is about this call.
fn excuses(lint: &str, call: &str) -> bool {
    match lint {
        "unwrap_used" => call == ".unwrap()",
        "expect_used" => call == ".expect()",
        _ => false,
    }
}

fn panicking_call(kind: &MentionKind) -> Option<String> {
    match kind {
        MentionKind::Method(name) => METHODS.contains(&name.as_str()).then(|| format!(".{name}()")),
        MentionKind::Macro(name) => MACROS.contains(&name.as_str()).then(|| format!("{name}!")),
        MentionKind::Path(segments) => match segments.as_slice() {
            [.., owner, name]
                if matches!(owner.as_str(), "Option" | "Result") && METHODS.contains(&name.as_str()) =>
            {
                Some(format!("{owner}::{name}"))
            }
            _ => None,
        },
        MentionKind::Attribute(_) => None,
    }
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
    fn every_kind_of_panicking_call_is_seen() {
        for code in [
            "fn f(x: O) { x.unwrap(); }",
            "fn f(x: O) { x.expect(\"reason\"); }",
            "fn f() { panic!(\"no\") }",
            "fn f() { todo!() }",
            "fn f() { unimplemented!() }",
            "fn f() { unreachable!() }",
            "fn f() { std::panic!() }",
            "fn f(x: O) { debug_assert!(x.unwrap()); }",
            "fn f(x: I) { x.map(Option::unwrap); }",
            "macro_rules! m { () => { panic!() } }",
        ] {
            let fixture = Fixture::clean();
            fixture.append("gp-kernels/src/kernels/rbf.rs", &format!("\n{code}\n"));
            let line = fixture.line_of("gp-kernels/src/kernels/rbf.rs", code);
            fixture.expect_one(check, "gp-kernels/src/kernels/rbf.rs", line, "return an error instead of");
        }
    }

    #[test]
    fn a_reasoned_exception_excuses_one_call_of_its_kind() {
        let excuse = "#[expect(clippy::expect_used, reason = \"checked above\")]";
        let path = "gp-kernels/src/kernels/rbf.rs";
        let fixture = Fixture::clean();
        fixture.append(path, &format!("\n{excuse}\nfn f(x: O) {{ x.expect(\"checked\"); }}\n"));
        fixture.expect_none(check);
        let second = "fn g(x: O) { x.expect(\"again\"); }";
        fixture.append(path, second);
        fixture.expect_one(check, path, fixture.line_of(path, second), "return an error instead of");
        let other = Fixture::clean();
        let code = "fn h(x: O) { x.unwrap(); }";
        other.append(path, &format!("\n{excuse}\n{code}\n"));
        other.expect_one(check, path, other.line_of(path, code), "return an error instead of");
    }

    /// Tests of a package below another crate's folder are tests of that package.
    #[test]
    fn a_package_below_a_crate_is_judged_by_itself_and_once() {
        let fixture = Fixture::clean();
        fixture.replace("Cargo.toml", "\"xtask\"", "\"xtask\", \"xtask/own\"");
        fixture.write("xtask/own/Cargo.toml", "[package]\nname = \"own\"\n");
        fixture.write("xtask/own/tests/a.rs", "//! Tests.\n\nfn f() { Some(1).unwrap(); }\n");
        fixture.expect_none(check);
        fixture.write("xtask/own/src/lib.rs", "//! A library.\n\nfn f() { Some(1).unwrap(); }\n");
        fixture.expect_one(check, "xtask/own/src/lib.rs", 3, "unwrap");
    }

    #[test]
    fn tests_test_kits_words_and_harmless_relatives_are_free() {
        let fixture = Fixture::clean();
        let code = "//! Free.\nfn f(x: O) { x.unwrap(); panic!() }\n";
        for path in ["tests/a.rs", "benches/b.rs", "examples/c.rs", "src/testkit.rs", "src/testkit/d.rs"] {
            fixture.write(&format!("gp-kernels/{path}"), code);
        }
        fixture.append(
            "gp-kernels/src/lib.rs",
            "\n#[cfg(test)]\nmod checks;\n#[cfg(test)]\nfn g() { panic!() }\n",
        );
        fixture.write("gp-kernels/src/checks.rs", code);
        fixture.append(
            "gp-kernels/src/kernels/rbf.rs",
            "\n/// ```\n/// x.unwrap();\n/// ```\nfn h(x: O) { x.unwrap_or(0); \"panic!()\"; /* todo!() */ }\n",
        );
        fixture.expect_none(check);
    }
}
