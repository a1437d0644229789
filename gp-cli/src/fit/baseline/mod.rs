//! Generalised linear regression as baseline: [penalised likelihood](penalised) for labels and counts, closed form
//! for real numbers, else EP.
//!
//! Rank D + 1: as many inducing inputs in general position are exact.

mod line;
mod penalised;

use super::sample::Sample;
use crate::error::CliError;
use crate::method::{
    ClosedForm, Ep, Given, ITERATIONS, Method, Optimizer, Problem, Settings, TrainingRows, Work, is_gaussian,
};
use crate::model::{Approximation, together};
use gp_kernels::Kernel;
use gp_kernels::algebra::Sum;
use gp_kernels::kernels::constant::Constant;
use gp_kernels::kernels::linear::{Identity, Linear};
use gp_kernels::placement::{Greedy, Placement};
use gp_likelihoods::{
    Adjusted, BernoulliLogit, Dispersion, Gaussian, Gaussians, Likelihood, Link, Poisson, Softmax, Support,
    dispersion,
};
use gp_optim::Control;

/// Maximum N (D + 1)² Q, some seconds of work.
const MAX_WORK: f64 = 1e9;
/// Maximum rows for EP, which converges slowly.
const MAX_OTHERS: usize = 2_000;
/// Iterations with converged sites; steps alternating with sweeps.
const FEW_ITERATIONS: u64 = 50;
const FEW_STEPS: u64 = 50;
const NOISE: f64 = 0.1;

/// Linear model; `None` if too slow, stopped, or without integrals. The control must have begun.
pub(super) fn linear(problem: &Problem, sample: &TrainingRows) -> Result<Option<Approximation>, CliError> {
    let (control, seed) = (&problem.settings.control, problem.settings.seed);
    // EP needs integrals, which a log density alone does not give.
    if is_over(control) || problem.likelihood.is_sampled() {
        return Ok(None);
    }
    if problem.likelihood.targets() > 1 {
        return of_several(problem, sample);
    }
    let plain = without_parameters(problem.likelihood.as_ref())?;
    let is_adjusted = problem.likelihood.plain().is_some();
    match plain.map(|own| with_columns(own, is_adjusted)) {
        Some(likelihood) => {
            let most = penalised::most_rows(sample, likelihood.latents());
            let rows = Sample::at_most(sample, most, seed)?.rows;
            penalised::fit(&rows, likelihood, control)
        }
        None => by_kernel(problem, sample),
    }
}

fn with_columns(own: Box<dyn Likelihood>, is_adjusted: bool) -> Box<dyn Likelihood> {
    if is_adjusted { Box::new(Adjusted::new(own)) } else { own }
}

fn of_several(problem: &Problem, sample: &TrainingRows) -> Result<Option<Approximation>, CliError> {
    if problem.likelihood.support() != Support::Real {
        return Ok(None);
    }
    let (outputs, mut lines) = (problem.likelihood.targets(), Vec::new());
    let is_adjusted = problem.likelihood.plain().is_some();
    let noise = Gaussians::new(vec![NOISE; outputs])?;
    for output in 0..outputs {
        let one = Problem {
            kernels: problem.kernels.iter().take(1).cloned().collect(),
            likelihood: with_columns(Gaussian::new(NOISE)?.into(), is_adjusted),
            settings: Settings { known_parameters: true, ..problem.settings.clone() },
            ..problem.clone()
        };
        lines.extend(by_kernel(&one, &sample.of_target(output, outputs)?)?);
    }
    (lines.len() == outputs).then(|| together(&lines, noise.into())).transpose()
}

fn is_over(control: &Control) -> bool {
    control.wants_end()
}

/// Bernoulli logit, softmax or log-rate Poisson.
fn without_parameters(of_model: &dyn Likelihood) -> Result<Option<Box<dyn Likelihood>>, CliError> {
    let latents = of_model.latents();
    Ok(match of_model.support() {
        Support::Signs if latents == 1 => Some(BernoulliLogit.into()),
        Support::Classes(classes) if latents == classes => Some(Softmax::new(classes)?.into()),
        Support::Counts if is_log_poisson(of_model) => Some(Poisson::new(0.0)?.into()),
        _ => None,
    })
}

fn is_log_poisson(of_model: &dyn Likelihood) -> bool {
    let is_log_rate = of_model.latents() == 1 && of_model.link() == Link::Log;
    is_log_rate && dispersion(of_model) == Some(Dispersion::Mean)
}

fn by_kernel(problem: &Problem, sample: &TrainingRows) -> Result<Option<Approximation>, CliError> {
    let Some((method, linear)) = with_linear_kernel(problem, sample)? else { return Ok(None) };
    Ok(Some(method.fit(linear)?.posterior))
}

/// EP problem with operation counts; `None` for faster methods.
pub(super) fn work(problem: &Problem, sample: &TrainingRows) -> Result<Option<(Problem, Work)>, CliError> {
    let likelihood = problem.likelihood.as_ref();
    if likelihood.is_sampled() || likelihood.targets() > 1 || is_gaussian(likelihood) {
        return Ok(None);
    }
    if without_parameters(likelihood)?.is_some() {
        return Ok(None);
    }
    let found = with_linear_kernel(problem, sample)?;
    Ok(found.and_then(|(method, linear)| method.work(&linear).map(|work| (linear, work))))
}

/// `None` if too slow.
fn with_linear_kernel(
    problem: &Problem,
    sample: &TrainingRows,
) -> Result<Option<(&'static dyn Method, Problem)>, CliError> {
    let is_real = is_gaussian(problem.likelihood.as_ref());
    let most = if is_real { usize::MAX } else { MAX_OTHERS };
    let sample = Sample::at_most(sample, most, problem.settings.seed)?.rows;
    let (points, _) = sample.whole()?;
    let (rows, dim, latents) = (points.nrows(), points.ncols(), problem.kernels.len());
    let width = (dim + 1) as f64;
    if rows as f64 * width * width * latents as f64 > MAX_WORK {
        return Ok(None);
    }
    let kernel = Sum::of(vec![Box::new(Linear::new(Identity)), Box::new(Constant::new())])?;
    let placed = Greedy::new().place(kernel.as_ref(), points, (dim + 1).min(rows), 0)?;
    let method: &dyn Method = if is_real { &ClosedForm::VFE } else { &Ep::EP };
    // EP takes hundreds of sweeps for densities that are not log-concave.
    let in_turns = !problem.likelihood.is_log_concave();
    let mut given = Given::default();
    given.insert(ITERATIONS.name(), if in_turns { FEW_STEPS } else { FEW_ITERATIONS }.into());
    let optimizer = in_turns.then_some(Optimizer::SignAdaptive);
    // Fixed values and priors of the likelihood apply here, but for the variance of Gaussian noise, which here includes
    // what is not linear; those of kernels do not.
    let mut likelihood = problem.likelihood.clone_box();
    if is_real {
        likelihood.parameters_mut().iter_mut().for_each(|parameter| parameter.fix_all(false));
    }
    let kernels: Vec<Box<dyn Kernel>> = vec![kernel; latents];
    let linear = Problem {
        rows: sample,
        inducing: vec![placed.inputs; latents],
        kernels,
        alike: true,
        likelihood,
        settings: Settings {
            given,
            optimizer,
            fixed_inducing: true,
            known_parameters: problem.settings.known_parameters,
            control: problem.settings.control.aside(),
            ..Settings::default()
        },
    };
    Ok(Some((method, linear)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::foreign::foreign;
    use gp_likelihoods::{NegativeBinomial, PoissonSoftplus};

    #[test]
    fn work_of_linear_models_is_that_of_ep() {
        let rows = MAX_OTHERS + 500;
        let work = |likelihood: &str| {
            let points = faer::Mat::from_fn(rows, 2, |i, d| ((i * (3 + d)) % 17) as f64);
            let problem = Problem {
                rows: TrainingRows::in_memory(points, vec![1.0; rows]),
                kernels: vec![gp_kernels::parse("rbf").unwrap()],
                alike: true,
                inducing: Vec::new(),
                likelihood: gp_likelihoods::parse(likelihood).unwrap(),
                settings: Settings::default(),
            };
            work(&problem, &problem.rows).unwrap().map(|(_, work)| work)
        };
        assert!(["gaussian", "bernoulli_probit", "poisson"].into_iter().all(|of| work(of).is_none()));
        let heavy = work("student_t").unwrap();
        // A step is a sweep and a gradient over all rows.
        assert_eq!((heavy.typical, heavy.integrals), (FEW_STEPS as f64, 2.0 * MAX_OTHERS as f64));
    }

    #[test]
    fn counts_of_a_log_rate_are_poisson_whoever_made_them() {
        let standard =
            |of: &dyn Likelihood| without_parameters(of).unwrap().map(|likelihood| likelihood.name());
        let poisson = Poisson::new(0.3).unwrap();
        assert_eq!(standard(&poisson), Some("poisson"));
        assert_eq!(standard(foreign(poisson.clone()).as_ref()), Some("poisson"));
        assert_eq!(standard(&Adjusted::new(foreign(poisson))), Some("poisson"));
        assert_eq!(standard(foreign(NegativeBinomial::new(1.0).unwrap()).as_ref()), None);
        assert_eq!(standard(&PoissonSoftplus::new(0.0).unwrap()), None);
    }
}
