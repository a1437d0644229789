//! Anderson mixing reaches the sites of plain sweeps in fewer sweeps.

use super::support::{Problem, RBF, assert_close, model, tight};
use gp_ep::{BatchEp, EpOptions, PowerEp, Powers, SparseProcess, Table};
use gp_kernels::inducing::InducingInputs;
use gp_linalg::JitterPolicy;

fn converged(model: &PowerEp, data: &Table<'_>, options: &EpOptions) -> (usize, f64, Vec<f64>) {
    let mut ep = BatchEp::new(model, data).unwrap();
    let end = ep.converge(model, options).unwrap();
    assert!(end.converged, "{end:?}");
    (end.sweeps, ep.log_z(model).unwrap(), ep.posterior(model, 0).unwrap().mean().to_vec())
}

#[track_caller]
fn assert_sooner(model: &PowerEp, data: &Table<'_>, share: f64, what: &str) {
    let [plain, mixed] = [0, 5].map(|memory| converged(model, data, &EpOptions { memory, ..tight() }));
    // Sites have converged to 1e-12; sums are less accurate by their number.
    assert_close(mixed.1, plain.1, 1e-9);
    mixed.2.iter().zip(&plain.2).for_each(|(mixed, plain)| assert_close(*mixed, *plain, 1e-7));
    let most = share * plain.0 as f64;
    assert!(mixed.0 as f64 <= most, "{what}: {} sweeps, {} plain ones", mixed.0, plain.0);
}

#[test]
fn sites_converge_sooner() {
    let problem = Problem::new(120, 2, 61);
    let (signs, counts) = (problem.signs(), problem.counts());
    for (likelihood, targets) in
        [("bernoulli_probit", &signs), ("poisson", &counts), ("student_t(scale=0.4, dof=5)", &problem.signal)]
    {
        let data = Table::with_targets(problem.inputs.as_ref(), targets).unwrap();
        for power in [1.0, 0.5, 0.0] {
            let model = model(likelihood, problem.inducing(15)).with_powers(Powers::Same(power));
            assert_sooner(&model, &data, 0.7, &format!("{likelihood}, power {power}"));
        }
    }
}

#[test]
fn so_do_sites_of_several_classes() {
    let problem = Problem::new(90, 2, 62);
    let classes: Vec<f64> = problem.signal.iter().map(|f| (1.0 + f).clamp(0.0, 2.0).round()).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &classes).unwrap();
    let process = || SparseProcess::new(gp_kernels::parse(RBF).unwrap(), problem.inducing(12)).unwrap();
    let model = PowerEp::of_alike_classes(3, process(), 0.0).unwrap().with_jitter(JitterPolicy::none());
    assert_sooner(&model, &data, 0.7, "three classes");
}

/// Contradictory labels, long length-scales.
#[test]
fn nothing_is_lost_where_mixtures_lead_astray() {
    let problem = Problem::new(150, 1, 63);
    let labels: Vec<f64> = (0..150).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &labels).unwrap();
    for kernel in ["100 * rbf(lengthscale=0.1)", "1e4 * rbf(lengthscale=3)", "1e-4 * rbf(lengthscale=1)"] {
        let points = InducingInputs::points(problem.inputs.as_ref().subrows(0, 20)).unwrap();
        let process = SparseProcess::new(gp_kernels::parse(kernel).unwrap(), points).unwrap();
        let model = PowerEp::new(vec![process], gp_likelihoods::parse("bernoulli_probit").unwrap()).unwrap();
        let [plain, mixed] =
            [0, 5].map(|memory| converged(&model, &data, &EpOptions { memory, ..EpOptions::default() }));
        // Both converged to the default tolerances.
        assert_close(mixed.1, plain.1, 1e-5);
        assert!(mixed.0 <= plain.0, "{kernel}: {} sweeps, {} plain ones", mixed.0, plain.0);
    }
}

/// After any number of sweeps the sites are of a plain one: the next finds them equally converged, and log Z
/// exists.
#[test]
fn what_is_left_was_not_mixed_unseen() {
    let problem = Problem::new(100, 1, 64);
    let signs = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &signs).unwrap();
    for (kernel, step) in
        [("1e4 * rbf(lengthscale=0.5)", 0.5), ("1e4 * rbf(lengthscale=0.5)", 1.0), (RBF, 0.5)]
    {
        let process = SparseProcess::new(gp_kernels::parse(kernel).unwrap(), problem.inducing(15)).unwrap();
        let model = PowerEp::new(vec![process], gp_likelihoods::parse("bernoulli_probit").unwrap()).unwrap();
        for max_sweeps in 3..16 {
            let options = EpOptions { step, max_sweeps, ..EpOptions::default() };
            let mut ep = BatchEp::new(&model, &data).unwrap();
            let end = ep.converge(&model, &options).unwrap();
            assert!(ep.log_z(&model).is_ok() && end.last.log_z.is_finite(), "{kernel}, {step}: {end:?}");
            let next = ep.sweep(&model, &options).unwrap();
            // Full steps can overshoot alone; unchecked mixtures were up to 25 times as far.
            let most = if step < 1.0 { 1.5 } else { f64::INFINITY } * end.last.change;
            assert!(next.change <= most, "{kernel}, {step}: {end:?}, then {next:?}");
        }
    }
}
