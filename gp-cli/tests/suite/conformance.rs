//! Every method goes through the conformance kit, and the kit finds faults that were planted.
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

use gp_cli::method::{Fit, GradientCheck, Later, Method, Optimizer, Problem, SeenThrough, Setting, Updated};
use gp_cli::testkit::{Check, MethodKit};
use gp_cli::{CliError, Context};
use gp_kernels::data::DataSource;
use gp_likelihoods::Likelihood;
use gp_optim::Control;
use std::sync::Arc;

/// A method passes all checks but these, which do not apply to it.
fn passes(name: &str, skipped: &[Check], promise: impl Fn(MethodKit<'_>) -> MethodKit<'_>) {
    let context = Context::built_in();
    let method = context.methods.find(name).unwrap();
    let report = promise(MethodKit::new(&context, method.as_ref())).check().unwrap();
    assert!(skipped.iter().all(|check| !report.passed().contains(check)), "{report}");
    let of_processes = usize::from(method.shares_rows());
    assert_eq!(report.passed().len() + skipped.len(), 10 + of_processes, "{report}");
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
    passes("sep", &[Check::ClosedForm], |kit| kit.exact_at_the_data(0.25).two_classes_within(0.2));
}

#[test]
fn ivm() {
    passes("ivm", &[Check::AtTheData, Check::ClosedForm], |kit| kit);
}

#[test]
fn svgp() {
    passes("svgp", &[], |kit| kit.with_closed_form("vfe", &[]).with_three_classes("robust_max(classes=3)"));
}

#[test]
fn savigp() {
    passes("savigp", &[], |kit| kit.with_closed_form("vfe", &[]));
}

/// Two stages, each with a checkpoint of its own.
#[test]
fn a_mixture() {
    passes("savigp", &[Check::ClosedForm], |kit| kit.with_setting("components", 2).exact_at_the_data(1e-2));
}

/// A built-in method with a fault.
#[derive(Debug)]
struct Faulty {
    sound: Arc<dyn Method>,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// One derivative is a little too large.
    Gradient,
    /// The last row is forgotten.
    Row,
    /// More threads, more evidence.
    Threads,
    /// What goes on from a checkpoint has not gone on.
    Stale,
    /// Nobody can interrupt it.
    Deaf,
    /// Rows that cannot be are left out.
    Lenient,
    /// Panics for rows that cannot be.
    Panic,
    /// Each of several processes comes to something else.
    Apart,
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

    fn seen_through(&self) -> SeenThrough {
        self.sound.seen_through()
    }

    fn shares_rows(&self) -> bool {
        self.fault == Fault::Apart
    }

    fn objection(&self, likelihood: &dyn Likelihood) -> Option<String> {
        self.sound.objection(likelihood)
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
            Fault::Stale if control.checkpoint().is_some_and(|file| file.path().exists()) => {
                problem.settings.given.insert("iterations", 0.into());
                problem.settings.control = Control::new();
            }
            Fault::Deaf => problem.settings.control = Control::new(),
            Fault::Lenient => {
                let (points, targets) = problem.rows.whole()?;
                let sound =
                    |i: &usize| points.row(*i).iter().all(|x| x.is_finite()) && targets[*i].is_finite();
                let rows: Vec<usize> = (0..targets.len()).filter(sound).collect();
                problem.rows = problem.rows.some(&rows)?;
            }
            Fault::Panic => {
                let (points, _) = problem.rows.whole()?;
                assert!(points.row_iter().all(|row| row.iter().all(|x| x.is_finite())), "not a number");
            }
            _ => {}
        }
        let mut fit = self.sound.fit(problem)?;
        if self.fault == Fault::Apart {
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
    assert_eq!(Faulty::looked_at(Fault::Row), [Check::AtTheData, Check::ClosedForm]);
}

#[test]
fn bits_that_depend_on_threads_are_found() {
    assert_eq!(Faulty::looked_at(Fault::Threads), [Check::Threads]);
    assert_eq!(Faulty::looked_at(Fault::Apart), [Check::Processes]);
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
