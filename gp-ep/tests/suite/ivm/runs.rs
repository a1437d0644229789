//! Choices, reports and predictions of runs.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use super::support::{Problem, kernel, latents, probabilities, three_classes};
use gp_ep::Observations;
use gp_ep::ivm::{
    Coupling, FinalSites, Ivm, IvmOptions, IvmRun, Reason, Reweighting, Rule, Selection, StepPhase,
};
use gp_likelihoods::{BernoulliProbit, Softmax};
use gp_linalg::Threading;
use gp_optim::{Control, Interrupt, StopReason};
use std::time::Duration;

const ALL: [Selection; 4] =
    [Selection::InformationGain, Selection::ExactInformationGain, Selection::MaxEntropy, Selection::Random];

fn error(run: &IvmRun, problem: &Problem) -> f64 {
    let found = run.posterior.predictor().unwrap().labels(problem.inputs()).unwrap();
    found.iter().zip(&problem.y).filter(|(a, b)| a != b).count() as f64 / problem.y.len() as f64
}

#[test]
fn every_rule_learns_and_reports_what_it_did() {
    let (training, test) = (Problem::stripes(300, 3, 1), Problem::stripes(200, 3, 2));
    for coupling in [Coupling::Coupled, Coupling::Independent] {
        for selection in ALL {
            let model = three_classes().with_coupling(coupling).unwrap();
            let options = IvmOptions {
                active: 40,
                liquid: 10,
                selection,
                candidates: Some(100),
                ..IvmOptions::default()
            };
            let run = model.build(&training.data(), &options).unwrap();
            for latent in 0..3 {
                let mut rows = run.posterior.active(latent).to_vec();
                assert_eq!(rows.len(), 40);
                rows.sort_unstable();
                rows.dedup();
                assert_eq!(rows.len(), 40, "no row twice");
            }
            let first = run.inclusions.iter().filter(|i| i.reason == Reason::First);
            let mut classes: Vec<f64> = first.map(|i| training.y[i.row]).collect();
            classes.sort_unstable_by(f64::total_cmp);
            let expected: &[f64] = if selection == Selection::Random { &[] } else { &[0.0, 1.0, 2.0] };
            assert_eq!(classes, expected);
            assert!(run.refused.is_empty() && run.ep.rolled_back == 0);
            assert_eq!(run.ep.updates > 0, coupling == Coupling::Coupled);
            // Labels have noise of ±0.05 within stripes of 1/3, which 40 random points do not resolve.
            let (error, most) =
                (error(&run, &test), if selection == Selection::Random { 0.25 } else { 0.15 });
            assert!(error < most, "{coupling:?} {selection:?}: {error}");
            let found = probabilities(&run.posterior, test.inputs());
            for i in 0..200 {
                let total: f64 = (0..3).map(|c| found[(i, c)]).sum();
                assert!((total - 1.0).abs() < 1e-12 && (0..3).all(|c| found[(i, c)] >= 0.0));
            }
        }
    }
}

#[test]
fn information_beats_chance() {
    let (training, test) = (Problem::stripes(400, 3, 3), Problem::stripes(300, 3, 4));
    let mean = |selection| {
        let of = |seed| {
            let options = IvmOptions {
                active: 25,
                liquid: 10,
                selection,
                candidates: Some(150),
                seed,
                ..IvmOptions::default()
            };
            error(&three_classes().build(&training.data(), &options).unwrap(), &test)
        };
        (0..6).map(of).sum::<f64>() / 6.0
    };
    let (informed, random) = (mean(Selection::InformationGain), mean(Selection::Random));
    assert!(informed < random, "{informed} {random}");
}

/// For two classes sites match the whole tilted covariance: likelihood and site depend on one difference.
#[test]
fn both_scores_agree_for_two_classes() {
    let problem = Problem::stripes(80, 2, 5);
    let model =
        Ivm::shared(kernel("2 * rbf(lengthscale=0.3)").as_ref(), Box::new(Softmax::new(2).unwrap())).unwrap();
    let build = |selection| {
        let options = IvmOptions { active: 20, liquid: 0, selection, ..IvmOptions::default() };
        model.build(&problem.data(), &options).unwrap()
    };
    let (cheap, exact) = (build(Selection::InformationGain), build(Selection::ExactInformationGain));
    for (a, b) in cheap.inclusions.iter().zip(&exact.inclusions) {
        assert_eq!(a.row, b.row);
        if let (Some(a), Some(b)) = (a.score, b.score) {
            // The search for the site ends at differences of rounding size.
            assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
        }
    }
}

/// Softmax of two latents is logistic in their difference.
#[test]
fn two_coupled_classes_are_one_latent_of_twice_the_variance() {
    let problem = Problem::signs(60, 6);
    let labels: Vec<f64> = problem.y.iter().map(|y| f64::from(u8::from(*y > 0.0))).collect();
    let data = Observations::new(problem.inputs(), &labels).unwrap();
    let two = Ivm::shared(kernel("1.0 * rbf(lengthscale=0.3)").as_ref(), Box::new(Softmax::new(2).unwrap()))
        .unwrap();
    let two = two.with_rule(Rule::Product(31)).unwrap();
    let one = Ivm::new(vec![kernel("2.0 * rbf(lengthscale=0.3)")], Box::new(gp_likelihoods::BernoulliLogit))
        .unwrap();
    let options = IvmOptions { active: 20, liquid: 0, selection: Selection::Random, ..IvmOptions::default() };
    let (two, one) = (two.build(&data, &options).unwrap(), one.build(&problem.data(), &options).unwrap());
    assert_eq!(two.posterior.active(0), one.posterior.active(0));
    let (a, b) = (latents(&two.posterior, problem.inputs()), latents(&one.posterior, problem.inputs()));
    for (two, one) in a.iter().zip(&b) {
        let variance = two.covariance[0] + two.covariance[3] - 2.0 * two.covariance[1];
        // 31 nodes per dimension against a rule refined to convergence.
        assert!((two.mean[1] - two.mean[0] - one.mean[0]).abs() < 1e-5, "{two:?} {one:?}");
        assert!((variance - one.covariance[0]).abs() < 1e-5, "{two:?} {one:?}");
    }
}

#[test]
fn threads_do_not_change_bits() {
    let problem = Problem::stripes(200, 3, 7);
    let kinds = [Coupling::Coupled, Coupling::Independent]
        .map(|coupling| [FinalSites::Matched, FinalSites::Converged].map(|sites| (coupling, sites)));
    for (coupling, sites) in kinds.into_iter().flatten() {
        let build = |threading| {
            let model = three_classes().with_coupling(coupling).unwrap().with_threading(threading);
            let options = IvmOptions { active: 20, liquid: 6, sites, ..IvmOptions::default() };
            let run = model.build(&problem.data(), &options).unwrap();
            let criterion = model.criterion(&problem.data(), &run.posterior).unwrap();
            let latents = latents(&run.posterior, problem.inputs());
            (run.inclusions, criterion.to_bits(), latents)
        };
        let pool = rayon_pool();
        assert_eq!(build(Threading::Here), pool.install(|| build(Threading::Pool)));
    }
}

fn rayon_pool() -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap()
}

#[test]
fn reweighted_runs_end_at_full_weight() {
    let problem = Problem::stripes(150, 3, 8);
    let reweighting = Some(Reweighting { start: 0.3, rate: 0.05, span: 4 });
    let options = IvmOptions { active: 30, liquid: 8, reweighting, ..IvmOptions::default() };
    let run = three_classes().build(&problem.data(), &options).unwrap();
    assert_eq!(run.posterior.active(0).len(), 30);
    assert!(error(&run, &problem) < 0.15);
}

#[test]
fn who_watches_sees_every_phase() {
    let problem = Problem::stripes(100, 3, 9);
    let options = IvmOptions { active: 12, liquid: 5, ..IvmOptions::default() };
    let (mut phases, mut sizes) = (Vec::new(), Vec::new());
    three_classes()
        .build_with(&problem.data(), &options, |stage| {
            phases.push(stage.phase);
            if stage.phase == StepPhase::Ep {
                sizes.push((stage.active, stage.posterior()?.active(0).len()));
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(
        phases[..4],
        [StepPhase::Selection, StepPhase::Inclusion, StepPhase::StubUpdate, StepPhase::Ep]
    );
    assert_eq!(phases.len(), 48);
    assert_eq!(sizes, (1..=12).map(|d| (d, d)).collect::<Vec<_>>());
}

/// 8 N C d bytes for stubs of independent classes; less for coupled ones.
#[test]
fn memory_is_known_before_the_run() {
    let options = IvmOptions { active: 200, liquid: 25, ..IvmOptions::default() };
    let coupled = three_classes().memory(16_000, &options);
    let candidates = 16_000 / 25;
    assert_eq!((coupled.stubs, coupled.rows), (32 * candidates * 3 * 200, 8 * 16_000 * 3));
    assert!(coupled.total() > coupled.stubs + coupled.rows && coupled.total() < 16 * 16_000 * 3 * 200 / 4);
    let alone = Ivm::new(vec![kernel("rbf")], Box::new(BernoulliProbit)).unwrap().memory(16_000, &options);
    assert_eq!(alone.stubs, 8 * 16_000 * 200);
}

/// Too many classes for product rules: quasi-random nodes.
#[test]
fn ten_classes_go_through() {
    let (training, test) = (Problem::stripes(200, 10, 10), Problem::stripes(60, 10, 11));
    let shared = kernel("4 * rbf(lengthscale=0.2)");
    let model = Ivm::shared(shared.as_ref(), Box::new(Softmax::new(10).unwrap())).unwrap();
    let options = IvmOptions { active: 40, liquid: 3, candidates: Some(15), ..IvmOptions::default() };
    let run = model.build(&training.data(), &options).unwrap();
    assert_eq!(run.posterior.active(9).len(), 40);
    // Labels are random within 0.05 of the borders of stripes 0.1 wide: best error rate a quarter, chance
    // 0.9.
    assert!(error(&run, &test) < 0.6, "{}", error(&run, &test));
}

#[test]
fn runs_end_within_one_point() {
    let problem = Problem::stripes(100, 3, 12);
    let options = IvmOptions { active: 12, liquid: 5, ..IvmOptions::default() };
    for coupling in [Coupling::Coupled, Coupling::Independent] {
        let model = three_classes().with_coupling(coupling).unwrap();
        let control = Control::new().with_time_limit(Some(Duration::ZERO));
        let run = model.build_under(&control, &problem.data(), &options, |_| Ok(())).unwrap();
        assert_eq!((run.inclusions.len(), run.ended), (1, Some(StopReason::TimeLimit)));

        let interrupt = Interrupt::new();
        let control = Control::new().with_interrupt(interrupt.clone());
        let ask = |stage: &gp_ep::ivm::IvmStage<'_>| {
            if stage.active == 4 {
                interrupt.request();
            }
            Ok(())
        };
        let run = model.build_under(&control, &problem.data(), &options, ask).unwrap();
        assert_eq!((run.inclusions.len(), run.ended), (4, Some(StopReason::Interrupted)));
        let found = probabilities(&run.posterior, problem.inputs());
        assert!((0..100).all(|i| (0..3).all(|c| found[(i, c)].is_finite())));
        let whole = model.build(&problem.data(), &options).unwrap();
        assert_eq!((run.inclusions[..4].to_vec(), whole.ended), (whole.inclusions[..4].to_vec(), None));
    }
}
