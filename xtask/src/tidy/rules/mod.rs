//! Rules, one file each.
//!
//! A rule is a function from the tree to findings and one row in [`RULES`].

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
    /// Requirement, in a few words.
    pub(crate) about: &'static str,
    check: fn(&Tree) -> Vec<Finding>,
}

pub(crate) const RULES: &[Rule] = &[
    Rule {
        name: "layering",
        about: "crates depend on the floors below, never up or across",
        check: layering::check,
    },
    Rule { name: "circles", about: "files do not import each other in a circle", check: circles::check },
    Rule { name: "fitting", about: "predicting imports nothing from fitting", check: fitting::check },
    Rule { name: "external", about: "one door to matrix products; no banned crates", check: external::check },
    Rule { name: "writing", about: "files are written through gp_optim::files alone", check: writing::check },
    Rule {
        name: "reasons",
        about: "every dependency has its reason in ARCHITECTURE.md",
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
        about: "files cite the papers' equations that the index finds in them",
        check: equations::check,
    },
    Rule {
        name: "crate-docs",
        about: "crates have a README and documentation with an example",
        check: crate_docs::check,
    },
    Rule {
        name: "names",
        about: "no two public types, and no two types of a library, have the same name",
        check: names::check,
    },
    Rule {
        name: "modules",
        about: "every file is a module of the library or of its tests",
        check: modules::check,
    },
    Rule { name: "size", about: "files stay short", check: size::check },
    Rule {
        name: "registries",
        about: "kernels and likelihoods are registered and go through the conformance tests",
        check: registries::check,
    },
    Rule {
        name: "budget",
        about: "memory is asked for in one place, tables are read by a reader that counts",
        check: budget::check,
    },
    Rule { name: "prose", about: "no notes of unfinished work in the sources", check: prose::check },
    Rule {
        name: "exceptions",
        about: "lints come from the workspace, and no file switches them off",
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
