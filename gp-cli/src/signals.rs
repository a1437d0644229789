//! Target functions in data units: combinations of latents.

use crate::error::CliError;
use crate::model::Model;
use crate::out::OutTable;
use crate::standardise::Standardiser;
use faer::{Mat, MatRef};

struct Signal {
    /// Column suffix: `(a)` with several targets, otherwise empty.
    of: String,
    name: String,
    scale: Standardiser,
    /// Latents and weights, in model units.
    terms: Vec<(usize, f64)>,
}

pub(crate) fn are_linear(model: &Model) -> bool {
    signals(model).is_some()
}

/// None if functions are not linear in latents.
fn signals(model: &Model) -> Option<Vec<Signal>> {
    let (likelihood, targets) = (model.posterior().likelihood(), model.targets());
    let several = targets.len() > 1;
    let terms = |place: usize| {
        if !several {
            return (likelihood.latents() == 1).then(|| vec![(0, 1.0)]);
        }
        if let Some(own) = likelihood.own_latent(place) {
            return Some(vec![(own.latent, 1.0)]);
        }
        let row = likelihood.mixing()?.chunks_exact(likelihood.latents()).nth(place)?;
        Some(row.iter().copied().enumerate().collect())
    };
    let signal = |(place, target): (usize, &&crate::encode::Target)| {
        let of = if several { format!("({})", target.name) } else { String::new() };
        Some(Signal { of, name: target.name.clone(), scale: target.scale(), terms: terms(place)? })
    };
    targets.iter().enumerate().map(signal).collect()
}

/// Adds a column per sample and target, in target units; joint over targets.
pub(crate) fn push_samples(
    table: &mut OutTable,
    model: &Model,
    points: MatRef<'_, f64>,
    (count, seed): (usize, u64),
) -> Result<(), CliError> {
    let drawn = model.posterior().sample_latents(points, count, seed)?;
    for signal in signals(model).into_iter().flatten() {
        for sample in 0..count {
            let value = |row: usize| {
                let mixed: f64 =
                    signal.terms.iter().map(|&(latent, w)| w * drawn[latent][(row, sample)]).sum();
                signal.scale.undo(mixed)
            };
            let name = format!("latent_sample{}({})", signal.of, sample + 1);
            table.push_numbers(name, (0..points.nrows()).map(value).collect());
        }
    }
    Ok(())
}

/// Adds covariances of each target with itself and later ones sharing a latent: a column per predicted row,
/// named by table row.
pub(crate) fn push_covariances(
    table: &mut OutTable,
    model: &Model,
    points: MatRef<'_, f64>,
    rows: Option<&[usize]>,
) -> Result<(), CliError> {
    let (by, signals) = (model.posterior(), signals(model).unwrap_or_default());
    let latents = by.likelihood().latents();
    let joint: Vec<Mat<f64>> =
        (0..latents).map(|latent| Ok(by.joint(latent, points)?.1)).collect::<Result<_, CliError>>()?;
    for (place, one) in signals.iter().enumerate() {
        for (further, other) in signals[place..].iter().enumerate() {
            let shared = shared(one, other);
            if shared.is_empty() {
                continue;
            }
            let of = if further == 0 { one.of.clone() } else { format!("({})({})", one.name, other.name) };
            let covariance = Mat::from_fn(points.nrows(), points.nrows(), |i, j| {
                shared.iter().map(|&(latent, weight)| weight * joint[latent][(i, j)]).sum::<f64>()
            });
            push_covariance(table, &of, covariance.as_ref(), rows);
        }
    }
    Ok(())
}

/// Shared latents; weight products in data units.
fn shared(one: &Signal, other: &Signal) -> Vec<(usize, f64)> {
    let units = one.scale.scale * other.scale.scale;
    let product = |&(latent, weight): &(usize, f64)| {
        let (_, with) = other.terms.iter().find(|(own, _)| *own == latent)?;
        Some((latent, weight * with * units))
    };
    one.terms.iter().filter_map(product).collect()
}

fn push_covariance(table: &mut OutTable, of: &str, covariance: MatRef<'_, f64>, rows: Option<&[usize]>) {
    for (place, column) in covariance.col_iter().enumerate() {
        let row = rows.map_or(Some(place), |rows| rows.get(place).copied());
        let Some(row) = row else { continue };
        table.push_numbers(format!("latent_covariance{of}({})", row + 1), column.iter().copied().collect());
    }
}

pub(crate) fn covariance_columns(model: &Model, rows: usize) -> usize {
    let signals = signals(model).unwrap_or_default();
    let pairs = (0..signals.len()).flat_map(|one| (one..signals.len()).map(move |other| (one, other)));
    rows * pairs.filter(|&(one, other)| !shared(&signals[one], &signals[other]).is_empty()).count()
}
