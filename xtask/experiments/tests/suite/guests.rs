//! Guest likelihood and method in the table of a paper.
#![expect(clippy::unwrap_used, reason = "a test may break off")]

use gp_cli::Context;
use gp_likelihoods::special::standard_normal_cdf;
use gp_likelihoods::{Density, Described, LikelihoodEntry, ObservationMoments, Scalar, Support};
use gp_optim::{Parameter, Transform};
use rain_gp::Laplace;
use rand::Rng;
use std::path::Path;

/// `p(y | f) = ε + (1 − 2ε) Φ(y f)`, for a share ε of wrong labels.
#[derive(Clone, Debug)]
struct Flipped([Parameter; 1]);

impl Flipped {
    fn entry() -> LikelihoodEntry {
        LikelihoodEntry::new("flipped", "labels, some of them wrong", |_| {
            Ok(Box::new(Self([Parameter::scalar("share", 0.05, Transform::Interval { lo: 0.0, hi: 0.5 })?])))
        })
    }

    fn plus(&self, f: f64) -> f64 {
        let share = self.0[0].value();
        share + (1.0 - 2.0 * share) * standard_normal_cdf(f)
    }
}

impl Described for Flipped {
    fn name(&self) -> &'static str {
        "flipped"
    }

    fn parameters(&self) -> &[Parameter] {
        &self.0
    }

    fn parameters_mut(&mut self) -> &mut [Parameter] {
        &mut self.0
    }

    fn support(&self) -> Support {
        Support::Signs
    }
}

impl Density for Flipped {
    fn log_p<S: Scalar>(&self, y: &[f64], f: impl Fn(usize) -> S, theta: impl Fn(usize) -> S) -> S {
        let right = (f(0) * y[0]).log_normal_cdf() + (theta(0) * -2.0 + 1.0).ln();
        let wrong = theta(0).ln();
        wrong + (right - wrong).log1p_exp()
    }

    fn bend(&self, _y: &[f64]) -> Option<f64> {
        Some(0.0)
    }

    fn moments_given(&self, f: &[f64], out: &mut [ObservationMoments]) {
        let p = self.plus(f[0]);
        out[0] = ObservationMoments { mean: 2.0 * p - 1.0, variance: 4.0 * p * (1.0 - p) };
    }

    fn cdf_given(&self, _output: usize, y: f64, f: &[f64]) -> f64 {
        if y < -1.0 {
            0.0
        } else if y < 1.0 {
            1.0 - self.plus(f[0])
        } else {
            1.0
        }
    }

    fn sample_given(&self, _f: &[f64], _rng: &mut dyn Rng, _out: &mut [f64]) -> Option<()> {
        None
    }
}

fn run(folder: &Path, line: &str) -> (u8, String, String) {
    let names = Context::built_in().with_likelihood(Flipped::entry()).with_method(Laplace);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let results = folder.to_str().unwrap();
    let arguments = ["own", "experiment"].into_iter().chain(line.split('/')).chain(["--results", results]);
    let code = gp_experiments::run(&names, arguments.map(Into::into), &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (code, text(out), text(err))
}

const GUESTS: &str = "--method/laplace/--method/laplace: flipped(share=0.1)/--method/svgp: flipped";

#[test]
fn guests_are_columns_of_a_table_of_labels() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run(folder.path(), &format!("run/--quick/003-table-1/{GUESTS}"));
    assert_eq!(
        (code, out.trim()),
        (0, "003-table-1: 3 of 3 runs done, 0 of them earlier, 0 failed"),
        "{err}"
    );
    // The item's own methods, for comparison.
    let (code, _, err) = run(folder.path(), "run/--quick/003-table-1");
    assert_eq!(code, 0, "{err}");
    let results = gp_experiments::harness::Results::open(folder.path(), "003-table-1").unwrap();
    assert_eq!(results.records().count(), 7);
    for method in ["sep", "laplace", "laplace: flipped(share=0.1)", "svgp: flipped"] {
        let found = results.scores("australian", "M=15%", method, "nll");
        // Better than chance on separable data.
        assert!(found.len() == 1 && found[0] < std::f64::consts::LN_2, "{method}: {found:?}");
    }
    let (code, _, err) = run(folder.path(), "report");
    assert_eq!(code, 0, "{err}");
    let page = std::fs::read_to_string(folder.path().join("003.md")).unwrap();
    assert!(page.contains("| australian | M=15% | laplace: flipped(share=0.1) |"), "{page}");
}

#[test]
fn guests_are_columns_of_figures_of_numbers_and_labels() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = run(folder.path(), "run/--quick/004-figures-1-4/--method/laplace/--only/SF=0.5");
    assert_eq!((code, out.contains("0 failed")), (0, true), "{out}{err}");
    let results = gp_experiments::harness::Results::open(folder.path(), "004-figures-1-4").unwrap();
    assert_eq!(results.scores("boston (savigp)", "SF=0.5", "laplace", "sse").len(), 1);
    assert_eq!(results.scores("breast (savigp)", "SF=0.5", "laplace", "nlp").len(), 1);
}

#[test]
fn guests_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (line, text) in [
        ("run/--quick/003-table-1/--method/lapalce", "there is no method `lapalce`"),
        ("run/--quick/003-table-1/--method/ep: fliped", "fliped"),
        (
            "run/--quick/003-figure-2/--method/laplace",
            "`003-figure-2` does not support other methods than its own",
        ),
    ] {
        let (code, _, err) = run(folder.path(), line);
        assert!(code == 1 && err.contains(text), "{line}: {err}");
    }
    // Exact regression does not support labels: the run fails with a reason.
    let (code, _, err) = run(folder.path(), "run/--quick/003-table-1/--method/exact");
    assert!(code == 1 && err.contains("1 of 1 runs failed; the results give the reasons"), "{err}");
    let results = std::fs::read_to_string(folder.path().join("003-table-1.jsonl")).unwrap();
    assert!(results.contains("it needs Gaussian noise"), "{results}");
}
