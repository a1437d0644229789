//! Kernels as sums of products of base kernels, with their parameters.

use super::super::seasons::four_digits;
use gp_optim::format_number;

/// One length-scale for each input up to so many inputs.
const ARD_INPUTS: usize = 64;
/// Length-scales along the circle.
const SHAPES: (f64, f64) = (0.2, 10.0);
/// Bounds of the exponent of a rational quadratic kernel: beyond, it is a squared exponential.
const EXPONENTS: (f64, f64) = (0.05, 50.0);

/// What a base kernel is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    Rbf,
    Matern32,
    Matern52,
    RationalQuadratic,
    Linear,
    /// With the ends that the period stays between, and the units of the column for each one of the model.
    Periodic {
        around: (f64, f64),
        unit: f64,
    },
}

impl Form {
    /// Functions without a preferred direction or period.
    pub(super) const SMOOTH: [Self; 4] = [Self::Rbf, Self::Matern32, Self::Matern52, Self::RationalQuadratic];

    fn name(self) -> &'static str {
        match self {
            Self::Rbf => "rbf",
            Self::Matern32 => "matern32",
            Self::Matern52 => "matern52",
            Self::RationalQuadratic => "rq",
            Self::Linear => "linear",
            Self::Periodic { .. } => "periodic",
        }
    }

    pub(super) fn is_smooth(self) -> bool {
        Self::SMOOTH.contains(&self)
    }
}

/// Columns of points that a base kernel sees.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Seen {
    /// All of them, where nothing is said.
    pub(super) columns: Option<Vec<usize>>,
    /// How many there are.
    pub(super) count: usize,
    /// The input they stand for, for people; empty for all.
    pub(super) input: String,
}

impl Seen {
    /// A typical distance of points in units of their spread.
    pub(super) fn distance(&self) -> f64 {
        (self.count as f64).sqrt()
    }
}

/// A base kernel with its parameters, in the order of its expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Base {
    pub(super) form: Form,
    pub(super) seen: Seen,
    pub(super) values: Vec<f64>,
}

impl Base {
    /// A smooth kernel, or a straight one, whose length-scales are so many typical distances.
    pub(super) fn of(form: Form, seen: &Seen, distances: f64) -> Self {
        let each = if form.is_smooth() && seen.count <= ARD_INPUTS { seen.count } else { 1 };
        let mut values = vec![distances * seen.distance(); each];
        values.extend((form == Form::RationalQuadratic).then_some(1.0));
        Self { form, seen: seen.clone(), values }
    }

    /// A periodic kernel.
    pub(super) fn periodic(period: f64, around: (f64, f64), unit: f64, seen: &Seen) -> Self {
        Self { form: Form::Periodic { around, unit }, seen: seen.clone(), values: vec![period, 1.0] }
    }

    /// The length-scales of a smooth or straight kernel.
    pub(super) fn lengths(&mut self) -> &mut [f64] {
        let count = self.values.len() - usize::from(self.form == Form::RationalQuadratic);
        &mut self.values[..count]
    }

    /// The same function of the same inputs in another shape, length-scales as they are.
    pub(super) fn reshaped(&self, form: Form) -> Self {
        let mut other = self.clone();
        let mut values = other.lengths().to_vec();
        values.extend((form == Form::RationalQuadratic).then_some(1.0));
        Self { form, values, ..other }
    }

    /// Its expression; `prior` follows length-scales.
    fn text(&self, prior: &str) -> String {
        let number = |value: &f64| format_number(*value);
        let on = self.seen.columns.as_ref().map_or_else(String::new, |columns| {
            let each: Vec<String> = columns.iter().map(ToString::to_string).collect();
            format!(", dims=[{}]", each.join(", "))
        });
        let within = |(low, high): (f64, f64)| format!(" in [{}, {}]", number(&low), number(&high));
        let name = self.form.name();
        if let (Form::Periodic { around, .. }, [period, shape]) = (self.form, self.values.as_slice()) {
            let (period, shape) = (number(period) + &within(around), number(shape) + &within(SHAPES));
            return format!("{name}(period={period}, lengthscale={shape}{on})");
        }
        let mut own = self.clone();
        let lengths: Vec<String> = own.lengths().iter().map(number).collect();
        let lengths = if lengths.len() == 1 { lengths.concat() } else { format!("[{}]", lengths.join(", ")) };
        let alpha = self.values.last().filter(|_| self.form == Form::RationalQuadratic);
        let alpha =
            alpha.map_or_else(String::new, |alpha| format!(", alpha={}{}", number(alpha), within(EXPONENTS)));
        format!("{name}(lengthscale={lengths}{prior}{alpha}{on})")
    }

    /// What it is, for people.
    fn describe(&self) -> String {
        let input = &self.seen.input;
        match (self.form, self.values.as_slice()) {
            (Form::Periodic { unit, .. }, [period, ..]) => {
                let comma = if input.is_empty() { "" } else { ", " };
                format!("periodic({input}{comma}period {})", four_digits(period * unit))
            }
            (form, _) if input.is_empty() => form.name().to_owned(),
            (form, _) => format!("{}({input})", form.name()),
        }
    }
}

/// A product of base kernels with its variance, unless a straight one has that in its length-scale.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Product {
    pub(super) variance: Option<f64>,
    pub(super) factors: Vec<Base>,
}

impl Product {
    /// Of one factor, with a variance to start from.
    pub(super) fn of(base: Base, variance: f64) -> Self {
        Self { variance: (base.form != Form::Linear).then_some(variance), factors: vec![base] }
    }

    /// The same with one factor more.
    pub(super) fn times(&self, base: Base) -> Self {
        let variance = self.variance.filter(|_| base.form != Form::Linear);
        Self { variance, factors: self.factors.iter().cloned().chain([base]).collect() }
    }

    /// The same with one factor less.
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

    /// The function times the square root of a number.
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

/// A sum of products and, where observations do not vary about zero, a constant.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Structure {
    pub(super) products: Vec<Product>,
    pub(super) constant: Option<f64>,
}

/// Weak priors of a kernel, where it has some: of length-scales around typical distances, of variances around a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Priors(pub(super) Option<Around>);

/// The median of a variance, and the deviation of its logarithm.
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
    /// The expression. White noise of a variance is added where that is wanted.
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

    /// What it is, for people: `rbf * periodic(period 12.00) + linear`.
    pub(super) fn describe(&self) -> String {
        let product =
            |product: &Product| product.factors.iter().map(Base::describe).collect::<Vec<_>>().join(" * ");
        self.products.iter().map(product).collect::<Vec<_>>().join(" + ")
    }

    /// Number of parameters.
    pub(super) fn parameters(&self) -> usize {
        let of = |product: &Product| {
            let factors: usize = product.factors.iter().map(|base| base.values.len()).sum();
            factors + usize::from(product.variance.is_some())
        };
        self.products.iter().map(of).sum::<usize>() + usize::from(self.constant.is_some())
    }

    /// The same with other values, in the order of the expression.
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

    /// All of its periods.
    pub(super) fn periods(&self) -> Vec<f64> {
        let factors = self.products.iter().flat_map(|product| &product.factors);
        let periodic = factors.filter(|base| matches!(base.form, Form::Periodic { .. }));
        periodic.filter_map(|base| base.values.first().copied()).collect()
    }

    /// The kernel of a function the square root of a number times as large.
    pub(super) fn scaled(&self, by: f64) -> Self {
        let mut scaled = self.clone();
        scaled.products.iter_mut().for_each(|product| product.scale(by));
        scaled.constant.iter_mut().for_each(|constant| *constant *= by);
        scaled
    }

    /// The same kernel with smooth functions that are slow.
    pub(super) fn slowed(&self, distances: f64) -> Self {
        let mut slow = self.clone();
        let factors = slow.products.iter_mut().flat_map(|product| &mut product.factors);
        for base in factors.filter(|base| base.form.is_smooth()) {
            let length = distances * base.seen.distance();
            base.lengths().iter_mut().for_each(|value| *value = value.max(length));
        }
        slow
    }

    /// Whether a product could have this factor: squares of smooth functions, or of one season, are nothing new, nor are
    /// more than two straight ones.
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
    use super::*;
    use gp_kernels::{KernelExt as _, Registry};

    fn seen(columns: Option<Vec<usize>>, count: usize) -> Seen {
        let input = if columns.is_some() { "t".to_owned() } else { String::new() };
        Seen { columns, count, input }
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

    /// A function twice as large has four times the covariance.
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
