//! Mini-batch EP, average (stochastic EP) or own sites.

use super::batches;
use super::check::GradientCheck;
use super::common;
use super::contract::{Case, Method};
use super::defaults::DefaultCase;
use super::given::Given;
use super::later::{Later, Updated};
use super::optimizer::Optimizer;
use super::outcome::Fit;
use super::power_ep::{ALPHA, LOG_CONCAVE, given_power, model, over_parameters, power};
use super::problem::Problem;
use super::setting::Setting;
use super::sites::ConvergedSites;
use super::uncertain::{AS_KNOWN, learns_inducing};
use super::variational::is_saddle;
use super::work::{Integral, Work};
use crate::encode::Role;
use crate::error::CliError;
use crate::model::Functions;
use crate::own_rows::{for_each_block, gathered};
use gp_ep::operations;
use gp_ep::power_ep::{EpLearning, EpState, Level, Settled, Sharing};
use gp_ep::{DataSource as _, EvidenceKind, InferenceError, PowerEp, Trained};
use gp_likelihoods::Likelihood;

#[derive(Clone, Copy, Debug)]
pub(super) struct Sep;

const EPOCHS: Setting = common::EPOCHS.default_whole_by_case(&[TWENTY, TWENTY_OF_MANY]);
/// Default epochs; plateaus may end training after 800 steps.
const TWENTY: DefaultCase<u64> = DefaultCase::new(20, "or the number that makes 1000 to 5000 steps");
const TWENTY_OF_MANY: DefaultCase<u64> =
    DefaultCase::new(20, "or 400 to 5000 steps for more than 20 latent functions");
/// Typical steps with all rows in one batch.
const STEPS_OF_ALL: f64 = 300.0;
const MAX_STEPS: u64 = 5_000;
const BATCH_SIZE: Setting = common::batch_size(256);
const SITES: Setting = Setting::choice(
    "sites",
    &[(OWN, "One per observation"), (TIED, "One average for all")],
    "Sites: one for each observation, or one average for all",
)
.default_word_by_case(&[FEW_OWN, MANY_TIED]);
const FEW_OWN: DefaultCase<&str> =
    DefaultCase::new(OWN, "for a log-concave likelihood with up to a million rows times latent functions");
const MANY_TIED: DefaultCase<&str> = DefaultCase::new(TIED, "otherwise");
/// Minimum rows for 500 inducing inputs.
const MANY_ROWS: usize = 30_000;
/// Maximum Q with fast steps; beyond, rows per inducing input.
const MANY_LATENTS: usize = 20;
const ROWS_A_POINT: usize = 8;
/// Minimum steps for many latents.
const FEW_STEPS: u64 = 400;
/// Maximum own sites by default; tied ones predict worse, need less memory.
const MANY_SITES: usize = 1_000_000;
const NUMBERS_A_SITE: f64 = 6.0;
const OWN: &str = "full";
const TIED: &str = "tied";
const SETTINGS: &[Setting] = &[ALPHA, SITES, EPOCHS, BATCH_SIZE, common::PARAMETERS];

impl Method for Sep {
    fn name(&self) -> &'static str {
        "sep"
    }

    fn summary(&self) -> &'static str {
        "EP in mini-batches, with one average site for all observations or one for each"
    }

    fn shares_rows(&self) -> bool {
        true
    }

    fn settings(&self) -> &'static [Setting] {
        SETTINGS
    }

    fn alpha(&self, problem: &Problem) -> Option<f64> {
        Some(power(problem))
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        &[Optimizer::Adam, Optimizer::Adadelta]
    }

    fn default_inducing(&self, latents: usize, rows: usize) -> usize {
        match rows {
            MANY_ROWS.. => 500,
            _ if latents > MANY_LATENTS => (rows / ROWS_A_POINT).clamp(100, 300),
            _ => 300,
        }
    }

    fn learns_inducing(&self, rows: usize, given: &Given) -> bool {
        learns_inducing(rows, given.number_in(&ALPHA, LOG_CONCAVE))
    }

    fn is_default(&self, case: &Case<'_>) -> Option<String> {
        if is_saddle(case.likelihood) {
            return None;
        }
        let asked = [SITES, EPOCHS, BATCH_SIZE].iter().any(|setting| case.given.has(setting.name()));
        Some(match (case.streamed, asked) {
            (true, _) => "mini-batches need no rows in memory".to_owned(),
            (false, true) => "batches were asked for".to_owned(),
            (false, false) => {
                let of = match case.likelihood.latents() {
                    1 => String::new(),
                    latents => format!(" of {latents} latent functions"),
                };
                format!("{} rows{of} are many, and mini-batches do not mind", case.rows)
            }
        })
    }

    fn supports(&self, role: Role) -> bool {
        role.adjusts()
    }

    fn memory(&self, problem: &Problem) -> f64 {
        let sizes = problem.sizes();
        let (batch, inducing, latents) = (sizes.at_once as f64, sizes.inducing as f64, sizes.latents as f64);
        let data = sizes.held as f64 * sizes.width() as f64;
        let sites = if has_tied_sites(problem) { 0.0 } else { NUMBERS_A_SITE * sizes.rows as f64 * latents };
        8.0 * (data + sites + batch * latents * inducing + latents * 40.0 * inducing * inducing)
    }

    fn work(&self, problem: &Problem) -> Option<Work> {
        let sizes = problem.extents();
        let per_epoch = problem.rows.count().div_ceil(sizes.rows.max(1)) as u64;
        let most = step_count(problem, per_epoch) as f64;
        let typical = if per_epoch == 1 { most.min(STEPS_OF_ALL) } else { most };
        Some(Work {
            products: operations::step(&sizes),
            covariances: common::covariances(&sizes),
            // Each row is integrated for its site and again for the gradient, with the posterior after the update.
            integrals: 2.0 * sizes.rows as f64,
            integral: Integral::Tilted(power(problem)),
            ..Work::of_evaluations(typical, most)
        })
    }

    fn fit(&self, problem: Problem) -> Result<Fit, CliError> {
        let model = model(&problem, Level::Projection)?;
        in_batches(model, &problem)
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        // Batches estimate this gradient; a single average site has no objective of its own.
        super::gradients::converged(problem, Level::Projection)
    }

    fn sites(&self, given: &Given, likelihood: &dyn Likelihood, rows: usize) -> Option<ConvergedSites> {
        let power = given_power(given, likelihood);
        let own = !is_tied(given, likelihood, rows);
        own.then_some(ConvergedSites { power, level: Level::Projection, own: false })
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        let power = given_power(later.given, later.before.likelihood());
        let sites = ConvergedSites { power, level: Level::Projection, own: false };
        super::update::over_components(later, |later| super::update::by_sites(self.name(), later, sites))
    }
}

fn is_tied(given: &Given, likelihood: &dyn Likelihood, rows: usize) -> bool {
    let sites = rows.saturating_mul(likelihood.latents());
    let case = if sites > MANY_SITES || !likelihood.is_log_concave() { MANY_TIED } else { FEW_OWN };
    given.word_in(&SITES, case) == TIED
}

fn has_tied_sites(problem: &Problem) -> bool {
    is_tied(&problem.settings.given, problem.likelihood.as_ref(), problem.rows.count())
}

fn step_count(problem: &Problem, per_epoch: u64) -> u64 {
    let (given, most) = (&problem.settings.given, MAX_STEPS.max(per_epoch));
    let is_slow = problem.likelihood.latents() > MANY_LATENTS;
    let (case, least) = if is_slow { (TWENTY_OF_MANY, FEW_STEPS) } else { (TWENTY, common::MIN_STEPS) };
    let steps = common::steps_in_batches(given, (&EPOCHS, case), per_epoch, least);
    if given.has(EPOCHS.name()) { steps } else { steps.min(most) }
}

/// Refuses weights below the power, which tied sites would remove.
fn check_weights(problem: &Problem) -> Result<(), CliError> {
    let (power, rows, likelihood) = (power(problem), &problem.rows, problem.likelihood.as_ref());
    if likelihood.plain().is_none() {
        return Ok(());
    }
    let (outputs, mut least) = (rows.outputs(), f64::INFINITY);
    for_each_block(rows, |_, _, observed| {
        least = observed.chunks_exact(outputs).map(|y| likelihood.weight(y)).fold(least, f64::min);
    })?;
    let weight = gathered(rows, vec![least])?.into_iter().fold(f64::INFINITY, f64::min);
    if weight < power { Err(InferenceError::TiedWeight { power, weight }.into()) } else { Ok(()) }
}

fn in_batches(mut model: PowerEp, problem: &Problem) -> Result<Fit, CliError> {
    let settings = &problem.settings;
    let sharing = if has_tied_sites(problem) { Sharing::Tied } else { Sharing::Own };
    if sharing == Sharing::Tied {
        check_weights(problem)?;
    }
    let learning = EpLearning::default().with_sharing(sharing);
    let count = |per_epoch| step_count(problem, per_epoch);
    let Trained { run, state } = batches::learn(&mut model, (problem, &settings.control), &learning, count)?;
    let posterior = state.predictor(&model)?.map(Functions::from);
    let mut fit = Fit::of_course(posterior, EvidenceKind::Estimate, &run);
    if let EpState::InBatches(_, Some(settled)) = state {
        report(&settled, &mut fit);
    }
    if sharing == Sharing::Own {
        over_parameters(&mut fit, &model, problem);
    } else if settings.given.word(&common::PARAMETERS) == Some(common::UNCERTAIN) {
        fit.warnings.push(format!(
            "with one average site for all rows, the uncertainty of parameters cannot be computed; {AS_KNOWN}"
        ));
    }
    Ok(fit)
}

/// Sets the objective to the estimate from all rows.
fn report(settled: &Settled, fit: &mut Fit) {
    if settled.log_z.is_finite() {
        fit.objective = settled.log_z;
    }
    // A positive objective after an early end has its own warning.
    if settled.epochs_back > 0 && settled.log_z <= 0.0 {
        let epochs = settled.epochs_back;
        fit.warnings.push(format!(
            "the sites first gave the labels a probability above 1; {epochs} more epochs of small steps mended that"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::{Settings, TrainingRows};
    use faer::Mat;
    use gp_kernels::inducing::InducingInputs;

    #[test]
    fn a_step_integrates_every_row_of_its_batch_twice() {
        let points = Mat::from_fn(60, 1, |i, _| i as f64);
        let mut settings = Settings::default();
        settings.given.insert(BATCH_SIZE.name(), 20.into());
        Sep.train_by(Optimizer::Adam, &mut settings);
        let problem = Problem {
            rows: TrainingRows::in_memory(points.clone(), vec![1.0; 60]),
            kernels: vec![gp_kernels::parse("rbf").unwrap()],
            alike: true,
            inducing: vec![InducingInputs::points(points.subrows(0, 5)).unwrap()],
            likelihood: gp_likelihoods::parse("bernoulli_probit").unwrap(),
            settings,
        };
        let work = Sep.work(&problem).unwrap();
        assert_eq!((work.integrals, work.integral), (40.0, Integral::Tilted(1.0)));
        // 20 rows and five inducing points: with each other, and rows and inducing points with themselves.
        assert_eq!(work.covariances, 20.0 * 5.0 + 20.0 + 5.0 * 5.0 / 2.0);
    }

    #[test]
    fn the_defaults_say_how_many() {
        let steps = format!("{} to {MAX_STEPS} steps", common::MIN_STEPS);
        assert!(EPOCHS.default_in_words().contains(&steps));
        let few = format!("{FEW_STEPS} to {MAX_STEPS} steps for more than {MANY_LATENTS} latent");
        assert!(EPOCHS.default_in_words().contains(&few));
        assert!(MANY_SITES == 1_000_000 && SITES.default_in_words().contains("a million rows"));
    }
}
