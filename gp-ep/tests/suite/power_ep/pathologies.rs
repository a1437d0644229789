//! Extreme data and parameters end in finite numbers or descriptive errors, after a bounded number of sweeps.

use super::support::Problem;
use faer::Mat;
use gp_ep::power_ep::{GradientKind, MiniBatchEp, NegativePrecision, Sharing, SiteOrder, Sweep};
use gp_ep::{BatchEp, EpOptions, InferenceError, Level, PowerEp, Powers, SparseProcess, Table};
use gp_kernels::Evaluator;
use gp_kernels::inducing::InducingInputs;
use gp_kernels::posterior::InducingPosterior;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::ParameterSet;

struct Trouble {
    what: &'static str,
    kernel: String,
    likelihood: &'static str,
    inputs: Mat<f64>,
    targets: Vec<f64>,
    inducing: Mat<f64>,
}

impl Trouble {
    fn new(what: &'static str, likelihood: &'static str, inputs: Mat<f64>, targets: Vec<f64>) -> Self {
        let inducing = inputs.subrows(0, inputs.nrows().min(4)).to_owned();
        Self { what, kernel: "1.5 * rbf(lengthscale=0.8)".to_owned(), likelihood, inputs, targets, inducing }
    }

    fn with_kernel(self, kernel: &str) -> Self {
        Self { kernel: kernel.to_owned(), ..self }
    }

    fn model(&self, alpha: f64, level: Level) -> PowerEp {
        let kernel = gp_kernels::parse(&self.kernel).unwrap();
        let z = InducingInputs::points(self.inducing.as_ref()).unwrap();
        let process = SparseProcess::new(kernel, z).unwrap();
        PowerEp::new(vec![process], gp_likelihoods::parse(self.likelihood).unwrap())
            .unwrap()
            .with_powers(Powers::Same(alpha))
            .with_level(level)
            .with_jitter(JitterPolicy::ladder())
            .with_threading(Threading::Here)
    }

    /// All operations at one power and level; returns the errors.
    fn endure(&self, alpha: f64, level: Level) -> Vec<(String, InferenceError)> {
        let model = self.model(alpha, level);
        let data = Table::with_targets(self.inputs.as_ref(), &self.targets).unwrap();
        let mut errors = Vec::new();
        for (schedule, negative) in [
            (SiteOrder::Parallel, NegativePrecision::Keep),
            (SiteOrder::InTurn, NegativePrecision::Keep),
            (SiteOrder::Parallel, NegativePrecision::Bound),
            (SiteOrder::InTurn, NegativePrecision::Skip),
        ] {
            if negative != NegativePrecision::Keep && !self.likelihood.starts_with("student_t") {
                continue;
            }
            let what = format!("{}, α = {alpha}, {level:?}, {schedule:?}, {negative:?}", self.what);
            let options = EpOptions { schedule, negative, max_sweeps: 12, ..EpOptions::default() };
            if let Err(error) = self.endure_sweeps(&model, &data, &options, &what) {
                errors.push((what, error));
            }
        }
        for sharing in [Sharing::Own, Sharing::Tied] {
            let what = format!("{}, α = {alpha}, {level:?}, {sharing:?}", self.what);
            if let Err(error) = self.endure_batches(&model, &data, sharing, &what) {
                errors.push((what, error));
            }
        }
        errors
    }

    fn endure_sweeps(
        &self,
        model: &PowerEp,
        data: &Table<'_>,
        options: &EpOptions,
        what: &str,
    ) -> Result<(), InferenceError> {
        let mut ep = BatchEp::new(model, data)?;
        let end = ep.converge(model, options)?;
        assert!(end.sweeps <= options.max_sweeps, "{what}");
        let Sweep { log_z, change, improper, .. } = end.last;
        assert!(change.is_finite(), "{what}: {end:?}");
        assert!(improper > 0 || log_z.is_finite(), "{what}: {end:?}");
        self.assert_finite(&ep.posterior(model, 0)?, what);
        assert!(ep.log_z(model)?.is_finite(), "{what}");
        let mut gradient = vec![0.0; model.parameter_count()];
        for kind in [GradientKind::Converged, GradientKind::OfEstimate] {
            if kind == GradientKind::Converged || model.level() == Level::Projection {
                ep.log_z_gradient(model, kind, &mut gradient)?;
                assert!(gradient.iter().all(|g| g.is_finite()), "{what}: {gradient:?}");
            }
        }
        assert!(ep.leave_one_out(model)?.iter().all(|value| value.is_finite()), "{what}");
        Ok(())
    }

    fn endure_batches(
        &self,
        model: &PowerEp,
        data: &Table<'_>,
        sharing: Sharing,
        what: &str,
    ) -> Result<(), InferenceError> {
        if sharing == Sharing::Tied && model.level() == Level::Latent {
            return Ok(());
        }
        let rows: Vec<usize> = (0..self.targets.len()).collect();
        let mut ep = MiniBatchEp::new(model, data, sharing, 5)?;
        let mut gradient = vec![0.0; model.parameter_count()];
        for batch in rows.chunks(5).chain(rows.chunks(4)) {
            let step = ep.step(model, data, batch, &EpOptions::default())?;
            assert!(step.change.is_finite(), "{what}: {step:?}");
            assert!(step.improper > 0 || step.log_z.is_finite(), "{what}: {step:?}");
        }
        self.assert_finite(&ep.posterior(model, 0)?, what);
        assert!(ep.log_z_gradient(model, &mut gradient)?.is_finite(), "{what}");
        assert!(gradient.iter().all(|g| g.is_finite()), "{what}: {gradient:?}");
        Ok(())
    }

    fn assert_finite(&self, posterior: &InducingPosterior, what: &str) {
        let found = posterior.predict(self.inputs.as_ref(), &Evaluator::default()).unwrap();
        assert!(found.mean.iter().all(|m| m.is_finite()), "{what}: {:?}", found.mean);
        assert!(found.variance.iter().all(|v| v.is_finite() && *v >= 0.0), "{what}: {:?}", found.variance);
    }
}

const KNOBS: [(f64, Level); 7] = [
    (1.0, Level::Projection),
    (0.5, Level::Projection),
    (0.0, Level::Projection),
    (1e-6, Level::Projection),
    (1.0, Level::Latent),
    (0.5, Level::Latent),
    (0.0, Level::Latent),
];

#[track_caller]
fn assert_no_errors(troubles: impl IntoIterator<Item = Trouble>) {
    for trouble in troubles {
        for (alpha, level) in KNOBS {
            let errors = trouble.endure(alpha, level);
            assert!(errors.is_empty(), "{errors:?}");
        }
    }
}

const COUNT: usize = 8;

fn problem() -> Problem {
    Problem::new(COUNT, 2, 71)
}

const STUDENT: &str = "student_t(scale=0.1, dof=3)";

#[test]
fn duplicates_constants_and_shapes() {
    let p = problem();
    let x = || p.inputs.clone();
    let twins = || Mat::from_fn(COUNT, 2, |i, d| p.inputs[(i / 4, d)]);
    let wide = || Mat::from_fn(COUNT, 500, |i, d| ((i * 37 + d * 11) as f64).sin());
    assert_no_errors([
        Trouble::new("duplicate rows", "bernoulli_probit", twins(), p.signs()),
        Trouble::new("duplicate rows", STUDENT, twins(), p.signal.clone()),
        Trouble::new("constant targets", "gaussian(variance=0.1)", x(), vec![3.0; COUNT]),
        Trouble::new("constant targets", STUDENT, x(), vec![0.0; COUNT]),
        Trouble::new("one class", "bernoulli_probit", x(), vec![1.0; COUNT]),
        Trouble::new("N = 1", "bernoulli_probit", x().subrows(0, 1).to_owned(), vec![1.0]),
        Trouble::new("N = 1", STUDENT, x().subrows(0, 1).to_owned(), vec![1.0]),
        Trouble {
            inducing: x(),
            ..Trouble::new("M > N", "poisson", x().subrows(0, 5).to_owned(), p.counts()[..5].to_vec())
        },
        Trouble::new("D = 1", "bernoulli_probit", x().subcols(0, 1).to_owned(), p.signs()),
        Trouble::new("D = 500", "bernoulli_probit", wide(), p.signs()),
        Trouble::new("D = 500", "bernoulli_probit", wide(), p.signs()).with_kernel("rbf(lengthscale=20)"),
    ]);
}

#[test]
fn parameters_beyond_all_measure() {
    let p = problem();
    let separable: Vec<f64> = (0..COUNT).map(|i| p.inputs[(i, 0)].signum()).collect();
    let mut troubles = vec![
        Trouble::new("separable labels", "bernoulli_probit", p.inputs.clone(), separable.clone())
            .with_kernel("1e8 * linear"),
        Trouble::new("separable labels", "bernoulli_logit", p.inputs.clone(), separable)
            .with_kernel("1e8 * linear"),
        Trouble::new("noise of 1e-10", "gaussian(variance=1e-10)", p.inputs.clone(), p.signal.clone()),
        Trouble {
            inducing: p.inputs.clone(),
            ..Trouble::new(
                "noise of 1e-10, Z = X",
                "gaussian(variance=1e-10)",
                p.inputs.clone(),
                p.signal.clone(),
            )
        },
    ];
    // Quadrature over a deviation of 10⁴ is slow.
    for (kernel, count) in [
        ("rbf(lengthscale=1e6)", COUNT),
        ("rbf(lengthscale=1e-6)", COUNT),
        ("1e8 * rbf(lengthscale=1)", 3),
        ("1e-8 * rbf(lengthscale=1)", COUNT),
    ] {
        let x = || p.inputs.subrows(0, count).to_owned();
        let signal = p.signal[..count].to_vec();
        troubles.extend([
            Trouble::new(kernel, "bernoulli_probit", x(), p.signs()[..count].to_vec()).with_kernel(kernel),
            Trouble::new(kernel, STUDENT, x(), signal).with_kernel(kernel),
        ]);
    }
    assert_no_errors(troubles);
}

#[test]
fn outliers() {
    let p = problem();
    let mut y = p.signal.clone();
    (y[1], y[3], y[7]) = (30.0, 1e3, -1e6);
    assert_no_errors([
        Trouble::new(
            "outliers, 4 degrees of freedom",
            "student_t(scale=0.1, dof=4)",
            p.inputs.clone(),
            y.clone(),
        ),
        Trouble {
            inducing: p.inputs.clone(),
            ..Trouble::new("outliers, 1 degree, Z = X", "student_t(scale=0.01, dof=1)", p.inputs.clone(), y)
        },
    ]);
}

#[test]
fn what_is_beyond_the_range_of_numbers_is_an_error() {
    let p = problem();
    let huge: Vec<f64> = p.signal.iter().map(|f| 1e300 * f).collect();
    for (trouble, knobs) in [
        (Trouble::new("targets of 1e300", "gaussian(variance=0.1)", p.inputs.clone(), huge), &KNOBS[..]),
        // E[exp f] for variance 1e8.
        (
            Trouble::new("a rate beyond numbers", "poisson", p.inputs.clone(), p.counts())
                .with_kernel("1e8 * rbf"),
            &[(0.0, Level::Projection), (0.0, Level::Latent)],
        ),
    ] {
        for (alpha, level) in knobs {
            let errors = trouble.endure(*alpha, *level);
            assert!(errors.len() >= 3, "{}: {errors:?}", trouble.what);
            for (what, error) in errors {
                assert!(error.to_string().contains("factors without a proper cavity"), "{what}: {error}");
            }
        }
    }
}

#[test]
fn log_z_is_exact_however_little_the_noise() {
    let p = problem();
    let square: f64 = p.signal.iter().map(|y| y * y).sum();
    for exponent in 2..13 {
        let variance = 0.1f64.powi(exponent);
        let noise = vec![variance; COUNT];
        let rbf = super::support::rbf;
        let exact = super::reference::log_marginal_likelihood(&rbf, &p.table(), &p.signal, &noise);
        for (alpha, level) in KNOBS {
            for schedule in [SiteOrder::Parallel, SiteOrder::InTurn] {
                let model = super::support::model(&format!("gaussian(variance={variance})"), p.all_inputs())
                    .with_powers(Powers::Same(alpha))
                    .with_level(level);
                let data = Table::with_targets(p.inputs.as_ref(), &p.signal).unwrap();
                let mut ep = BatchEp::new(&model, &data).unwrap();
                let options = EpOptions { schedule, max_sweeps: 60, ..EpOptions::default() };
                let end = ep.converge(&model, &options).unwrap();
                let what = format!("a noise of {variance}, α = {alpha}, {level:?}, {schedule:?}");
                // Log Z is a difference of sums of size y²/σ², with their rounding.
                let rounding = 1e-15 * square / variance;
                let log_z = ep.log_z(&model).unwrap();
                let off = (log_z - exact).abs();
                assert!(off < 1e-10 + rounding, "{what}: {off:e} off, where rounding explains {rounding:e}");
                // For smaller variances, sites of α = 1 are undetermined at this tolerance: `1 − h c` is
                // σ²/(σ² + c).
                assert!(end.converged || variance < 1e-6, "{what}: {end:?}");
            }
        }
    }
}
