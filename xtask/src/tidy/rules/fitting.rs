//! Prediction, scoring and display import nothing from fitting.

use crate::tidy::finding::Finding;
use crate::tidy::tree::{Audience, Import, Member, SourceFile, Tree, imports};

const COMMAND: &str = "gp-cli";
/// Modules that only they and `ALSO` may import.
const FITTING: &[&str] =
    &["fit/", "method/", "commands/fit.rs", "commands/cv/", "commands/demo/", "commands/diagnose.rs"];
/// Command and method lists, table checks, updates.
const ALSO: &[&str] =
    &["arguments.rs", "context.rs", "commands/check.rs", "commands/generate.rs", "update.rs"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.members.iter().filter(|member| member.folder == COMMAND).flat_map(wrong_imports).collect()
}

fn wrong_imports(member: &Member) -> Vec<Finding> {
    let is_shipped = |source: &&SourceFile| below(source).is_some() && source.audience == Audience::Users;
    let sources: Vec<&SourceFile> = member.sources.iter().filter(is_shipped).collect();
    let is_wrong = |import: &Import| {
        let [from, to] = [import.from, import.to].map(|file| sources[file]);
        is_among(to, FITTING) && !is_among(from, FITTING) && !is_among(from, ALSO)
    };
    let wrong = imports(&sources).into_iter().filter(is_wrong);
    wrong.map(|import| finding(&import, &sources)).collect()
}

fn below(source: &SourceFile) -> Option<&str> {
    source.path.strip_prefix(COMMAND)?.strip_prefix("/src/")
}

fn is_among(source: &SourceFile, modules: &[&str]) -> bool {
    below(source).is_some_and(|file| modules.iter().any(|module| file.starts_with(module)))
}

fn finding(import: &Import, sources: &[&SourceFile]) -> Finding {
    let (name, to) = (&import.name, &sources[import.to].path);
    let message = format!(
        "move `{name}` of {to} to a module that fitting and predicting may both use: only fitting imports from there"
    );
    Finding::new(&sources[import.from].path, import.line, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    fn command(predict: &str) -> Fixture {
        let fixture = Fixture::clean();
        fixture.append("gp-cli/src/lib.rs", "\nmod arguments;\nmod commands;\nmod fit;\nmod predict;\n");
        fixture.write("gp-cli/src/fit/mod.rs", "//! Fits.\n\nmod spec;\npub use spec::Spec;\n");
        fixture.write("gp-cli/src/fit/spec.rs", "//! Flags.\n\npub struct Spec;\n");
        fixture.write("gp-cli/src/commands/mod.rs", "//! Commands.\n\npub mod fit;\nmod check;\n");
        fixture.write(
            "gp-cli/src/commands/fit.rs",
            "//! The fit.\n\nuse crate::fit::Spec;\npub fn run(spec: Spec) {}\n",
        );
        fixture.write("gp-cli/src/commands/check.rs", "//! The check.\n\nuse crate::fit::Spec;\n");
        fixture.write("gp-cli/src/arguments.rs", "//! Flags.\n\nuse crate::commands::fit::run;\n");
        fixture.write("gp-cli/src/predict.rs", &format!("//! Predictions.\n\n{predict}\n"));
        fixture
    }

    #[test]
    fn fitting_and_the_list_of_commands_may() {
        Fixture::clean().expect_none(check);
        command("").expect_none(check);
    }

    #[test]
    fn an_import_from_fitting_is_seen_where_it_is() {
        for code in [
            "use crate::fit::Spec;",
            "use crate::fit::{Spec as Flags};",
            "use super::fit::Spec;",
            "fn f(spec: crate::fit::Spec) {}",
            "use crate::fit;\nfn f(spec: fit::Spec) {}",
        ] {
            let fixture = command(code);
            let line = 2 + code.lines().count();
            fixture.expect_one(check, "gp-cli/src/predict.rs", line, "`Spec` of gp-cli/src/fit/spec.rs");
        }
    }

    #[test]
    fn a_command_that_fits_is_part_of_fitting() {
        let fixture = command("use crate::commands::fit::run;");
        fixture.expect_one(check, "gp-cli/src/predict.rs", 3, "`run` of gp-cli/src/commands/fit.rs");
    }

    #[test]
    fn files_below_a_module_that_predicts_are_seen_too() {
        let fixture = command("mod several;");
        fixture.write("gp-cli/src/predict/several.rs", "//! Several.\n\nuse crate::fit::Spec;\n");
        fixture.expect_one(check, "gp-cli/src/predict/several.rs", 3, "`Spec`");
    }

    #[test]
    fn tests_and_other_crates_are_free() {
        command("#[cfg(test)]\nmod tests {\n    use crate::fit::Spec;\n}").expect_none(check);
        let fixture = Fixture::clean();
        fixture.append("gp-ep/src/lib.rs", "\nmod fit;\nmod predict;\n");
        fixture.write("gp-ep/src/fit.rs", "//! Fits.\n\npub struct Fit;\n");
        fixture.write("gp-ep/src/predict.rs", "//! Predictions.\n\nuse crate::fit::Fit;\n");
        fixture.expect_none(check);
    }
}
