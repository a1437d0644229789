//! Seed 004's small-scale experiments: one full Gaussian, one diagonal one, and mixtures of two, beside the dense
//! posterior.
//!
//! ```sh
//! GP_DATA=folder/of/data cargo run --release -p gp-variational --example savigp_benchmarks
//! cargo run --release -p gp-variational --example savigp_benchmarks -- boston breast
//! ```
//!
//! Means over the partitions given, as many as the third column says. SSE is the mean squared error over the variance
//! of the test targets, NLPD the mean negative log predictive density in the units of the data, NLP the same of
//! labels. Kernels are squared exponentials with a length-scale an input (one for all pixels of USPS); inducing inputs
//! are training rows and stay. With Gaussian noise, warped or not, the dense posterior is the exact one.

#[path = "../../../gp-ep/tests/support/data.rs"]
#[expect(dead_code, reason = "other data sets need more of it")]
mod data;
#[path = "../../../gp-ep/tests/support/partitions.rs"]
mod partitions;
mod problems;

use faer::Mat;
use gp_kernels::Evaluator;
use gp_kernels::data::Table;
use gp_kernels::inducing::SparseProcess;
use gp_kernels::placement::{Placement, RandomSubset};
use gp_likelihoods::{Likelihood, Support};
use gp_optim::{Adam, Batches, MinimiseOptions};
use gp_variational::savigp::{BatchOptions, Bound, Covariance, Mixture};
use gp_variational::{
    DenseVariational, Draws, Expectation, NaturalOptions, Sampling, Savigp, VariationalError,
    VariationalPosterior,
};
use problems::{Kind, Observations, Split};
use seismic_likelihood::Seismic;
use std::time::Instant;

/// A posterior, and how many inducing inputs an observation has.
#[derive(Clone, Copy)]
enum Method {
    Dense,
    Full(f64),
    Diagonal(f64, usize),
    FullMixture(f64, usize),
}

const ALL: [Method; 6] = [
    Method::Dense,
    Method::Full(0.5),
    Method::Full(0.1),
    Method::Diagonal(0.1, 1),
    Method::Diagonal(0.1, 2),
    Method::FullMixture(0.1, 2),
];
const SPARSE: [Method; 3] = [Method::Full(0.1), Method::Diagonal(0.1, 1), Method::Diagonal(0.1, 2)];

impl Method {
    fn name(self) -> String {
        match self {
            Self::Dense => "dense".to_owned(),
            Self::Full(share) => format!("full {share}"),
            Self::Diagonal(share, 1) => format!("diagonal {share}"),
            Self::Diagonal(share, k) => format!("{k} diagonal {share}"),
            Self::FullMixture(share, k) => format!("{k} full {share}"),
        }
    }
}

/// What is asked of the likelihood and the kernels.
#[derive(Clone, Copy)]
struct Setting {
    likelihood: &'static str,
    ard: bool,
    expectation: Expectation,
    iterations: u64,
}

impl Setting {
    fn new(likelihood: &'static str) -> Self {
        Self { likelihood, ard: true, expectation: Expectation::Exact, iterations: 100 }
    }

    fn likelihood(&self) -> Result<Box<dyn Likelihood>, VariationalError> {
        Ok(gp_likelihoods::parse(self.likelihood)?)
    }

    fn kernel(&self, dim: usize) -> Result<Box<dyn gp_kernels::Kernel>, VariationalError> {
        let scale = format!("{}", (dim as f64).sqrt());
        let scales = if self.ard { format!("[{}]", vec![scale; dim].join(", ")) } else { scale };
        Ok(gp_kernels::parse(&format!("1 * rbf(lengthscale={scales})"))?)
    }
}

/// What a method makes of one partition.
struct Outcome {
    bound: f64,
    seconds: f64,
    posterior: VariationalPosterior,
}

fn fit(method: Method, setting: &Setting, data: &Observations) -> Result<Outcome, VariationalError> {
    let table = Table::new(data.inputs.as_ref(), data.targets.as_ref())?;
    let (start, dim) = (Instant::now(), data.inputs.ncols());
    let options = MinimiseOptions { max_iterations: setting.iterations, ..MinimiseOptions::default() };
    let natural = NaturalOptions { tolerance: 1e-8, ..NaturalOptions::default() };
    let likelihood = setting.likelihood()?;
    let latents = likelihood.latents();
    let (share, covariance, components) = match method {
        Method::Dense => {
            let kernels = (0..latents).map(|_| setting.kernel(dim)).collect::<Result<_, _>>()?;
            let mut model =
                DenseVariational::new(kernels, likelihood)?.with_expectation(setting.expectation)?;
            let mut trained = model.train(&table, &natural, &options, |_| {})?;
            let (bound, seconds) = (trained.run.1.bound, start.elapsed().as_secs_f64());
            return Ok(Outcome { bound, seconds, posterior: trained.state.predictor(&model)? });
        }
        Method::Full(share) => (share, Covariance::Full, 1),
        Method::Diagonal(share, components) => (share, Covariance::Diagonal, components),
        Method::FullMixture(share, components) => (share, Covariance::Full, components),
    };
    let count = (share * data.inputs.nrows() as f64).ceil() as usize;
    let process = |_| {
        let kernel = setting.kernel(dim)?;
        let placed = RandomSubset.place(kernel.as_ref(), data.inputs.as_ref(), count, 1)?;
        Ok(SparseProcess::new(kernel, placed.inputs)?.with_fixed_inputs())
    };
    let processes = (0..latents).map(process).collect::<Result<Vec<_>, VariationalError>>()?;
    let mut model = Savigp::new(processes, likelihood)?.with_expectation(setting.expectation)?;
    if matches!(method, Method::Full(_)) {
        let bound = model.train_outer(&table, &natural, &options, |_| {})?.run.1.bound;
        return Ok(Outcome { bound, seconds: start.elapsed().as_secs_f64(), posterior: model.predictor()? });
    }
    model.set_posterior(Mixture::prior(model.posterior().counts(), covariance)?)?;
    let options = MinimiseOptions { max_iterations: 15 * setting.iterations, ..options };
    let mut bound = model.train(&table, &options, |_| {})?.run.log_marginal_likelihood;
    if components > 1 {
        model.set_posterior(model.posterior().split(components, 1)?)?;
        bound = model.train(&table, &options, |_| {})?.run.log_marginal_likelihood;
    }
    Ok(Outcome { bound, seconds: start.elapsed().as_secs_f64(), posterior: model.predictor()? })
}

/// Mean squared error over variance, and mean negative log density in the units of the data.
fn regression_scores(posterior: &VariationalPosterior, split: &Split) -> Result<[f64; 2], VariationalError> {
    let (by, test) = (Evaluator::default(), &split.test);
    let moments = posterior.moments(test.inputs.as_ref(), &by)?;
    let outputs = test.targets.ncols();
    let count = test.targets.nrows() as f64;
    let standardised = |p: usize| {
        let y = test.targets.col(p);
        let mean = y.iter().sum::<f64>() / count;
        let variance = y.iter().map(|y| (y - mean).powi(2)).sum::<f64>();
        let squared: f64 =
            y.iter().enumerate().map(|(i, y)| (y - moments[i * outputs + p].mean).powi(2)).sum();
        squared / variance
    };
    let sse = (0..outputs).map(standardised).sum::<f64>() / outputs as f64;
    let densities = posterior.log_densities(test.inputs.as_ref(), test.targets.as_ref(), &by)?;
    let units: f64 = split.units.iter().map(|unit| unit.ln()).sum();
    Ok([sse, units - densities.iter().sum::<f64>() / count])
}

/// Share of wrong labels, and mean negative log probability of the right ones.
fn label_scores(posterior: &VariationalPosterior, split: &Split) -> Result<[f64; 2], VariationalError> {
    let support: Support = posterior.likelihood().support();
    let found = posterior.class_probabilities(split.test.inputs.as_ref(), &Evaluator::default())?;
    let (mut wrong, mut nlp) = (0.0, 0.0);
    for (i, y) in split.test.targets.col(0).iter().enumerate() {
        let largest =
            (0..found.ncols()).max_by(|&a, &b| found[(i, a)].total_cmp(&found[(i, b)])).unwrap_or(0);
        let right = (0..found.ncols()).find(|&c| support.label(c) == *y).unwrap_or(0);
        wrong += f64::from(u8::from(largest != right));
        nlp -= found[(i, right)].ln();
    }
    let count = found.nrows() as f64;
    Ok([wrong / count, nlp / count])
}

/// One line for each method: means over partitions.
fn report(
    name: &str,
    methods: &[Method],
    setting: &Setting,
    splits: &[Split],
    kind: Kind,
) -> Result<(), VariationalError> {
    for &method in methods {
        let mut sums = [0.0; 4];
        for split in splits {
            let found = fit(method, setting, &split.training)?;
            let [first, second] = match kind {
                Kind::Real => regression_scores(&found.posterior, split)?,
                Kind::Labels => label_scores(&found.posterior, split)?,
            };
            let all = [first, second, found.bound, found.seconds];
            sums.iter_mut().zip(all).for_each(|(sum, x)| *sum += x / splits.len() as f64);
        }
        let [first, second, bound, seconds] = sums;
        let count = splits.len();
        println!(
            "{name:9} {:14} {count:3} {first:9.4} {second:9.4} {bound:11.2} {seconds:8.1}",
            method.name()
        );
    }
    Ok(())
}

/// Coal-mining disasters: how far sparse posteriors are from the dense one, which has no test set either.
fn mining() -> Result<(), VariationalError> {
    let Some(data) = problems::whole("lgcp/mining_binned.csv", &[0], &[1]) else { return Ok(()) };
    let (setting, by) = (Setting::new("poisson"), Evaluator::default());
    let mut reference: Option<(Vec<f64>, Vec<f64>)> = None;
    println!(
        "mining, N = 811    log evidence bound   seconds   off the dense: mean, deviation (in its deviations)"
    );
    for method in [Method::Dense, Method::Full(0.1), Method::Diagonal(0.1, 1), Method::Diagonal(0.1, 2)] {
        let found = fit(method, &setting, &data)?;
        let latent = &found.posterior.latents(data.inputs.as_ref(), &by)?[0];
        let deviation: Vec<f64> = latent.variance.iter().map(|v| v.sqrt()).collect();
        let (mean, spread) = reference.get_or_insert((latent.mean.clone(), deviation.clone()));
        let count = mean.len() as f64;
        let off: f64 =
            (0..mean.len()).map(|i| (latent.mean[i] - mean[i]).abs() / spread[i]).sum::<f64>() / count;
        let ratio: f64 = (0..mean.len()).map(|i| deviation[i] / spread[i]).sum::<f64>() / count;
        println!("  {:16} {:18.3} {:9.2} {off:12.3} {ratio:8.3}", method.name(), found.bound, found.seconds);
    }
    Ok(())
}

/// Depths and velocities under the sites of a seismic survey (seed 004 §9.8).
fn seismic() -> Result<(), VariationalError> {
    let Some(data) = problems::whole("regression/seismic_savigp.csv", &[4], &[0, 1, 2, 3]) else {
        return Ok(());
    };
    let table = Table::new(data.inputs.as_ref(), data.targets.as_ref())?;
    let inputs = gp_kernels::inducing::InducingInputs::points(data.inputs.as_ref())?;
    let process = |_| {
        let mut kernel = gp_kernels::parse("rbf(lengthscale=1)")?;
        gp_kernels::KernelExt::for_each_parameter_mut(kernel.as_mut(), &mut |p| p.fix_all(true));
        Ok(SparseProcess::new(kernel, inputs.clone())?.with_fixed_inputs())
    };
    let processes = (0..8).map(process).collect::<Result<Vec<_>, VariationalError>>()?;
    let sampling = Sampling { samples: 200, draws: Draws::QuasiRandom, ..Sampling::default() };
    let base = Savigp::new(processes, Box::new(Seismic))?.with_expectation(Expectation::Sampled(sampling))?;
    println!(
        "seismic, N = 113    bound   seconds   standard deviations from the prior's mean: of depths, of velocities"
    );
    for (name, covariance, components) in [
        ("full", Covariance::Full, 1),
        ("diagonal", Covariance::Diagonal, 1),
        ("2 diagonal", Covariance::Diagonal, 2),
    ] {
        let start = Instant::now();
        let mut model = base.clone();
        let bound = if covariance == Covariance::Full {
            let mut bound = Bound::new(&model, &table)?;
            model
                .come_to_rest(&mut bound, &NaturalOptions { tolerance: 1e-8, ..NaturalOptions::default() })?
                .bound
        } else {
            model.set_posterior(Mixture::prior(model.posterior().counts(), covariance)?)?;
            let options = MinimiseOptions { max_iterations: 1000, ..MinimiseOptions::default() };
            let mut bound = model.train(&table, &options, |_| {})?.run.log_marginal_likelihood;
            if components > 1 {
                model.set_posterior(model.posterior().split(components, 1)?)?;
                bound = model.train(&table, &options, |_| {})?.run.log_marginal_likelihood;
            }
            bound
        };
        let latents = model.predictor()?.latents(data.inputs.as_ref(), &Evaluator::default())?;
        let seconds = start.elapsed().as_secs_f64();
        let text = |latents: &[gp_kernels::posterior::LatentPrediction]| -> String {
            let count = data.inputs.nrows() as f64;
            let each = latents.iter().map(|latent| {
                let mean = latent.mean.iter().sum::<f64>() / count;
                let deviation = latent.variance.iter().map(|v| v.sqrt()).sum::<f64>() / count;
                format!("{mean:.2} ± {deviation:.2}")
            });
            each.collect::<Vec<_>>().join(", ")
        };
        let (depths, velocities) = (text(&latents[..4]), text(&latents[4..]));
        println!("  {name:12} {bound:10.2} {seconds:9.1}   {depths}; {velocities}");
    }
    Ok(())
}

/// Two joints of a robot's arm through a regression network, in batches (seed 004 §9.4): torques 4 and 7.
fn sarcos() -> Result<(), VariationalError> {
    let Some(split) = problems::every_fifth("regression/sarcos_test.csv.gz", 21, &[24, 27]) else {
        return Ok(());
    };
    let setting = Setting { ard: true, ..Setting::new("gprn(outputs=2, nodes=1)") };
    let (data, start) = (&split.training, Instant::now());
    let table = Table::new(data.inputs.as_ref(), data.targets.as_ref())?;
    let process = |q: u64| {
        let kernel = setting.kernel(21)?;
        let placed = RandomSubset.place(kernel.as_ref(), data.inputs.as_ref(), 200, 1 + q)?;
        Ok(SparseProcess::new(kernel, placed.inputs)?)
    };
    let processes = (0..3).map(process).collect::<Result<Vec<_>, VariationalError>>()?;
    let mut model = Savigp::new(processes, setting.likelihood()?)?;
    // A product of functions that are both 0 has no slope: the start is off that saddle.
    let mut posterior = Mixture::spread(model.posterior().counts(), Covariance::Full, 2, 1)?;
    let mut one = Mixture::prior(posterior.counts(), Covariance::Full)?;
    let narrow = Mat::from_fn(200, 200, |i, j| if i == j { 0.1 } else { 0.0 });
    for q in 0..3 {
        let mean: Vec<f64> = posterior.mean(0, q).iter().map(|m| 3.0 * m).collect();
        one.set(0, q, &mean, narrow.as_ref())?;
    }
    posterior = one;
    model.set_posterior(posterior)?;
    let mut options = BatchOptions::default();
    options.steps = 3000;
    options.natural = Some(0.1);
    let batches = Batches::shuffled(data.inputs.nrows(), 256, 1)?;
    let before = Bound::new(&model, &table)?.value(&model)?;
    model.train_in_batches(&table, batches, Adam::with_rate(0.01), &options, |_| {})?;
    let bound = Bound::new(&model, &table)?.value(&model)?;
    let seconds = start.elapsed().as_secs_f64();
    let [sse, nlpd] = regression_scores(&model.predictor()?, &split)?;
    println!(
        "sarcos    full M=200       1 {sse:9.4} {nlpd:9.4} {bound:11.2} {seconds:8.1}   (from {before:.0})"
    );
    Ok(())
}

fn main() -> Result<(), VariationalError> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|other| other == name);
    println!("data      posterior     runs   SSE/err  NLPD/NLP       bound  seconds");
    let sets = [
        (
            "boston",
            "regression/boston.csv",
            "splits/boston_savigp5.csv.gz",
            Setting::new("gaussian(variance=0.1)"),
            5,
        ),
        ("creep", "regression/creep.csv", "splits/creep_savigp20.csv.gz", Setting::new("warped_gaussian"), 1),
        (
            "abalone",
            "regression/abalone.csv",
            "splits/abalone_savigp6.csv.gz",
            Setting::new("warped_gaussian"),
            1,
        ),
        ("breast", "binary/breast.csv", "splits/breast_savigp5.csv.gz", Setting::new("bernoulli_logit"), 5),
    ];
    for (name, table, partition, setting, most) in sets.into_iter().filter(|set| is_asked(set.0)) {
        let kind = if name == "breast" { Kind::Labels } else { Kind::Real };
        let Some(splits) = problems::splits(table, partition, 1, kind, most) else { continue };
        let methods: &[Method] = if splits[0].training.inputs.nrows() < 500 { &ALL } else { &ALL[..5] };
        report(name, methods, &setting, &splits, kind)?;
        if setting.likelihood == "warped_gaussian" {
            let plain = Setting::new("gaussian(variance=0.1)");
            report(&format!("{name}, gp"), &[Method::Dense], &plain, &splits, kind)?;
        }
    }
    if is_asked("usps") {
        let (table, partition) = ("usps/usps_479_savigp.csv.gz", "splits/usps_479_savigp5.csv.gz");
        let sampling = Sampling { samples: 50, draws: Draws::QuasiRandom, ..Sampling::default() };
        let expectation = Expectation::Sampled(sampling);
        let setting =
            Setting { ard: false, expectation, iterations: 20, ..Setting::new("softmax(classes=3)") };
        if let Some(splits) = problems::splits(table, partition, 1, Kind::Labels, 1) {
            report("usps", &SPARSE, &setting, &splits, Kind::Labels)?;
        }
    }
    if is_asked("mining") {
        mining()?;
    }
    if is_asked("seismic") {
        seismic()?;
    }
    if is_asked("sarcos") {
        sarcos()?;
    }
    Ok(())
}
