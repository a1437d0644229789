//! Temporary workspace in which tests plant faults.

use std::path::Path;

use tempfile::TempDir;

use crate::tidy::finding::Finding;
use crate::tidy::tree::Tree;

type Check = fn(&Tree) -> Vec<Finding>;

const LIBRARIES: [(&str, &str); 7] = [
    ("gp-linalg", ""),
    ("gp-kernels", "gp-linalg.workspace = true\ngp-optim.workspace = true\n"),
    ("gp-likelihoods", "gp-optim.workspace = true\n"),
    ("gp-optim", ""),
    ("gp-ep", "gp-linalg.workspace = true\ngp-likelihoods.workspace = true\n"),
    ("gp-variational", "gp-kernels.workspace = true\ngp-optim.workspace = true\n"),
    ("gp-cli", "gp-ep.workspace = true\ngp-variational.workspace = true\n"),
];

const LIBRARY: &str = "\
//! A library.
//!
//! ```
//! assert_eq!(1 + 1, 2);
//! ```

/// Rows first, then columns.
pub fn shape() {}
";

const WORKSPACE: &str = "\
[workspace]
members = [\"gp-linalg\", \"gp-kernels\", \"gp-likelihoods\", \"gp-optim\", \"gp-ep\", \"gp-variational\", \"gp-cli\", \"xtask\"]
";

pub(crate) struct Fixture {
    folder: TempDir,
}

impl Fixture {
    /// Eight crates without findings.
    pub(crate) fn clean() -> Self {
        let fixture = Self { folder: tempfile::tempdir().unwrap() };
        fixture.write("Cargo.toml", WORKSPACE);
        for (name, dependencies) in LIBRARIES {
            fixture.add_crate(name, dependencies);
            fixture.write(&format!("{name}/src/lib.rs"), LIBRARY);
        }
        fixture.add_crate("xtask", "gp-cli.workspace = true\n");
        fixture.write("xtask/src/main.rs", "//! Commands.\n\nfn main() {}\n");
        fixture.append("gp-kernels/src/lib.rs", "\nmod kernels;\nmod registry;\n");
        fixture.write("gp-kernels/src/kernels/mod.rs", "//! The kernels.\n\nmod rbf;\n");
        fixture.write("gp-kernels/src/kernels/rbf.rs", "//! The Gaussian kernel.\n");
        fixture.write("gp-kernels/src/registry.rs", "//! The kernels by name.\n\nuse crate::kernels::rbf;\n");
        fixture.write(
            "gp-kernels/tests/suite/conformance.rs",
            "//! Conformance.\n\nuse gp_kernels::registry;\n",
        );
        fixture.write("gp-kernels/tests/suite/main.rs", "//! Tests.\n\nmod conformance;\n");
        fixture
    }

    fn add_crate(&self, name: &str, dependencies: &str) {
        let manifest = format!(
            "[package]\nname = \"{name}\"\n\n[lints]\nworkspace = true\n\n[dependencies]\n{dependencies}"
        );
        self.write(&format!("{name}/Cargo.toml"), &manifest);
        self.write(&format!("{name}/README.md"), &format!("# {name}\n"));
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::load(self.root()).unwrap()
    }

    pub(crate) fn findings(&self, check: Check) -> Vec<Finding> {
        let mut findings = check(&self.tree());
        findings.sort();
        findings
    }

    pub(crate) fn expect_none(&self, check: Check) {
        let findings = self.findings(check);
        assert!(findings.is_empty(), "{findings:#?}");
    }

    /// Asserts a single finding, with place and words.
    pub(crate) fn expect_one(&self, check: Check, path: &str, line: usize, words: &str) {
        let findings = self.findings(check);
        assert_eq!(findings.len(), 1, "{findings:#?}");
        assert_eq!((findings[0].path.as_str(), findings[0].line), (path, line), "{findings:#?}");
        assert!(findings[0].message.contains(words), "`{words}` is not in {findings:#?}");
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub(crate) fn append(&self, path: &str, text: &str) {
        self.write(path, &(self.text(path) + text));
    }

    pub(crate) fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.text(path);
        assert_eq!(text.matches(old).count(), 1, "`{old}` in {path}");
        self.write(path, &text.replace(old, new));
    }

    pub(crate) fn remove(&self, path: &str) {
        std::fs::remove_file(self.root().join(path)).unwrap();
    }

    /// Line at which `text` starts.
    pub(crate) fn line_of(&self, path: &str, text: &str) -> usize {
        let content = self.text(path);
        let offset = content.find(text).unwrap();
        1 + content[..offset].matches('\n').count()
    }

    pub(crate) fn line_count(&self, path: &str) -> usize {
        self.text(path).lines().count()
    }

    fn text(&self, path: &str) -> String {
        std::fs::read_to_string(self.root().join(path)).unwrap()
    }
}
