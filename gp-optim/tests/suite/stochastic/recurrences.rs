//! Each method against its published recurrence.

use super::support::{bowl, path};
use gp_optim::{Adadelta, Adam, Momentum, SignAdaptive, UpdateRule};
use serde::{Deserialize, Serialize};

const STEPS: u64 = 60;

/// Sixty steps round differently; the bowl does not amplify errors: margin of a hundred.
fn assert_close(found: &[Vec<f64>], expected: &[[f64; 2]]) {
    assert_eq!(found.len(), expected.len());
    for (step, (found, expected)) in found.iter().zip(expected).enumerate() {
        for k in 0..2 {
            let difference = (found[k] - expected[k]).abs();
            assert!(difference <= 1e-12, "step {step}: {found:?} instead of {expected:?}");
        }
    }
}

fn expected(mut next: impl FnMut(i32, [f64; 2]) -> [f64; 2]) -> Vec<[f64; 2]> {
    let mut points = vec![[3.0, 1.0]];
    for step in 1..=STEPS as i32 {
        points.push(next(step, points[points.len() - 1]));
    }
    points
}

#[test]
fn adam_as_in_kingma_and_ba() {
    let (alpha, beta1, beta2, epsilon) = (0.1, 0.8, 0.95, 1e-7);
    let (mut m, mut v) = ([0.0; 2], [0.0; 2]);
    let points = expected(|t, mut theta| {
        let g = bowl(&theta).1;
        for k in 0..2 {
            m[k] = beta1 * m[k] + (1.0 - beta1) * g[k];
            v[k] = beta2 * v[k] + (1.0 - beta2) * g[k].powi(2);
            let m_hat = m[k] / (1.0 - f64::powi(beta1, t));
            let v_hat = v[k] / (1.0 - f64::powi(beta2, t));
            theta[k] -= alpha * m_hat / (v_hat.sqrt() + epsilon);
        }
        theta
    });
    let adam = Adam::with_rate(alpha).decays(beta1, beta2).epsilon(epsilon);
    assert_close(&path(adam, STEPS), &points);
}

#[test]
fn adam_starts_with_steps_of_its_rate() {
    // m̂ / √v̂ is the first gradient's sign, up to ε = 1e-8 relative to 3 and 78.
    let points = path(Adam::default(), 1);
    assert!((points[1][0] - (3.0 - 1e-3)).abs() < 1e-11 && (points[1][1] - (1.0 - 1e-3)).abs() < 1e-11);
}

#[test]
fn adadelta_as_in_zeiler() {
    let (rho, epsilon) = (0.95, 1e-6);
    let (mut of_gradient, mut of_change) = ([0.0; 2], [0.0; 2]);
    let rms = |mean_square: f64| f64::sqrt(mean_square + epsilon);
    let points = expected(|_, mut x| {
        let g = bowl(&x).1;
        for k in 0..2 {
            of_gradient[k] = rho * of_gradient[k] + (1.0 - rho) * g[k] * g[k];
            let change = -rms(of_change[k]) / rms(of_gradient[k]) * g[k];
            of_change[k] = rho * of_change[k] + (1.0 - rho) * change * change;
            x[k] += change;
        }
        x
    });
    assert_close(&path(Adadelta::default(), STEPS), &points);
    assert_eq!(path(Adadelta::with(rho, epsilon), STEPS), path(Adadelta::default(), STEPS));
    assert_ne!(path(Adadelta::with(0.9, epsilon), STEPS), path(Adadelta::default(), STEPS));
}

#[test]
fn momentum_as_the_heavy_ball() {
    // Polyak: x₊ = x − α ∇f(x) + β (x − x₋).
    let (alpha, beta) = (0.02, 0.7);
    let mut before = [3.0, 1.0];
    let points = expected(|_, x| {
        let g = bowl(&x).1;
        let next = [0, 1].map(|k| x[k] - alpha * g[k] + beta * (x[k] - before[k]));
        before = x;
        next
    });
    assert_close(&path(Momentum::new(alpha, beta), STEPS), &points);
}

#[test]
fn nesterov_as_in_sutskever() {
    // v₊ = μ v − ε ∇f(θ + μ v), θ₊ = θ + v₊; the solver's parameters are θ + μ v.
    let (epsilon, mu) = (0.02, 0.7);
    let (mut theta, mut v) = ([3.0, 1.0], [0.0; 2]);
    let points = expected(|_, _| {
        let ahead = [0, 1].map(|k| theta[k] + mu * v[k]);
        let g = bowl(&ahead).1;
        for k in 0..2 {
            v[k] = mu * v[k] - epsilon * g[k];
            theta[k] += v[k];
        }
        [0, 1].map(|k| theta[k] + mu * v[k])
    });
    assert_close(&path(Momentum::nesterov(epsilon, mu), STEPS), &points);
}

#[test]
fn sign_adaptive_rates_grow_by_two_percent_and_halve() {
    let (mut rates, mut signs) = ([0.07; 2], [0.0; 2]);
    let mut turns = 0;
    let points = expected(|_, mut x| {
        let g = bowl(&x).1;
        for k in 0..2 {
            let product: f64 = signs[k] * g[k].signum();
            if product < 0.0 {
                rates[k] /= 2.0;
                turns += 1;
            } else if product > 0.0 {
                rates[k] *= 1.02;
            }
            signs[k] = g[k].signum();
            x[k] -= rates[k] * g[k];
        }
        x
    });
    assert!(turns > 2, "both branches are taken");
    assert_close(&path(SignAdaptive::with_rate(0.07), STEPS), &points);
}

#[test]
fn every_method_finds_the_minimum() {
    // ∇f = 0 at 25 (x₁ + 2) = −x₀ and x₀ = 1 − x₁.
    let least = [1.0 + 51.0 / 24.0, -51.0 / 24.0];
    let close = |points: Vec<Vec<f64>>, tolerance: f64| {
        let end = &points[points.len() - 1];
        assert!((0..2).all(|k| (end[k] - least[k]).abs() < tolerance), "{end:?}");
    };
    close(path(Momentum::new(0.02, 0.8), 500), 1e-10);
    close(path(Momentum::nesterov(0.02, 0.8), 500), 1e-10);
    close(path(SignAdaptive::with_rate(0.01), 500), 1e-6);
    close(path(Adam::with_rate(0.05), 2_000), 1e-6);
    // Slow at first; ε prevents vanishing steps.
    close(path(Adadelta::default(), 20_000), 1e-2);
}

#[test]
fn sign_adaptive_rates_are_bounded_and_zero_has_no_sign() {
    let step = |rule: &mut SignAdaptive, gradient: f64| {
        let mut change = [0.0];
        rule.step(&[gradient], &mut change);
        change[0]
    };
    let mut rule = SignAdaptive::with_rate(1.0).factors(2.0, 0.25, 3.0);
    assert_eq!(step(&mut rule, 1.0), -1.0);
    assert_eq!(step(&mut rule, 1.0), -2.0);
    assert_eq!(step(&mut rule, 1.0), -3.0, "4 is more than the largest rate");
    assert_eq!(step(&mut rule, 0.0), 0.0);
    // Compared with the sign before the zero.
    assert_eq!(step(&mut rule, 1.0), -3.0);
    assert_eq!(step(&mut rule, -1.0), 0.75);
    rule.damp();
    assert_eq!(step(&mut rule, -1.0), 0.375);
}

/// Rule outside the crate: constant steps along the gradient's sign.
#[derive(Serialize, Deserialize)]
struct SignDescent(f64);

impl UpdateRule for SignDescent {
    fn name(&self) -> &'static str {
        "sign descent"
    }

    fn invalid_setting(&self) -> Option<(&'static str, f64, &'static str)> {
        (self.0 <= 0.0).then_some(("length", self.0, "positive"))
    }

    fn parameters(&self) -> Option<usize> {
        None
    }

    fn step(&mut self, gradient: &[f64], change: &mut [f64]) {
        change.iter_mut().zip(gradient).for_each(|(change, g)| *change = -self.0 * g.signum());
    }

    fn damp(&mut self) {
        self.0 *= 0.5;
    }
}

#[test]
fn methods_from_elsewhere_run_too() {
    let points = path(SignDescent(0.5), 3);
    assert_eq!(points, [[3.0, 1.0], [2.5, 0.5], [2.0, 0.0], [1.5, -0.5]]);
}
