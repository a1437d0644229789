//! Small data sets in whole batches.

use crate::data::{self, DataSet};
use crate::{model, partitions, score};
use gp_ep::power_ep::{GradientKind, InnerOptions, Moment, Sharing};
use gp_ep::{BatchEp, EpError, EpOptions, Level, Table};
use gp_optim::{Batches, MinimiseOptions, SignAdaptive};
use std::time::Instant;

const SETS: [(&str, usize); 8] = [
    ("glass", 6),
    ("new-thyroid", 3),
    ("satellite", 6),
    ("svmguide2", 3),
    ("vehicle", 4),
    ("vowel", 6),
    ("waveform", 3),
    ("wine", 3),
];
const STEPS: u64 = 250;
const RATE: f64 = 0.01;

#[derive(Clone, Copy, Debug)]
enum Method {
    Ep,
    Sep,
    Gfitc,
}

/// Error, NLL and seconds of training.
fn once(method: Method, classes: usize, training: &DataSet, test: &DataSet) -> Result<[f64; 3], EpError> {
    let data = Table::with_targets(training.inputs.as_ref(), &training.targets)?;
    let m = (training.targets.len() as f64 * 0.05).ceil() as usize;
    let mut model = model(classes, training.inputs.as_ref(), m, 1.0)?;
    let (start, rule) = (Instant::now(), SignAdaptive::with_rate(RATE));
    let mut inner = InnerOptions::default();
    inner.steps = STEPS;
    let predictor = match method {
        Method::Ep => model.train_inner(&data, rule, &inner, |_| {})?.state.predictor(&model)?,
        Method::Sep => {
            let batches = Batches::whole(training.targets.len())?;
            let trained = model.train_in_batches(&data, Sharing::Tied, batches, rule, &inner, |_| {})?;
            trained.state.predictor(&model)?
        }
        Method::Gfitc => {
            model = model.with_level(Level::Latent);
            let options = MinimiseOptions { max_iterations: STEPS, ..MinimiseOptions::default() };
            // As far as a gradient needs it.
            let ep = EpOptions { tolerance: 1e-4, log_z_tolerance: 1e-6, ..EpOptions::default() };
            model.train_outer(&data, &ep, &options, |_| {})?.state.predictor(&model)?
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    let (error, nll) = score(&predictor, test)?;
    Ok([error, nll, seconds])
}

/// Means and standard errors over the first splits.
pub(crate) fn run(splits: usize, asked: &[String]) -> Result<(), EpError> {
    println!("data         method  splits  error          NLL            seconds");
    for (name, classes) in SETS {
        if !asked.is_empty() && !asked.iter().any(|asked| asked == name) {
            continue;
        }
        let table = data::table(&format!("multiclass/{name}.csv"));
        let (Some(set), Some(all)) = (table, partitions::both_sets(&format!("splits/{name}_pep20.csv.gz")))
        else {
            continue;
        };
        for method in [Method::Ep, Method::Sep, Method::Gfitc] {
            let mut found = Vec::new();
            for (training, test) in all.iter().take(splits) {
                let (training, test) = set.classes(training, test);
                match once(method, classes, &training, &test) {
                    Ok(one) => found.push(one),
                    Err(error) => println!("{name:12} {method:6?}  failed: {error}"),
                }
            }
            let count = found.len() as f64;
            let mean = |k: usize| found.iter().map(|one| one[k]).sum::<f64>() / count;
            let deviation = |k: usize| {
                let squares: f64 = found.iter().map(|one| (one[k] - mean(k)).powi(2)).sum();
                (squares / (count - 1.0).max(1.0) / count).sqrt()
            };
            println!(
                "{name:12} {method:6?}  {count:6}  {:.3} ± {:.3}  {:.3} ± {:.3}  {:7.1}",
                mean(0),
                deviation(0),
                mean(1),
                deviation(1),
                mean(2),
            );
        }
    }
    Ok(())
}

/// The estimate of log Z against seconds for the three schemes of Figure 1: EP to rest for every step, one sweep a step
/// with the gradient of rest, one sweep a step with that of the estimate. Vehicle, M = N/5, first split.
pub(crate) fn schemes() -> Result<(), EpError> {
    let splits = partitions::both_sets("splits/vehicle_pep20.csv.gz").unwrap_or_default();
    let (Some(set), Some((training, test))) = (data::table("multiclass/vehicle.csv"), splits.first()) else {
        return Ok(());
    };
    let (training, test) = set.classes(training, test);
    let data = Table::with_targets(training.inputs.as_ref(), &training.targets)?;
    println!(
        "scheme        seconds for 1/4, 1/2, 3/4 and all of {STEPS} steps, with log Z there; log Z at rest"
    );
    for (name, sweeps, gradient) in [
        ("outer", 500, GradientKind::AtRest),
        ("inner", 1, GradientKind::AtRest),
        ("inner, exact", 1, GradientKind::OfEstimate),
    ] {
        let mut model = model(4, training.inputs.as_ref(), training.targets.len() / 5, 1.0)?;
        let (start, mut course) = (Instant::now(), Vec::new());
        let watch = |now: Moment<'_, BatchEp>| {
            course.push((start.elapsed().as_secs_f64(), now.progress.log_posterior));
        };
        let ep = EpOptions { tolerance: 1e-3, log_z_tolerance: 1e-5, ..EpOptions::default() };
        let mut options = InnerOptions::default();
        (options.steps, options.sweeps, options.gradient, options.ep) = (STEPS, sweeps, gradient, ep);
        let mut trained = model.train_inner(&data, SignAdaptive::with_rate(RATE), &options, watch)?;
        trained.state.converge(&model, &EpOptions::default())?;
        let log_z = trained.state.log_z(&model)?;
        let (error, nll) = score(&trained.state.predictor(&model)?, &test)?;
        let at = |part: usize| course.get((course.len() * part / 4).saturating_sub(1)).copied();
        let text: Vec<String> = (1..=4).filter_map(at).map(|(t, z)| format!("{t:6.1} s {z:8.1}")).collect();
        println!("{name:13} {}  {log_z:8.1}  error {error:.3}, NLL {nll:.3}", text.join("  "));
    }
    Ok(())
}
