//! Tests that only real seasons are found.

use super::*;
use crate::standardise::Standardiser;
use faer::Mat;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::f64::consts::TAU;

fn periods(x: &[f64], y: &[f64]) -> Vec<f64> {
    periods_beside(x, &[], y)
}

fn periods_beside(x: &[f64], others: &[Vec<f64>], y: &[f64]) -> Vec<f64> {
    let (units, target) = (Standardiser::of(x), Standardiser::of(y));
    let scaled = |column: &[f64]| {
        let units = Standardiser::of(column);
        column.iter().map(|&value| units.apply(value)).collect::<Vec<f64>>()
    };
    let columns: Vec<Vec<f64>> =
        [scaled(x)].into_iter().chain(others.iter().map(|other| scaled(other))).collect();
    let points = Mat::from_fn(x.len(), columns.len(), |i, d| columns[d][i]);
    let column = (columns.len() > 1).then_some(0);
    let rows = TrainingRows::in_memory(points, y.iter().map(|&y| target.apply(y)).collect());
    let few = Sample::at_most(&rows, JUDGED_ROWS, 0).unwrap().rows;
    let registry = Registry::built_in();
    let judge = SeasonJudge::new(&registry, (&few, &rows), column, Control::new());
    let found = search(&rows, 0, x.len(), &judge).unwrap();
    found.into_iter().map(|season| season.period * units.scale).collect()
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    rng.sample(StandardNormal)
}

fn months(count: u32) -> Vec<f64> {
    (0..count).map(f64::from).collect()
}

fn fired(seeds: u64, series: impl Fn(&mut ChaCha8Rng) -> (Vec<f64>, Vec<f64>) + Sync) -> usize {
    use rayon::prelude::*;
    let found = |seed| {
        let (x, y) = series(&mut ChaCha8Rng::seed_from_u64(seed));
        usize::from(!periods(&x, &y).is_empty())
    };
    (0..seeds).into_par_iter().map(found).sum()
}

#[test]
fn a_year_in_months_with_a_trend() {
    for seed in 0..5 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let x = months(144);
        let y: Vec<f64> = x
            .iter()
            .map(|x| {
                100.0
                    + 2.5 * x
                    + 20.0 * (TAU * x / 12.0).sin()
                    + 8.0 * (2.0 * TAU * x / 12.0).cos()
                    + 10.0 * normal(&mut rng)
            })
            .collect();
        let found = periods(&x, &y);
        assert!(found.len() == 1 && (found[0] - 12.0).abs() < 0.2, "seed {seed}: {found:?}");
    }
}

#[test]
fn a_day_at_irregular_times() {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut x: Vec<f64> = (0..400).map(|_| 30.0 * rng.random::<f64>()).collect();
    x.sort_by(f64::total_cmp);
    let y: Vec<f64> = x.iter().map(|x| (TAU * x).sin() + 0.7 * normal(&mut rng)).collect();
    let found = periods(&x, &y);
    assert!(found.len() == 1 && (found[0] - 1.0).abs() < 0.01, "{found:?}");
}

#[test]
fn one_season_is_found_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let x = months(240);
    let y: Vec<f64> =
        (0..240).map(|i| [0.5, 1.5, 2.7][i % 3] + 0.02 * i as f64 + 0.01 * normal(&mut rng)).collect();
    let found = periods(&x, &y);
    assert!(found.len() == 1 && (found[0] - 3.0).abs() < 0.01, "{found:?}");
}

#[test]
fn two_seasons() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let x = months(365);
    let y: Vec<f64> =
        x.iter().map(|x| (TAU * x / 7.0).sin() + (TAU * x / 61.0).cos() + 0.4 * normal(&mut rng)).collect();
    let mut found = periods(&x, &y);
    found.sort_by(f64::total_cmp);
    assert!(found.len() == 2, "{found:?}");
    assert!((found[0] - 7.0).abs() < 0.05 && (found[1] - 61.0).abs() < 1.5, "{found:?}");
}

#[test]
fn noise_has_no_season() {
    let count = fired(100, |rng| (months(120), (0..120).map(|_| normal(rng)).collect()));
    assert!(count <= 5, "{count} of 100");
}

#[test]
fn a_trend_has_no_season() {
    let count = fired(20, |rng| {
        let x = months(120);
        let y = x.iter().map(|x| (0.03 * x).exp() + 0.5 * normal(rng)).collect();
        (x, y)
    });
    assert!(count <= 1, "{count} of 20");
}

#[test]
fn a_rough_walk_has_no_season() {
    let count = fired(40, |rng| {
        let x = months(150);
        let (mut y, keep) = (vec![normal(rng)], (-1.0f64 / 40.0).exp());
        for i in 1..150 {
            y.push(keep * y[i - 1] + (1.0 - keep * keep).sqrt() * normal(rng));
        }
        (x, y)
    });
    assert!(count <= 2, "{count} of 40");
}

#[test]
fn a_smooth_function_has_no_season() {
    let count = fired(40, |rng| {
        let x = months(150);
        let waves: Vec<(f64, f64)> =
            (0..200).map(|_| (normal(rng) / 12.0, TAU * rng.random::<f64>())).collect();
        let f = |x: f64| waves.iter().map(|(w, phase)| (w * x + phase).cos()).sum::<f64>() / 10.0;
        let y = x.iter().map(|&x| f(x) + 0.1 * normal(rng)).collect();
        (x, y)
    });
    assert!(count <= 2, "{count} of 40");
}

fn sales(days: &[f64], rng: &mut ChaCha8Rng, wave: impl Fn(f64) -> f64) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut columns = vec![Vec::new(); 5];
    let mut y = Vec::new();
    for &day in days {
        let (city, price) = (rng.random_range(0..4_usize), 1.0 + 8.0 * rng.random::<f64>());
        (0..4).for_each(|other| columns[other].push(f64::from(u8::from(other == city))));
        columns[4].push(price);
        y.push(5.0 * city as f64 - 1.5 * price + wave(day) + 2.0 * normal(rng));
    }
    (columns, y)
}

#[test]
fn a_slow_wave_beside_other_inputs_has_no_season() {
    use rayon::prelude::*;
    let found = |seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let days: Vec<f64> = (0..188).map(|i| f64::from(i * (613 + seed as u32) % 700)).collect();
        let (others, y) = sales(&days, &mut rng, |day| 4.0 * (TAU * day / 365.0).sin());
        usize::from(!periods_beside(&days, &others, &y).is_empty())
    };
    let count: usize = (1..=25).into_par_iter().map(found).sum();
    assert!(count <= 1, "{count} of 25");
}

#[test]
fn a_week_beside_other_inputs_is_found() {
    let days: Vec<f64> = (0..700).map(f64::from).collect();
    for seed in 0..5 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let wave = |day: f64| (TAU * day / 7.0).cos() + 4.0 * (TAU * day / 365.0).sin();
        let (others, y) = sales(&days, &mut rng, wave);
        let found = periods_beside(&days, &others, &y);
        assert!(found.len() == 1 && (found[0] - 7.0).abs() < 0.05, "seed {seed}: {found:?}");
    }
}

#[test]
fn a_week_is_found_on_some_days() {
    for seed in 0..5 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let days: Vec<f64> = (0..188).map(|i| f64::from(i * 613 % 700)).collect();
        let (others, y) = sales(&days, &mut rng, |day| 3.0 * (TAU * day / 7.0).cos());
        let found = periods_beside(&days, &others, &y);
        assert!(found.len() == 1 && (found[0] - 7.0).abs() < 0.05, "seed {seed}: {found:?}");
    }
}

#[test]
fn a_grid_has_its_empty_places() {
    assert_eq!(on_a_grid(&[3.0, 0.0, 1.0, 1.0, 9.0]), 10);
    assert_eq!(on_a_grid(&[0.0, 1.0, 2.5, 9.0]), 0);
    assert_eq!(on_a_grid(&[0.0, 1.0, 90.0]), 0);
    assert_eq!([on_a_grid(&[]), on_a_grid(&[2.0])], [0, 1]);
    let scaled: Vec<f64> = (0..200).map(|i| (f64::from(i * 613 % 700) - 351.3) / 202.1).collect();
    assert_eq!(on_a_grid(&scaled), 698);
}

#[test]
fn digits_of_periods() {
    assert_eq!(
        [365.2422, 12.0, 0.041_666, 12_345.6].map(four_digits),
        ["365.2", "12.00", "0.04167", "12346"]
    );
}
