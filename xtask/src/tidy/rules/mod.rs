//! Rules, one per file. Each is a function from the tree to findings, and a row of [`RULES`].

mod budget;
mod circles;
mod crate_docs;
mod documented;
mod equations;
mod exceptions;
mod external;
mod fitting;
mod layering;
mod modules;
mod names;
mod prose;
mod reading;
mod reasons;
mod registries;
mod size;
mod wording;
mod writing;

use crate::tidy::finding::Finding;
use crate::tidy::tree::Tree;

#[derive(Debug)]
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

pub(crate) const RULES: &[Rule] = &[
    Rule { name: "layering", about: "crates depend only on lower layers", check: layering::check },
    Rule { name: "circles", about: "no import cycle of files within a crate", check: circles::check },
    Rule { name: "fitting", about: "prediction imports nothing from fitting", check: fitting::check },
    Rule {
        name: "external",
        about: "matrix products through gp-linalg; no banned crates",
        check: external::check,
    },
    Rule { name: "writing", about: "files are written only through gp_optim::files", check: writing::check },
    Rule {
        name: "reasons",
        about: "every dependency has a reason in ARCHITECTURE.md",
        check: reasons::check,
    },
    Rule {
        name: "documented",
        about: "documentation of public items says more than their names",
        check: documented::check,
    },
    Rule {
        name: "wording",
        about: "first lines of documentation are noun phrases or verbs in the third person",
        check: wording::check,
    },
    Rule {
        name: "equations",
        about: "files cite the equations that EQUATIONS.md assigns to them",
        check: equations::check,
    },
    Rule {
        name: "crate-docs",
        about: "crates have a README and documentation with an example",
        check: crate_docs::check,
    },
    Rule {
        name: "names",
        about: "no two public types, and no two types of one library, share a name",
        check: names::check,
    },
    Rule { name: "modules", about: "every file below src and tests is a module", check: modules::check },
    Rule { name: "size", about: "files have at most 600 lines", check: size::check },
    Rule {
        name: "registries",
        about: "kernels and likelihoods are registered, and conformance tests use the registries",
        check: registries::check,
    },
    Rule {
        name: "budget",
        about: "one module queries memory, and tables are read through the counting reader",
        check: budget::check,
    },
    Rule {
        name: "reading",
        about: "files are read to their end only by code that limits their size",
        check: reading::check,
    },
    Rule { name: "prose", about: "no notes of unfinished work in the sources", check: prose::check },
    Rule {
        name: "exceptions",
        about: "crates use the workspace's lints, and no file disables them",
        check: exceptions::check,
    },
];

pub(crate) fn check_all(tree: &Tree) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| check_one(rule, tree)).collect();
    findings.sort();
    findings
}

fn check_one(rule: &Rule, tree: &Tree) -> Vec<Finding> {
    (rule.check)(tree).into_iter().map(|finding| Finding { rule: rule.name, ..finding }).collect()
}
