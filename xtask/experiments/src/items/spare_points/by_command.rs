//! `gp fit` and `gp eval` on the rows of a split.

use super::crowding;
use crate::data::{Part, Split};
use crate::error::ExperimentError;
use crate::harness::{Effort, Outcome};
use crate::methods::command::gp;
use crate::methods::scores::timed;
use gp_cli::Context;
use gp_cli::model::Model;
use serde_json::Value;
use std::ffi::OsStr;
use std::fmt::Write as _;

pub(super) fn run(
    names: &Context,
    split: &Split,
    (power, inducing): (f64, usize),
    (iterations, flags): (u64, &str),
) -> Result<Outcome, ExperimentError> {
    let folder = tempfile::tempdir()?;
    let [training, test, model] = ["train.csv", "test.csv", "model.gp"].map(|name| folder.path().join(name));
    std::fs::write(&training, table(&split.training))?;
    std::fs::write(&test, table(&split.test))?;
    let of_power = method(power);
    let fixed = format!("--target y --inducing {inducing} --iterations {iterations} {of_power} {flags}");
    let flags = fixed.split_whitespace().map(OsStr::new);
    let files = [training.as_os_str(), OsStr::new("--output"), model.as_os_str()];
    let fit: Vec<&OsStr> = [OsStr::new("fit")].into_iter().chain(files).chain(flags).collect();
    let (said, seconds) = timed(|| gp(names, &fit))?;
    let scores = gp(names, &[OsStr::new("eval"), model.as_os_str(), test.as_os_str()])?;
    let found = Model::load(&model, names)?;
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let (log_z, rows) = (number(&said["objective"]), split.training.len() as f64);
    let count = said["iterations"].as_u64().unwrap_or(0);
    let outcome = Outcome::of([
        ("log Z", log_z),
        ("log Z per row", log_z / rows),
        ("nlpd", number(&scores["scores"]["gp"]["nlpd"]) + split.log_units()),
        ("iterations", count as f64),
        ("seconds", seconds),
    ]);
    let effort = Effort::ended(said["reason"].as_str().unwrap_or("unknown"), count).with("flags", &fixed);
    let functions = found.posterior().describe();
    let through = functions.first().and_then(|latent| Some((latent.kernel, latent.represented_by?)));
    let described = through.map_or(Ok(outcome.clone()), |(kernel, z)| crowding::describe(outcome, kernel, z));
    Ok(described?.by(effort))
}

fn method(power: f64) -> String {
    match power {
        0.0 => "--method vfe".to_owned(),
        1.0 => "--method fitc".to_owned(),
        power => format!("--method pep --alpha {power}"),
    }
}

fn table(part: &Part) -> String {
    let mut text: String = (1..=part.dim()).map(|d| format!("x{d},")).collect::<String>() + "y\n";
    for (i, y) in part.labels().into_iter().enumerate() {
        // Writing to a string cannot fail.
        part.inputs.row(i).iter().for_each(|x| _ = write!(text, "{x},"));
        _ = writeln!(text, "{y}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::mat;

    #[test]
    fn tables_and_methods_are_as_they_should_be() {
        let part = Part { inputs: mat![[0.5, -1.0], [2.0, 3.0]], targets: mat![[1.5], [0.25]] };
        assert_eq!(table(&part), "x1,x2,y\n0.5,-1,1.5\n2,3,0.25\n");
        assert_eq!(
            [0.0, 0.5, 1.0].map(method),
            ["--method vfe", "--method pep --alpha 0.5", "--method fitc"]
        );
    }
}
