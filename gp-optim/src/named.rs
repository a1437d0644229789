//! Look-up of names and aliases.

/// Positions of the best matches.
///
/// Exact names, else other case or underscores, else aliases; several if ambiguous.
///
/// ```
/// use gp_optim::named;
/// let known: [(&str, &[&str]); 3] = [("rbf", &["se"]), ("matern12", &["matern"]), ("matern32", &["matern"])];
/// assert_eq!(named("RBF", known), [0]);
/// assert_eq!(named("se", known), [0]);
/// assert_eq!(named("matern", known), [1, 2]);
/// assert!(named("linear", known).is_empty());
/// ```
#[must_use]
pub fn named<'a>(name: &str, known: impl IntoIterator<Item = (&'a str, &'a [&'a str])>) -> Vec<usize> {
    let (wanted, mut found) = (folded(name), [const { Vec::new() }; 3]);
    for (place, (other, aliases)) in known.into_iter().enumerate() {
        let rank = if other == name {
            0
        } else if folded(other) == wanted {
            1
        } else if aliases.iter().any(|alias| folded(alias) == wanted) {
            2
        } else {
            continue;
        };
        found[rank].push(place);
    }
    found.into_iter().find(|places| !places.is_empty()).unwrap_or_default()
}

fn folded(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_itself_comes_before_other_spellings_and_aliases() {
        let known: [(&str, &[&str]); 4] = [("se", &[]), ("SE", &[]), ("rbf", &["se", "x_y"]), ("xy", &[])];
        assert_eq!(named("se", known), [0]);
        assert_eq!(named("Se", known), [0, 1]);
        assert_eq!(named("x_Y", known), [3]);
        assert!(named("", known).is_empty());
    }
}
