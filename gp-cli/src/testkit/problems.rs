//! Small random problems.

use super::MethodKit;
use super::report::Findings;
use crate::error::CliError;
use crate::method::{
    BATCH_SIZE, EPOCHS, ITERATIONS, Optimizer, Problem, RepresentedBy, Settings, TrainingRows,
};
use faer::{Mat, MatRef};
use gp_kernels::KernelExt;
use gp_kernels::data::{DataError, DataSource, Rows as Selection, Table as TableOf};
use gp_kernels::inducing::InducingInputs;
use gp_likelihoods::Likelihood;
use gp_optim::Control;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const KERNEL: &str = "1.7 * rbf(lengthscale=[0.8, 1.1])";
const SEED: u64 = 16;
/// Inducing inputs or active rows.
const INDUCING: usize = 8;
const BATCH: u64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Numbers,
    Signs,
    TwoClasses,
    ThreeClasses,
}

pub(super) const TASKS: [Subject; 3] = [Subject::Numbers, Subject::Signs, Subject::ThreeClasses];

impl Subject {
    pub(super) fn likelihood(self, kit: &MethodKit<'_>) -> Result<Box<dyn Likelihood>, CliError> {
        let cheap = kit.method.evaluates_densities();
        let three = if cheap { "softmax(classes=3)" } else { "multiclass_probit(classes=3)" };
        Ok(kit.context.likelihoods.parse(match self {
            Self::Numbers => "gaussian(variance=0.2)",
            Self::Signs => "bernoulli_probit",
            Self::TwoClasses => "multiclass_probit(classes=2)",
            Self::ThreeClasses => kit.three_classes.unwrap_or(three),
        })?)
    }

    /// `None`, recorded, if the method refuses.
    pub(super) fn accepted(
        self,
        kit: &MethodKit<'_>,
        findings: &mut Findings,
    ) -> Result<Option<Box<dyn Likelihood>>, CliError> {
        let likelihood = self.likelihood(kit)?;
        let objection = kit.method.objection(likelihood.as_ref());
        if let Some(why) = &objection {
            findings.skip(format!("{self:?}: {why}"));
        }
        findings.cases += usize::from(objection.is_none());
        Ok(objection.is_none().then_some(likelihood))
    }

    /// Observation from signal, noise between −1 and 1.
    fn observe(self, signal: f64, noise: f64) -> f64 {
        let noisy = signal + 0.6 * noise;
        match self {
            Self::Numbers => noisy,
            Self::Signs => noisy.signum(),
            Self::TwoClasses => f64::from(noisy > 0.0),
            Self::ThreeClasses => f64::from(noisy > -0.5) + f64::from(noisy > 0.5),
        }
    }

    pub(super) fn impossible(self) -> f64 {
        if self == Self::Numbers { f64::NAN } else { 7.0 }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) points: Mat<f64>,
    pub(super) targets: Vec<f64>,
}

impl Table {
    pub(super) fn new(task: Subject, rows: usize) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let mut draw = || rng.random_range(-1.0..1.0);
        let points: Mat<f64> = Mat::from_fn(rows, 2, |_, _| 2.0 * draw());
        let signal = |i: usize| (2.0 * points[(i, 0)]).sin() + 0.5 * points[(i, 1)];
        let targets = (0..rows).map(|i| task.observe(signal(i), draw())).collect();
        Self { points, targets }
    }

    pub(super) fn in_memory(self) -> TrainingRows {
        TrainingRows::in_memory(self.points, self.targets)
    }
}

impl DataSource for Table {
    fn count(&self) -> usize {
        self.targets.len()
    }

    fn dim(&self) -> usize {
        self.points.ncols()
    }

    fn outputs(&self) -> usize {
        1
    }

    fn read(&self, rows: &Selection<'_>, points: &mut [f64], targets: &mut [f64]) -> Result<(), DataError> {
        TableOf::with_targets(self.points.as_ref(), &self.targets)?.read(rows, points, targets)
    }
}

/// Points partly far from rows.
pub(super) fn elsewhere() -> Mat<f64> {
    Mat::from_fn(12, 2, |i, d| 0.5 * i as f64 - 2.5 + 0.3 * d as f64)
}

impl<'a> MethodKit<'a> {
    pub(super) fn short_fit(
        &self,
        likelihood: &dyn Likelihood,
        rows: TrainingRows,
        by: Optimizer,
    ) -> Result<Problem, CliError> {
        let mut problem = self.problem(likelihood, rows)?;
        let budgets = [(ITERATIONS.name(), 3), (EPOCHS.name(), 2), (BATCH_SIZE, BATCH)];
        for setting in self.method.settings().iter().filter(|setting| setting.is_used_by(by)) {
            let budget = budgets.iter().find(|(name, _)| *name == setting.name());
            if let Some((name, steps)) = budget.filter(|(name, _)| !self.given.has(name)) {
                problem.settings.given.insert(name, (*steps).into());
            }
        }
        self.method.train_by(by, &mut problem.settings);
        Ok(problem)
    }

    /// Default iteration limits.
    pub(super) fn fixed(&self, likelihood: &dyn Likelihood, rows: TrainingRows) -> Result<Problem, CliError> {
        let mut problem = self.problem(likelihood, rows)?;
        problem.likelihood.parameters_mut().iter_mut().for_each(|parameter| parameter.fix_all(true));
        Self::fix_kernels(&mut problem);
        problem.settings.fixed_inducing = true;
        Ok(problem)
    }

    pub(super) fn fix_kernels(problem: &mut Problem) {
        for kernel in &mut problem.kernels {
            kernel.for_each_parameter_mut(&mut |parameter| parameter.fix_all(true));
        }
    }

    pub(super) fn problem(
        &self,
        likelihood: &dyn Likelihood,
        rows: TrainingRows,
    ) -> Result<Problem, CliError> {
        let (latents, seen) = (likelihood.latents(), self.method.represented_by());
        let kernel = self.context.kernels.parse(KERNEL)?;
        let places = Table::new(Subject::Numbers, 3 * INDUCING).points;
        let mut problem = Problem {
            rows,
            kernels: vec![kernel; latents],
            alike: false,
            inducing: Vec::new(),
            likelihood: likelihood.clone_box(),
            settings: Settings {
                given: self.given.clone(),
                optimizer: self.method.optimizers().first().copied(),
                active: (seen == RepresentedBy::ActiveRows).then_some(INDUCING),
                control: Control::new(),
                seed: SEED,
                ..Settings::default()
            },
        };
        if seen == RepresentedBy::InducingInputs {
            see_through(&mut problem, places.as_ref().subrows(2 * INDUCING, INDUCING))?;
        }
        Ok(problem)
    }
}

pub(super) fn see_through(problem: &mut Problem, places: MatRef<'_, f64>) -> Result<(), CliError> {
    problem.inducing = vec![InducingInputs::points(places)?; problem.likelihood.latents()];
    Ok(())
}
