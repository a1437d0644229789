//! EP with Z = X as in Rasmussen and Williams 2006, §3.6, with dense matrices.

use super::reference::{Table as Dense, solve};
use super::support::{Problem, assert_close, converged, model, rbf, tight};
use gp_ep::power_ep::SiteOrder;
use gp_ep::{BatchEp, EpOptions, Level, Powers, Table};
use gp_likelihoods::special::{inverse_mills, log_normal_cdf};

/// Sites in turn; log Z, means and variances of latents.
fn textbook(k: &Dense, y: &[f64]) -> (f64, Vec<(f64, f64)>) {
    let n = y.len();
    let (mut tau, mut nu) = (vec![0.0; n], vec![0.0; n]);
    let marginals = |tau: &[f64], nu: &[f64]| -> (Vec<(f64, f64)>, f64) {
        // Σ = (K⁻¹ + T)⁻¹ = (I + K T)⁻¹ K, μ = Σ ν.
        let system: Dense = (0..n)
            .map(|i| (0..n).map(|j| k[i][j] * tau[j] + f64::from(u8::from(i == j))).collect())
            .collect();
        let (sigma, log_det) = solve(&system, k);
        let mean = |i: usize| (0..n).map(|j| sigma[i][j] * nu[j]).sum::<f64>();
        ((0..n).map(|i| (mean(i), sigma[i][i])).collect(), log_det)
    };
    for _ in 0..60 {
        for i in 0..n {
            let (m, v) = marginals(&tau, &nu).0[i];
            let (tau_c, nu_c) = (1.0 / v - tau[i], m / v - nu[i]);
            let (m_c, v_c) = (nu_c / tau_c, 1.0 / tau_c);
            let z = y[i] * m_c / (1.0 + v_c).sqrt();
            let ratio = inverse_mills(z);
            let mean = m_c + y[i] * v_c * ratio / (1.0 + v_c).sqrt();
            let variance = v_c - v_c * v_c * ratio / (1.0 + v_c) * (z + ratio);
            (tau[i], nu[i]) = (1.0 / variance - tau_c, mean / variance - nu_c);
        }
    }
    let (all, log_det) = marginals(&tau, &nu);
    let mut log_z = -0.5 * log_det + 0.5 * (0..n).map(|i| nu[i] * all[i].0).sum::<f64>();
    for i in 0..n {
        let (m, v) = all[i];
        let (tau_c, nu_c) = (1.0 / v - tau[i], m / v - nu[i]);
        let (m_c, v_c) = (nu_c / tau_c, 1.0 / tau_c);
        log_z += log_normal_cdf(y[i] * m_c / (1.0 + v_c).sqrt());
        log_z += 0.5 * (v_c / v).ln() + 0.5 * (m_c * m_c / v_c - m * m / v);
    }
    (log_z, all)
}

#[test]
fn all_inputs_inducing_is_the_textbook() {
    let problem = Problem::new(15, 2, 31);
    let (x, y) = (problem.table(), problem.signs());
    let k: Dense = x.iter().map(|a| x.iter().map(|b| rbf(a, b)).collect()).collect();
    let (log_z, marginals) = textbook(&k, &y);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for (level, schedule) in [
        (Level::Projection, SiteOrder::Parallel),
        (Level::Projection, SiteOrder::InTurn),
        (Level::Latent, SiteOrder::Parallel),
    ] {
        let model = model("bernoulli_probit", problem.all_inputs()).with_level(level);
        let mut ep = converged(&model, &data, &EpOptions { schedule, ..tight() });
        assert_close(ep.log_z(&model).unwrap(), log_z, 1e-9);
        let posterior = ep.posterior(&model, 0).unwrap();
        let found = posterior.predict(problem.inputs.as_ref(), &gp_kernels::Evaluator::default()).unwrap();
        for (i, (mean, variance)) in marginals.iter().enumerate() {
            assert_close(found.mean[i], *mean, 1e-9);
            assert_close(found.variance[i], *variance, 1e-9);
        }
    }
}

#[test]
fn generalised_fitc_and_projections_have_the_same_fixed_point_and_log_z() {
    let problem = Problem::new(40, 2, 32);
    for (likelihood, y) in [("bernoulli_probit", problem.signs()), ("poisson(offset=0.3)", problem.counts())]
    {
        let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
        let at = |level| {
            let model = model(likelihood, problem.inducing(7)).with_level(level);
            let mut ep = converged(&model, &data, &tight());
            let posterior = ep.posterior(&model, 0).unwrap();
            (ep.log_z(&model).unwrap(), posterior.mean().to_vec())
        };
        let (projection, latent) = (at(Level::Projection), at(Level::Latent));
        assert_close(latent.0, projection.0, 1e-9);
        latent.1.iter().zip(&projection.1).for_each(|(a, b)| assert_close(*a, *b, 1e-9));
    }
}

#[test]
fn sites_in_turn_end_where_sites_at_once_do() {
    let problem = Problem::new(30, 2, 33);
    let y = problem.signs();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for alpha in [1.0, 0.5, 0.0] {
        let model = model("bernoulli_probit", problem.inducing(6)).with_powers(Powers::Same(alpha));
        let at = |schedule| {
            let mut ep = BatchEp::new(&model, &data).unwrap();
            let end = ep.converge(&model, &EpOptions { schedule, ..tight() }).unwrap();
            assert!(end.converged, "{end:?}");
            ep.log_z(&model).unwrap()
        };
        assert_close(at(SiteOrder::InTurn), at(SiteOrder::Parallel), 1e-10);
    }
}
