//! Settings that give equal results.

use super::support::{Problem, assert_close, converged, model, tight};
use gp_ep::power_ep::{EpLearning, EpState, GradientKind, MiniBatchEp, Sharing, SiteOrder};
use gp_ep::{BatchEp, EpOptions, Inference as _, Learning, PowerEp, Powers, Steps, Table};
use gp_optim::{Adam, Batches};

fn mean_of(ep: &BatchEp, model: &PowerEp) -> Vec<f64> {
    ep.posterior(model, 0).unwrap().mean().to_vec()
}

#[track_caller]
fn assert_all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(found, expected)| assert_close(*found, *expected, tolerance));
}

#[test]
fn a_batch_of_everything_is_a_sweep() {
    let problem = Problem::new(30, 2, 41);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let all: Vec<usize> = (0..30).collect();
    for alpha in [1.0, 0.4, 0.0] {
        let model = model("bernoulli_probit", problem.inducing(6)).with_powers(Powers::Same(alpha));
        let options = EpOptions { step: 0.7, ..EpOptions::default() };
        let mut whole = BatchEp::new(&model, &data).unwrap();
        let mut batch = MiniBatchEp::new(&model, &data, Sharing::Own, 30).unwrap();
        for _ in 0..3 {
            let (sweep, step) =
                (whole.sweep(&model, &options).unwrap(), batch.step(&model, &data, &all, &options).unwrap());
            assert_close(step.log_z, sweep.log_z, 1e-12);
            assert_close(step.change, sweep.change, 1e-12);
        }
        let mean = batch.posterior(&model, 0).unwrap().mean().to_vec();
        assert_all_close(&mean, &mean_of(&whole, &model), 1e-12);
        let (mut of_batch, mut of_whole) = (vec![0.0; 14], vec![0.0; 14]);
        batch.log_z_gradient(&model, &mut of_batch).unwrap();
        whole.log_z_gradient(&model, gp_ep::power_ep::GradientKind::Converged, &mut of_whole).unwrap();
        assert_all_close(&of_batch, &of_whole, 1e-11);
    }
}

#[test]
fn batches_of_own_sites_end_where_sweeps_do() {
    let problem = Problem::new(30, 2, 42);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = model("bernoulli_probit", problem.inducing(6));
    let options = EpOptions { step: 0.9, ..EpOptions::default() };
    let mut converged = converged(&model, &data, &tight());
    let (expected, log_z) = (mean_of(&converged, &model), converged.log_z(&model).unwrap());
    let order: Vec<usize> = (0..30).map(|i| (i * 11) % 30).collect();
    for size in [7, 30] {
        let mut batch = MiniBatchEp::new(&model, &data, Sharing::Own, size).unwrap();
        for _ in 0..60 {
            order.chunks(size).for_each(|rows| {
                batch.step(&model, &data, rows, &options).unwrap();
            });
        }
        assert_all_close(batch.posterior(&model, 0).unwrap().mean(), &expected, 1e-10);
        // Sums kept between batches equal sums over all sites.
        batch.rebuild(&model, &data).unwrap();
        assert_all_close(batch.posterior(&model, 0).unwrap().mean(), &expected, 1e-10);
        assert_close(batch.log_z(&model, &data).unwrap(), log_z, 1e-10);
    }
}

/// Own sites, in batches of some or all rows.
#[test]
fn what_batches_leave_is_ep() {
    let problem = Problem::new(30, 2, 45);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for size in [10, 30] {
        let mut model = model("bernoulli_probit", problem.inducing(6));
        let mut steps = Steps::new(Adam::with_rate(0.02), 300);
        steps.cools = true;
        let how = Learning::Batches(Batches::shuffled(30, size, 1).unwrap(), steps);
        let state = model.learn(&data, how).unwrap().state;
        let mut converged = converged(&model, &data, &tight());
        let found = state.posterior(&model, 0).unwrap();
        // Sites end within a hundredth of a marginal (root mean square); a whitened mean sums several.
        assert_all_close(found.mean(), &mean_of(&converged, &model), 0.02);
        let EpState::InBatches(_, Some(settled)) = state else { panic!("sites are of their own") };
        assert_eq!(settled.epochs_back, 0);
        assert_close(settled.log_z, converged.log_z(&model).unwrap(), 1e-3);
    }
}

#[test]
fn tied_sites_of_one_observation_are_its_own() {
    let problem = Problem::new(1, 2, 43);
    let y = [1.0];
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for alpha in [1.0, 0.4, 0.0] {
        let model = model("bernoulli_probit", problem.inducing(1)).with_powers(Powers::Same(alpha));
        let options = EpOptions { step: 0.6, ..EpOptions::default() };
        let mut own = BatchEp::new(&model, &data).unwrap();
        let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 1).unwrap();
        for _ in 0..4 {
            let sweep = own.sweep(&model, &options).unwrap();
            let step = tied.step(&model, &data, &[0], &options).unwrap();
            assert_close(step.log_z, sweep.log_z, 1e-12);
        }
        assert_all_close(tied.posterior(&model, 0).unwrap().mean(), &mean_of(&own, &model), 1e-13);
        let (mut of_tied, mut of_own) = (vec![0.0; 4], vec![0.0; 4]);
        for _ in 0..60 {
            own.sweep(&model, &options).unwrap();
            tied.step(&model, &data, &[0], &options).unwrap();
        }
        tied.log_z_gradient(&model, &mut of_tied).unwrap();
        own.log_z_gradient(&model, gp_ep::power_ep::GradientKind::Converged, &mut of_own).unwrap();
        assert_all_close(&of_tied, &of_own, 1e-10);
    }
}

#[test]
fn tied_sites_at_power_zero_are_the_variational_optimum_too() {
    // At α = 0 nothing is removed: tied sites have the same fixed point.
    let problem = Problem::new(30, 2, 44);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = model("bernoulli_probit", problem.inducing(6)).with_powers(Powers::Same(0.0));
    let mut own = converged(&model, &data, &tight());
    let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 30).unwrap();
    let all: Vec<usize> = (0..30).collect();
    let options = EpOptions { step: 0.6, ..EpOptions::default() };
    let mut log_z = f64::NAN;
    for _ in 0..80 {
        log_z = tied.step(&model, &data, &all, &options).unwrap().log_z;
    }
    assert_close(log_z, own.log_z(&model).unwrap(), 1e-10);
    assert_all_close(tied.posterior(&model, 0).unwrap().mean(), &mean_of(&own, &model), 1e-10);
}

#[test]
fn observations_are_added_and_removed_as_if_they_had_or_had_not_been_there() {
    let problem = Problem::new(40, 2, 45);
    let y = problem.signs();
    let (first, rest) = (problem.inputs.as_ref().subrows(0, 25), problem.inputs.as_ref().subrows(25, 15));
    let early = Table::with_targets(first, &y[..25]).unwrap();
    let late = Table::with_targets(rest, &y[25..]).unwrap();
    let all = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = model("bernoulli_probit", problem.inducing(6));
    let expected = mean_of(&converged(&model, &all, &tight()), &model);

    let mut grown = converged(&model, &early, &tight());
    grown.add(&model, &late).unwrap();
    let filtered = mean_of(&grown, &model);
    let distance: f64 = filtered.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(distance < 0.3, "one pass of filtering is {distance} off");
    assert!(grown.converge(&model, &tight()).unwrap().converged);
    assert_all_close(&mean_of(&grown, &model), &expected, 1e-10);

    for row in (25..40).rev() {
        grown.remove(&model, row).unwrap();
    }
    assert!(grown.converge(&model, &tight()).unwrap().converged);
    assert_all_close(&mean_of(&grown, &model), &mean_of(&converged(&model, &early, &tight()), &model), 1e-10);
    assert!(grown.remove(&model, 25).is_err());
}

#[test]
fn what_filtering_adds_removal_takes_away() {
    let problem = Problem::new(12, 2, 46);
    let data = Table::with_targets(problem.inputs.as_ref(), &problem.signal).unwrap();
    let model = model("gaussian(variance=0.09)", problem.inducing(4));
    let mut ep = converged(&model, &data, &tight());
    let (before, log_z) = (mean_of(&ep, &model), ep.log_z(&model).unwrap());
    ep.add(&model, &data).unwrap();
    (0..12).for_each(|_| ep.remove(&model, 12).unwrap());
    // Tolerance: rank-one changes in both directions, without refresh.
    assert_all_close(&mean_of(&ep, &model), &before, 1e-11);
    assert_close(ep.log_z(&model).unwrap(), log_z, 1e-11);
}

#[test]
fn settings_that_batches_do_not_have_are_refused() {
    let problem = Problem::new(10, 2, 47);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let mut model = model("bernoulli_probit", problem.inducing(3));
    let mut batch = MiniBatchEp::new(&model, &data, Sharing::Own, 5).unwrap();
    let in_turn = EpOptions { schedule: SiteOrder::InTurn, ..EpOptions::default() };
    let error = batch.step(&model, &data, &[0, 1], &in_turn).unwrap_err();
    assert!(error.to_string().contains("in turn"), "{error}");
    let mut settings = EpLearning::default();
    settings.gradient = GradientKind::OfEstimate;
    let how = Learning::Batches(Batches::shuffled(10, 5, 1).unwrap(), Steps::new(Adam::default(), 10));
    let trained = model.learn_with(&data, how, &settings, &mut |_| {});
    assert!(trained.unwrap_err().to_string().contains("gradient of the estimate"));
}
