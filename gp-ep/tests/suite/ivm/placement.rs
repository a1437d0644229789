//! Active sets as inducing inputs.

use super::support::{Problem, kernel};
use faer::Mat;
use gp_ep::ivm::{IvmOptions, IvmPlacement};
use gp_kernels::KernelError;
use gp_kernels::placement::{Placement, Placements};
use gp_likelihoods::{BernoulliProbit, Softmax};

#[test]
fn ivm_is_one_of_the_placements() {
    let problem = Problem::stripes(300, 3, 1);
    let likelihood = Box::new(Softmax::new(3).unwrap());
    let options = IvmOptions { liquid: 5, candidates: Some(150), ..IvmOptions::default() };
    let ivm = IvmPlacement::new(problem.y.clone(), likelihood, options);
    let placements = Placements::built_in().with(Box::new(ivm));
    assert!(placements.names().contains(&"ivm"));
    let kernel = kernel("2 * rbf(lengthscale=0.3)");
    let place =
        |seed| placements.find("ivm").unwrap().place(kernel.as_ref(), problem.inputs(), 30, seed).unwrap();
    let placed = place(1);
    assert_eq!(placed, place(1));
    assert_ne!(placed, place(2));
    let rows = placed.rows.unwrap();
    assert_eq!((rows.len(), placed.inputs.count()), (30, 30));
    let distance = |row: usize| {
        let height = 1.5 * (problem.x[(row, 0)] + problem.x[(row, 1)]);
        (height - 1.0).abs().min((height - 2.0).abs())
    };
    let chosen = rows.iter().map(|&row| distance(row)).sum::<f64>() / 30.0;
    let all = (0..300).map(distance).sum::<f64>() / 300.0;
    assert!(chosen < 0.8 * all, "{chosen} {all}");
}

#[test]
fn no_two_inducing_inputs_are_in_one_place() {
    let x = Mat::from_fn(40, 1, |i, _| (i % 10) as f64);
    let y: Vec<f64> = (0..40).map(|i| if i % 10 < 4 { -1.0 } else { 1.0 }).collect();
    let ivm = IvmPlacement::new(y, Box::new(BernoulliProbit), IvmOptions::default());
    let placed = ivm.place(kernel("rbf").as_ref(), x.as_ref(), 25, 0).unwrap();
    let mut z: Vec<f64> = placed.rows.unwrap().iter().map(|&row| x[(row, 0)]).collect();
    z.sort_unstable_by(f64::total_cmp);
    let count = z.len();
    z.dedup();
    assert!(z.len() == count && (4..=10).contains(&count), "{z:?}");
}

#[test]
fn faults_name_what_is_wrong() {
    let x = Mat::from_fn(4, 1, |i, _| i as f64);
    let ivm = IvmPlacement::new(vec![1.0, -1.0, 1.0], Box::new(BernoulliProbit), IvmOptions::default());
    for m in [0, 2] {
        let fault = ivm.place(kernel("rbf").as_ref(), x.as_ref(), m, 0).unwrap_err();
        assert!(matches!(fault, KernelError::Placement { .. }), "{fault}");
    }
}
