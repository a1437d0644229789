//! Threads and the source of the data change no bits.

use super::support::{Problem, model};
use faer::Mat;
use gp_kernels::data::{DataSource, RowReader, Table};
use gp_linalg::Threading;
use gp_optim::{Adam, Batches, ParameterSet as _};
use gp_variational::savigp::{Bound, BoundLearning, Covariance, Mixture};
use gp_variational::{Draws, Expectation, Inference as _, Learning, NaturalOptions, Sampling, Savigp, Steps};
use std::io::Cursor;

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn sampled(model: Savigp, draws: Draws) -> Savigp {
    let sampling = Sampling { samples: 10, draws, ..Sampling::default() };
    model.with_expectation(Expectation::Sampled(sampling)).unwrap()
}

/// Bits of gradients and training; 1100 observations exceed one lane.
fn run(threading: Threading, data: &dyn DataSource, problem: &Problem) -> Vec<u64> {
    let mut all = Vec::new();
    let base = model("softmax(classes=3)", &problem.inducing(20)).with_threading(threading);
    let mixture = Mixture::spread(base.posterior().counts(), Covariance::Full, 2, 1).unwrap();
    for draws in [Draws::Random, Draws::QuasiRandom] {
        let model = sampled(base.clone(), draws).with_posterior(mixture.clone()).unwrap();
        let mut gradient = vec![0.0; model.parameter_count()];
        all.push(Bound::new(&model, data).unwrap().gradient(&model, &mut gradient).unwrap());
        all.extend(gradient);
    }
    let mut model = sampled(base, Draws::Random);
    let options = NaturalOptions { max_steps: 2, ..NaturalOptions::default() };
    let mut bound = Bound::new(&model, data).unwrap();
    all.push(model.converge(&mut bound, &options).unwrap().bound);
    let batches = Batches::shuffled(data.count(), 400, 1).unwrap();
    let how = Learning::Batches(batches, Steps::new(Adam::with_rate(0.01), 3));
    model.learn_with(data, how, &BoundLearning::in_steps(0.3), &mut |_| {}).unwrap();
    all.extend(model.parameter_values());
    bits(&all)
}

#[test]
fn threads_do_not_change_bits() {
    let problem = Problem::new(1100, 2, 31);
    let classes = problem.classes();
    let data = problem.table(&classes);
    let here = run(Threading::Here, &data, &problem);
    for threads in [1, 2, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| run(Threading::Pool, &data, &problem)), here, "{threads} threads");
    }
}

#[test]
fn a_file_of_rows_is_as_good_as_a_table() {
    let problem = Problem::new(1100, 2, 32);
    let classes = problem.classes();
    let targets = Mat::from_fn(1100, 1, |i, _| classes[i]);
    let table = Table::new(problem.inputs.as_ref(), targets.as_ref()).unwrap();
    let row = |i: usize| [problem.inputs[(i, 0)], problem.inputs[(i, 1)], classes[i]];
    let bytes: Vec<u8> = (0..1100).flat_map(row).flat_map(f64::to_le_bytes).collect();
    let file = RowReader::new(Cursor::new(bytes), 2, 1).unwrap();
    assert_eq!(run(Threading::Pool, &file, &problem), run(Threading::Pool, &table, &problem));
}
