//! Flags of `gp fit` that affect its result.

use super::flags::{given, with_settings};
use super::quoted;
use super::task_flag::{TaskChoice, TaskParser};
use crate::context::Context;
use crate::data::Kind;
use crate::encode::{Role, Roles};
use crate::error::{CliError, ErrorKind};
use crate::method::{Given, Optimizer};
use crate::missing::{Missing, parse_rule, write_rules};
use clap::{Args, CommandFactory, FromArgMatches, Parser, ValueEnum};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::time::Duration;

const AUTO: &str = "auto";

/// All flags that affect a fitted model.
#[derive(Clone, Debug, Args, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FitSpec {
    /// Column to predict, or several numeric columns, separated by commas. Each target has a latent function with its
    /// own kernel, unless all share one --kernel or are mixtures of --latents
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    #[serde(serialize_with = "one_or_several")]
    pub target: Vec<String>,
    /// Input columns, separated by commas (default: all others). A name with a comma goes in double quotes,
    /// as in 'age,"height, cm"'
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub features: Vec<String>,
    /// Columns that are not inputs, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',', conflicts_with = "features")]
    pub exclude: Vec<String>,
    /// Column of weights: a row of weight w > 0 counts like w equal rows (with gfitc for less than w rows); ivm takes
    /// no weights
    #[arg(long, value_name = "COL")]
    pub weights: Option<String>,
    /// Column added to the latent function, in the units of a real-valued target, otherwise of the latent function.
    /// Tables to predict need it too. With several targets: one column for all, or one per target, in their order
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    #[serde(serialize_with = "one_or_several")]
    pub offset: Vec<String>,
    /// Column of exposures, such as the time, area or people behind a count; its logarithm is the offset. Tables to
    /// predict need it too
    #[arg(long, value_name = "COL")]
    pub exposure: Option<String>,
    /// Column of known noise variances, in squared units of the target, added to the learned variance (which
    /// --likelihood "gaussian(variance=fixed(1e-6))" fixes). Tables to predict may have it. With several targets: one
    /// column for all, or one per target, in their order
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    #[serde(serialize_with = "one_or_several")]
    pub noise_variance: Vec<String>,
    /// Column of blocks, for pep, vfe and fitc: rows with the same text are approximated together (as in PITC)
    #[arg(long, value_name = "COL")]
    pub blocks: Option<String>,
    /// Column of powers between 0 and 1, in place of --alpha: one per row or, with --blocks, per block
    #[arg(long, value_name = "COL")]
    pub alpha_column: Option<String>,
    /// Type of a column: number, boolean, category or date; may be repeated
    #[arg(long = "type", value_name = "COL=TYPE", value_parser = parse_kind)]
    #[serde(rename = "type", serialize_with = "write_kinds")]
    pub kinds: Vec<(String, Kind)>,
    /// Treatment of rows with missing values
    #[arg(long, value_enum, default_value_t = Missing::Error)]
    pub missing: Missing,
    /// Rule of --missing for one column: error, drop or keep. With keep, later tables may miss its values even if
    /// training data do not. May be repeated
    #[arg(long, value_name = "COL=RULE", value_parser = parse_rule)]
    #[serde(serialize_with = "write_rules")]
    pub missing_in: Vec<(String, Missing)>,
    /// Kind of the target
    #[arg(long, value_parser = TaskParser::new(), default_value = AUTO)]
    pub task: TaskChoice,
    /// All labels of the target from low to high, separated by commas. Three or more imply --task ordinal, unless
    /// --task or --likelihood is given. Numbers are in numerical order by default
    #[arg(long, value_name = "A,B", value_delimiter = ',', allow_hyphen_values = true)]
    pub order: Vec<String>,
    /// Names for labels of the target in predictions, scores and pictures, such as 0=no,1=yes. Tables may contain
    /// labels or names
    #[arg(long, value_name = "LABEL=NAME", value_delimiter = ',', allow_hyphen_values = true)]
    pub labels: Vec<String>,
    /// Method of inference: auto, {methods}
    #[arg(long, default_value = AUTO)]
    pub method: String,
    /// Likelihood, such as `student_t(dof=4)`, with parameters in the units of the model (after --standardize)
    #[arg(long, value_name = "EXPR")]
    pub likelihood: Option<String>,
    /// Number of latent functions; each of several targets is a linear mixture of them (linear coregionalisation), so
    /// that targets inform each other
    #[arg(long, value_name = "Q", conflicts_with = "likelihood")]
    pub latents: Option<usize>,
    /// Kernel, such as `1 * rbf(ard=true) + linear`, with lengths in --units; may be repeated, once per latent
    /// function (default: RBF plus linear, with one length-scale per input or, if inputs are many, one for all; plus
    /// periodic terms for seasons found along the only input or a date)
    #[arg(long, value_name = "EXPR")]
    pub kernel: Vec<String>,
    /// Search for a kernel: a sum of products of base kernels, grown in DEPTH steps (--search=3; --search alone: 4)
    #[arg(long, value_name = "DEPTH", num_args = 0..=1, require_equals = true, default_missing_value = "4",
          value_parser = clap::value_parser!(u8).range(1..=10), conflicts_with_all = ["kernel", "no_train", "windows"])]
    pub search: Option<u8>,
    /// Number of inducing points (default: depends on the method; at most the number of rows)
    #[arg(long, value_name = "N")]
    pub inducing: Option<usize>,
    /// Table of inducing points, one column per input in the same order, with any header; may be repeated, once per
    /// latent function
    #[arg(long, value_name = "CSV", conflicts_with = "inducing")]
    pub inducing_file: Vec<PathBuf>,
    /// Initial placement of inducing points: {placements} or, for labels, ivm
    #[arg(long, value_name = "NAME", conflicts_with = "inducing_file")]
    pub placement: Option<String>,
    /// Width of Gaussian windows (standard deviation, in units of the model): inducing values are then means of the
    /// function over windows around the inducing points
    #[arg(long, value_name = "WIDTH")]
    pub windows: Option<f64>,
    /// Columns to standardise
    #[arg(long, value_enum, default_value_t = Standardize::Both)]
    pub standardize: Standardize,
    /// Units of length-scales and periods in --kernel, --bound and --prior. Variances and default values are in units
    /// of the model
    #[arg(long, value_enum, default_value_t = LengthUnits::Data)]
    pub units: LengthUnits,
    /// Parameters that are not trained, besides those fixed by default: kernel, likelihood, inducing, windows, or names
    /// such as rbf.lengthscale. By default inducing points are trained under Gaussian noise (unless α is 1 with up to
    /// 2000 rows), and by mini-batches from 10 000 rows on; otherwise they are fixed. `none` trains them in any case,
    /// also beside other names (--fix none,kernel)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub fix: Vec<String>,
    /// Bounds of a parameter, either end optional, such as rbf.lengthscale=0.1..3; may be repeated
    #[arg(long, value_name = "NAME=LO..HI", allow_hyphen_values = true)]
    pub bound: Vec<String>,
    /// Prior of a parameter, such as `rbf.lengthscale=gamma(2, 1)`; may be repeated
    #[arg(long, value_name = "NAME=EXPR")]
    pub prior: Vec<String>,
    /// Temperature T: class probabilities are raised to the power 1/T and normalised. T below 1 makes them more
    /// confident, above 1 less (default: estimated after training on rows left out one at a time)
    #[arg(long, value_name = "T", value_parser = positive)]
    pub temperature: Option<f64>,
    /// Optimiser of parameters
    #[arg(long, value_enum)]
    pub optimizer: Option<Optimizer>,
    /// Number of additional random starts; each is trained briefly, the best one fully
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub restarts: Option<u16>,
    /// Time after which no iteration begins, such as 90s, 10m or 2h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    #[serde(serialize_with = "in_seconds")]
    pub time_limit: Option<Duration>,
    /// Random seed
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Do not train: all parameters keep their initial values
    #[arg(long)]
    pub no_train: bool,
    /// Method settings.
    #[arg(skip)]
    #[serde(flatten)]
    pub settings: Given,
}

/// Columns to standardise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standardize {
    /// Nothing
    None,
    /// Numeric inputs
    Inputs,
    /// A real-valued target
    Target,
    /// Inputs and target
    Both,
}

impl Standardize {
    /// `true` if inputs are standardised.
    #[must_use]
    pub fn inputs(self) -> bool {
        matches!(self, Self::Inputs | Self::Both)
    }

    /// `true` if a real-valued target is standardised.
    #[must_use]
    pub fn target(self) -> bool {
        matches!(self, Self::Target | Self::Both)
    }
}

/// Units of length-scales and periods in flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthUnits {
    /// Units of the columns; days for dates
    Data,
    /// Units of the model's inputs, after --standardize
    Model,
}

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Flags {
    #[command(flatten)]
    spec: FitSpec,
}

impl FitSpec {
    pub(super) fn is_auto(&self) -> bool {
        self.method.eq_ignore_ascii_case(AUTO)
    }

    /// Spec from flags, such as `["--target", "y"]`.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) for unknown flags and invalid values.
    pub fn from_flags<'a>(
        flags: impl IntoIterator<Item = &'a str>,
        context: &Context,
    ) -> Result<Self, CliError> {
        let wrong = |cause: clap::Error| CliError::usage(cause.to_string());
        let command = with_settings(Flags::command(), &context.methods, |flag| flag);
        let matches = command.try_get_matches_from(flags).map_err(wrong)?;
        let mut spec = Flags::from_arg_matches(&matches).map_err(wrong)?.spec;
        spec.settings = given(&matches, &context.methods);
        spec.join_quoted_names();
        Ok(spec)
    }

    /// Rejoins quoted names cut at commas.
    pub(crate) fn join_quoted_names(&mut self) {
        let lists = [&mut self.target, &mut self.features, &mut self.exclude, &mut self.order];
        let lists = lists.into_iter().chain([&mut self.labels]);
        for names in lists.chain([&mut self.offset, &mut self.noise_variance]) {
            *names = quoted::joined(names);
        }
    }

    /// Effective configuration: given values and defaults.
    #[must_use]
    pub fn config(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(entries)) => {
                entries.into_iter().filter(|(_, value)| !is_nothing(value)).collect()
            }
            _ => Map::new(),
        }
    }

    /// Column to predict, or the first of several.
    ///
    /// # Errors
    /// [`Usage`](ErrorKind::Usage) without a target.
    pub fn target(&self) -> Result<&str, CliError> {
        self.target.first().map(String::as_str).ok_or_else(|| {
            CliError::new(ErrorKind::Usage, "no target given; name the column to predict with --target COL")
        })
    }

    /// Role columns.
    #[must_use]
    pub fn roles(&self) -> Roles {
        let said = [
            (Role::Weights, self.weights.as_slice()),
            (Role::Offset, self.offset.as_slice()),
            (Role::Exposure, self.exposure.as_slice()),
            (Role::NoiseVariance, self.noise_variance.as_slice()),
            (Role::Blocks, self.blocks.as_slice()),
            (Role::AlphaColumn, self.alpha_column.as_slice()),
        ];
        let each =
            said.into_iter().flat_map(|(role, names)| names.iter().map(move |name| (role, name.clone())));
        Roles::new(each)
    }
}

fn one_or_several<S: Serializer>(all: &[String], serializer: S) -> Result<S::Ok, S::Error> {
    match all {
        // A name with a comma must be quoted, so it is written as a list.
        [one] if !one.contains(',') => one.serialize(serializer),
        several => several.serialize(serializer),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "it must be a number".to_owned())?;
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err("it has to be above 0 and finite".to_owned())
    }
}

fn parse_kind(text: &str) -> Result<(String, Kind), String> {
    let (name, kind) = text.rsplit_once('=').ok_or("it has to be COL=TYPE")?;
    Ok((name.to_owned(), kind.parse()?))
}

fn write_kinds<S: Serializer>(kinds: &[(String, Kind)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(kinds.iter().map(|(name, kind)| format!("{name}={kind}")))
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value.as_array().is_some_and(Vec::is_empty)
}

/// Parses `500ms`, `90s`, `10m` or `2h`; seconds without a unit.
///
/// # Errors
/// Message for the user.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let number = text.trim_end_matches(char::is_alphabetic);
    let unit = match &text[number.len()..] {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        other => return Err(format!("`{other}` is no unit of time; there are ms, s, m and h")),
    };
    let seconds = number.parse::<f64>().map(|number| number * unit).unwrap_or(f64::NAN);
    Duration::try_from_secs_f64(seconds).map_err(|_| "it must be a time such as 90s, 10m or 2h".to_owned())
}

#[expect(clippy::ref_option, reason = "serde hands over a reference")]
fn in_seconds<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
    time.map(|time| format!("{}s", time.as_secs_f64())).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let seconds = |text| parse_time(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("500ms"), Ok(0.5));
        assert_eq!(seconds("90"), Ok(90.0));
        assert_eq!(seconds("1.5m"), Ok(90.0));
        assert_eq!(seconds("2h"), Ok(7200.0));
        assert!(["", "m", "-3s", "3 weeks", "nan"].into_iter().all(|text| parse_time(text).is_err()));
    }
}
