//! Words with a default order.

use crate::data::quoted;

/// Ordered scales; near-synonyms are adjacent.
const SCALES: [&[&str]; 17] = [
    &[
        "lowest",
        "very low",
        "low",
        "moderate",
        "medium",
        "mid",
        "middle",
        "average",
        "high",
        "very high",
        "highest",
    ],
    &[
        "terrible",
        "very poor",
        "very bad",
        "poor",
        "bad",
        "fair",
        "ok",
        "okay",
        "average",
        "good",
        "very good",
        "great",
        "excellent",
    ],
    &["xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"],
    &["tiny", "very small", "small", "medium", "large", "very large", "huge"],
    &["never", "rarely", "seldom", "occasionally", "sometimes", "often", "frequently", "usually", "always"],
    &["strongly disagree", "disagree", "neutral", "neither agree nor disagree", "agree", "strongly agree"],
    &["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
    &["none", "no", "minimal", "slight", "mild", "moderate", "severe", "very severe", "critical", "extreme"],
    &["much worse", "worse", "same", "unchanged", "better", "much better"],
    &["freezing", "cold", "cool", "mild", "warm", "hot"],
    &["very slow", "slow", "medium", "normal", "fast", "very fast"],
    &["very light", "light", "medium", "heavy", "very heavy"],
    &["very short", "short", "medium", "average", "long", "tall", "very long", "very tall"],
    &["beginner", "novice", "intermediate", "advanced", "expert"],
    &["fail", "pass", "merit", "distinction"],
    &["bronze", "silver", "gold", "platinum"],
    &["young", "middle aged", "old"],
];

/// Value of `--order` for words of one scale.
pub(crate) fn default_order(labels: &[String]) -> Option<String> {
    SCALES.iter().filter(|_| labels.len() > 2).find_map(|scale| ordered(labels, scale))
}

fn ordered(labels: &[String], scale: &[&str]) -> Option<String> {
    let places = labels.iter().map(|label| place_on(scale, label)).collect::<Option<Vec<usize>>>()?;
    let mut found: Vec<(usize, &String)> = places.into_iter().zip(labels).collect();
    found.sort();
    let are_distinct = found.windows(2).all(|pair| pair[0].0 < pair[1].0);
    let order = found.iter().map(|(_, label)| quoted(label)).collect::<Vec<_>>().join(",");
    are_distinct.then(|| if order.contains(' ') { format!("\"{order}\"") } else { order })
}

fn place_on(scale: &[&str], label: &str) -> Option<usize> {
    let plain = label.trim().to_lowercase().replace(['_', '-'], " ");
    scale.iter().position(|word| *word == plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_one_scale_have_its_order() {
        let of = |labels: &[&str]| {
            default_order(&labels.iter().map(|&label| label.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(of(&["fair", "good", "poor"]).as_deref(), Some("poor,fair,good"));
        assert_eq!(of(&["High", "Low", "Medium"]).as_deref(), Some("Low,Medium,High"));
        assert_eq!(of(&["L", "M", "S", "XL"]).as_deref(), Some("S,M,L,XL"));
        assert_eq!(of(&["high", "low", "very_low"]).as_deref(), Some("very_low,low,high"));
        assert_eq!(of(&["high", "low", "very low"]).as_deref(), Some("\"very low,low,high\""));
        for others in [
            &["red", "green", "blue"][..],
            &["low", "high"],
            &["low", "high", "good"],
            &["Low", "low", "high"],
        ] {
            assert_eq!(of(others), None, "{others:?}");
        }
    }
}
