//! Bonilla et al. 2019, Figure 12: depths and velocities below a seismic survey.

use crate::baselines::{Leapfrog, WhitenedPosterior, elliptical_slice, hamiltonian};
use crate::data::{Part, Store};
use crate::error::ExperimentError;
use crate::grid::Show::{Own, Text};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Outcome, Results};
use crate::methods::savigp::{Gaussians, diagonal, sampled, together};
use crate::methods::scores;
use crate::report::Block;
use faer::Mat;
use gp_cli::picture::{CLASSES, INK, Layer, Picture};
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_kernels::{Kernel, KernelExt};
use gp_variational::savigp::{Bound, Covariance, Mixture};
use gp_variational::{NaturalOptions, Savigp};
use seismic_likelihood::Seismic;

const FILE: &str = "regression/seismic_savigp.csv";
const DATA: &str = "seismic";
const SETTING: &str = "Z=X";
const LAYERS: usize = 4;
/// Prior means: depths (m), velocities (m/s); relative standard deviations.
const MEANS: [[f64; LAYERS]; 2] = [[200.0, 500.0, 1600.0, 2200.0], [1950.0, 2300.0, 2750.0, 3650.0]];
const SHARES: [f64; 2] = [0.15, 0.1];
/// Initial posterior variance over the prior's.
const NARROW: f64 = 1e-3;

#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Hamiltonian,
    Slices,
    /// L-BFGS from the paper's narrow start.
    Full,
    /// Natural gradients from the prior.
    Natural,
    Mixture(Gaussians),
}

const METHODS: [(&str, Method); 6] = [
    ("hmc", Method::Hamiltonian),
    ("ess", Method::Slices),
    ("fg", Method::Full),
    ("fg, natural", Method::Natural),
    ("mog1", Method::Mixture(Gaussians::Diagonal)),
    ("mog2", Method::Mixture(Gaussians::TwoDiagonal)),
];

pub(super) const SURVEY: Grid<Method> = Grid {
    name: "004-figure-12",
    title: "depths and velocities below a seismic survey, by variational posteriors and Monte Carlo",
    about: "From the paper: 113 sites, four reflection times each, eight latent functions (depths and velocities), \
         its likelihood, noise and prior, a squared exponential of length-scale 1, inducing inputs at the sites; \
         none of these is learned. One full Gaussian (`fg`) by L-BFGS, with means starting at the prior's and \
         variances at 0.1 % of the prior's. As in the authors' program: positions in metres, so that sites, 400 m \
         apart, are independent. Own choices: expectations by 200 quasi-random samples, at most 500 iterations. Not \
         in the paper's figure: `fg, natural`, the same by natural gradients from the prior; `mog1` and `mog2`, \
         diagonal Gaussians. Monte Carlo samples the same posterior: `hmc` (whitened, trajectories of up to 20 \
         steps, 40,000 after 2,000) and `ess` (elliptical slice sampling, 400,000 steps after 20,000, every fortieth \
         kept). Two chains of each (splits 0 and 1) show the accuracy of Monte Carlo itself. The paper used another \
         sampler.\n\n\
         Reduced form: `hmc` 5,000 after 1,000, `ess` 50,000 after 5,000.",
    takes: ["30 minutes", "8 minutes"],
    data: &[DATA],
    files: &[FILE],
    settings: &[SETTING],
    methods: &METHODS,
    splits: [2, 2],
    protocol: 2,
    has: |_, cell, method| cell.split == 0 || matches!(method, Method::Hamiltonian | Method::Slices),
    run: |at| {
        let survey = survey(&at.context.store)?;
        match *at.how {
            Method::Hamiltonian | Method::Slices => monte_carlo(&survey, at),
            method => variational(&survey, method, at),
        }
    },
    show: &[
        Text(
            "Compared with the first chain of `hmc`, averaged over sites and the four layers: absolute difference of \
             posterior means, in its standard deviations; ratio of standard deviations. In the paper, `fg` is close to \
             Monte Carlo, “although the variances are overestimated”.",
        ),
        Own(show),
    ],
    ..Grid::EMPTY
};

fn kernel() -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse("rbf(lengthscale=1)")?)
}

fn variational(survey: &Part, method: Method, at: &At<'_, Method>) -> Result<Outcome, ExperimentError> {
    let table = Table::new(survey.inputs.as_ref(), survey.targets.as_ref())?;
    let ((model, bound, effort), seconds) = scores::timed(|| {
        let mut kernel = kernel()?;
        KernelExt::for_each_parameter_mut(kernel.as_mut(), &mut |parameter| parameter.fix_all(true));
        let inputs = InducingInputs::points(survey.inputs.as_ref())?;
        let process = SparseProcess::new(kernel, inputs)?.with_fixed_inputs();
        let expectation = sampled(at.choose(200, 200, 20));
        let mut model =
            Savigp::new(vec![process; 2 * LAYERS], Box::new(Seismic))?.with_expectation(expectation)?;
        let (bound, effort) = match method {
            Method::Mixture(posterior) => diagonal(&mut model, posterior, &table, at.choose(1000, 1000, 5))?,
            Method::Natural => converged(&mut model, &table, at.choose(1000, 1000, 5))?,
            _ => {
                model.set_posterior(narrow(model.posterior().counts())?)?;
                together(&mut model, &table, at.choose(500, 500, 3))?
            }
        };
        Ok((model, bound, effort))
    })?;
    let latents = model.predictor()?.latents(survey.inputs.as_ref())?;
    let outcome = Outcome::of([("bound", bound), ("seconds", seconds)]).by(effort);
    Ok(latents.iter().enumerate().fold(outcome, |outcome, (q, latent)| {
        with_latent(outcome, q, survey, &latent.mean, &latent.variance)
    }))
}

fn converged(model: &mut Savigp, table: &Table<'_>, steps: usize) -> Result<(f64, Effort), ExperimentError> {
    let options = NaturalOptions { tolerance: 1e-8, max_steps: steps, ..NaturalOptions::default() };
    let mut bound = Bound::new(model, table)?;
    let found = model.converge(&mut bound, &options)?;
    let stop = if found.converged { "the posterior converged" } else { "the step limit was reached" };
    let effort = Effort::ended(stop, found.steps as u64).with("optimizer", "natural gradients");
    Ok((found.bound, effort))
}

fn narrow(counts: &[usize]) -> Result<Mixture, ExperimentError> {
    let mut start = Mixture::prior(counts, Covariance::Full)?;
    for (q, &count) in counts.iter().enumerate() {
        let factor = Mat::from_fn(count, count, |i, j| if i == j { NARROW.sqrt() } else { 0.0 });
        start.set(0, q, &vec![0.0; count], factor.as_ref())?;
    }
    Ok(start)
}

fn monte_carlo(survey: &Part, at: &At<'_, Method>) -> Result<Outcome, ExperimentError> {
    let (chain, seconds) = scores::timed(|| {
        let kernel = kernel()?;
        let kernels = [kernel.as_ref(); 2 * LAYERS];
        let (points, targets) = (survey.inputs.as_ref(), survey.targets.as_ref());
        let mut posterior = WhitenedPosterior::new(&kernels, points, &Seismic, targets)?;
        if matches!(at.how, Method::Slices) {
            let [burn_in, steps] = at.choose([20_000, 400_000], [5000, 50_000], [20, 80]);
            return elliptical_slice(&mut posterior, burn_in, steps, 40, 1 + at.seed());
        }
        let [burn_in, samples] = at.choose([2000, 40_000], [1000, 5000], [10, 10]);
        hamiltonian(&mut posterior, Leapfrog { steps: 20, length: 0.05 }, burn_in, samples, 1, 1 + at.seed())
    })?;
    let effort = Effort::ended("all samples are drawn", chain.samples as u64);
    let outcome = Outcome::of([("accepted", chain.accepted), ("seconds", seconds)]).by(effort);
    let count = survey.len();
    Ok((0..2 * LAYERS).fold(outcome, |outcome, q| {
        let (mean, variance) = (&chain.mean[q * count..][..count], &chain.variance[q * count..][..count]);
        with_latent(outcome, q, survey, mean, variance)
    }))
}

/// Positions (m), and four reflection times.
fn survey(store: &Store) -> Result<Part, ExperimentError> {
    Ok(match store {
        Store::Folder(_) => {
            let all = store.table(FILE, 1)?;
            Part { inputs: all.targets, targets: all.inputs }
        }
        Store::Synthetic => {
            let time = |i: usize, p: usize| {
                let thickness = |k: usize| MEANS[0][k] - if k == 0 { 0.0 } else { MEANS[0][k - 1] };
                let exact: f64 = (0..=p).map(|k| 2.0 * thickness(k) / MEANS[1][k]).sum();
                exact * (1.0 + 0.05 * (0.5 * i as f64).sin())
            };
            Part {
                inputs: Mat::from_fn(12, 1, |i, _| 400.0 * i as f64),
                targets: Mat::from_fn(12, LAYERS, time),
            }
        }
    })
}

/// Adds mean and deviation curves, in prior deviations.
fn with_latent(outcome: Outcome, q: usize, survey: &Part, mean: &[f64], variance: &[f64]) -> Outcome {
    let curve = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        survey.inputs.col(0).iter().copied().zip(values).collect()
    };
    outcome
        .with_curve(&format!("mean {q}"), curve(&mut mean.iter().copied()))
        .with_curve(&format!("deviation {q}"), curve(&mut variance.iter().map(|v| v.sqrt())))
}

fn latent<'a>(results: &'a Results, method: &str, chain: usize, q: usize) -> Option<[&'a [(f64, f64)]; 2]> {
    let curve = |name: String| results.curves(DATA, SETTING, method, &name).get(chain).copied();
    Some([curve(format!("mean {q}"))?, curve(format!("deviation {q}"))?])
}

fn show(results: &Results) -> Vec<Block> {
    let header = [
        "method",
        "chain",
        "depth difference",
        "ratio of s.d.",
        "velocity difference",
        "ratio of s.d.",
        "seconds",
    ];
    let pictures = ["depth (m)", "velocity (m/s)"].into_iter().enumerate();
    let pictures = pictures.filter_map(|(kind, name)| picture(results, kind, name));
    [Block::table(header, rows(results))].into_iter().chain(pictures).collect()
}

fn rows(results: &Results) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (method, _) in METHODS {
        for (chain, seconds) in results.scores(DATA, SETTING, method, "seconds").iter().enumerate() {
            let compare = |q: usize| -> Option<[f64; 2]> {
                let ([mean, spread], [theirs, scale]) =
                    (latent(results, method, chain, q)?, latent(results, METHODS[0].0, 0, q)?);
                let average =
                    |f: &dyn Fn(usize) -> f64| (0..theirs.len()).map(f).sum::<f64>() / theirs.len() as f64;
                Some([
                    average(&|i| (mean[i].1 - theirs[i].1).abs() / scale[i].1),
                    average(&|i| spread[i].1 / scale[i].1),
                ])
            };
            let over = |first: usize| -> Option<[f64; 2]> {
                let all: Vec<[f64; 2]> = (first..first + LAYERS).map(compare).collect::<Option<_>>()?;
                Some([0, 1].map(|k| all.iter().map(|pair| pair[k]).sum::<f64>() / LAYERS as f64))
            };
            let Some((depths, velocities)) = over(0).zip(over(LAYERS)) else { continue };
            let numbers = depths.into_iter().chain(velocities).map(|number| format!("{number:.3}"));
            let names = [method.to_owned(), chain.to_string()];
            rows.push(names.into_iter().chain(numbers).chain([format!("{seconds:.1}")]).collect());
        }
    }
    rows
}

/// Means ± two standard deviations: bands by `fg`, lines by `hmc`.
fn picture(results: &Results, kind: usize, name: &str) -> Option<Block> {
    let mut layers = Vec::new();
    let [full, chain] = [METHODS[2].0, METHODS[0].0];
    for layer in 0..LAYERS {
        let (scale, colour) = (MEANS[kind][layer], CLASSES[layer]);
        let values = |method: &str, deviations: f64| -> Option<[Vec<f64>; 2]> {
            let [mean, deviation] = latent(results, method, 0, LAYERS * kind + layer)?;
            let value = |k: usize| scale * (1.0 + SHARES[kind] * (mean[k].1 + deviations * deviation[k].1));
            Some([mean.iter().map(|point| point.0).collect(), (0..mean.len()).map(value).collect()])
        };
        let label = |text: &str| if layer == 0 { text.to_owned() } else { String::new() };
        let [x, y] = values(full, 0.0)?;
        let (lower, upper) = (values(full, -2.0)?[1].clone(), values(full, 2.0)?[1].clone());
        let strength = 0.2;
        layers.push(Layer::Band { x: x.clone(), lower, upper, strength, label: label("fg, two deviations") });
        layers.push(Layer::Line { x, y, colour, label: format!("fg, layer {}", layer + 1) });
        for deviations in [-2.0, 0.0, 2.0] {
            let Some([x, y]) = values(chain, deviations) else { continue };
            let label = if deviations == 0.0 { label("hmc, and two deviations") } else { String::new() };
            layers.push(Layer::Line { x, y, colour: INK, label });
        }
    }
    let title = format!("{name} below the survey");
    let picture = Picture {
        title,
        x_name: "position".to_owned(),
        y_name: name.to_owned(),
        layers,
        ..Picture::default()
    };
    Some(Block::Figure(format!("004-seismic-{}", ["depth", "velocity"][kind]), Box::new(picture)))
}
