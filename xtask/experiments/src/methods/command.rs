//! Runs of the `gp` command.

use crate::data::PlainSplit;
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome};
use crate::methods::scores::timed;
use gp_cli::Context;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Index of the 95 % interval of `gp eval`.
const WIDEST: usize = 2;

/// Fits with `gp fit TABLE --target COLUMN`, scores with `gp eval`. Classes: `nll` (`log_loss`), `error`;
/// numbers: `smll` (`msll`), `smse`, `coverage` at 95 %; all: `seconds` of the fit with file access,
/// `converged`. Leaves the model file in `folder`.
pub(crate) fn by_default(
    names: &Context,
    split: &PlainSplit,
    folder: &Path,
) -> Result<Outcome, ExperimentError> {
    let model = folder.join("model.gp");
    let (training, test) = (split.training.as_os_str(), split.test.as_os_str());
    let word = OsStr::new;
    let fit =
        [word("fit"), training, word("--target"), word(&split.target), word("--output"), model.as_os_str()];
    let (said, seconds) = timed(|| gp(names, &fit))?;
    let scores = gp(names, &[word("eval"), model.as_os_str(), test])?;
    let converged = said["converged"].as_bool().map_or(f64::NAN, |yes| f64::from(u8::from(yes)));
    let effort =
        Effort::ended(said["reason"].as_str().unwrap_or("unknown"), said["iterations"].as_u64().unwrap_or(0));
    let found = Outcome::of([("seconds", seconds), ("converged", converged)]).by(effort);
    Ok(of_eval(&scores["scores"]["gp"], found))
}

fn of_eval(scores: &Value, found: Outcome) -> Outcome {
    let known = [
        ("nll", &scores["log_loss"]),
        ("error", &scores["error"]),
        ("smll", &scores["msll"]),
        ("smse", &scores["smse"]),
        ("coverage", &scores["coverage"][WIDEST]),
    ];
    let known = known.into_iter().filter_map(|(name, value)| Some((name, value.as_f64()?)));
    known.fold(found, |found, (name, value)| found.with(name, value))
}

pub(crate) fn gp(names: &Context, words: &[&OsStr]) -> Result<Value, ExperimentError> {
    let text = printed(names, &[words, &[OsStr::new("--json")]].concat())?;
    serde_json::from_str(&text)
        .map_err(|cause| ExperimentError::Command { code: 0, said: format!("{cause} in {text}") })
}

/// Output without progress, or the failed command's message.
pub(crate) fn printed(names: &Context, words: &[&OsStr]) -> Result<String, ExperimentError> {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let ends = [&[OsStr::new("gp")], words, &[OsStr::new("--quiet")]];
    let line = ends.concat().into_iter().map(OsString::from);
    let code = gp_cli::run(names, line, &mut out, &mut err);
    if code != 0 {
        let said = String::from_utf8_lossy(&err).trim().to_owned();
        return Err(ExperimentError::Command { code, said });
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_command_that_fails_says_why() {
        let words = ["fit", "none.csv", "--target", "y"].map(OsStr::new);
        let refused = gp(&Context::built_in(), &words).unwrap_err().to_string();
        assert!(refused.contains("code 7") && refused.contains("none.csv"), "{refused}");
    }

    #[test]
    fn scores_are_those_that_the_target_has() {
        let number = json!({"msll": -1.0, "smse": 0.1, "coverage": [0.5, 0.8, 0.9], "nlpd": 3.0});
        let names = |outcome: Outcome| outcome.scores.into_keys().collect::<Vec<_>>();
        assert_eq!(names(of_eval(&number, Outcome::default())), ["coverage", "smll", "smse"]);
        let class = json!({"log_loss": 0.3, "error": 0.1, "brier": 0.2});
        assert_eq!(names(of_eval(&class, Outcome::default())), ["error", "nll"]);
    }
}
