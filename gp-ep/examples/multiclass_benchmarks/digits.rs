//! Handwritten digits in mini-batches: B = M = 200, Adam.

use crate::data::{self, DataSet};
use crate::{model, score};
use faer::Mat;
use gp_ep::power_ep::{InnerOptions, MiniBatchEp, Moment, Sharing};
use gp_ep::{EpError, Table};
use gp_optim::{Adam, Batches};
use std::time::Instant;

const SIZE: usize = 200;
/// Steps between two looks at the test set.
const LEG: u64 = 300;

/// Images as numbers between 0 and 1, labels from 0 to 9.
fn digits(name: &str) -> Option<DataSet> {
    let images = data::bytes(&format!("mnist/{name}-images-idx3-ubyte.gz"))?;
    let labels = data::bytes(&format!("mnist/{name}-labels-idx1-ubyte.gz"))?;
    let (pixels, labels) = (images.get(16..)?, labels.get(8..)?);
    let dim = pixels.len() / labels.len();
    let inputs = Mat::from_fn(dim, labels.len(), |d, i| f64::from(pixels[i * dim + d]) / 255.0);
    // One image after the other: batches gather images.
    Some(DataSet {
        inputs: inputs.transpose().to_owned(),
        targets: labels.iter().map(|&y| f64::from(y)).collect(),
    })
}

/// Trains for so many steps, and says every now and then how good predictions are.
pub(crate) fn run(own: bool, steps: u64, rate: f64) -> Result<(), EpError> {
    let (Some(training), Some(test)) = (digits("train"), digits("t10k")) else { return Ok(()) };
    let sharing = if own { Sharing::Own } else { Sharing::Tied };
    let data = Table::with_targets(training.inputs.as_ref(), &training.targets)?;
    let mut model = model(10, training.inputs.as_ref(), SIZE, 0.3)?;
    println!("sharing {sharing:?}; seconds of training, steps, error, NLL");
    let mut options = InnerOptions::default();
    (options.ep.step, options.steps) = (0.99, steps);
    // Looking at the test set is no training.
    let (start, mut looking) = (Instant::now(), 0.0);
    let watch = |now: Moment<'_, MiniBatchEp>| {
        let steps = now.progress.evaluation;
        if steps.is_power_of_two() || steps.is_multiple_of(LEG) {
            let seconds = start.elapsed().as_secs_f64();
            match now.state.predictor(now.model).and_then(|predictor| score(&predictor, &test)) {
                Ok((error, nll)) => println!("{:8.1}  {steps:6}  {error:.4}  {nll:.4}", seconds - looking),
                Err(error) => println!("step {steps}: {error}"),
            }
            looking += start.elapsed().as_secs_f64() - seconds;
        }
    };
    let batches = Batches::shuffled(training.targets.len(), SIZE, 1)?;
    model.train_in_batches(&data, sharing, batches, Adam::with_rate(rate), &options, watch)?;
    Ok(())
}
