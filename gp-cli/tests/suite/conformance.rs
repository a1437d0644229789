//! Methods pass the conformance kit, which finds planted faults.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_cli::encode::Role;
use gp_cli::method::{
    Fit, GradientCheck, Later, Method, Optimizer, Problem, RepresentedBy, Setting, TrainingRows, Updated,
};
use gp_cli::testkit::{Check, MethodKit};
use gp_cli::{CliError, Context};
use gp_kernels::data::DataSource;
use gp_likelihoods::Likelihood;
use gp_optim::Control;
use std::sync::Arc;

/// Passes all checks except inapplicable `skipped` ones.
fn passes(name: &str, skipped: &[Check], promise: impl Fn(MethodKit<'_>) -> MethodKit<'_>) {
    let context = Context::built_in();
    let method = context.methods.find(name).unwrap();
    let report = promise(MethodKit::new(&context, method.as_ref())).check().unwrap();
    assert!(skipped.iter().all(|check| !report.passed().contains(check)), "{report}");
    let of_processes = usize::from(method.shares_rows());
    assert_eq!(report.passed().len() + skipped.len(), 12 + of_processes, "{report}");
}

#[test]
fn exact() {
    passes("exact", &[Check::ClosedForm, Check::TwoClasses], |kit| kit);
}

#[test]
fn pep() {
    passes("pep", &[Check::TwoClasses], |kit| kit.with_closed_form("ep", &[("alpha", 0.5)]));
}

#[test]
fn vfe() {
    passes("vfe", &[Check::TwoClasses], |kit| kit.with_closed_form("svgp", &[]));
}

#[test]
fn fitc() {
    passes("fitc", &[Check::TwoClasses], |kit| kit.with_closed_form("gfitc", &[]));
}

#[test]
fn ep() {
    passes("ep", &[], |kit| kit.with_closed_form("fitc", &[]));
}

#[test]
fn gfitc() {
    passes("gfitc", &[], |kit| kit.with_closed_form("fitc", &[]));
}

/// One average site for all rows is not EP.
#[test]
fn sep() {
    passes("sep", &[Check::ClosedForm, Check::Converged], |kit| {
        kit.exact_at_the_data(0.25).two_classes_within(0.2)
    });
}

#[test]
fn ivm() {
    passes("ivm", &[Check::AtTheData, Check::ClosedForm, Check::Weights, Check::Converged], |kit| kit);
}

#[test]
fn svgp() {
    // Steps stop by the gain of the bound, which is of second order in the latents: 1e-3 is the root of 1e-6.
    passes("svgp", &[], |kit| {
        let kit = kit.with_closed_form("vfe", &[]).converged_within(Some(3e-3));
        kit.with_three_classes("robust_max(classes=3)")
    });
}

#[test]
fn savigp() {
    passes("savigp", &[], |kit| kit.with_closed_form("vfe", &[]).converged_within(Some(1e-3)));
}

/// Two stages with own checkpoints.
#[test]
fn a_mixture() {
    passes("savigp", &[Check::ClosedForm, Check::Converged], |kit| {
        kit.with_setting("components", 2).exact_at_the_data(1e-2).converged_within(None)
    });
}

#[test]
fn every_method_is_checked() {
    for name in Context::built_in().methods.names() {
        let test = format!("passes(\"{name}\"");
        assert!(include_str!("conformance.rs").contains(&test), "no conformance test of {name}");
    }
}

#[derive(Debug)]
struct Faulty {
    sound: Arc<dyn Method>,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// One derivative slightly too large.
    Gradient,
    Row,
    Weight,
    /// Sites of earlier parameters.
    StaleSites,
    /// Objective increases with threads.
    Threads,
    /// No continuation of resumed fits.
    Stale,
    Deaf,
    /// Invalid rows dropped, not refused.
    Lenient,
    /// Panic at invalid rows.
    Panic,
    /// Other results per process.
    SeparatePosterior,
}

impl Faulty {
    fn looked_at(fault: Fault) -> Vec<Check> {
        let context = Context::built_in();
        let faulty = Self { sound: context.methods.find("vfe").unwrap(), fault };
        MethodKit::new(&context, &faulty).with_closed_form("svgp", &[]).check().unwrap_err().checks()
    }

    fn first_rows(problem: &mut Problem, count: usize) {
        let rows: Vec<usize> = (0..count).collect();
        problem.rows = problem.rows.some(&rows).unwrap();
    }
}

impl Method for Faulty {
    fn name(&self) -> &'static str {
        self.sound.name()
    }

    fn summary(&self) -> &'static str {
        self.sound.summary()
    }

    fn settings(&self) -> &'static [Setting] {
        self.sound.settings()
    }

    fn optimizers(&self) -> &'static [Optimizer] {
        self.sound.optimizers()
    }

    fn represented_by(&self) -> RepresentedBy {
        self.sound.represented_by()
    }

    fn shares_rows(&self) -> bool {
        self.fault == Fault::SeparatePosterior
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        self.sound.objection(likelihood)
    }

    fn supports(&self, role: Role) -> bool {
        self.sound.supports(role)
    }

    fn memory(&self, problem: &Problem) -> f64 {
        self.sound.memory(problem)
    }

    fn fit(&self, mut problem: Problem) -> Result<Fit, CliError> {
        let control = problem.settings.control.clone();
        match self.fault {
            Fault::Row if problem.rows.count() > 0 => {
                let rows = problem.rows.count();
                Self::first_rows(&mut problem, rows - 1);
            }
            Fault::Weight if problem.rows.outputs() > 1 => {
                let (points, observed) = problem.rows.whole()?;
                let once = observed.chunks_exact(3).flat_map(|row| [row[0], row[1], 1.0]).collect();
                problem.rows = TrainingRows::in_memory(points.to_owned(), once);
            }
            Fault::Stale if control.checkpoint().is_some_and(|file| file.path().exists()) => {
                problem.settings.given.insert("iterations", 0.into());
                problem.settings.control = Control::new();
            }
            Fault::Deaf => problem.settings.control = Control::new(),
            Fault::Lenient => {
                let (points, observed) = problem.rows.whole()?;
                let finite = |row: &[f64]| row.iter().all(|x| x.is_finite());
                let rows = observed.chunks_exact(problem.rows.outputs()).enumerate();
                let sound =
                    rows.filter(|(i, row)| points.row(*i).iter().all(|x| x.is_finite()) && finite(row));
                let rows: Vec<usize> = sound.map(|(i, _)| i).collect();
                problem.rows = problem.rows.some(&rows)?;
            }
            Fault::Panic => {
                let (points, _) = problem.rows.whole()?;
                assert!(points.row_iter().all(|row| row.iter().all(|x| x.is_finite())), "not a number");
            }
            _ => {}
        }
        let before = (self.fault == Fault::StaleSites).then(|| {
            let mut before = problem.clone();
            before.settings.given.insert("iterations", 2.into());
            before
        });
        let mut fit = self.sound.fit(problem)?;
        if let Some(before) = before {
            let before = self.sound.fit(before)?.posterior;
            fit.posterior = gp_ep::Predictor::new(
                before.functions().clone(),
                fit.posterior.likelihood().clone_box(),
                gp_linalg::Threading::Pool,
            )?;
        }
        if self.fault == Fault::SeparatePosterior {
            fit.objective *= 1.0 + f64::EPSILON * control.team().rank() as f64;
        }
        if self.fault == Fault::Threads {
            fit.objective *= 1.0 + f64::EPSILON * rayon::current_num_threads() as f64;
        }
        Ok(fit)
    }

    fn gradients(&self, problem: &Problem) -> Result<Vec<GradientCheck>, CliError> {
        let mut checks = self.sound.gradients(problem)?;
        if let (Fault::Gradient, Some(check)) = (self.fault, checks.last_mut()) {
            check.gradient *= 1.001;
            check.relative_error = (check.gradient - check.difference).abs() / check.gradient.abs();
        }
        Ok(checks)
    }

    fn update(&self, later: Later<'_>) -> Result<Updated, CliError> {
        self.sound.update(later)
    }
}

#[test]
fn a_wrong_gradient_is_found() {
    assert_eq!(Faulty::looked_at(Fault::Gradient), [Check::Gradients]);
}

#[test]
fn a_forgotten_row_is_found() {
    assert_eq!(Faulty::looked_at(Fault::Row), [Check::AtTheData, Check::ClosedForm, Check::Weights]);
}

#[test]
fn forgotten_weights_and_stale_sites_are_found() {
    assert_eq!(Faulty::looked_at(Fault::Weight), [Check::Weights]);
    assert!(Faulty::looked_at(Fault::StaleSites).contains(&Check::Converged));
}

#[test]
fn bits_that_depend_on_threads_are_found() {
    assert_eq!(Faulty::looked_at(Fault::Threads), [Check::Threads]);
    assert_eq!(Faulty::looked_at(Fault::SeparatePosterior), [Check::Processes]);
}

#[test]
fn a_stale_result_and_deafness_are_found() {
    assert_eq!(Faulty::looked_at(Fault::Stale), [Check::Resuming]);
    assert_eq!(Faulty::looked_at(Fault::Deaf), [Check::Resuming]);
}

#[test]
fn data_that_are_mended_or_panicked_over_are_found() {
    assert_eq!(Faulty::looked_at(Fault::Lenient), [Check::BadData]);
    assert_eq!(Faulty::looked_at(Fault::Panic), [Check::BadData]);
}
