//! Power EP with sites on projections; generalised FITC on latent values.

use super::check::GradientCheck;
use super::closed_form::ClosedForm;
use super::common;
use super::contract::{Case, Method};
use super::defaults::DefaultCase;
use super::gaussian::is_gaussian;
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::{Optimizer, minimise_options};
use super::outcome::Fit;
use super::power_ep::{
    ALPHA, EP, LOG_CONCAVE, convergence_warnings, given_power, model, over_parameters, power, shares_latents,
};
use super::problem::Problem;
use super::setting::Setting;
use super::sites::ConvergedSites;
use super::uncertain::learns_inducing;
use super::variational::is_saddle;
use super::work::{Integral, Work};
use crate::encode::Role;
use crate::error::CliError;
use crate::model::Functions;
use gp_ep::operations;
use gp_ep::power_ep::{EpState, Level};
use gp_ep::{EpOptions, Inference as _, InferenceError, Learning, PowerEp, Steps, Trained};
use gp_kernels::KernelExt as _;
use gp_likelihoods::{Likelihood, Support};
use gp_optim::{FirstOrder, Parameter};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Ep {
    name: &'static str,
    summary: &'static str,
    settings: &'static [Setting],
    level: Level,
}

/// Maximum N Q by default.
const MANY_SITES: usize = 20_000;
/// [`MANY_SITES`] for several Gaussian targets: fast convergence.
const MANY_SITES_OF_NUMBERS: usize = 100_000;

/// Iteration limits; warped noise needs up to 250.
const ITERATIONS: Setting = common::ITERATIONS.default_whole_by_case(&[OUTER, OUTER_OF_NUMBERS, INNER]);
const OUTER: DefaultCase<u64> = DefaultCase::new(100, "with lbfgs");
const OUTER_OF_NUMBERS: DefaultCase<u64> = DefaultCase::new(300, "with lbfgs for numbers");
const INNER: DefaultCase<u64> = DefaultCase::new(500, "with another optimizer");
/// Typical evaluations: maximum, maximum for classes, per free parameter, for several targets.
const TYPICAL_EVALUATIONS: f64 = 30.0;
const TYPICAL_OF_CLASSES: f64 = 24.0;
const EVALUATIONS_A_PARAMETER: f64 = 4.0;
const TYPICAL_OF_TARGETS: f64 = 300.0;
/// Sweeps per evaluation; on latent values; with several classes.
const SWEEPS_AN_EVALUATION: f64 = 8.0;
const SWEEPS_OF_VALUES: f64 = 18.0;
const SWEEPS_OF_CLASSES: f64 = 23.0;
/// Maximum rows of that many sweeps of classes; growth exponent; maximum sweeps.
const ROWS_OF_SWEEPS: f64 = 200.0;
const GROWTH_OF_SWEEPS: f64 = 0.75;
const MAX_SWEEPS: f64 = 60.0;
/// Sweeps of classes with fixed length-scales (28 to 32 for ten digits).
const SWEEPS_OF_FIXED_LENGTHS: f64 = 30.0;
const SWEEPS_OF_VALUES_OF_CLASSES: f64 = 280.0;
/// Uncertainty: classes; densities not log-concave; these on latent values.
const UNSURE_OF_CLASSES: f64 = 1.5;
const UNSURE_OF_OTHERS: f64 = 2.0;
const UNSURE_OF_VALUES_OF_OTHERS: f64 = 3.0;
const LENGTH_SCALE: &str = "lengthscale";
const NOT_SETTLED: &str = "the sites of EP did not settle";
/// Steps without gain at convergence; negligible relative gain.
const PLATEAU: u64 = 20;
const VALUE_TOLERANCE: f64 = 1e-5;
/// Convergence after inner learning: relative site change, log Z change; maximum sweeps, fewer after the time
/// limit.
const TOLERANCE: f64 = 1e-4;
const LOG_Z_TOLERANCE: f64 = 1e-6;
const MANY_SWEEPS: usize = 200;
const FEW_SWEEPS: usize = 10;
/// Initial rate; decays to a tenth, hence above 0.02 (Hernández-Lobato & Hernández-Lobato 2016).
const RATE: f64 = 0.05;

impl Ep {
    pub(crate) const EP: Self = Self {
        name: EP,
        summary: "EP, or Power EP with --alpha, for any likelihood",
        settings: &[ALPHA, ITERATIONS, common::PARAMETERS],
        level: Level::Projection,
    };
    pub(super) const GFITC: Self = Self {
        name: "gfitc",
        summary: "generalised FITC: EP on latent values",
        settings: &[ITERATIONS, common::PARAMETERS],
        level: Level::Latent,
    };

    /// Closed form under Gaussian noise, where sweeps would lose digits.
    fn closed_form(&self, problem: &Problem) -> Option<ClosedForm> {
        let by_lbfgs = problem.settings.optimizer.is_none_or(|optimizer| optimizer == Optimizer::Lbfgs);
        let is_closed =
            self.level == Level::Projection && by_lbfgs && is_gaussian(problem.likelihood.as_ref());
        is_closed.then(|| ClosedForm::converged(self.name, power(problem)))
    }

    fn unsure(&self, problem: &Problem) -> f64 {
        match (problem.likelihood.is_log_concave(), self.level) {
            (true, _) if has_classes(problem) => UNSURE_OF_CLASSES,
            (true, _) => 1.0,
            (false, Level::Latent) => UNSURE_OF_VALUES_OF_OTHERS,
            (false, Level::Projection) => UNSURE_OF_OTHERS,
        }
    }

    fn sweeps(&self, problem: &Problem) -> f64 {
        match (self.level, has_classes(problem)) {
            (Level::Latent, true) => SWEEPS_OF_VALUES_OF_CLASSES,
            (Level::Latent, false) => SWEEPS_OF_VALUES,
            (_, true) if !has_free_lengths(problem) => SWEEPS_OF_FIXED_LENGTHS,
            (_, true) => sweeps_of_classes(problem.extents().rows),
            (_, false) => SWEEPS_AN_EVALUATION,
        }
    }
}

impl Method for Ep {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn shares_rows(&self) -> bool {
        true
    }

    fn settings(&self) -> &'static [Setting] {
        self.settings
    }

    fn alpha(&self, problem: &Problem) -> Option<f64> {
        (self.level == Level::Projection).then(|| power(problem))
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Lbfgs, Optimizer::Adam, Optimizer::Adadelta, Optimizer::SignAdaptive]
    }

    fn default_inducing(&self, _latents: usize, _rows: usize) -> usize {
        100
    }

    fn default_inducing_of_one_length(&self, latents: usize, rows: usize) -> usize {
        if latents == 1 { self.default_inducing(latents, rows) } else { 200 }
    }

    fn learns_inducing(&self, rows: usize, given: &Given) -> bool {
        learns_inducing(rows, given.number_in(&ALPHA, LOG_CONCAVE))
    }

    fn is_default(&self, case: &Case<'_>) -> Option<String> {
        let sites = if case.likelihood.targets() > 1 { MANY_SITES_OF_NUMBERS } else { MANY_SITES };
        let fits = case.rows * case.likelihood.latents() <= sites && !case.streamed;
        let suits = !is_gaussian(case.likelihood) && !is_saddle(case.likelihood);
        (self.level == Level::Projection && fits && suits).then(|| match case.likelihood.targets() {
            1 => format!("the likelihood is not Gaussian, and {} rows fit into memory", case.rows),
            _ => {
                format!("targets share latent functions or a kernel, and {} rows fit into memory", case.rows)
            }
        })
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        let refused = self.level == Level::Latent && shares_latents(likelihood);
        refused.then(|| "its latent functions belong to one target each; take method ep or svgp".to_owned())
    }

    fn supports(&self, role: Role) -> bool {
        role.adjusts() || (role == Role::AlphaColumn && self.level == Level::Projection)
    }

    fn is_heeded_untrained(&self, setting: &str, optimizer: Optimizer, _given: &Given) -> bool {
        setting != ITERATIONS.name() || optimizer != Optimizer::Lbfgs
    }

    fn memory(&self, problem: &Problem) -> f64 {
        if let Some(closed) = self.closed_form(problem) {
            return closed.memory(problem);
        }
        let sizes = problem.sizes();
        let (rows, inducing, latents) = (sizes.rows as f64, sizes.inducing as f64, sizes.latents as f64);
        let projections = common::projections(rows, latents, inducing);
        // Sites and half of each sum of squares, for the last five sweeps.
        let remembered = latents * (12.0 * rows + 7.0 * inducing * inducing);
        let rest = rows * (latents * 8.0 + sizes.width() as f64) + latents * 40.0 * inducing * inducing;
        8.0 * (projections + rest + remembered)
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        if let Some(closed) = self.closed_form(problem) {
            return closed.work(problem);
        }
        let sizes = problem.extents();
        let first_order = problem.settings.optimizer.is_some_and(|optimizer| optimizer != Optimizer::Lbfgs);
        let most = iterations(problem);
        let (counts, sweeps) = if first_order {
            (Work::of_evaluations(most as f64, most as f64), 1.0)
        } else {
            let counts = Work::of_minimising(default_evaluations(problem), most);
            (Work { unsure: self.unsure(problem), ..counts }, self.sweeps(problem))
        };
        Some(Work {
            products: operations::step(&sizes) + (sweeps - 1.0) * operations::sweep(&sizes),
            covariances: common::covariances(&sizes),
            // One more pass finds the gradient.
            integrals: (sweeps + 1.0) * sizes.rows as f64,
            integral: Integral::Tilted(power(problem)),
            ..counts
        })
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        if let Some(closed) = self.closed_form(&problem) {
            return closed.fit(problem);
        }
        let model = model(&problem, self.level)?;
        match problem.settings.optimizer.unwrap_or(Optimizer::Lbfgs).first_order(RATE) {
            None => outer(model, &problem),
            Some(rule) => inner(model, &problem, rule),
        }
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        if let Some(closed) = self.closed_form(problem) {
            return closed.gradients(problem);
        }
        super::gradients::converged(problem, self.level)
    }

    fn sites(&self, given: &Given, likelihood: &dyn Likelihood, _rows: usize) -> Option<ConvergedSites> {
        Some(ConvergedSites { power: given_power(given, likelihood), level: self.level, own: true })
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        let power = given_power(later.given, later.before.likelihood());
        let sites = ConvergedSites { power, level: self.level, own: true };
        super::update::over_components(later, |later| super::update::by_sites(self.name, later, sites))
    }
}

fn has_classes(problem: &Problem) -> bool {
    problem.likelihood.latents() > 1 && problem.likelihood.targets() == 1
}

fn has_free_lengths(problem: &Problem) -> bool {
    let mut has_any = false;
    for kernel in &problem.kernels {
        kernel.for_each_parameter(&mut |parameter| {
            has_any |= parameter.name() == LENGTH_SCALE && parameter.free_len() > 0;
        });
    }
    has_any
}

fn sweeps_of_classes(rows: usize) -> f64 {
    let growth = (rows as f64 / ROWS_OF_SWEEPS).powf(GROWTH_OF_SWEEPS).max(1.0);
    (SWEEPS_OF_CLASSES * growth).min(MAX_SWEEPS)
}

fn default_evaluations(problem: &Problem) -> f64 {
    if problem.likelihood.targets() > 1 {
        return TYPICAL_OF_TARGETS;
    }
    let mut free = 0;
    for kernel in problem.kernels.iter().take(if problem.alike { 1 } else { usize::MAX }) {
        kernel.for_each_parameter(&mut |parameter| free += parameter.free_len());
    }
    let typical = if has_classes(problem) { TYPICAL_OF_CLASSES } else { TYPICAL_EVALUATIONS };
    let of_likelihood: usize = problem.likelihood.parameters().iter().map(Parameter::free_len).sum();
    (EVALUATIONS_A_PARAMETER * free.max(1) as f64).min(typical)
        + EVALUATIONS_A_PARAMETER * of_likelihood as f64
}

fn iterations(problem: &Problem) -> u64 {
    let case = match problem.settings.optimizer {
        Some(optimizer) if optimizer != Optimizer::Lbfgs => INNER,
        _ if problem.likelihood.support() == Support::Real => OUTER_OF_NUMBERS,
        _ => OUTER,
    };
    problem.settings.given.integer_in(&ITERATIONS, case)
}

/// Learns by L-BFGS, with EP converged at every point.
fn outer(mut model: PowerEp, problem: &Problem) -> Result<Fit, CliError> {
    let data = &problem.rows;
    let options = minimise_options(iterations(problem), &problem.settings.control);
    let Trained { run, state } = model.learn(data, Learning::Outer(options))?;
    let posterior = state.predictor(&model)?.map(Functions::from);
    let mut fit = Fit::of_course(posterior, model.powers().evidence_kind(), &run);
    if let EpState::Converged(_, convergence) = state {
        if !fit.objective.is_finite() {
            // Model files need a finite objective.
            return Err(InferenceError::ImproperCavity { count: convergence.last.improper }.into());
        }
        if fit.converged && !convergence.converged {
            fit.has_not_converged(NOT_SETTLED);
        }
        convergence_warnings(&convergence, &mut fit.warnings);
    }
    over_parameters(&mut fit, &model, problem);
    Ok(fit)
}

/// Takes one parameter step per sweep, then EP to convergence.
fn inner(mut model: PowerEp, problem: &Problem, rule: FirstOrder) -> Result<Fit, CliError> {
    let data = &problem.rows;
    let mut steps = Steps::new(rule, iterations(problem));
    (steps.descent.value_tolerance, steps.descent.plateau) = (VALUE_TOLERANCE, PLATEAU);
    steps.control = problem.settings.control.clone();
    steps.cools = true;
    let Trained { run, mut state } = model.learn(data, Learning::Inner(steps))?;
    let sweeps = if problem.settings.control.is_over() { FEW_SWEEPS } else { MANY_SWEEPS };
    let mut ep = EpOptions { tolerance: TOLERANCE, max_sweeps: sweeps, ..EpOptions::default() };
    ep.log_z_tolerance = LOG_Z_TOLERANCE;
    let rest = state.batch().map(|state| state.converge(&model, &ep)).transpose()?;
    let posterior = state.predictor(&model)?.map(Functions::from);
    let mut fit = Fit::of_course(posterior, model.powers().evidence_kind(), &run);
    if let Some(convergence) = rest {
        fit.objective = convergence.last.log_z;
        convergence_warnings(&convergence, &mut fit.warnings);
    }
    over_parameters(&mut fit, &model, problem);
    Ok(fit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Settings, TrainingRows};
    use faer::Mat;
    use gp_kernels::inducing::InducingInputs;

    fn work(kernel: &str, likelihood: &str) -> Work {
        work_of(&Ep::EP, kernel, likelihood)
    }

    fn work_of(method: &Ep, kernel: &str, likelihood: &str) -> Work {
        let points = Mat::from_fn(6, 2, |i, d| (i + d) as f64);
        let likelihood = gp_likelihoods::parse(likelihood).unwrap();
        let latents = likelihood.latents();
        let problem = Problem {
            rows: TrainingRows::in_memory(points.clone(), vec![1.0; 6]),
            kernels: vec![gp_kernels::parse(kernel).unwrap(); latents],
            alike: true,
            inducing: vec![InducingInputs::points(points.as_ref()).unwrap(); latents],
            likelihood,
            settings: Settings::default(),
        };
        method.work(&problem).unwrap()
    }

    #[test]
    fn few_parameters_take_few_evaluations_and_several_classes_many_sweeps() {
        let signs = work("2 * rbf(lengthscale=[1, 2]) + linear", "bernoulli_probit");
        assert_eq!((signs.typical, signs.integrals), (16.0, 6.0 * (1.0 + SWEEPS_AN_EVALUATION)));
        let fixed = work("2 * rbf(lengthscale=fixed(1))", "multiclass_probit(classes=3)");
        assert_eq!((fixed.typical, fixed.integrals), (4.0, 6.0 * (1.0 + SWEEPS_OF_FIXED_LENGTHS)));
        let classes = work("2 * rbf(lengthscale=1)", "multiclass_probit(classes=3)");
        assert_eq!((classes.typical, classes.integrals), (8.0, 6.0 * (1.0 + SWEEPS_OF_CLASSES)));
        assert_eq!(
            [100, 200, 10_000].map(sweeps_of_classes),
            [SWEEPS_OF_CLASSES, SWEEPS_OF_CLASSES, MAX_SWEEPS]
        );
        let many = work(
            "2 * rbf(lengthscale=[1, 2]) * rq(lengthscale=[1, 2]) + linear + constant + white",
            "bernoulli_probit",
        );
        assert_eq!(many.typical, TYPICAL_EVALUATIONS);
    }
    #[test]
    fn likelihoods_and_levels_have_their_counts() {
        let kernel = "2 * rbf(lengthscale=[1, 2]) + linear";
        let tails = work(kernel, "student_t");
        assert_eq!((tails.typical, tails.unsure), (24.0, UNSURE_OF_OTHERS));
        assert_eq!(work(kernel, "student_t(scale=1, dof=fixed(4))").typical, 20.0);
        assert_eq!(work(kernel, "bernoulli_probit").unsure, 1.0);
        let values = work_of(&Ep::GFITC, kernel, "bernoulli_probit");
        assert_eq!(values.integrals, 6.0 * (1.0 + SWEEPS_OF_VALUES));
        let classes = work_of(&Ep::GFITC, kernel, "multiclass_probit(classes=3)");
        assert_eq!(
            (classes.integrals, classes.unsure),
            (6.0 * (1.0 + SWEEPS_OF_VALUES_OF_CLASSES), UNSURE_OF_CLASSES)
        );
    }
}
