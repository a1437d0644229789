//! Nanoseconds per tilted and expected log density, closed forms and quadrature; shortest round.

use gp_likelihoods::{
    Latent, LatentDerivatives, Likelihood, LikelihoodError, Support, Workspace, built_in, defaults,
};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 15;
/// Microseconds.
const ROUND: f64 = 2_000.0;
const BELIEFS: [(f64, f64); 5] = [(0.3, 0.8), (-1.7, 0.01), (2.2, 4.0), (0.0, 1.0), (1.1, 0.2)];

fn observations(support: Support) -> Vec<f64> {
    match support {
        Support::Real => vec![-3.1, 0.2, 2.0],
        Support::Positive => vec![0.03, 0.9, 14.0],
        Support::UnitInterval => vec![0.01, 0.4, 0.98],
        Support::Counts => vec![0.0, 1.0, 7.0],
        classes => (0..classes.classes()).map(|class| classes.label(class)).collect(),
    }
}

type Case = (Vec<f64>, Vec<Latent>);

fn cases(likelihood: &dyn Likelihood) -> Result<Vec<Case>, LikelihoodError> {
    let mut cases = Vec::new();
    for y in observations(likelihood.support()) {
        for first in 0..BELIEFS.len() {
            let belief = |latent: usize| BELIEFS[(first + latent) % BELIEFS.len()];
            let q = (0..likelihood.latents()).map(belief).map(|(m, v)| Latent::new(m, v));
            cases.push((vec![y; likelihood.outputs()], q.collect::<Result<_, _>>()?));
        }
    }
    Ok(cases)
}

fn time(
    likelihood: &dyn Likelihood,
    mut one: impl FnMut(&[f64], &[Latent], &mut LatentDerivatives) -> Result<(), LikelihoodError>,
) -> Result<f64, LikelihoodError> {
    let cases = cases(likelihood)?;
    let (mut out, mut least, mut repeats) = (LatentDerivatives::default(), f64::INFINITY, 1);
    let mut rounds = 0;
    while rounds < ROUNDS {
        let start = Instant::now();
        for _ in 0..repeats {
            for (y, q) in &cases {
                one(black_box(y), black_box(q), &mut out)?;
            }
        }
        let micros = 1e6 * start.elapsed().as_secs_f64();
        if micros < ROUND {
            repeats *= 2;
            continue;
        }
        least = least.min(1e3 * micros / (repeats * cases.len()) as f64);
        rounds += 1;
    }
    black_box(out);
    Ok(least)
}

fn main() -> Result<(), LikelihoodError> {
    println!("nanoseconds an observation");
    println!(
        "{:<20}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}",
        "", "tilted", "default", "half", "default", "expected", "default"
    );
    let mut ws = Workspace::new();
    for likelihood in built_in()?.iter().filter(|likelihood| likelihood.latents() == 1) {
        let l = &**likelihood;
        print!("{:<20}", l.name());
        for power in [1.0, 0.5] {
            let own = time(l, |y, q, out| l.tilted(y, q, power, &mut ws, out))?;
            let default = time(l, |y, q, out| defaults::tilted(l, y, q, power, &mut ws, out))?;
            print!("{own:>12.0}{default:>12.0}");
        }
        let own = time(l, |y, q, out| l.expected_log_density(y, q, &mut ws, out))?;
        let default = time(l, |y, q, out| defaults::expected_log_density(l, y, q, &mut ws, out))?;
        println!("{own:>12.0}{default:>12.0}");
    }
    println!("\n{:<20}{:>12}{:>12}{:>12}", "classes", "how many", "tilted", "expected");
    for classes in [3, 6, 10] {
        for text in ["robust_max", "multiclass_probit"] {
            let likelihood = gp_likelihoods::parse(&format!("{text}(classes={classes})"))?;
            let l = &*likelihood;
            let tilted = time(l, |y, q, out| l.tilted(y, q, 1.0, &mut ws, out))?;
            print!("{text:<20}{classes:>12}{tilted:>12.0}");
            match text {
                "robust_max" => {
                    println!("{:>12.0}", time(l, |y, q, out| l.expected_log_density(y, q, &mut ws, out))?);
                }
                _ => println!("{:>12}", "—"),
            }
        }
    }
    Ok(())
}
