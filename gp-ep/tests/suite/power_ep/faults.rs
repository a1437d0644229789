//! Faults of data, batches and updates give errors with place, and leave the state valid.

use super::support::{Problem, assert_close, converged, model, tight};
use gp_ep::power_ep::{GradientKind, MiniBatchEp, Sharing, SiteOrder};
use gp_ep::{BatchEp, DataError, EpOptions, InferenceError, Level, PowerEp, Powers, SparseProcess, Table};
use gp_likelihoods::{
    BernoulliProbit, Density, Described, Latent, LatentDerivatives, Likelihood, LikelihoodError,
    ObservationMoments, Pieces, Scalar, Support, Workspace,
};
use gp_optim::{ParameterSet, StopSignal};
use rand::Rng;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Fails after a number of calls.
#[derive(Clone, Debug)]
struct Tiring {
    inner: BernoulliProbit,
    left: Arc<AtomicUsize>,
}

impl Tiring {
    fn answer(&self) -> Result<(), LikelihoodError> {
        let used = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        used.map(|_| ()).map_err(|_| LikelihoodError::Unresolved { low: 0.0, high: 1.0 })
    }
}

impl Described for Tiring {
    fn name(&self) -> &'static str {
        "tiring"
    }

    fn support(&self) -> Support {
        self.inner.support()
    }

    fn pieces(&self) -> Option<&dyn Pieces> {
        Some(self)
    }
}

impl Pieces for Tiring {
    fn piece_count(&self) -> usize {
        1
    }

    fn touched_count(&self, _piece: usize) -> usize {
        1
    }

    fn touched_latent(&self, _y: &[f64], _piece: usize, _slot: usize) -> usize {
        0
    }

    fn tilted_piece(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        power: f64,
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.answer()?;
        self.inner.tilted(y, q, power, ws, out)
    }

    fn expected_piece(
        &self,
        y: &[f64],
        _piece: usize,
        q: &[Latent],
        ws: &mut Workspace,
        out: &mut LatentDerivatives,
    ) -> Result<(), LikelihoodError> {
        self.answer()?;
        self.inner.expected_log_density(y, q, ws, out)
    }
}

impl Density for Tiring {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        self.inner.log_p(y, f, theta)
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        self.inner.moments_given(f, out);
    }

    fn cdf_given(&self, output: usize, y: f64, f: &[f64]) -> f64 {
        self.inner.cdf_given(output, y, f)
    }

    fn sample_given(&self, f: &[f64], rng: &mut dyn Rng, out: &mut [f64]) -> Option<()> {
        self.inner.sample_given(f, rng, out)
    }
}

fn tiring(problem: &Problem) -> (PowerEp, Arc<AtomicUsize>) {
    let left = Arc::new(AtomicUsize::new(usize::MAX));
    let kernel = gp_kernels::parse(super::support::RBF).unwrap();
    let process = SparseProcess::new(kernel, problem.inducing(5)).unwrap();
    let likelihood = Tiring { inner: BernoulliProbit, left: left.clone() };
    (PowerEp::new(vec![process], Box::new(likelihood)).unwrap(), left)
}

fn mean(ep: &BatchEp, model: &PowerEp) -> Vec<f64> {
    ep.posterior(model, 0).unwrap().mean().to_vec()
}

#[track_caller]
fn assert_all_close(found: &[f64], expected: &[f64], tolerance: f64) {
    found.iter().zip(expected).for_each(|(found, expected)| assert_close(*found, *expected, tolerance));
}

#[test]
fn a_sweep_that_fails_changes_nothing_and_one_in_turn_keeps_what_it_did() {
    let problem = Problem::new(20, 2, 101);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let (model, left) = tiring(&problem);
    let options = EpOptions::default();
    let mut ep = BatchEp::new(&model, &data).unwrap();
    ep.sweep(&model, &options).unwrap();
    let before = mean(&ep, &model);
    left.store(9, Ordering::Relaxed);
    assert!(matches!(ep.sweep(&model, &options), Err(InferenceError::Likelihood(_))));
    assert_eq!(mean(&ep, &model), before);
    // 20 calls for log Z, 9 single updates.
    left.store(29, Ordering::Relaxed);
    assert!(ep.sweep_in_turn(&model, &options).is_err());
    let partly = mean(&ep, &model);
    assert_ne!(partly, before);
    // The posterior agrees with sites updated so far.
    ep.refresh(&model).unwrap();
    assert_all_close(&mean(&ep, &model), &partly, 1e-11);
    left.store(usize::MAX, Ordering::Relaxed);
    assert!(ep.converge(&model, &tight()).unwrap().converged);
    assert_all_close(&mean(&ep, &model), &mean(&converged(&model, &data, &tight()), &model), 1e-10);
}

#[test]
fn a_stop_signal_ends_a_sweep_in_turn_between_visits() {
    let problem = Problem::new(20, 2, 101);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let (model, left) = tiring(&problem);
    let mut ep = BatchEp::new(&model, &data).unwrap();
    ep.sweep(&model, &EpOptions::default()).unwrap();
    let before = mean(&ep, &model);
    // Checks: in log Z, in projections, and before each of 7 single updates.
    let asked = AtomicUsize::new(0);
    ep.set_stop_signal(StopSignal::new(move || asked.fetch_add(1, Ordering::Relaxed) >= 9));
    let visits = usize::MAX - left.load(Ordering::Relaxed);
    let ended = ep.sweep_in_turn(&model, &EpOptions::default());
    assert_eq!(ended.unwrap_err(), InferenceError::Data(DataError::Stopped));
    assert_eq!(usize::MAX - left.load(Ordering::Relaxed) - visits, 20 + 7);
    let partly = mean(&ep, &model);
    assert_ne!(partly, before);
    ep.set_stop_signal(StopSignal::default());
    ep.refresh(&model).unwrap();
    assert_all_close(&mean(&ep, &model), &partly, 1e-11);
}

#[test]
fn a_batch_that_fails_is_not_there() {
    let problem = Problem::new(20, 2, 102);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let (model, left) = tiring(&problem);
    let options = EpOptions::default();
    for sharing in [Sharing::Own, Sharing::Tied] {
        let mut ep = MiniBatchEp::new(&model, &data, sharing, 6).unwrap();
        ep.step(&model, &data, &[0, 1, 2, 3, 4, 5], &options).unwrap();
        let before = ep.posterior(&model, 0).unwrap().mean().to_vec();
        let mut gradient = vec![0.0; model.parameter_count()];
        for rows in [&[3, 20][..], &[usize::MAX], &[], &[0; 7]] {
            let error = ep.step(&model, &data, rows, &options).unwrap_err();
            assert!(matches!(error, InferenceError::Data(_) | InferenceError::Shape { .. }), "{error}");
        }
        let error = ep.step(&model, &data, &[4, 21], &options).unwrap_err();
        assert_eq!(error.to_string(), "observation 21 cannot be read: there are 20 observations");
        // No gradient of the previous batch combined with a partly read one.
        assert_eq!(ep.log_z_gradient(&model, &mut gradient), Err(DataError::NoData.into()));
        left.store(2, Ordering::Relaxed);
        assert!(ep.step(&model, &data, &[6, 7, 8], &options).is_err());
        left.store(usize::MAX, Ordering::Relaxed);
        assert_eq!(ep.posterior(&model, 0).unwrap().mean(), before);
        ep.rebuild(&model, &data).unwrap();
        assert_all_close(ep.posterior(&model, 0).unwrap().mean(), &before, 1e-13);
    }
}

#[test]
fn an_observation_has_one_site_however_often_it_is_asked_for() {
    let problem = Problem::new(20, 2, 103);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = model("bernoulli_probit", problem.inducing(5));
    let mut ep = MiniBatchEp::new(&model, &data, Sharing::Own, 6).unwrap();
    let error = ep.step(&model, &data, &[3, 5, 3], &EpOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), "observation 3 is in a batch twice");
    // Tied sites allow repeated observations: the site is an average.
    let mut tied = MiniBatchEp::new(&model, &data, Sharing::Tied, 6).unwrap();
    tied.step(&model, &data, &[3, 5, 3], &EpOptions::default()).unwrap();
}

#[test]
fn a_bad_input_is_named_by_its_row_wherever_it_is_read() {
    let problem = Problem::new(1300, 2, 104);
    let mut y = problem.signs();
    let mut inputs = problem.inputs.clone();
    inputs[(1200, 1)] = f64::NAN;
    let model = model("bernoulli_probit", problem.inducing(5));
    let data = Table::with_targets(inputs.as_ref(), &y).unwrap();
    let expected = "inputs holds NaN in row 1200, column 1";
    assert_eq!(BatchEp::new(&model, &data).unwrap_err().to_string(), expected);
    let mut ep = MiniBatchEp::new(&model, &data, Sharing::Own, 6).unwrap();
    let error = ep.step(&model, &data, &[2, 1200], &EpOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), expected);
    y[900] = 0.5;
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    assert!(matches!(BatchEp::new(&model, &data), Err(InferenceError::Observation { row: 900, .. })));
}

#[test]
fn observations_that_are_all_removed_leave_the_prior() {
    let problem = Problem::new(3, 2, 105);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let model = model("bernoulli_probit", problem.inducing(2));
    let mut ep = converged(&model, &data, &tight());
    (0..3).for_each(|_| ep.remove(&model, 0).unwrap());
    for schedule in [SiteOrder::Parallel, SiteOrder::InTurn] {
        let end = ep.converge(&model, &EpOptions { schedule, ..tight() }).unwrap();
        assert!(end.converged && end.sweeps == 2, "{end:?}");
    }
    assert_close(ep.log_z(&model).unwrap(), 0.0, 1e-13);
    ep.add(&model, &data).unwrap();
    assert!(ep.converge(&model, &tight()).unwrap().converged);
    assert_all_close(&mean(&ep, &model), &mean(&converged(&model, &data, &tight()), &model), 1e-10);
}

#[test]
fn a_refresh_that_fails_is_mended_by_one_that_does_not() {
    let problem = Problem::new(20, 2, 106);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let sound = model("bernoulli_probit", problem.inducing(5));
    let twins = faer::Mat::from_fn(5, 2, |_, d| d as f64);
    let broken =
        model("bernoulli_probit", gp_kernels::inducing::InducingInputs::points(twins.as_ref()).unwrap());
    let mut ep = converged(&sound, &data, &tight());
    let before = mean(&ep, &sound);
    let error = ep.refresh(&broken).unwrap_err();
    assert!(
        matches!(error, InferenceError::Kernel(_)) && error.to_string().contains("positive definite"),
        "{error}"
    );
    // Invalid states return errors without panic.
    let mut gradient = vec![0.0; broken.parameter_count()];
    let _ = ep.sweep(&broken, &EpOptions::default());
    let _ = ep.log_z_gradient(&broken, GradientKind::Converged, &mut gradient);
    ep.refresh(&sound).unwrap();
    assert!(ep.converge(&sound, &tight()).unwrap().converged);
    assert_all_close(&mean(&ep, &sound), &before, 1e-10);
}

/// One observation at `x`, far from inducing inputs: s dominates f.
fn lonely(alpha: f64) -> (faer::Mat<f64>, PowerEp) {
    let x = faer::Mat::from_fn(1, 1, |_, _| 3.0);
    let z = faer::Mat::from_fn(1, 1, |_, _| 0.5);
    let z = gp_kernels::inducing::InducingInputs::points(z.as_ref()).unwrap();
    let model = model("student_t(scale=0.01, dof=10)", z);
    (x, model.with_powers(Powers::Same(alpha)).with_level(Level::Latent))
}

#[test]
fn a_negative_site_on_f_that_its_noise_cannot_carry_is_taken_in_part() {
    let mut negative = 0;
    for alpha in [0.5, 0.0] {
        let (x, model) = lonely(alpha);
        // For some y both modes of the tilted distribution weigh the same, and it is much wider than the
        // cavity.
        for y in (0..30).map(|k| 3.0 + 0.2 * f64::from(k)) {
            let data = Table::with_targets(x.as_ref(), std::slice::from_ref(&y)).unwrap();
            for schedule in [SiteOrder::Parallel, SiteOrder::InTurn] {
                let mut ep = BatchEp::new(&model, &data).unwrap();
                let options = EpOptions { step: 1.0, schedule, max_sweeps: 20, ..EpOptions::default() };
                let end = ep
                    .converge(&model, &options)
                    .unwrap_or_else(|error| panic!("y = {y}, α = {alpha}: {error}"));
                negative += end.negative;
                assert!(ep.log_z(&model).unwrap().is_finite(), "y = {y}, α = {alpha}");
            }
        }
    }
    assert!(negative > 30, "only {negative} sites were negative");
}

#[test]
fn halved_batches_add_up_to_what_their_sites_say() {
    let mut halvings = 0;
    for level in [Level::Projection, Level::Latent] {
        for seed in 110..130 {
            let problem = Problem::new(12, 1, seed);
            let y: Vec<f64> = problem.signal.iter().map(|f| 4.0 * f).collect();
            let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
            let model = model("student_t(scale=0.001, dof=1)", problem.inducing(3))
                .with_powers(Powers::Same(0.5))
                .with_level(level);
            let mut ep = MiniBatchEp::new(&model, &data, Sharing::Own, 4).unwrap();
            for batch in [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [3, 2, 1, 0]] {
                let step =
                    ep.step(&model, &data, &batch, &EpOptions { step: 1.0, ..EpOptions::default() }).unwrap();
                halvings += step.halvings;
            }
            let summed = ep.posterior(&model, 0).unwrap().mean().to_vec();
            ep.rebuild(&model, &data).unwrap();
            assert_all_close(&summed, ep.posterior(&model, 0).unwrap().mean(), 1e-8);
        }
    }
    assert!(halvings > 0, "nothing was halved");
}
