//! Smooth functions with known minima, mostly of Moré, Garbow and Hillstrom, ACM TOMS 7 (1981).

pub(crate) type Function = fn(&[f64], &mut [f64]) -> f64;

/// Published start, minimum value.
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    pub(crate) function: Function,
    pub(crate) start: Vec<f64>,
    pub(crate) minimum: f64,
}

pub(crate) fn problems() -> Vec<Problem> {
    let problem = |name, function: Function, start: &[f64]| Problem {
        name,
        function,
        start: start.to_vec(),
        minimum: 0.0,
    };
    let alternating: Vec<f64> = (0..10).map(|i| if i % 2 == 0 { -1.2 } else { 1.0 }).collect();
    vec![
        problem("rosenbrock 2", rosenbrock, &[-1.2, 1.0]),
        problem("rosenbrock 6", rosenbrock, &[-1.2; 6]),
        problem("rosenbrock 10", rosenbrock, &alternating),
        problem("beale", beale, &[1.0, 1.0]),
        problem("powell singular", powell_singular, &[3.0, -1.0, 0.0, 1.0]),
        problem("wood", wood, &[-3.0, -1.0, -3.0, -1.0]),
        problem("quadratic 20, condition 1e3", ill_conditioned_quadratic, &[1.0; 20]),
        problem("helical valley", helical_valley, &[-1.0, 0.0, 0.0]),
        problem("broyden tridiagonal 30", broyden_tridiagonal, &[-1.0; 30]),
        problem("variably dimensioned 8", variably_dimensioned, &variably_dimensioned_start()),
    ]
}

/// Σ 100 (x₍ᵢ₊₁₎ − xᵢ²)² + (1 − xᵢ)², the chained form.
pub(crate) fn rosenbrock(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (valley, slope) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * valley * valley + slope * slope;
        gradient[i] += -400.0 * valley * x[i] - 2.0 * slope;
        gradient[i + 1] += 200.0 * valley;
    }
    value
}

pub(crate) fn beale(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let mut value = 0.0;
    for (power, target) in [(1, 1.5), (2, 2.25), (3, 2.625)] {
        let residual = target - x[0] * (1.0 - x[1].powi(power));
        value += residual * residual;
        gradient[0] -= 2.0 * residual * (1.0 - x[1].powi(power));
        gradient[1] += 2.0 * residual * x[0] * f64::from(power) * x[1].powi(power - 1);
    }
    value
}

/// Singular Hessian at the minimum.
pub(crate) fn powell_singular(x: &[f64], gradient: &mut [f64]) -> f64 {
    let (a, b, c, d) = (x[0] + 10.0 * x[1], x[2] - x[3], x[1] - 2.0 * x[2], x[0] - x[3]);
    gradient[0] = 2.0 * a + 40.0 * d.powi(3);
    gradient[1] = 20.0 * a + 4.0 * c.powi(3);
    gradient[2] = 10.0 * b - 8.0 * c.powi(3);
    gradient[3] = -10.0 * b - 40.0 * d.powi(3);
    a * a + 5.0 * b * b + c.powi(4) + 10.0 * d.powi(4)
}

pub(crate) fn wood(x: &[f64], gradient: &mut [f64]) -> f64 {
    let (a, b) = (x[1] - x[0] * x[0], x[3] - x[2] * x[2]);
    let (c, d) = (x[1] + x[3] - 2.0, x[1] - x[3]);
    gradient[0] = -400.0 * a * x[0] - 2.0 * (1.0 - x[0]);
    gradient[1] = 200.0 * a + 20.0 * c + 0.2 * d;
    gradient[2] = -360.0 * b * x[2] - 2.0 * (1.0 - x[2]);
    gradient[3] = 180.0 * b + 20.0 * c - 0.2 * d;
    100.0 * a * a + (1.0 - x[0]).powi(2) + 90.0 * b * b + (1.0 - x[2]).powi(2) + 10.0 * c * c + 0.1 * d * d
}

/// `½ Σ wᵢ xᵢ²`, ln wᵢ evenly spaced, w from 1 to 10³.
pub(crate) fn ill_conditioned_quadratic(x: &[f64], gradient: &mut [f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    let mut value = 0.0;
    for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
        let weight = 10f64.powf(3.0 * i as f64 / last);
        *g = weight * x;
        value += 0.5 * weight * x * x;
    }
    value
}

pub(crate) fn helical_valley(x: &[f64], gradient: &mut [f64]) -> f64 {
    use std::f64::consts::PI;
    let squares = x[0] * x[0] + x[1] * x[1];
    let radius = squares.sqrt();
    let turn = (x[1] / x[0]).atan() / (2.0 * PI) + if x[0] < 0.0 { 0.5 } else { 0.0 };
    let (a, b) = (10.0 * (x[2] - 10.0 * turn), 10.0 * (radius - 1.0));
    gradient[0] = 200.0 * a * x[1] / (2.0 * PI * squares) + 20.0 * b * x[0] / radius;
    gradient[1] = -200.0 * a * x[0] / (2.0 * PI * squares) + 20.0 * b * x[1] / radius;
    gradient[2] = 20.0 * a + 2.0 * x[2];
    a * a + b * b + x[2] * x[2]
}

pub(crate) fn broyden_tridiagonal(x: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.fill(0.0);
    let n = x.len();
    let mut value = 0.0;
    for i in 0..n {
        let before = if i > 0 { x[i - 1] } else { 0.0 };
        let after = if i + 1 < n { x[i + 1] } else { 0.0 };
        let residual = (3.0 - 2.0 * x[i]) * x[i] - before - 2.0 * after + 1.0;
        value += residual * residual;
        gradient[i] += 2.0 * residual * (3.0 - 4.0 * x[i]);
        if i > 0 {
            gradient[i - 1] -= 2.0 * residual;
        }
        if i + 1 < n {
            gradient[i + 1] -= 4.0 * residual;
        }
    }
    value
}

pub(crate) fn variably_dimensioned(x: &[f64], gradient: &mut [f64]) -> f64 {
    let weighted: f64 = x.iter().enumerate().map(|(i, x)| (i as f64 + 1.0) * (x - 1.0)).sum();
    let mut value = weighted.powi(2) + weighted.powi(4);
    for (i, (x, g)) in x.iter().zip(gradient).enumerate() {
        value += (x - 1.0) * (x - 1.0);
        *g = 2.0 * (x - 1.0) + (i as f64 + 1.0) * (2.0 * weighted + 4.0 * weighted.powi(3));
    }
    value
}

fn variably_dimensioned_start() -> Vec<f64> {
    (1..=8).map(|i| 1.0 - f64::from(i) / 8.0).collect()
}
