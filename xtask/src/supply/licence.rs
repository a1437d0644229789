//! SPDX licence expressions.

pub(super) fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    // Older manifests write alternatives with a slash.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    choice(&mut rest, allowed).is_some_and(|holds| holds && rest.is_empty())
}

fn choice(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut holds = conjunction(words, allowed)?;
    while take(words, "OR") {
        holds |= conjunction(words, allowed)?;
    }
    Some(holds)
}

fn conjunction(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    let mut holds = licence(words, allowed)?;
    while take(words, "AND") {
        holds &= licence(words, allowed)?;
    }
    Some(holds)
}

fn licence(words: &mut &[&str], allowed: &[String]) -> Option<bool> {
    if take(words, "(") {
        let holds = choice(words, allowed)?;
        return take(words, ")").then_some(holds);
    }
    let (name, rest) = words.split_first()?;
    *words = rest;
    // An exception only adds permissions.
    if take(words, "WITH") {
        *words = words.split_first()?.1;
    }
    Some(allowed.iter().any(|allowed| allowed == name))
}

fn take(words: &mut &[&str], word: &str) -> bool {
    let found = words.first() == Some(&word);
    if found {
        *words = &words[1..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_choices_of_conjunctions() {
        let allowed = ["MIT", "Apache-2.0"].map(str::to_owned);
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "MIT AND Apache-2.0",
            "(MIT OR GPL-3.0) AND Apache-2.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "(MIT OR GPL-3.0", "MIT OR", "", "MIT MIT", ") MIT"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }
}
