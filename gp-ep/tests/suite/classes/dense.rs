//! Multi-class generalised FITC with dense matrices, latent sites updated in turn.

use super::problem::{kernel, nearly, process, thirds};
use super::reference::{Table as Dense, solve};
use super::support::{Problem, assert_close, converged};
use gp_ep::{Level, PowerEp, Table};
use gp_likelihoods::special::{inverse_mills, log_normal_cdf};
use gp_linalg::JitterPolicy;

fn fitc(x: &Dense, z: &Dense, class: usize) -> Dense {
    let (variance, scale) = (1.7 + 0.4 * class as f64, 0.8 + 0.1 * class as f64);
    let k = |a: &[f64], b: &[f64]| {
        let squared: f64 = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum();
        variance * (-0.5 * squared / (scale * scale)).exp()
    };
    let table =
        |a: &Dense, b: &Dense| -> Dense { a.iter().map(|a| b.iter().map(|b| k(a, b)).collect()).collect() };
    let k_zx = table(z, x);
    let (half, _) = solve(&table(z, z), &k_zx);
    (0..x.len())
        .map(|i| {
            let entry = |j: usize| (0..z.len()).map(|m| k_zx[m][i] * half[m][j]).sum::<f64>();
            (0..x.len()).map(|j| if i == j { k(&x[i], &x[i]) } else { entry(j) }).collect()
        })
        .collect()
}

/// Precision and shift by observation, factor, side.
type Sites = Vec<Vec<[[f64; 2]; 2]>>;

struct DenseEp {
    priors: Vec<Dense>,
    y: Vec<usize>,
    noise: f64,
    sites: Sites,
}

impl DenseEp {
    fn class(&self, i: usize, piece: usize, side: usize) -> usize {
        let label = self.y[i];
        if side == 0 { label } else { piece + usize::from(piece >= label) }
    }

    /// Moments of a class's latent values, and `½ νᵀμ − ½ ln|I + K T|`.
    fn marginals(&self, class: usize) -> (Vec<(f64, f64)>, f64) {
        let n = self.y.len();
        let (mut tau, mut nu) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            for piece in 0..self.priors.len() - 1 {
                for side in (0..2).filter(|&side| self.class(i, piece, side) == class) {
                    tau[i] += self.sites[i][piece][side][0];
                    nu[i] += self.sites[i][piece][side][1];
                }
            }
        }
        let k = &self.priors[class];
        let system: Dense = (0..n)
            .map(|i| (0..n).map(|j| k[i][j] * tau[j] + f64::from(u8::from(i == j))).collect())
            .collect();
        let (sigma, log_det) = solve(&system, k);
        let mean = |i: usize| (0..n).map(|j| sigma[i][j] * nu[j]).sum::<f64>();
        let all: Vec<(f64, f64)> = (0..n).map(|i| (mean(i), sigma[i][i])).collect();
        let quadratic: f64 = (0..n).map(|i| nu[i] * all[i].0).sum();
        (all, 0.5 * (quadratic - log_det))
    }

    fn cavities(&self, i: usize, piece: usize) -> [((f64, f64), (f64, f64)); 2] {
        [0, 1].map(|side| {
            let (m, v) = self.marginals(self.class(i, piece, side)).0[i];
            let [tau, nu] = self.sites[i][piece][side];
            let precision = 1.0 / v - tau;
            ((m, v), ((m / v - nu) / precision, 1.0 / precision))
        })
    }

    fn sweep(&mut self) {
        for i in 0..self.y.len() {
            for piece in 0..self.priors.len() - 1 {
                let [(_, (m, v)), (_, (other_m, other_v))] = self.cavities(i, piece);
                let variance = v + other_v + self.noise;
                let z = (m - other_m) / variance.sqrt();
                let ratio = inverse_mills(z);
                let (g, h) = (ratio / variance.sqrt(), ratio * (z + ratio) / variance);
                for (side, (m, v, g)) in [(m, v, g), (other_m, other_v, -g)].into_iter().enumerate() {
                    let (mean, new) = (m + v * g, v - v * v * h);
                    self.sites[i][piece][side] = [1.0 / new - 1.0 / v, mean / new - m / v];
                }
            }
        }
    }

    fn log_z(&self) -> f64 {
        let mut log_z: f64 = (0..self.priors.len()).map(|class| self.marginals(class).1).sum();
        for i in 0..self.y.len() {
            for piece in 0..self.priors.len() - 1 {
                let sides = self.cavities(i, piece);
                let [(_, (m, v)), (_, (other_m, other_v))] = sides;
                log_z += log_normal_cdf((m - other_m) / (v + other_v + self.noise).sqrt());
                for ((m, v), (m_c, v_c)) in sides {
                    log_z += 0.5 * (v_c / v).ln() + 0.5 * (m_c * m_c / v_c - m * m / v);
                }
            }
        }
        log_z
    }
}

#[test]
fn sites_on_latent_values_are_those_of_dense_ep_under_the_fitc_prior() {
    let problem = Problem::new(8, 1, 121);
    let y = thirds(&problem);
    let z = problem.inducing(4);
    let dense_z: Dense = z.values().iter().map(|z| vec![*z]).collect();
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    for noise in [0.0, 0.3] {
        let priors = (0..3).map(|class| fitc(&problem.table(), &dense_z, class)).collect();
        let labels: Vec<usize> = y.iter().map(|&label| label as usize).collect();
        let sites = vec![vec![[[0.0; 2]; 2]; 2]; 8];
        let mut dense = DenseEp { priors, y: labels, noise, sites };
        (0..600).for_each(|_| dense.sweep());
        let processes = (0..3).map(|class| process(&kernel(class), z.clone())).collect();
        let model = PowerEp::of_classes(processes, noise).unwrap();
        let model = model.with_jitter(JitterPolicy::none()).with_level(Level::Latent);
        let mut ep = converged(&model, &data, &nearly());
        assert_close(ep.log_z(&model).unwrap(), dense.log_z(), 1e-9);
        // Latents without the observation, through the label's probability.
        let found = ep.leave_one_out(&model).unwrap();
        for (i, found) in found.iter().enumerate() {
            let latent = |class: usize| {
                let (m, v) = dense.marginals(class).0[i];
                let mine = (0..2).flat_map(|piece| [(piece, 0), (piece, 1)]);
                let mine = mine.filter(|&(piece, side)| dense.class(i, piece, side) == class);
                let (tau, nu) = mine.fold((0.0, 0.0), |(tau, nu), (piece, side)| {
                    let site = dense.sites[i][piece][side];
                    (tau + site[0], nu + site[1])
                });
                let precision = 1.0 / v - tau;
                gp_likelihoods::Latent::new((m / v - nu) / precision, 1.0 / precision).unwrap()
            };
            let latents: Vec<_> = (0..3).map(latent).collect();
            let race = gp_likelihoods::Race::new(0.5 * noise, 0.0).unwrap();
            let (mut ws, mut slopes) =
                (gp_likelihoods::Workspace::new(), gp_likelihoods::LatentDerivatives::default());
            let expected = race.log_probability(y[i] as usize, &latents, &mut ws, &mut slopes).unwrap();
            assert_close(*found, expected, 1e-8);
        }
    }
}

#[test]
fn the_levels_are_different_approximations() {
    let problem = Problem::new(12, 1, 122);
    let y = thirds(&problem);
    let data = Table::with_targets(problem.inputs.as_ref(), &y).unwrap();
    let log_z = |level| {
        let model = super::problem::alike(&problem, 3, 0.0, 3).with_level(level);
        converged(&model, &data, &nearly()).log_z(&model).unwrap()
    };
    let (projection, latent) = (log_z(Level::Projection), log_z(Level::Latent));
    assert!((projection - latent).abs() > 0.1, "{projection} {latent}");
}
