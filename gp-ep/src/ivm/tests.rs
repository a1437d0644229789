//! Incremental and direct representations against dense formulas.

use super::active_set::{ActiveSet, CoupledSite};
use super::classes::{Classes as _, Task};
use super::coupled::CoupledClasses;
use super::covariances::ActivePoints;
use super::data::Labelled;
use super::growth::Growth;
use super::kernel_rows::KernelRows;
use super::liquid::Change;
use super::model::Ivm;
use super::numbers::Column;
use super::observation::ClassBelief;
use super::options::{IvmOptions, Rule, Selection};
use super::projection::precision_times;
use super::representation::Representation;
use super::run::{IvmRun, Run};
use super::small::Square;
use crate::exact::Observations;
use faer::{Mat, MatRef};
use gp_kernels::{Kernel, gram};
use gp_likelihoods::Softmax;
use gp_linalg::{JitterPolicy, Threading};
use gp_optim::Control;

const CLASSES: usize = 3;

fn kernels() -> Vec<Box<dyn Kernel>> {
    [
        "1.5 * rbf(lengthscale=0.4)",
        "2.0 * matern32(lengthscale=0.8)",
        "0.7 * rbf(lengthscale=1.5) + 0.1 * white",
    ]
    .iter()
    .map(|text| gp_kernels::parse(text).unwrap())
    .collect()
}

fn model(kernels: Vec<Box<dyn Kernel>>) -> Ivm {
    Ivm::new(kernels, Box::new(Softmax::new(CLASSES).unwrap())).unwrap()
}

fn unit(seed: usize) -> f64 {
    (0.5 + seed as f64 * 0.618_033_988_749_894_9).fract()
}

fn points(count: usize) -> Mat<f64> {
    Mat::from_fn(count, 2, |i, d| 4.0 * unit(i * (3 + 4 * d) + d))
}

fn labels(x: MatRef<'_, f64>) -> Vec<f64> {
    let class = |i: usize| (1.5 * x[(i, 0)] + x[(i, 1)] + 0.8 * unit(7 * i)).floor() as usize % CLASSES;
    (0..x.nrows()).map(|i| class(i) as f64).collect()
}

fn solve(mut a: Mat<f64>, mut b: Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[(i, k)].abs().total_cmp(&a[(j, k)].abs())).unwrap();
        for m in [&mut a, &mut b] {
            (0..m.ncols()).for_each(|j| {
                let kept = m[(k, j)];
                m[(k, j)] = m[(pivot, j)];
                m[(pivot, j)] = kept;
            });
        }
        for i in k + 1..n {
            let share = a[(i, k)] / a[(k, k)];
            if share != 0.0 {
                (k..n).for_each(|j| a[(i, j)] -= share * a[(k, j)]);
                (0..b.ncols()).for_each(|j| b[(i, j)] -= share * b[(k, j)]);
            }
        }
    }
    for j in 0..b.ncols() {
        for i in (0..n).rev() {
            let known: f64 = (i + 1..n).map(|k| a[(i, k)] * b[(k, j)]).sum();
            b[(i, j)] = (b[(i, j)] - known) / a[(i, i)];
        }
    }
    b
}

/// `A = (I + KΠ)⁻¹K` and `h = A b` over all points; latent c of point i is at c·n + i.
struct Dense {
    a: Mat<f64>,
    h: Mat<f64>,
    points: usize,
}

impl Dense {
    fn new(kernels: &[Box<dyn Kernel>], x: MatRef<'_, f64>, sites: &[(usize, CoupledSite)]) -> Self {
        let (n, size) = (x.nrows(), CLASSES * x.nrows());
        let mut k = Mat::zeros(size, size);
        for (c, kernel) in kernels.iter().enumerate() {
            k.as_mut().submatrix_mut(c * n, c * n, n, n).copy_from(gram(kernel.as_ref(), x).unwrap());
        }
        let (mut pi, mut b) = (Mat::zeros(size, size), Mat::zeros(size, 1));
        for (row, site) in sites {
            for j in 0..CLASSES {
                let mut basis = [0.0; CLASSES];
                basis[j] = 1.0;
                let column = precision_times(&site.precision, &basis);
                (0..CLASSES).for_each(|i| pi[(i * n + row, j * n + row)] = column[i]);
                b[(j * n + row, 0)] = site.shift[j];
            }
        }
        let mut left = &k * &pi;
        (0..size).for_each(|i| left[(i, i)] += 1.0);
        let a = solve(left, k);
        Self { h: &a * &b, a, points: n }
    }

    fn belief(&self, row: usize) -> ClassBelief {
        let at = |c: usize| c * self.points + row;
        ClassBelief {
            mean: (0..CLASSES).map(|c| self.h[(at(c), 0)]).collect(),
            covariance: Square::from_fn(CLASSES, |i, j| self.a[(at(i), at(j))]),
        }
    }
}

#[track_caller]
fn assert_close(found: &ClassBelief, expected: &ClassBelief, tolerance: f64) {
    for (a, b) in found.mean.iter().zip(&expected.mean) {
        assert!((a - b).abs() < tolerance, "{found:?}\n{expected:?}");
    }
    let difference = |i: usize, j: usize| (found.covariance[(i, j)] - expected.covariance[(i, j)]).abs();
    let close = (0..CLASSES).all(|i| (0..CLASSES).all(|j| difference(i, j) < tolerance));
    assert!(close, "{found:?}\n{expected:?}");
}

fn sites_of(active: &ActiveSet) -> Vec<(usize, CoupledSite)> {
    let of = |i: usize| CoupledSite {
        precision: active.classes.iter().map(|class| class.precision[i]).collect(),
        shift: active.classes.iter().map(|class| class.shift[i]).collect(),
    };
    active.classes[0].rows.iter().enumerate().map(|(i, &row)| (row, of(i))).collect()
}

/// Shifts do not sum to 0; the last three points stay liquid.
#[test]
fn fifty_inclusions_of_arbitrary_sites_agree_with_dense_formulas() {
    let (x, kernels) = (points(70), kernels());
    let on_rows = KernelRows::new(&kernels, x.as_ref(), Threading::Here).unwrap();
    let (mut active, mut growth) = (ActivePoints::new(&on_rows, 50), Growth::new(CLASSES, 50));
    let mut sites: Vec<(usize, CoupledSite)> = Vec::new();
    for step in 0..50 {
        let row = (step * 29) % 70;
        let site = CoupledSite {
            precision: (0..CLASSES).map(|c| 10f64.powf(3.0 * unit(5 * step + c) - 2.0)).collect(),
            shift: (0..CLASSES).map(|c| 4.0 * unit(11 * step + 3 * c + 1) - 2.0).collect(),
        };
        active.push(row, &on_rows).unwrap();
        sites.push((row, site));
        if step >= 3 {
            growth.freeze(&sites[step - 3].1, &active).unwrap();
        }
        if step % 10 == 9 {
            let liquid: Vec<&CoupledSite> = sites[step - 2..].iter().map(|(_, site)| site).collect();
            growth.complete(&liquid, &active).unwrap();
            check(&kernels, x.as_ref(), &sites, &growth.all);
        }
    }
}

fn check(
    kernels: &[Box<dyn Kernel>],
    x: MatRef<'_, f64>,
    sites: &[(usize, CoupledSite)],
    grown: &Representation,
) {
    let pairs = sites.iter().map(|(row, site)| (*row, site));
    let active = ActiveSet::coupled(x, CLASSES, &pairs);
    let rows: Vec<Mat<f64>> = kernels.iter().map(|kernel| gram(kernel.as_ref(), x).unwrap()).collect();
    let (d, n) = (sites.len(), x.nrows());
    let own = |c: usize| Mat::from_fn(d, d, |i, j| rows[c][(sites[i].0, sites[j].0)]);
    let grams: Vec<Mat<f64>> = (0..CLASSES).map(own).collect();
    let fresh = Representation::of(&active, &grams, JitterPolicy::none()).unwrap();
    let cross = |c: usize| Mat::from_fn(d, n, |i, j| rows[c][(sites[i].0, j)]);
    let stubs = |of: &Representation| of.stubs((0..CLASSES).map(cross).collect(), Threading::Here).unwrap();
    let (found, expected) = (stubs(grown), stubs(&fresh));
    for (found, expected) in found.m.iter().chain([&found.q]).zip(expected.m.iter().chain([&expected.q])) {
        assert!((found - expected).norm_max() < 1e-9, "stubs");
    }
    let dense = Dense::new(kernels, x, sites);
    for j in 0..n {
        let prior = |c: usize| rows[c][(j, j)];
        assert_close(&grown.belief(&found, j, prior), &dense.belief(j), 1e-9);
        assert_close(&fresh.belief(&expected, j, prior), &dense.belief(j), 1e-9);
    }
}

#[test]
fn runs_agree_with_dense_formulas() {
    let (x, kernels) = (points(75), kernels());
    let y = labels(x.as_ref());
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let model = model(kernels);
    let (control, data) = (Control::new(), Labelled::read(&model, &data).unwrap());
    for liquid in [0, 8] {
        let options = IvmOptions { active: 50, liquid, ..IvmOptions::default() };
        let task = Task::new(&model, &control, &data, &options).unwrap();
        let mut run = Run::new(&task, CoupledClasses::new(&task));
        for _ in 0..50 {
            assert!(run.step(&mut |_| Ok(())).unwrap());
        }
        assert_eq!((run.classes.growth.frozen(), run.classes.liquid.len()), (50 - liquid, liquid));
        let sites = sites_of(&run.classes.active_set());
        assert_eq!(sites.len(), 50);
        let dense = Dense::new(&model.kernels, x.as_ref(), &sites);
        let rows: Vec<usize> = (0..75).collect();
        for (row, belief) in run.classes.beliefs(&rows).unwrap().iter().enumerate() {
            assert_close(belief, &dense.belief(row), 1e-9);
        }
        for l in 0..liquid {
            let row = run.classes.liquid.points[l].row;
            assert_close(&run.classes.liquid.marginal(l), &dense.belief(row), 1e-9);
        }
        // New points share no white noise with active ones; the first two kernels have none.
        let posterior = super::IvmPosterior::new(&model, run.classes.active_set()).unwrap();
        let beliefs = posterior.predictor().unwrap().beliefs(x.as_ref()).unwrap();
        for row in 0..beliefs.len() {
            let active = sites.iter().any(|(active, _)| *active == row);
            let (found, expected) = (beliefs.at(row).unwrap().0, dense.belief(row).mean);
            for c in 0..if active { 2 } else { CLASSES } {
                assert!((found[c] - expected[c]).abs() < 1e-9);
            }
        }
    }
}

/// Equal kernels: labels do not inform about the sum of latents.
#[test]
fn the_null_direction_keeps_its_prior_variance() {
    let x = points(60);
    let y = labels(x.as_ref());
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let kernel = gp_kernels::parse("1.7 * rbf(lengthscale=0.7)").unwrap();
    let model = Ivm::shared(kernel.as_ref(), Box::new(Softmax::new(CLASSES).unwrap())).unwrap();
    let options = IvmOptions { active: 40, liquid: 10, ..IvmOptions::default() };
    let run = model.build(&data, &options).unwrap();
    let beliefs = run.posterior.predictor().unwrap().beliefs(x.as_ref()).unwrap();
    for (mean, covariance) in (0..beliefs.len()).map(|point| beliefs.at(point).unwrap()) {
        let variance = covariance.iter().sum::<f64>() / CLASSES as f64;
        // Tolerance: a difference of sums of 1600 products of numbers near one.
        assert!((variance - 1.7).abs() < 1e-12, "{variance}");
        assert!(mean.iter().sum::<f64>().abs() < 1e-11);
        assert!(covariance[0] < 1.7, "and something was learned");
    }
}

#[test]
fn a_liquid_set_of_all_points_is_dense_ep() {
    let (x, kernels) = (points(14), kernels());
    let y = labels(x.as_ref());
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let model = model(kernels);
    let options = IvmOptions { active: 14, liquid: 14, sweeps: 3, ..IvmOptions::default() };
    let control = Control::new();
    let data = Labelled::read(&model, &data).unwrap();
    let task = Task::new(&model, &control, &data, &options).unwrap();
    let mut run = Run::new(&task, CoupledClasses::new(&task));
    while run.inclusions.len() < 14 {
        assert!(run.step(&mut |_| Ok(())).unwrap());
    }
    for _ in 0..60 {
        run.classes.ep_phase(&mut run.selector.rng).unwrap();
    }

    // Dense EP: all sites start almost flat and move halfway in parallel.
    let nothing = CoupledSite { precision: Column::of(&[1e-3; CLASSES]), shift: Column::zeros(CLASSES) };
    let mut sites: Vec<(usize, CoupledSite)> = (0..14).map(|row| (row, nothing.clone())).collect();
    for _ in 0..150 {
        let dense = Dense::new(&model.kernels, x.as_ref(), &sites);
        for (row, site) in &mut sites {
            let cavity = dense_cavity(&dense.belief(*row), site);
            let full = run.classes.match_moments(*row, 1.0, &cavity, Some(&site.precision)).unwrap().unwrap();
            for c in 0..CLASSES {
                site.precision[c] = 0.5 * (site.precision[c] + full.precision[c]);
                site.shift[c] = 0.5 * (site.shift[c] + full.shift[c]);
            }
        }
    }
    let dense = Dense::new(&model.kernels, x.as_ref(), &sites);
    let rows: Vec<usize> = (0..14).collect();
    for (row, belief) in run.classes.beliefs(&rows).unwrap().iter().enumerate() {
        // Tolerance: that of the projection.
        assert_close(belief, &dense.belief(row), 1e-6);
    }
}

/// Cavity `Λ = (I − AΠ)⁻¹A`, mean `(I − AΠ)⁻¹(h − A b)`.
fn dense_cavity(belief: &ClassBelief, site: &CoupledSite) -> ClassBelief {
    let a = Mat::from_fn(CLASSES, CLASSES, |i, j| belief.covariance[(i, j)]);
    let mut pi = Mat::zeros(CLASSES, CLASSES);
    for j in 0..CLASSES {
        let mut basis = [0.0; CLASSES];
        basis[j] = 1.0;
        let column = precision_times(&site.precision, &basis);
        (0..CLASSES).for_each(|i| pi[(i, j)] = column[i]);
    }
    let mut left = &a * &pi;
    left *= faer::Scale(-1.0);
    (0..CLASSES).for_each(|i| left[(i, i)] += 1.0);
    let b = Mat::from_fn(CLASSES, 1, |i, _| site.shift[i]);
    let start = Mat::from_fn(CLASSES, 1, |i, _| belief.mean[i]) - &a * &b;
    let (covariance, mean) = (solve(left.clone(), a), solve(left, start));
    ClassBelief {
        mean: (0..CLASSES).map(|i| mean[(i, 0)]).collect(),
        covariance: Square::from_fn(CLASSES, |i, j| 0.5 * (covariance[(i, j)] + covariance[(j, i)])),
    }
}

/// By the symmetric root, even for coarse rules.
#[test]
fn classes_may_be_permuted() {
    let x = points(50);
    let y = labels(x.as_ref());
    let order = [2, 0, 1]; // class c of one is class order[c] of the other
    let permuted: Vec<f64> = y.iter().map(|&y| order[y as usize] as f64).collect();
    let mut other_kernels = kernels();
    for (c, kernel) in kernels().into_iter().enumerate() {
        other_kernels[order[c]] = kernel;
    }
    // Random selection does not depend on the order of classes.
    let options = IvmOptions { active: 30, liquid: 6, selection: Selection::Random, ..IvmOptions::default() };
    let build = |kernels, y: &[f64]| {
        let data = Observations::new(x.as_ref(), y).unwrap();
        model(kernels).with_rule(Rule::Product(3)).unwrap().build(&data, &options).unwrap()
    };
    let (one, other) = (build(kernels(), &y), build(other_kernels, &permuted));
    assert_eq!(one.posterior.active(0), other.posterior.active(0));
    let beliefs = |run: &IvmRun| run.posterior.predictor().unwrap().beliefs(x.as_ref()).unwrap();
    let (one, other) = (beliefs(&one), beliefs(&other));
    for (a, &c) in one.functions().iter().zip(&order) {
        for (a, b) in a.mean.iter().zip(&other.functions()[c].mean) {
            // Tolerance: that of the projection, through EP sweeps.
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}

#[test]
fn a_run_goes_on_after_a_breakdown() {
    let x = points(60);
    let y = labels(x.as_ref());
    let data = Observations::new(x.as_ref(), &y).unwrap();
    let model = model(kernels());
    let options = IvmOptions { active: 30, liquid: 8, ..IvmOptions::default() };
    let control = Control::new();
    let data = Labelled::read(&model, &data).unwrap();
    let task = Task::new(&model, &control, &data, &options).unwrap();
    let mut run = Run::new(&task, CoupledClasses::new(&task));
    for _ in 0..20 {
        assert!(run.step(&mut |_| Ok(())).unwrap());
    }
    // The worst that rounding could leave: a covariance without the information of the sites.
    let size = run.classes.liquid.covariance.nrows();
    run.classes.liquid.covariance = Mat::from_fn(size, size, |i, j| if i == j { 1e6 } else { 0.0 });
    let strong = (0..8).max_by(|&i, &j| {
        let weight = |l: usize| run.classes.liquid.points[l].site.precision.iter().sum::<f64>();
        weight(i).total_cmp(&weight(j))
    });
    let (l, before) = (strong.unwrap(), run.classes.liquid.points.clone());
    let weak = CoupledSite { precision: Column::of(&[1e-6; CLASSES]), shift: Column::zeros(CLASSES) };
    assert_eq!(run.classes.liquid.change(l, weak).unwrap(), Change::RolledBack);
    assert!(run.classes.liquid.points.iter().zip(&before).all(|(now, before)| now.site == before.site));
    // A run recomputes the belief after some updates, rolled-back ones included.
    run.classes.meet().unwrap();
    for _ in 0..10 {
        assert!(run.step(&mut |_| Ok(())).unwrap());
    }
    let dense = Dense::new(&model.kernels, x.as_ref(), &sites_of(&run.classes.active_set()));
    let rows: Vec<usize> = (0..60).collect();
    for (row, belief) in run.classes.beliefs(&rows).unwrap().iter().enumerate() {
        assert_close(belief, &dense.belief(row), 1e-9);
    }
}
