//! Source code without comments, empty lines and tests.

use sha2::{Digest, Sha256};

const TESTS: &str = "#[cfg(test)]\nmod tests {";

pub(crate) fn essence(source: &str) -> impl Iterator<Item = &str> {
    let code = source.split_once(TESTS).map_or(source, |(code, _)| code);
    code.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"))
}

/// Checksum of code in eight hexadecimal digits.
pub(crate) fn fingerprint(sources: &[&str]) -> String {
    let mut hash = Sha256::new();
    for line in sources.iter().flat_map(|source| essence(source)) {
        hash.update(line);
        hash.update("\n");
    }
    hash.finalize().iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_tests_make_no_difference_and_code_does() {
        let tests = "#[cfg(test)]\nmod tests {\n}\n";
        let with = |code: &str| fingerprint(&[&format!("//! Title.\n\n{code}\n{tests}")]);
        let of = fingerprint(&["    let a = 1;\n"]);
        assert_eq!(with("let a = 1;"), of);
        assert_eq!(with("let a = 1;\n// Why.\n"), of);
        assert_ne!(with("let a = 2;"), of);
        assert_eq!(of.len(), 8);
    }
}
