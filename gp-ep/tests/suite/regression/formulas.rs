//! Values and predictions against dense formulas.

use super::dense::Dense;
use super::models::{log_z, places, scattered_blocks, sparse};
use super::support::{Problem, RBF, assert_close, rbf, table};
use faer::Mat;
use gp_ep::{
    Blocks, ClosedEvidence as _, EvidenceKind, Inference as _, Powers, RegressionWorkspace, SparseRegression,
};

/// Condition of `K_zz` (below 1e6 for 9 inducing inputs) times rounding of sums of some hundred numbers up to
/// a hundred.
const TOLERANCE: f64 = 1e-8;
const NOISE: f64 = 0.05;
const POWERS: [f64; 6] = [0.0, 1e-300, 1e-8, 0.3, 0.7, 1.0];

fn dense<'a>(model: &SparseRegression, problem: &'a Problem, known: &[f64]) -> Dense<'a> {
    let n = problem.targets.len();
    let factors = match model.blocks() {
        None => (0..n).map(|i| (vec![i], model.powers().of(i))).collect(),
        Some(blocks) => {
            blocks.iter().enumerate().map(|(b, rows)| (rows.to_vec(), model.powers().of(b))).collect()
        }
    };
    let z = model.process(0).inputs().z();
    let z = Mat::from_fn(z.nrows(), z.ncols(), |i, d| z[(i, d)]);
    Dense {
        kernel: &rbf,
        x: problem.table(),
        z: table(&z),
        y: &problem.targets,
        noise: (0..n).map(|i| NOISE + known.get(i).copied().unwrap_or(0.0)).collect(),
        factors,
    }
}

#[track_caller]
fn check(model: &SparseRegression, problem: &Problem, known: &[f64]) {
    let data = problem.data();
    let data = if known.is_empty() { data } else { data.with_known_noise(known).unwrap() };
    let new = Problem::new(5, problem.inputs.ncols(), 77).inputs;
    let (value, predicted) = dense(model, problem, known).evaluate(&table(&new));
    let evidence = model.log_evidence(&data).unwrap();
    assert_close(evidence.value, value, TOLERANCE);
    let bound = *model.powers() == Powers::Same(0.0);
    assert_eq!(evidence.kind == EvidenceKind::LowerBound, bound);
    let posterior = model.posterior(&data).unwrap();
    let beliefs = posterior.beliefs(new.as_ref()).unwrap();
    let (found, observed) = (&beliefs.functions()[0], posterior.given(&beliefs).moments().unwrap());
    for (i, (mean, variance)) in predicted.iter().enumerate() {
        assert_close(found.mean[i], *mean, TOLERANCE);
        assert_close(found.variance[i], *variance, TOLERANCE);
        assert_eq!((observed[i].mean, observed[i].variance), (found.mean[i], found.variance[i] + NOISE));
    }
}

#[test]
fn every_power_for_single_observations_and_for_blocks() {
    let problem = Problem::new(40, 2, 1);
    let z = places(9, 2);
    for power in POWERS {
        let model = sparse(RBF, z.as_ref(), NOISE, power);
        check(&model, &problem, &[]);
        check(&model.with_blocks(scattered_blocks(40)), &problem, &[]);
    }
}

#[test]
fn each_factor_has_its_own_power() {
    let problem = Problem::new(40, 2, 2);
    let power = |i: usize| POWERS[i % POWERS.len()];
    let model = sparse(RBF, places(9, 2).as_ref(), NOISE, 1.0);
    check(&model.clone().with_powers(Powers::Each((0..40).map(power).collect())), &problem, &[]);
    let blocks = scattered_blocks(40);
    let powers = Powers::Each((0..blocks.count()).map(power).collect());
    check(&model.with_blocks(blocks).with_powers(powers), &problem, &[]);
}

#[test]
fn known_noise_is_added_observation_by_observation() {
    let problem = Problem::new(40, 2, 3);
    let known: Vec<f64> = (0..40).map(|i| 0.3 * f64::from(i % 4)).collect();
    for power in POWERS {
        let model = sparse(RBF, places(9, 2).as_ref(), NOISE, power);
        check(&model, &problem, &known);
        check(&model.with_blocks(scattered_blocks(40)), &problem, &known);
    }
}

#[test]
fn sizes_at_the_edge() {
    // One observation, one inducing input, more inducing inputs than observations.
    for (count, inducing, dim) in [(1, 1, 1), (1, 6, 2), (4, 12, 2), (30, 1, 1)] {
        let problem = Problem::new(count, dim, 4);
        for power in POWERS {
            let model = sparse(RBF, places(inducing, dim).as_ref(), NOISE, power);
            check(&model, &problem, &[]);
            check(&model.with_blocks(Blocks::from_labels(&vec![0; count]).unwrap()), &problem, &[]);
        }
    }
}

#[test]
fn blocks_come_from_clusters_too() {
    let problem = Problem::new(60, 2, 5);
    let model = sparse(RBF, places(9, 2).as_ref(), NOISE, 0.6);
    let near = Blocks::near(model.process(0).kernel(), problem.inputs.as_ref(), 8, 3).unwrap();
    assert_eq!((near.count(), near.observations()), (8, 60));
    check(&model.with_blocks(near), &problem, &[]);
}

#[test]
fn memory_used_before_changes_nothing() {
    let (large, small) = (Problem::new(1100, 2, 6), Problem::new(20, 2, 7));
    let models = [
        sparse(RBF, places(9, 2).as_ref(), NOISE, 0.3),
        sparse(RBF, places(5, 2).as_ref(), 2.0 * NOISE, 0.3),
        sparse(RBF, places(5, 2).as_ref(), NOISE, 1.0),
    ];
    let mut workspace = RegressionWorkspace::new();
    for model in &models {
        for problem in [&large, &small] {
            let blocks = scattered_blocks(problem.targets.len());
            for model in [model.clone(), model.clone().with_blocks(blocks)] {
                let value = model.log_marginal_likelihood(&problem.data(), &mut workspace).unwrap();
                assert_eq!(value.to_bits(), log_z(&model, problem).to_bits());
            }
        }
    }
}
