//! Bonilla et al. 2019, Figure 5: rate of coal-mining disasters.

use crate::baselines::{Chain, Leapfrog, WhitenedPosterior, elliptical_slice, hamiltonian};
use crate::data::{Part, Scales, Store};
use crate::error::ExperimentError;
use crate::grid::Show::{Curve, Own, Text};
use crate::grid::{At, Grid};
use crate::harness::{Effort, Outcome, Results};
use crate::methods::savigp::{Automated, Found, Gaussians};
use crate::methods::scores;
use crate::report::Block;
use faer::Mat;
use gp_optim::Parameter;
use gp_variational::Expectation;

const FILE: &str = "lgcp/mining_binned.csv";
const DATA: &str = "mining";
const FIXED: &str = "fixed";
const SETTINGS: [&str; 2] = [FIXED, "learned"];
/// Authors' kernel, in days.
const KERNEL: &str = "fixed(1) * rbf(lengthscale=fixed(13516))";

#[derive(Clone, Copy, Debug)]
pub(super) enum Method {
    Slices,
    Hamiltonian,
    /// Share of observations as inducing inputs.
    Variational(Gaussians, f64),
}

const METHODS: [(&str, Method); 8] = [
    ("ess", Method::Slices),
    ("hmc", Method::Hamiltonian),
    ("fg, SF=1", Method::Variational(Gaussians::Full, 1.0)),
    ("fg, SF=0.5", Method::Variational(Gaussians::Full, 0.5)),
    ("fg, SF=0.1", Method::Variational(Gaussians::Full, 0.1)),
    ("mog1, SF=0.5", Method::Variational(Gaussians::Diagonal, 0.5)),
    ("mog1, SF=0.1", Method::Variational(Gaussians::Diagonal, 0.1)),
    ("mog2, SF=0.1", Method::Variational(Gaussians::TwoDiagonal, 0.1)),
];
const SHOWN: &[&str] = &["ess", "fg, SF=1", "fg, SF=0.1", "mog1, SF=0.1"];

pub(super) const MINING: Grid<Method> = Grid {
    name: "004-figure-5",
    title: "rate of coal-mining disasters, by variational posteriors, elliptical slice sampling and Hamiltonian Monte Carlo",
    about: "From the paper: 811 bins, a log Gaussian Cox process, a squared exponential; the posteriors `fg` (one \
         full Gaussian), `mog1` and `mog2` (one and two diagonal ones) with a share SF of the bins as inducing \
         inputs; the baselines `ess` (elliptical slice sampling) and `hmc`. `fixed`, as in the authors' program: \
         variance 1, length-scale 13516 days, and an offset of the log rate of ln (191/811), from the mean count. \
         `learned`, not in the paper: hyperparameters are learned with the dense posterior, and Monte Carlo samples \
         the latent function under them. **Different from the paper**: `mog` is diagonal in whitened values here, \
         and in the values themselves there. `ess` makes 100,000 steps after 5,000 and keeps every tenth; `hmc` \
         (whitened, trajectories of up to 12 steps) makes 10,000 after 1,000 and keeps all. The paper's chains were \
         ten and a hundred times as long. Two chains of each, with different seeds (splits 0 and 1), show the \
         accuracy of Monte Carlo itself.",
    takes: ["15 minutes", "10 minutes"],
    data: &[DATA],
    files: &[FILE],
    settings: &SETTINGS,
    methods: &METHODS,
    splits: [4, 2],
    protocol: 2,
    is_whole_run_by_run: true,
    has: |_, cell, method| cell.split == 0 || !matches!(method, Method::Variational(..)),
    run,
    show: &[
        Text(
            "Compared with the first chain of `ess`: mean absolute difference of the means of the log rate, in its \
             posterior standard deviations; mean ratio of posterior standard deviations; mean relative difference of \
             mean rates. In the paper, `fg` agrees with Monte Carlo at all SF, and `mog` has the same mean and less \
             variance; they are at least 10 times as fast as `ess` and 100 times as `hmc` (with chains ten and a \
             hundred times as long as here).",
        ),
        Own(table),
        Curve("004-mining-rate-{setting}", "rate", ["bin of 50 days", "disasters in 50 days"], SHOWN),
        Curve(
            "004-mining-deviation-{setting}",
            "deviation",
            ["bin of 50 days", "standard deviation of the log rate"],
            SHOWN,
        ),
    ],
    ..Grid::EMPTY
};

fn run(at: &At<'_, Method>) -> Result<Outcome, ExperimentError> {
    let is_fixed = at.cell.setting == FIXED;
    let events = events(&at.context.store, is_fixed)?;
    let offset = (191.0_f64 / 811.0).ln();
    let text = if is_fixed { format!("poisson(offset=fixed({offset}))") } else { "poisson".to_owned() };
    let (likelihood, kernel) = (at.likelihood(&text)?, at.kernel(KERNEL)?);
    let setup = Automated {
        likelihood: likelihood.as_ref(),
        kernel: is_fixed.then_some(kernel.as_ref()),
        expectation: Expectation::Exact,
        iterations: at.choose(100, 100, 2),
        share: 1.0,
    };
    let Method::Variational(posterior, share) = *at.how else {
        return sample(at, &events, &setup.learn(Gaussians::Full, &events)?);
    };
    let (found, seconds) = scores::timed(|| Automated { share, ..setup }.learn(posterior, &events))?;
    let latents = found.posterior.latents(events.inputs.as_ref())?;
    let moments = found.posterior.moments(events.inputs.as_ref())?;
    let rate: Vec<f64> = moments.iter().map(|found| found.mean).collect();
    let outcome = Outcome::of([("bound", found.bound), ("seconds", seconds)]);
    Ok(curves(outcome, &latents[0].mean, &latents[0].variance, &rate).by(found.effort))
}

fn table(results: &Results) -> Vec<Block> {
    let all = SETTINGS.iter().flat_map(|setting| METHODS.iter().map(move |(name, _)| (*setting, *name)));
    let rows = all.flat_map(|(setting, name)| compared(results, setting, name)).collect();
    let header = [
        "hyperparameters",
        "method",
        "chain",
        "mean difference",
        "ratio of s.d.",
        "rate difference",
        "seconds",
    ];
    vec![Block::table(header, rows)]
}

fn compared(results: &Results, setting: &str, name: &str) -> Vec<Vec<String>> {
    let all = |method: &str, curve: &str| results.curves(DATA, setting, method, curve);
    let own = ["mean", "deviation", "rate"].map(|curve| all(name, curve));
    let first = ["mean", "deviation", "rate"].map(|curve| all("ess", curve).first().copied());
    let [Some(mean), Some(spread), Some(rate)] = first else { return Vec::new() };
    let row = |(k, seconds): (usize, &f64)| {
        let [means, deviations, rates] = [0, 1, 2].map(|of| own[of].get(k).copied());
        let (means, deviations, rates) = (means?, deviations?, rates?);
        let average = |f: &dyn Fn(usize) -> f64| (0..mean.len()).map(f).sum::<f64>() / mean.len() as f64;
        let off = average(&|i| (means[i].1 - mean[i].1).abs() / spread[i].1);
        let ratio = average(&|i| deviations[i].1 / spread[i].1);
        let rate_off = 100.0 * average(&|i| (rates[i].1 / rate[i].1 - 1.0).abs());
        let numbers =
            [format!("{off:.3}"), format!("{ratio:.3}"), format!("{rate_off:.1} %"), format!("{seconds:.2}")];
        let names = [setting.to_owned(), name.to_owned(), k.to_string()];
        Some(names.into_iter().chain(numbers).collect())
    };
    results.scores(DATA, setting, name, "seconds").iter().enumerate().filter_map(row).collect()
}

fn sample(at: &At<'_, Method>, events: &Part, learned: &Found) -> Result<Outcome, ExperimentError> {
    let (kernel, likelihood) = (learned.kernel.as_ref(), learned.posterior.likelihood());
    let (chain, seconds) = scores::timed(|| -> Result<Chain, ExperimentError> {
        let (points, targets) = (events.inputs.as_ref(), events.targets.as_ref());
        let mut posterior = WhitenedPosterior::new(&[kernel], points, likelihood, targets)?;
        if matches!(at.how, Method::Slices) {
            let [burn_in, steps] = at.choose([5000, 100_000], [5000, 100_000], [100, 200]);
            return elliptical_slice(&mut posterior, burn_in, steps, 10, 1 + at.seed());
        }
        let [burn_in, samples] = at.choose([1000, 10_000], [1000, 10_000], [50, 100]);
        hamiltonian(&mut posterior, Leapfrog { steps: 12, length: 0.1 }, burn_in, samples, 1, 1 + at.seed())
    })?;
    // The rate is exp(f + offset).
    let offset = likelihood.parameters().iter().map(Parameter::value).sum::<f64>();
    let rate: Vec<f64> = chain.rate.iter().map(|rate| rate * offset.exp()).collect();
    let outcome = Outcome::of([("accepted", chain.accepted), ("seconds", seconds)]);
    let settings = learned.effort.settings.clone();
    let effort = Effort { settings, ..Effort::ended("all samples are drawn", chain.samples as u64) };
    Ok(curves(outcome, &chain.mean, &chain.variance, &rate).by(effort))
}

/// Bin counts and positions (days or standardised).
fn events(store: &Store, in_days: bool) -> Result<Part, ExperimentError> {
    let mut all = match store {
        Store::Folder(_) => store.table(FILE, 1)?,
        Store::Synthetic => {
            let inputs = Mat::from_fn(60, 1, |i, _| 50.0 * i as f64);
            let targets = Mat::from_fn(60, 1, |i, _| (4 * i % 7 / 4) as f64);
            Part { inputs, targets }
        }
    };
    if !in_days {
        Scales::of(&all.inputs).apply(&mut all.inputs);
    }
    Ok(all)
}

fn curves(outcome: Outcome, mean: &[f64], variance: &[f64], rate: &[f64]) -> Outcome {
    let by_bin = |values: &mut dyn Iterator<Item = f64>| -> Vec<(f64, f64)> {
        values.enumerate().map(|(i, value)| (i as f64, value)).collect()
    };
    outcome
        .with_curve("mean", by_bin(&mut mean.iter().copied()))
        .with_curve("deviation", by_bin(&mut variance.iter().map(|v| v.sqrt())))
        .with_curve("rate", by_bin(&mut rate.iter().copied()))
}
