//! Numerically difficult tables.

use gp_cli::Context;
use gp_cli::encode::Role;
use gp_cli::method::{Method, RepresentedBy};

/// Target by default likelihood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Number,
    TwoLabels,
    ThreeLabels,
    ThreeShares,
    Count,
    Outliers,
}

impl Target {
    pub(crate) fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::Outliers)
    }

    pub(crate) fn are_labels(self) -> bool {
        matches!(self, Self::TwoLabels | Self::ThreeLabels | Self::ThreeShares)
    }

    fn likelihood(self) -> &'static str {
        match self {
            Self::Number => "gaussian",
            Self::TwoLabels => "bernoulli_probit",
            Self::ThreeLabels => "multiclass_probit(classes=3)",
            Self::ThreeShares => "softmax(classes=3)",
            Self::Count => "poisson",
            Self::Outliers => "student_t",
        }
    }

    fn flags(self) -> &'static str {
        match self {
            Self::Number => "--task regression",
            Self::TwoLabels => "--task binary",
            Self::ThreeLabels => "--task multiclass",
            Self::ThreeShares => "--likelihood softmax",
            Self::Count => "--task count",
            Self::Outliers => "--likelihood student_t",
        }
    }
}

pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) target: Target,
    /// CSV with target `y`.
    pub(crate) csv: String,
    /// Further flags; methods without them are skipped.
    pub(crate) says: &'static str,
    /// Named cause of the error; None requires a model.
    pub(crate) refused: Option<&'static str>,
    /// Method that may refuse, with its cause.
    pub(crate) refused_by: Option<(&'static str, &'static str)>,
}

impl Table {
    fn new(name: &'static str, target: Target, csv: String) -> Self {
        Self { name, target, csv, says: "", refused: None, refused_by: None }
    }

    fn says(self, says: &'static str) -> Self {
        Self { says, ..self }
    }

    fn refused(self, why: &'static str) -> Self {
        Self { refused: Some(why), ..self }
    }

    fn refused_by(self, method: &'static str, why: &'static str) -> Self {
        Self { refused_by: Some((method, why)), ..self }
    }

    /// None if the method lacks target or flags.
    pub(crate) fn flags(&self, context: &Context, method: &dyn Method) -> Option<String> {
        let likelihood = context.likelihoods.parse(self.target.likelihood()).unwrap();
        let takes = |name: &str| method.settings().iter().any(|setting| setting.name() == name);
        let supports = |flag: &str| match flag {
            "--alpha" => takes("alpha"),
            "--weights" => method.supports(Role::Weights),
            "--exposure" => method.supports(Role::Exposure),
            "--inducing" => method.represented_by() == RepresentedBy::InducingInputs,
            _ => true,
        };
        let flags = self.says.split_whitespace().filter(|word| word.starts_with("--"));
        let is_made_for_it = method.objection(likelihood.as_ref()).is_none()
            // The method is replaced by another for other likelihoods.
            && method.counterpart(likelihood.as_ref(), &gp_cli::method::Given::default()).is_none();
        (is_made_for_it && flags.clone().all(supports)).then(|| {
            let mut line = format!("{} {}", self.target.flags(), self.says);
            if method.represented_by() != RepresentedBy::Rows && !self.says.contains("--inducing") {
                line += " --inducing 12";
            }
            if takes("epochs") && !takes("iterations") {
                line += " --epochs 10";
            } else if likelihood.gaussian_noise().is_none() {
                let few = if self.target.are_labels() && self.target != Target::TwoLabels { 6 } else { 12 };
                line += &format!(" --iterations {few}");
            }
            line
        })
    }
}

/// Reproducible numbers between −1 and 1.
fn wave(i: usize, rate: f64) -> f64 {
    (rate * i as f64 + 0.3 * (i % 7) as f64).sin()
}

fn x(i: usize) -> f64 {
    0.1 * i as f64
}

fn y(i: usize) -> f64 {
    x(i).sin() + 0.1 * wave(i, 37.7)
}

fn table(rows: usize, header: &str, row: impl Fn(usize) -> Vec<f64>) -> String {
    let line =
        |i: usize| row(i).iter().map(|value| format!("{value:e}")).collect::<Vec<_>>().join(",") + "\n";
    format!("{header}\n{}", (0..rows).map(line).collect::<String>())
}

const ROWS: usize = 60;

pub(crate) fn all() -> Vec<Table> {
    [magnitudes(), shapes(), labels(), counts(), settings()].into_iter().flatten().collect()
}

fn magnitudes() -> Vec<Table> {
    let number =
        |name, row: &dyn Fn(usize) -> Vec<f64>| Table::new(name, Target::Number, table(ROWS, "x,y", row));
    vec![
        number("inputs of 1e300", &|i| vec![1e300 * (x(i) - 3.0), y(i)]),
        number("inputs of 1e-300", &|i| vec![1e-300 * x(i), y(i)]),
        number("targets of 1e300", &|i| vec![x(i), 1e300 * y(i)]).refused("beyond the range of numbers"),
        number("targets of 1e-300", &|i| vec![x(i), 1e-300 * y(i)]).refused("beyond the range of numbers"),
        number("targets of 1e150", &|i| vec![x(i), 1e150 * y(i)]),
        number("targets of 1e-150", &|i| vec![x(i), 1e-150 * y(i)]),
        number("targets far from 0", &|i| vec![x(i), 1e9 + 1e-3 * y(i)]),
        number("timestamps", &|i| vec![1.7e18 + 3.6e12 * i as f64, y(i)]),
        number("one outlier", &|i| vec![x(i), if i == 20 { 1e9 } else { y(i) }]),
        Table::new(
            "inputs of 1e300 and 1e-300",
            Target::TwoLabels,
            table(ROWS, "a,b,y", |i| {
                vec![1e300 * (x(i) - 3.0), 1e-300 * wave(i, 2.0), f64::from(y(i) > 0.0)]
            }),
        ),
        Table::new(
            "timestamps of labels",
            Target::TwoLabels,
            table(ROWS, "t,y", |i| vec![1.7e18 + 3.6e12 * i as f64, f64::from(y(i) > 0.0)]),
        ),
    ]
}

fn shapes() -> Vec<Table> {
    let wide = |i: usize, target: f64| (0..30).map(|d| wave(i, 1.0 + d as f64)).chain([target]).collect();
    let names: Vec<String> = (0..30).map(|d| format!("x{d}")).chain(["y".to_owned()]).collect();
    let (names, pair) = (names.join(","), |i: usize| vec![x(i / 5), y(i / 5)]);
    vec![
        Table::new("copies of rows", Target::Number, table(ROWS, "x,y", pair)),
        Table::new("one distinct input", Target::Number, table(ROWS, "x,y", |i| vec![2.0, y(i)])),
        Table::new(
            "a constant input beside",
            Target::Number,
            table(ROWS, "c,x,y", |i| vec![7.0, x(i), y(i)]),
        ),
        Table::new("a constant target", Target::Number, table(ROWS, "x,y", |i| vec![x(i), 5.0]))
            .refused("does not vary"),
        Table::new("more inputs than rows", Target::Number, table(12, &names, |i| wide(i, wave(i, 1.0)))),
        Table::new(
            "more inputs than rows of labels",
            Target::TwoLabels,
            table(12, &names, |i| wide(i, f64::from(wave(i, 1.0) > 0.0))),
        ),
        Table::new("more inducing inputs than rows", Target::Number, table(30, "x,y", |i| vec![x(i), y(i)]))
            .says("--inducing 200"),
        Table::new("two rows", Target::Number, table(2, "x,y", |i| vec![x(i), y(i)])),
        Table::new("two values", Target::Number, table(ROWS, "x,y", |i| vec![x(i), f64::from(y(i) > 0.0)])),
        Table::new(
            "two values with outliers expected",
            Target::Outliers,
            table(ROWS, "x,y", |i| vec![x(i), f64::from(y(i) > 0.0)]),
        ),
        Table::new(
            "one outlier that is expected",
            Target::Outliers,
            table(ROWS, "x,y", |i| vec![x(i), if i == 20 { 1e9 } else { y(i) }]),
        ),
    ]
}

fn labels() -> Vec<Table> {
    let two = |name, label: &dyn Fn(usize) -> bool| {
        Table::new(
            name,
            Target::TwoLabels,
            table(ROWS, "x,y,w", |i| {
                vec![x(i), f64::from(label(i)), if label(i) { 1.0 } else { 1e4 / ROWS as f64 }]
            }),
        )
    };
    vec![
        two("separable labels", &|i| i > 30).says("--exclude w"),
        two("one label of 60", &|i| i == 11).says("--exclude w"),
        two("labels of 1 to 10 000", &|i| i == 11).says("--weights w"),
        Table::new(
            "copies of rows of three labels",
            Target::ThreeLabels,
            table(ROWS, "x,y", |i| vec![x(i / 4), ((i / 4) % 3) as f64]),
        ),
        Table::new(
            "three labels under latent values to a thousand",
            Target::ThreeShares,
            table(ROWS, "x,y", |i| vec![x(i), ((i / 4) % 3) as f64]),
        )
        .says("--kernel fixed(1e6)*rbf"),
        Table::new(
            "one distinct input of three labels",
            Target::ThreeLabels,
            table(ROWS, "x,y", |i| vec![2.0, if i == 5 { 2.0 } else { (i % 2) as f64 }]),
        ),
    ]
}

fn counts() -> Vec<Table> {
    let count = |i: usize| (10.0 * (1.0 + x(i).sin())).round();
    vec![
        Table::new(
            "counts to 1e15",
            Target::Count,
            table(ROWS, "x,y", |i| vec![x(i), (34.0 * x(i) / 6.0).exp().round().min(1e15)]),
        ),
        Table::new(
            "a giant among counts",
            Target::Count,
            table(ROWS, "x,y,e", |i| vec![x(i), if i == 17 { 1e9 } else { count(i) }, 1.0 + (i % 3) as f64]),
        )
        .says("--exposure e"),
        Table::new("no count but one", Target::Count, table(ROWS, "x,y", |i| vec![x(i), f64::from(i == 30)])),
    ]
}

fn settings() -> Vec<Table> {
    let usual = |name, says| {
        let rows = table(ROWS, "x,y,w", |i| vec![x(i), y(i), 1e4 * (1 + i % 3) as f64]);
        Table::new(name, Target::Number, rows).says(says)
    };
    vec![
        usual("a power of 1e-9", "--alpha 1e-9 --exclude w"),
        usual("noise that starts at 1e-12", "--likelihood gaussian(variance=1e-12) --exclude w"),
        // The rows that a weight stands for share one latent value under generalised FITC, whose cavity then
        // vanishes.
        usual("weights of a million together", "--weights w").refused_by("gfitc", "no proper cavity"),
        Table::new(
            "a power of 1e-9 for labels",
            Target::TwoLabels,
            table(ROWS, "x,y", |i| vec![x(i), f64::from(y(i) > 0.0)]),
        )
        .says("--alpha 1e-9"),
        Table::new(
            "a power of 1e-9 for counts",
            Target::Count,
            table(ROWS, "x,y", |i| vec![x(i), (5.0 + 5.0 * y(i)).round().max(0.0)]),
        )
        .says("--alpha 1e-9"),
    ]
}
