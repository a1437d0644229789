//! Functions and files stay short enough to be read.

use proc_macro2::Span;
use syn::visit::{self, Visit};

use crate::tidy::finding::Finding;
use crate::tidy::tree::{SourceFile, Tree};

/// Lines of a function, from its signature to its closing brace.
const FUNCTION_LINES: usize = 100;
/// Lines of a file.
const FILE_LINES: usize = 600;

/// Findings about long functions and files, tests included.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    tree.sources().flat_map(check_source).collect()
}

fn check_source(source: &SourceFile) -> Vec<Finding> {
    let mut functions = LongFunctions { path: &source.path, findings: Vec::new() };
    functions.visit_file(&source.syntax);
    let lines = source.text.lines().count();
    if lines > FILE_LINES {
        let message = format!("split this file: it has {lines} lines, {FILE_LINES} is the limit");
        functions.findings.push(Finding::new(&source.path, FILE_LINES + 1, message));
    }
    functions.findings
}

struct LongFunctions<'a> {
    path: &'a str,
    findings: Vec<Finding>,
}

impl LongFunctions<'_> {
    fn measure(&mut self, signature: &syn::Signature, closing_brace: Span) {
        let first = signature.fn_token.span.start().line;
        let lines = closing_brace.end().line + 1 - first;
        if lines > FUNCTION_LINES {
            let message =
                format!("split `{}`: it has {lines} lines, {FUNCTION_LINES} is the limit", signature.ident);
            self.findings.push(Finding::new(self.path, first, message));
        }
    }
}

impl<'ast> Visit<'ast> for LongFunctions<'_> {
    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.measure(&function.sig, function.block.brace_token.span.close());
        visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.measure(&function.sig, function.block.brace_token.span.close());
        visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        if let Some(block) = &function.default {
            self.measure(&function.sig, block.brace_token.span.close());
        }
        visit::visit_trait_item_fn(self, function);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::fixture::Fixture;

    /// A function of exactly this many lines, comments and blank lines counted.
    fn function(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    // One line.\n".repeat(lines - 2))
    }

    #[test]
    fn a_clean_tree_passes() {
        Fixture::clean().expect_none(check);
    }

    #[test]
    fn a_function_over_the_limit_is_seen_wherever_it_stands() {
        for (before, after) in [("", ""), ("impl S {\n", "}\n"), ("trait T {\n", "}\n"), ("mod m {\n", "}\n")]
        {
            for lines in [FUNCTION_LINES, FUNCTION_LINES + 1] {
                let fixture = Fixture::clean();
                let code = format!(
                    "//! Long.\n/// Documentation\n/// does not count.\n{before}{}{after}",
                    function(lines)
                );
                fixture.write("gp-ep/src/long.rs", &code);
                if lines > FUNCTION_LINES {
                    let line = fixture.line_of("gp-ep/src/long.rs", "fn long");
                    fixture.expect_one(check, "gp-ep/src/long.rs", line, "split `long`: it has 101 lines");
                } else {
                    fixture.expect_none(check);
                }
            }
        }
    }

    #[test]
    fn a_file_over_the_limit_is_seen() {
        let fixture = Fixture::clean();
        fixture.write("gp-ep/tests/long.rs", &"// One line.\n".repeat(FILE_LINES));
        fixture.expect_none(check);
        fixture.append("gp-ep/tests/long.rs", "// One more.\n");
        fixture.expect_one(check, "gp-ep/tests/long.rs", FILE_LINES + 1, "split this file: it has 601 lines");
    }
}
