//! Suggestions for unknown names.

/// Minimum length to match one word.
const SHORTEST_PART: usize = 3;

/// Most similar known name.
///
/// Similar: equal but for case, a word of the known name, or at most one edit (insertion, deletion,
/// substitution, swap) per three letters.
///
/// ```
/// use gp_optim::similar;
/// let known = ["poisson", "bernoulli_probit", "gaussian"];
/// assert_eq!(similar("poison", known), Some("poisson"));
/// assert_eq!(similar("probit", known), Some("bernoulli_probit"));
/// assert_eq!(similar("weibull", known), None);
/// ```
#[must_use]
pub fn similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = name.to_lowercase();
    let letters: Vec<char> = lower.chars().collect();
    let most = (letters.len() / 3).max(1);
    let rated = known.into_iter().filter_map(|other| {
        let theirs = other.to_lowercase();
        let is_part =
            letters.len() >= SHORTEST_PART && theirs.split(['_', '-', ' ']).any(|word| word == lower);
        let distance = match is_part {
            true => 1,
            false => changes(&letters, &theirs.chars().collect::<Vec<_>>()),
        };
        // Single letters must be equal: one change turns any into any other.
        (distance <= most && distance < letters.len()).then_some((distance, other))
    });
    rated.min_by_key(|(distance, _)| *distance).map(|(_, other)| other)
}

/// Message suffix `; did you mean …?`, or empty.
///
/// ```
/// assert_eq!(gp_optim::did_you_mean("rfb", ["rbf", "linear"]), "; did you mean `rbf`?");
/// assert_eq!(gp_optim::did_you_mean("xyz", ["rbf", "linear"]), "");
/// ```
#[must_use]
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    similar(name, known).map_or_else(String::new, |other| format!("; did you mean `{other}`?"))
}

/// Optimal string alignment distance.
fn changes(a: &[char], b: &[char]) -> usize {
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=b.len()).collect()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        let [before_last, last, row] = &mut rows;
        row.clear();
        row.push(i);
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before_last[j - 2] + 1);
            }
            row.push(least);
        }
    }
    rows[2].last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_counted() {
        let of = |a: &str, b: &str| changes(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        for (a, b, expected) in
            [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("rfb", "rbf", 1), ("abcd", "acbd", 1)]
        {
            assert_eq!((of(a, b), of(b, a)), (expected, expected), "{a} {b}");
        }
    }

    #[test]
    fn the_nearest_is_meant() {
        assert_eq!(similar("Alcohol", ["ash", "alcohol"]), Some("alcohol"));
        assert_eq!(similar("matern", ["matern12", "matern32"]), Some("matern12"));
        assert_eq!(similar("softmx", ["softmax", "robustmax"]), Some("softmax"));
        assert_eq!(similar("x", ["y", "z"]), None);
        assert_eq!(similar("y", ["Y"]), Some("Y"));
        assert_eq!(similar("ab", ["xy"]), None);
    }
}
