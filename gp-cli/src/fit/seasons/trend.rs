//! Orthonormal non-seasonal regressors, and target residuals.

/// Minimum relative size of new parts.
const NOTHING_NEW: f64 = 1e-7;

#[derive(Clone, Debug, Default)]
pub(super) struct Basis {
    columns: Vec<Vec<f64>>,
}

impl Basis {
    pub(super) fn push(&mut self, column: Vec<f64>) {
        self.columns.extend(self.new_part(&[], column));
    }

    /// Unit part orthogonal to these and `more`; `None` if negligible.
    fn new_part(&self, more: &[Vec<f64>], mut column: Vec<f64>) -> Option<Vec<f64>> {
        let size = dot(&column, &column).sqrt();
        // Twice, because of rounding.
        for _ in 0..2 {
            for known in self.columns.iter().chain(more) {
                take_away(known, &mut column);
            }
        }
        let left = dot(&column, &column).sqrt();
        column.iter_mut().for_each(|value| *value /= left);
        (left > NOTHING_NEW * size).then_some(column)
    }

    pub(super) fn rest(&self, target: &[f64]) -> Vec<f64> {
        let mut rest = target.to_vec();
        self.columns.iter().for_each(|column| take_away(column, &mut rest));
        rest
    }

    pub(super) fn gain(&self, rest: &[f64], more: impl IntoIterator<Item = Vec<f64>>) -> f64 {
        let mut taken: Vec<Vec<f64>> = Vec::new();
        for column in more {
            taken.extend(self.new_part(&taken, column));
        }
        taken.iter().map(|column| dot(column, rest).powi(2)).sum()
    }
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn take_away(unit: &[f64], from: &mut [f64]) {
    let part = dot(unit, from);
    from.iter_mut().zip(unit).for_each(|(value, unit)| *value -= part * unit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_leaves_nothing_of_itself() {
        let x: Vec<f64> = (0..20).map(f64::from).collect();
        let mut basis = Basis::default();
        basis.push(vec![1.0; 20]);
        basis.push(x.clone());
        // Linearly dependent.
        basis.push(x.iter().map(|x| 3.0 - 2.0 * x).collect());
        assert_eq!(basis.columns.len(), 2);
        let target: Vec<f64> = x.iter().map(|x| 5.0 + 0.3 * x).collect();
        assert!(basis.rest(&target).iter().all(|left| left.abs() < 1e-12));
        // A square leaves a residual, which the square itself explains.
        let square: Vec<f64> = x.iter().map(|x| x * x).collect();
        let rest = basis.rest(&square);
        let gain = basis.gain(&rest, [square]);
        assert!((gain - dot(&rest, &rest)).abs() < 1e-9 * gain);
    }
}
