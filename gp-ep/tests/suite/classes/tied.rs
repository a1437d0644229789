//! Stochastic EP against own sites.

use super::problem::{exact, nearly, process, processes, thirds};
use super::support::{Problem, RBF, assert_close, converged, tight};
use gp_ep::power_ep::{MiniBatchEp, Sharing};
use gp_ep::{EpOptions, PowerEp, RowReader, Table};
use std::io::Cursor;

/// Sites on the label's latent are equal, other latents have single sites: averages equal each.
#[test]
fn tied_sites_of_one_observation_are_its_own() {
    let problem = Problem::new(1, 2, 131);
    let data = Table::with_targets(problem.inputs.as_ref(), &[1.0]).unwrap();
    let processes = (0..3).map(|_| process(RBF, problem.all_inputs())).collect();
    let model = exact(PowerEp::of_classes(processes, 0.3).unwrap());
    let mut own = converged(&model, &data, &tight());
    let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 1).unwrap();
    let mut last = f64::NAN;
    for _ in 0..400 {
        last = tied.step(&model, &data, &[0], &EpOptions::default()).unwrap().log_z;
    }
    assert_close(last, own.log_z(&model).unwrap(), 1e-11);
    for q in 0..3 {
        let (a, b) = (tied.posterior(&model, q).unwrap(), own.posterior(&model, q).unwrap());
        assert_close(a.mean()[0], b.mean()[0], 1e-11);
    }
}

#[test]
fn tied_sites_end_near_own_ones() {
    let problem = Problem::new(60, 2, 132);
    let y = thirds(&problem);
    let x = problem.inputs.as_ref();
    let data = Table::with_targets(x, &y).unwrap();
    let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 10), 0.1).unwrap());
    let mut own = converged(&model, &data, &nearly());
    let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 60).unwrap();
    let rows: Vec<usize> = (0..60).collect();
    let mut log_z = [f64::NAN; 2];
    for _ in 0..800 {
        log_z = [log_z[1], tied.step(&model, &data, &rows, &EpOptions::default()).unwrap().log_z];
    }
    assert_close(log_z[0], log_z[1], 1e-10);
    let probabilities = |predictor: gp_ep::Predictor| predictor.class_probabilities(x).unwrap();
    let (found, expected) =
        (probabilities(tied.predictor(&model).unwrap()), probabilities(own.predictor(&model).unwrap()));
    let away = (0..60).flat_map(|i| (0..3).map(move |c| (i, c)));
    let away = away.map(|at| (found[at] - expected[at]).abs()).fold(0.0, f64::max);
    let gap = log_z[1] - own.log_z(&model).unwrap();
    println!("probabilities differ by {away:.3}, log Z by {gap:.2}");
    // Tolerance: twice the observed 0.028.
    assert!(away < 0.06, "{away}");
    // Stochastic EP's log Z is 5.5 nats higher here.
    assert!(gap > 0.0 && gap < 8.0, "{gap}");
}

#[test]
fn rows_of_a_file_are_as_good() {
    let problem = Problem::new(60, 2, 133);
    let y = thirds(&problem);
    let table = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let bytes = (0..60).flat_map(|i| [problem.inputs[(i, 0)], problem.inputs[(i, 1)], y[i]]);
    let reader =
        RowReader::new(Cursor::new(bytes.flat_map(f64::to_le_bytes).collect::<Vec<u8>>()), 2, 1).unwrap();
    let model = exact(PowerEp::of_classes(processes(&problem, &[0, 1, 2], 6), 0.0).unwrap());
    let log_z = |data: &dyn gp_ep::DataSource| {
        let mut ep = MiniBatchEp::new(&model, data, Sharing::Tied, 7).unwrap();
        let mut bits = Vec::new();
        for start in (0..56).step_by(7) {
            let rows: Vec<usize> = (start..start + 7).collect();
            bits.push(ep.step(&model, data, &rows, &EpOptions::default()).unwrap().log_z.to_bits());
        }
        bits
    };
    assert_eq!(log_z(&reader), log_z(&table));
}
