//! Tick names, shortened to avoid overlaps.

/// Minimum length, so that shortened names differ.
const LEAST: usize = 4;
const CUT: char = '…';

/// Names within `letters` characters in total: full, without common beginning, shortened, some empty.
pub(super) fn fitting(names: &[String], letters: usize) -> Vec<String> {
    let room = |every: usize| (letters * every / names.len().max(1)).saturating_sub(1);
    let longest = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    if longest(names) <= room(1) {
        return names.to_vec();
    }
    let names = without_beginning(names);
    let least = longest(&names).min(LEAST);
    let every = (1..names.len()).find(|&every| room(every) >= least).unwrap_or(names.len().max(1));
    let shown = |(place, name): (usize, &String)| {
        if place % every == 0 { cut(name, room(every).max(1)) } else { String::new() }
    };
    names.iter().enumerate().map(shown).collect()
}

fn cut(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain([CUT]).collect()
}

/// Removes common beginnings longer than [`CUT`].
fn without_beginning(names: &[String]) -> Vec<String> {
    let Some((first, others)) = names.split_first() else { return Vec::new() };
    let alike = |name: &String| first.chars().zip(name.chars()).take_while(|(a, b)| a == b).count();
    let shared = others.iter().map(alike).min().unwrap_or(0);
    // Numbers stay whole: in `street 10` and `street 11`, the 1 is not common.
    let whole = first.chars().take(shared).collect::<String>();
    let shared = whole.trim_end_matches(char::is_alphanumeric).chars().count();
    if shared <= 1 {
        return names.to_vec();
    }
    names.iter().map(|name| std::iter::once(CUT).chain(name.chars().skip(shared)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitted(names: &[&str], letters: usize) -> Vec<String> {
        fitting(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), letters)
    }

    #[test]
    fn names_that_fit_stay() {
        assert_eq!(fitted(&["red", "green", "blue"], 18), ["red", "green", "blue"]);
        assert!(fitted(&[], 10).is_empty());
    }

    #[test]
    fn what_all_begin_with_goes_first() {
        let names = ["the shop in street 10", "the shop in street 11", "the shop in street 2"];
        assert_eq!(fitted(&names, 18), ["…10", "…11", "…2"]);
    }

    #[test]
    fn long_names_are_cut_and_crowded_ones_left_out() {
        assert_eq!(fitted(&["mahogany", "ebony", "pine"], 20), ["maho…", "ebony", "pine"]);
        let many: Vec<String> = (0..10).map(|i| format!("{i}-long-name")).collect();
        let shown = fitting(&many, 20);
        assert_eq!(shown.iter().filter(|name| !name.is_empty()).count(), 4);
        assert_eq!(shown[3], "3-lo…");
        assert!(shown[0].chars().count() < 6 && shown[1].is_empty());
    }
}
