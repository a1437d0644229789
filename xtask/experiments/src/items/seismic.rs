//! Bonilla et al. 2019, Figure 12: depths and velocities below the sites of a seismic survey, by variational posteriors
//! and by Monte Carlo.

use crate::baselines::{Leapfrog, WhitenedPosterior, elliptical_slice, hamiltonian};
use crate::data::{Part, Scales, Store};
use crate::error::ExperimentError;
use crate::grid::Show::{Own, Text};
use crate::grid::{At, Grid};
use crate::harness::{Outcome, Results};
use crate::methods::savigp::{Gaussians, diagonal, sampled};
use crate::methods::scores;
use crate::report::Block;
use faer::Mat;
use gp_cli::picture::{CLASSES, INK, Layer, Picture};
use gp_kernels::data::Table;
use gp_kernels::inducing::{InducingInputs, SparseProcess};
use gp_kernels::{Kernel, KernelExt};
use gp_variational::savigp::Bound;
use gp_variational::{NaturalOptions, Savigp};
use seismic_likelihood::Seismic;

const FILE: &str = "regression/seismic_savigp.csv";
const DATA: &str = "seismic";
const SETTING: &str = "Z=X";
const LAYERS: usize = 4;
/// Prior means of depths in metres and of velocities in metres per second, and standard deviations as shares of them.
const MEANS: [[f64; LAYERS]; 2] = [[200.0, 500.0, 1600.0, 2200.0], [1950.0, 2300.0, 2750.0, 3650.0]];
const SHARES: [f64; 2] = [0.15, 0.1];
/// No posterior for Monte Carlo.
const METHODS: [(&str, Option<Gaussians>); 5] = [
    ("hmc", None),
    ("ess", None),
    ("fg", Some(Gaussians::Full)),
    ("mog1", Some(Gaussians::Diagonal)),
    ("mog2", Some(Gaussians::TwoDiagonal)),
];

/// The figure.
pub(super) const SURVEY: Grid<Option<Gaussians>> = Grid {
    name: "004-figure-12",
    title: "depths and velocities under a seismic survey, by variational posteriors and Monte Carlo",
    about: "As the paper says: 113 sites, four reflection times each, eight latent functions (depths and velocities), \
         its likelihood, noise and prior, a squared exponential of length-scale 1, inducing inputs at the sites, \
         nothing of it learned; one full Gaussian (`fg`). Chosen where it is silent: positions in units of their \
         standard deviation, expectations by 200 quasi-random samples, the start at the prior (the paper's narrow \
         start is not needed by natural gradients). `mog1` and `mog2` are not in the paper's figure. Monte Carlo \
         samples the same posterior: `hmc` (whitened, trajectories of up to 20 steps, 40,000 after 2,000), `ess` \
         (elliptical slice sampling, 400,000 steps after 20,000, every fortieth kept); two chains of each (splits 0 \
         and 1) show what Monte Carlo itself is worth. The paper's sampler was another.\n\n\
         Reduced form: `hmc` 5,000 after 1,000, `ess` 50,000 after 5,000.",
    takes: ["30 minutes", "8 minutes"],
    data: &[DATA],
    files: &[FILE],
    settings: &[SETTING],
    methods: &METHODS,
    splits: [2, 2],
    has: |_, cell, posterior| cell.split == 0 || posterior.is_none(),
    run: |at| {
        let survey = survey(&at.context.store)?;
        match *at.how {
            Some(posterior) => variational(&survey, posterior, at),
            None => monte_carlo(&survey, at),
        }
    },
    show: &[
        Text(
            "Beside the first chain of `hmc`, means over sites and over the four layers: how far posterior means are \
             off, in its standard deviations; the ratio of standard deviations. The paper: `fg` close to Monte Carlo, \
             “although the variances are overestimated”.",
        ),
        Own(show),
    ],
    ..Grid::EMPTY
};

fn kernel() -> Result<Box<dyn Kernel>, ExperimentError> {
    Ok(gp_kernels::parse("rbf(lengthscale=1)")?)
}

fn variational(
    survey: &Part,
    posterior: Gaussians,
    at: &At<'_, Option<Gaussians>>,
) -> Result<Outcome, ExperimentError> {
    let table = Table::new(survey.inputs.as_ref(), survey.targets.as_ref())?;
    let steps = at.choose(1000, 1000, 5);
    let ((model, bound), seconds) = scores::timed(|| {
        let mut kernel = kernel()?;
        KernelExt::for_each_parameter_mut(kernel.as_mut(), &mut |parameter| parameter.fix_all(true));
        let inputs = InducingInputs::points(survey.inputs.as_ref())?;
        let process = SparseProcess::new(kernel, inputs)?.with_fixed_inputs();
        let expectation = sampled(at.choose(200, 200, 20));
        let mut model =
            Savigp::new(vec![process; 2 * LAYERS], Box::new(Seismic))?.with_expectation(expectation)?;
        let bound = if posterior == Gaussians::Full {
            let options =
                NaturalOptions { tolerance: 1e-8, max_steps: steps as usize, ..NaturalOptions::default() };
            let mut bound = Bound::new(&model, &table)?;
            model.come_to_rest(&mut bound, &options)?.bound
        } else {
            diagonal(&mut model, posterior, &table, steps)?
        };
        Ok((model, bound))
    })?;
    let latents = model.predictor()?.latents(survey.inputs.as_ref())?;
    let outcome = Outcome::of([("bound", bound), ("seconds", seconds)]);
    Ok(latents.iter().enumerate().fold(outcome, |outcome, (q, latent)| {
        with_latent(outcome, q, survey, &latent.mean, &latent.variance)
    }))
}

fn monte_carlo(survey: &Part, at: &At<'_, Option<Gaussians>>) -> Result<Outcome, ExperimentError> {
    let (chain, seconds) = scores::timed(|| {
        let kernel = kernel()?;
        let kernels = [kernel.as_ref(); 2 * LAYERS];
        let (points, targets) = (survey.inputs.as_ref(), survey.targets.as_ref());
        let mut posterior = WhitenedPosterior::new(&kernels, points, &Seismic, targets)?;
        if at.cell.method == "ess" {
            let [burn_in, steps] = at.choose([20_000, 400_000], [5000, 50_000], [20, 80]);
            return elliptical_slice(&mut posterior, burn_in, steps, 40, 1 + at.seed());
        }
        let [burn_in, samples] = at.choose([2000, 40_000], [1000, 5000], [10, 10]);
        hamiltonian(&mut posterior, Leapfrog { steps: 20, length: 0.05 }, burn_in, samples, 1, 1 + at.seed())
    })?;
    let (outcome, count) = (Outcome::of([("accepted", chain.accepted), ("seconds", seconds)]), survey.len());
    Ok((0..2 * LAYERS).fold(outcome, |outcome, q| {
        let (mean, variance) = (&chain.mean[q * count..][..count], &chain.variance[q * count..][..count]);
        with_latent(outcome, q, survey, mean, variance)
    }))
}

/// Positions, in units of their spread, and the four times.
fn survey(store: &Store) -> Result<Part, ExperimentError> {
    let mut part = match store {
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
    };
    Scales::of(&part.inputs).apply(&mut part.inputs);
    Ok(part)
}

/// The outcome with a latent function, in prior standard deviations, by position.
fn with_latent(outcome: Outcome, q: usize, survey: &Part, mean: &[f64], variance: &[f64]) -> Outcome {
    let curve = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        survey.inputs.col(0).iter().copied().zip(values).collect()
    };
    outcome
        .with_curve(&format!("mean {q}"), curve(&mut mean.iter().copied()))
        .with_curve(&format!("deviation {q}"), curve(&mut variance.iter().map(|v| v.sqrt())))
}

/// Means and deviations of a latent function by one method and chain.
fn latent<'a>(results: &'a Results, method: &str, chain: usize, q: usize) -> Option<[&'a [(f64, f64)]; 2]> {
    let curve = |name: String| results.curves(DATA, SETTING, method, &name).get(chain).copied();
    Some([curve(format!("mean {q}"))?, curve(format!("deviation {q}"))?])
}

fn show(results: &Results) -> Vec<Block> {
    let header = ["method", "chain", "depths off", "deviations", "velocities off", "deviations", "seconds"];
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

/// Bands of two standard deviations and the mean by `fg`, and the same as lines by `hmc`.
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
