//! Cholesky factors of small Q×Q matrices, by rows.

/// Replaces `a` by its lower Cholesky factor with zeros above. `false` if a pivot is not finite or below `least_pivot`;
/// `a` is then invalid.
pub fn factorise(a: &mut [f64], q: usize, least_pivot: f64) -> bool {
    for i in 0..q {
        for j in 0..=i {
            let known: f64 = (0..j).map(|k| a[i * q + k] * a[j * q + k]).sum();
            let rest = a[i * q + j] - known;
            if j < i {
                a[i * q + j] = rest / a[j * q + j];
            } else if rest >= least_pivot && rest.is_finite() {
                a[i * q + i] = rest.sqrt();
            } else {
                return false;
            }
        }
        (i + 1..q).for_each(|j| a[i * q + j] = 0.0);
    }
    true
}

/// Replaces x by `L⁻¹ x`.
pub fn solve(factor: &[f64], x: &mut [f64]) {
    let q = x.len();
    for i in 0..q {
        let known: f64 = (0..i).map(|k| factor[i * q + k] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i * q + i];
    }
}

/// Replaces x by `L⁻ᵀ x`.
pub fn solve_transposed(factor: &[f64], x: &mut [f64]) {
    let q = x.len();
    for i in (0..q).rev() {
        let known: f64 = (i + 1..q).map(|k| factor[k * q + i] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i * q + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_multiplies_back_and_solves() {
        let a = [4.0, 2.0, -1.0, 2.0, 5.0, 0.5, -1.0, 0.5, 3.0];
        let mut factor = a;
        assert!(factorise(&mut factor, 3, 0.0));
        for i in 0..3 {
            for j in 0..3 {
                let product: f64 = (0..3).map(|k| factor[3 * i + k] * factor[3 * j + k]).sum();
                assert!((product - a[3 * i + j]).abs() < 1e-14);
            }
        }
        let mut x = [1.0, -2.0, 0.3];
        solve(&factor, &mut x);
        solve_transposed(&factor, &mut x);
        let back: Vec<f64> = (0..3).map(|i| (0..3).map(|j| a[3 * i + j] * x[j]).sum()).collect();
        assert!(back.iter().zip([1.0, -2.0, 0.3]).all(|(a, b)| (a - b).abs() < 1e-14));
        assert!(!factorise(&mut [1.0, 2.0, 2.0, 1.0], 2, 0.0), "an indefinite matrix has none");
    }
}
