//! Test problems and dense reference algebra.

use faer::{Mat, MatRef};
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_likelihoods::Likelihood;
use gp_linalg::{Cholesky, JitterPolicy, Threading};
use gp_optim::{MinimiseOptions, ParameterSet, ParameterSetMut, Training};
use gp_variational::savigp::{Bound, BoundLearning, Mixture};
use gp_variational::{Inference as _, Learning, Savigp};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, Uniform};
use std::f64::consts::TAU;

pub(crate) fn together(model: &mut Savigp, data: &Table<'_>, options: MinimiseOptions) -> Training {
    let settings = BoundLearning::all_together();
    let trained = model.learn_with(data, Learning::Outer(options), &settings, &mut |_| {}).unwrap();
    trained.run.training().unwrap().clone()
}

pub(crate) struct Problem {
    pub(crate) inputs: Mat<f64>,
    pub(crate) signal: Vec<f64>,
}

impl Problem {
    pub(crate) fn new(count: usize, dim: usize, seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let cube = Uniform::new(-2.0, 2.0).unwrap();
        let inputs = Mat::from_fn(count, dim, |_, _| cube.sample(&mut rng));
        let signal = (0..count).map(|i| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            let wave: f64 = (0..dim).map(|d| (2.0 * inputs[(i, d)] + d as f64).sin()).sum();
            wave + 0.3 * noise
        });
        let signal = signal.collect();
        Self { inputs, signal }
    }

    pub(crate) fn signs(&self) -> Vec<f64> {
        self.signal.iter().map(|&f| if f > 0.2 { 1.0 } else { -1.0 }).collect()
    }

    pub(crate) fn counts(&self) -> Vec<f64> {
        self.signal.iter().map(|&f| (1.0 + f).exp().round()).collect()
    }

    pub(crate) fn classes(&self) -> Vec<f64> {
        self.signal
            .iter()
            .map(|&f| {
                if f < -0.5 {
                    0.0
                } else if f < 0.5 {
                    1.0
                } else {
                    2.0
                }
            })
            .collect()
    }

    pub(crate) fn table<'a>(&'a self, targets: &'a [f64]) -> Table<'a> {
        Table::with_targets(self.inputs.as_ref(), targets).unwrap()
    }

    pub(crate) fn inducing(&self, count: usize) -> InducingInputs {
        let z = Mat::from_fn(count, self.inputs.ncols(), |i, d| self.inputs[(i, d)] + 0.05);
        InducingInputs::points(z.as_ref()).unwrap()
    }
}

/// One length-scale per latent, no jitter.
pub(crate) fn model(likelihood: &str, inputs: &InducingInputs) -> Savigp {
    let likelihood: Box<dyn Likelihood> = gp_likelihoods::parse(likelihood).unwrap();
    let process = |q: usize| {
        let kernel = gp_kernels::parse(&format!("1.7 * rbf(lengthscale={})", 0.8 + 0.2 * q as f64)).unwrap();
        SparseProcess::new(kernel, inputs.clone()).unwrap()
    };
    let processes = (0..likelihood.latents()).map(process).collect();
    Savigp::new(processes, likelihood).unwrap().with_jitter(JitterPolicy::none())
}

pub(crate) fn anywhere(posterior: &Mixture, seed: u64) -> Mixture {
    let mut moved = posterior.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut free = vec![0.0; moved.free_count()];
    free.iter_mut().for_each(|x| *x = 0.3 * Distribution::<f64>::sample(&StandardNormal, &mut rng));
    moved.set_free(&free).unwrap();
    moved
}

#[track_caller]
pub(crate) fn assert_gradient(model: &Savigp, bound: &mut Bound, tolerance: f64) {
    let mut natural = vec![0.0; model.parameter_count()];
    let value = bound.gradient(model, &mut natural).unwrap();
    assert!((value - bound.value(model).unwrap()).abs() <= 1e-12 * value.abs(), "one bound, two ways");
    let mut gradient = vec![0.0; model.free_count()];
    model.chain_gradient(&natural, &mut gradient).unwrap();
    let mut x = vec![0.0; model.free_count()];
    model.write_free(&mut x).unwrap();
    let mut moved = model.clone();
    let scale = gradient.iter().fold(1.0, |largest: f64, g| largest.max(g.abs()));
    for i in 0..x.len() {
        let mut at = |step: f64| {
            let mut there = x.clone();
            there[i] += step;
            moved.set_free(&there).unwrap();
            bound.value(&moved).unwrap()
        };
        // Fourth order: only rounding / h remains.
        let h = 1e-3;
        let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let name = format!("free parameter {i} of {}", x.len());
        assert!((slope - gradient[i]).abs() <= tolerance * scale, "{name}: {} against {slope}", gradient[i]);
    }
}

/// Tolerance relative to max(1, |expected|).
#[track_caller]
pub(crate) fn assert_close(found: f64, expected: f64, tolerance: f64) {
    let scale = expected.abs().max(1.0);
    assert!((found - expected).abs() <= tolerance * scale, "found {found}, expected {expected}");
}

/// `1.7 · rbf(lengthscale = 0.8)` between rows.
pub(crate) fn rbf(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(a.nrows(), b.nrows(), |i, j| {
        let squared: f64 = (0..a.ncols()).map(|d| (a[(i, d)] - b[(j, d)]).powi(2)).sum();
        1.7 * (-0.5 * squared / 0.64).exp()
    })
}

/// `A⁻¹ B` for a positive definite A.
pub(crate) fn solve(a: &Mat<f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut solved = b.to_owned();
    let factor = Cholesky::factor(a.as_ref(), &JitterPolicy::none()).unwrap();
    factor.solve_in_place(solved.as_mut(), Threading::Here).unwrap();
    solved
}

pub(crate) fn log_normal(y: &[f64], covariance: &Mat<f64>) -> f64 {
    let factor = Cholesky::factor(covariance.as_ref(), &JitterPolicy::none()).unwrap();
    let mut scratch = vec![0.0; y.len()];
    let quadratic = factor.inv_quad_form(y, &mut scratch).unwrap();
    -0.5 * (y.len() as f64 * TAU.ln() + factor.log_det() + quadratic)
}

pub(crate) fn plus_diagonal(a: &Mat<f64>, value: f64) -> Mat<f64> {
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] + if i == j { value } else { 0.0 })
}

/// Model of several latents, built twice.
pub(crate) struct Sharing {
    pub(crate) shared: Savigp,
    pub(crate) own: Savigp,
}

pub(crate) fn shared_and_own(likelihood: &str, inputs: &InducingInputs) -> Sharing {
    let likelihood: Box<dyn Likelihood> = gp_likelihoods::parse(likelihood).unwrap();
    let kernel = gp_kernels::parse("1.4 * rbf(lengthscale=[0.9, 1.1])").unwrap();
    let process = SparseProcess::new(kernel, inputs.clone()).unwrap();
    let own = vec![process.clone(); likelihood.latents()];
    let model = |processes| Savigp::new(processes, likelihood.clone()).unwrap();
    Sharing { shared: model(vec![process]), own: model(own) }
}
