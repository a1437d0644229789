//! Conformance of all kernels, and their sums and products of two.
#![expect(clippy::panic, reason = "a test that fails should stop at once")]

use gp_kernels::expression::KernelEntry;
use gp_kernels::testkit::{InputKind, KernelKit};
use gp_kernels::{KernelError, Registry};

fn kit() -> KernelKit {
    KernelKit::new(vec![InputKind::Real, InputKind::Real, InputKind::Codes(3)])
}

/// Expressions for [`kit`]; unlisted kernels use real columns.
fn expressions(entry: &KernelEntry) -> Vec<String> {
    let name = entry.name();
    match name {
        "select" => {
            vec!["select(0.7 * rbf(lengthscale=[0.8, 1.7]) + white(variance=0.3), dims=[1, 0])".to_owned()]
        }
        "index" => vec!["index(levels=3, rank=2, dims=[2])".to_owned()],
        "overlap" => {
            vec!["overlap(dims=[2])".to_owned(), "overlap(lengthscale=[1.5, 0.4], dims=[0, 2])".to_owned()]
        }
        "constant" | "white" => vec![format!("{name}(variance=1.7)")],
        "periodic" => vec!["periodic(period=[1.3, 2.1], lengthscale=[0.9, 1.4], dims=[0, 1])".to_owned()],
        "cosine" => vec!["cosine(period=[1.3, 2.1], dims=[0, 1])".to_owned()],
        "rq" => vec!["rq(lengthscale=0.8, alpha=1.9, dims=[0, 1])".to_owned()],
        "polynomial" => {
            vec!["polynomial(lengthscale=[0.8, 1.4], offset=0.6, degree=3, dims=[0, 1])".to_owned()]
        }
        "arccos" => (0..3)
            .map(|n| format!("arccos(lengthscale=[0.8, 1.4], bias=0.6, order={n}, dims=[0, 1])"))
            .collect(),
        _ => vec![format!("{name}(dims=[0, 1])"), format!("{name}(lengthscale=[0.6, 1.9], dims=[1, 0])")],
    }
}

fn all() -> Vec<String> {
    Registry::built_in().entries().iter().flat_map(expressions).collect()
}

fn check(expression: &str) {
    let kernel = gp_kernels::parse(expression).unwrap_or_else(|error| panic!("{error}"));
    kit().check(kernel.as_ref()).unwrap_or_else(|failures| panic!("{failures}"));
}

#[test]
fn every_registered_kernel_conforms() {
    all().iter().for_each(|expression| check(expression));
}

#[test]
fn every_sum_of_two_conforms() {
    let all = all();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i..] {
            check(&format!("{a} + 0.8 * {b}"));
        }
    }
}

#[test]
fn every_product_of_two_conforms() {
    let all = all();
    for (i, a) in all.iter().enumerate() {
        for b in &all[i..] {
            check(&format!("1.2 * {a} * {b}"));
        }
    }
}

#[test]
fn kernels_of_many_dimensions_conform() -> Result<(), KernelError> {
    // Enough dimensions for distances by a matrix product.
    let kit = KernelKit::new(vec![InputKind::Real; 21]);
    for name in ["rbf", "matern12", "matern32", "matern52", "rq", "linear", "arccos"] {
        for arguments in ["lengthscale=5.5", "ard=true, lengthscale=6"] {
            let kernel = Registry::built_in().parse_for(&format!("1.4 * {name}({arguments})"), 21)?;
            kit.check(kernel.as_ref()).unwrap_or_else(|failures| panic!("{failures}"));
        }
    }
    Ok(())
}

#[test]
fn sums_and_products_in_many_dimensions_conform() {
    let kit = KernelKit::new(vec![InputKind::Real; 40]);
    for expression in [
        "rbf(lengthscale=8) + 0.8 * matern32(lengthscale=7) * rq(lengthscale=9, alpha=1.3)",
        "select(matern52(lengthscale=6), dims=[1, 3, 2]) * rbf(lengthscale=9) + 0.2 * white",
        "rbf(lengthscale=7) * linear(lengthscale=6) * matern12(lengthscale=9)",
    ] {
        let kernel = gp_kernels::parse(expression).unwrap_or_else(|error| panic!("{error}"));
        kit.check(kernel.as_ref()).unwrap_or_else(|failures| panic!("{failures}"));
    }
}
