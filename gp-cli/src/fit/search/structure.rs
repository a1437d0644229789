//! Sums of products of base kernels.

use super::base::{Base, Form};
use gp_optim::format_number;

/// Product of kernels, without variance if a linear length-scale replaces it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Product {
    pub(super) variance: Option<f64>,
    pub(super) factors: Vec<Base>,
}

impl Product {
    pub(super) fn of(base: Base, variance: f64) -> Self {
        Self { variance: (base.form != Form::Linear).then_some(variance), factors: vec![base] }
    }

    pub(super) fn times(&self, base: Base) -> Self {
        let variance = self.variance.filter(|_| base.form != Form::Linear);
        Self { variance, factors: self.factors.iter().cloned().chain([base]).collect() }
    }

    pub(super) fn without(&self, factor: usize) -> Self {
        let mut factors = self.factors.clone();
        factors.remove(factor);
        let other = Self { variance: self.variance, factors };
        let variance = self.variance.or((!other.is_straight()).then_some(1.0));
        Self { variance, ..other }
    }

    fn is_straight(&self) -> bool {
        self.factors.iter().any(|factor| factor.form == Form::Linear)
    }

    fn scale(&mut self, by: f64) {
        match &mut self.variance {
            Some(variance) => *variance *= by,
            None => {
                let straight = self.factors.iter_mut().find(|factor| factor.form == Form::Linear);
                let lengths = straight.into_iter().flat_map(|factor| factor.values.iter_mut());
                lengths.for_each(|length| *length /= by.sqrt());
            }
        }
    }
}

/// Sum of products, with a constant unless targets have mean zero.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Structure {
    pub(super) products: Vec<Product>,
    pub(super) constant: Option<f64>,
}

/// Weak priors near typical distances and median variance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priors(pub(super) Option<Around>);

/// Median of a variance, standard deviation of its logarithm.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around(pub(super) f64, pub(super) f64);

impl Priors {
    fn of(self, median: f64, deviation: f64) -> String {
        let number = format_number;
        let text = |_| format!(" ~ log_normal({}, {})", number(median.ln()), number(deviation));
        self.0.map_or_else(String::new, text)
    }

    fn of_variances(self) -> String {
        self.0.map_or_else(String::new, |Around(median, deviation)| self.of(median, deviation))
    }
}

impl Structure {
    pub(super) fn text(&self, priors: Priors, white: Option<f64>) -> String {
        let product = |product: &Product| {
            let variance =
                product.variance.iter().map(|value| format_number(*value) + &priors.of_variances());
            let factors = product.factors.iter().map(|base| base.text(&priors.of(base.seen.distance(), 1.0)));
            variance.chain(factors).collect::<Vec<_>>().join(" * ")
        };
        let constant = self
            .constant
            .map(|value| format!("constant(variance={}{})", format_number(value), priors.of(1.0, 1.0)));
        let white = white.map(|variance| format!("white(variance=fixed({}))", format_number(variance)));
        self.products.iter().map(product).chain(constant).chain(white).collect::<Vec<_>>().join(" + ")
    }

    /// Display text: `rbf * periodic(period 12.00) + linear`.
    pub(super) fn describe(&self) -> String {
        let product =
            |product: &Product| product.factors.iter().map(Base::describe).collect::<Vec<_>>().join(" * ");
        self.products.iter().map(product).collect::<Vec<_>>().join(" + ")
    }

    pub(super) fn parameters(&self) -> usize {
        let of = |product: &Product| {
            let factors: usize = product.factors.iter().map(|base| base.values.len()).sum();
            factors + usize::from(product.variance.is_some())
        };
        self.products.iter().map(of).sum::<usize>() + usize::from(self.constant.is_some())
    }

    pub(super) fn with_values(&self, values: &[f64]) -> Self {
        let (mut learned, mut values) = (self.clone(), values.iter().copied());
        let mut take = |value: &mut f64| *value = values.next().unwrap_or(*value);
        for product in &mut learned.products {
            product.variance.iter_mut().for_each(&mut take);
            product.factors.iter_mut().flat_map(|base| base.values.iter_mut()).for_each(&mut take);
        }
        learned.constant.iter_mut().for_each(&mut take);
        learned
    }

    pub(super) fn periods(&self) -> Vec<f64> {
        let factors = self.products.iter().flat_map(|product| &product.factors);
        let periodic = factors.filter(|base| matches!(base.form, Form::Periodic { .. }));
        periodic.filter_map(|base| base.values.first().copied()).collect()
    }

    pub(super) fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        scaled.products.iter_mut().for_each(|product| product.scale(by));
        scaled.constant.iter_mut().for_each(|constant| *constant *= by);
        scaled
    }

    /// Raises smooth length-scales to `distances` typical distances.
    pub(super) fn slowed(&self, distances: f64) -> Self {
        let mut slow = self.clone();
        let factors = slow.products.iter_mut().flat_map(|product| &mut product.factors);
        for base in factors.filter(|base| base.form.is_smooth()) {
            let length = distances * base.seen.distance();
            base.lengths().iter_mut().for_each(|value| *value = value.max(length));
        }
        slow
    }

    /// `true` if a product may have the factor: one smooth kernel and different seasons per set of columns, at most
    /// two linear kernels on one set.
    pub(super) fn takes(&self, place: usize, base: &Base) -> bool {
        let factors = &self.products[place].factors;
        let alike = factors.iter().filter(|known| {
            known.seen == base.seen
                && (known.form == base.form || (known.form.is_smooth() && base.form.is_smooth()))
        });
        let alike = alike.count();
        if base.form == Form::Linear {
            alike < 2 && (alike > 0 || !self.products[place].is_straight())
        } else {
            alike == 0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::base::SeenColumns;
    use super::*;
    use gp_kernels::{KernelExt as _, Registry};

    fn seen(columns: Option<Vec<usize>>, count: usize) -> SeenColumns {
        let input = if columns.is_some() { "t".to_owned() } else { String::new() };
        SeenColumns { columns, count, input }
    }

    fn example() -> Structure {
        let (all, one) = (seen(None, 2), seen(Some(vec![1]), 1));
        let season = Base::periodic(0.5, (0.4, 0.6), 24.0, &one);
        let rough = Base::of(Form::RationalQuadratic, &all, 1.0);
        let products = vec![
            Product::of(rough, 0.5).times(season),
            Product::of(Base::of(Form::Linear, &one, 3.0), 0.5).times(Base::of(Form::Rbf, &one, 1.0)),
        ];
        Structure { products, constant: Some(1.0) }
    }

    #[test]
    fn values_go_through_the_expression_and_back() {
        let structure = example();
        assert_eq!(structure.describe(), "rq * periodic(t, period 12.00) + linear(t) * rbf(t)");
        for priors in [Priors(None), Priors(Some(Around(1.0, 1.0)))] {
            let kernel = Registry::built_in().parse_for(&structure.text(priors, None), 2).unwrap();
            let values = kernel.parameter_values();
            assert_eq!(values.len(), structure.parameters());
            assert_eq!(structure.with_values(&values), structure);
            let moved: Vec<f64> = values.iter().map(|value| value * 1.001).collect();
            let text = structure.with_values(&moved).text(priors, None);
            assert_eq!(Registry::built_in().parse_for(&text, 2).unwrap().parameter_values(), moved);
        }
    }

    #[test]
    fn scaled_kernels_have_scaled_covariances() {
        let x = faer::mat![[0.3, -1.0], [1.2, 0.4]];
        let gram = |structure: &Structure| {
            let kernel = gp_kernels::parse(&structure.text(Priors(None), None)).unwrap();
            gp_kernels::gram(kernel.as_ref(), x.as_ref()).unwrap()
        };
        let (one, four) = (gram(&example()), gram(&example().scaled(4.0)));
        assert!((0..2).all(|i| (0..2).all(|j| (four[(i, j)] - 4.0 * one[(i, j)]).abs() < 1e-12)));
    }

    #[test]
    fn products_of_the_same_are_left_out() {
        let structure = example();
        let (all, one) = (seen(None, 2), seen(Some(vec![1]), 1));
        assert!(!structure.takes(0, &Base::of(Form::Rbf, &all, 1.0)));
        assert!(structure.takes(0, &Base::of(Form::Rbf, &one, 1.0)));
        assert!(structure.takes(1, &Base::of(Form::Linear, &one, 1.0)));
        assert!(!structure.takes(1, &Base::of(Form::Linear, &all, 1.0)));
    }
}
