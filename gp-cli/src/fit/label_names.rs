//! Label names from `--labels`.

use super::order::place_of_label;
use super::spec::FitSpec;
use super::task::Task;
use crate::data::list;
use crate::encode::Labels;
use crate::error::CliError;

pub(super) fn check(task: Task, column: &str, spec: &FitSpec) -> Result<(), CliError> {
    match task {
        Task::Regression | Task::Count if !spec.labels.is_empty() => Err(CliError::usage(format!(
            "--labels names labels, and column {column} is the target of a {task}; leave it out, or say --task multiclass if its values are labels"
        ))),
        _ => Ok(()),
    }
}

/// Unique label names; empty without `--labels`. Unnamed labels keep their text. `texts`: labels in the
/// model.
pub(super) fn of(
    said: &[String],
    labels: &Labels,
    texts: &[String],
    column: &str,
) -> Result<Vec<String>, CliError> {
    let mut names = texts.to_vec();
    let mut named = vec![false; texts.len()];
    let wrong = |text: &str, why: String| Err(CliError::usage(format!("--labels {text}: {why}")));
    for text in said.iter().map(|text| text.trim()) {
        let Some((place, name)) = split(text, labels) else {
            let known: Vec<&str> = texts.iter().map(String::as_str).collect();
            return wrong(
                text,
                match text.split_once('=') {
                    None => "a label and its name are written LABEL=NAME, such as 0=no".to_owned(),
                    Some((label, name)) => {
                        let turned = place_of_label(labels, name)
                            .map_or_else(String::new, |_| format!("; the label is first: {name}={label}"));
                        format!(
                            "column {column} has no label {label}; its labels are {}{turned}",
                            list(&known)
                        )
                    }
                },
            );
        };
        if name.trim().is_empty() {
            return wrong(text, "the name is empty".to_owned());
        }
        if let Some(doubt) = doubtful(name, labels) {
            return wrong(text, doubt);
        }
        if named[place] {
            return wrong(text, format!("label {} is named twice", texts[place]));
        }
        if let Some(other) = (0..texts.len()).find(|&other| other != place && texts[other] == name) {
            return wrong(text, format!("{} is a label of column {column} itself", texts[other]));
        }
        if let Some(other) = (0..texts.len()).find(|&other| named[other] && names[other] == name) {
            return wrong(text, format!("label {} has this name already", texts[other]));
        }
        (names[place], named[place]) = (name.to_owned(), true);
    }
    Ok(if said.is_empty() { Vec::new() } else { names })
}

fn doubtful(name: &str, labels: &Labels) -> Option<String> {
    let next = name.split_whitespace().skip(1).find(|word| split(word, labels).is_some());
    next.map(|next| {
        format!("is {next} a name of its own? Separate them by commas, without blanks around them")
    })
}

/// Label index and name; labels may contain `=`.
fn split<'t>(text: &'t str, labels: &Labels) -> Option<(usize, &'t str)> {
    let mut ends = text.rmatch_indices('=').map(|(at, _)| at);
    ends.find_map(|at| Some((place_of_label(labels, &text[..at])?, &text[at + 1..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(said: &[&str]) -> Result<Vec<String>, String> {
        let texts = ["0", "1", "2"].map(str::to_owned).to_vec();
        let labels = Labels {
            names: texts.clone(),
            counts: vec![1; 3],
            weights: vec![1.0; 3],
            numbers: Some(vec![0.0, 1.0, 2.0]),
            more: false,
        };
        let said: Vec<String> = said.iter().map(|&text| text.to_owned()).collect();
        of(&said, &labels, &texts, "y").map_err(|error| error.with_causes())
    }

    #[test]
    fn labels_without_a_name_keep_their_text() {
        assert_eq!(named(&["2.0=high", "0=a=b"]).unwrap(), ["a=b", "1", "high"]);
        assert_eq!(named(&["0=no", " 1=yes"]).unwrap(), ["no", "yes", "2"]);
        assert!(named(&[]).unwrap().is_empty());
    }

    #[test]
    fn names_have_to_tell_labels_apart() {
        let refused = |said: &[&str], text: &str| {
            let found = named(said).unwrap_err();
            assert!(found.contains(text), "{found}");
        };
        refused(&["high"], "written LABEL=NAME");
        refused(&["3=x"], "column y has no label 3; its labels are 0, 1, 2");
        refused(&["high=2"], "no label high; its labels are 0, 1, 2; the label is first: 2=high");
        refused(&["0= "], "the name is empty");
        refused(&["0=a", "0=b"], "label 0 is named twice");
        refused(&["0=1"], "1 is a label of column y itself");
        refused(&["0=a", "1=a"], "label 0 has this name already");
        refused(&["0=no 1=yes"], "is 1=yes a name of its own? Separate them by commas");
    }
}
