//! Conformance of random kernel trees.

use gp_kernels::testkit::{InputKind, KernelKit};
use gp_kernels::{KernelExt, parse};
use proptest::prelude::*;

/// Kernel on columns real, real, codes 0 to 2.
fn leaf() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec![
        "rbf(dims=[0, 1])",
        "rbf(lengthscale=[1, 1], dims=[1, 0])",
        "matern12(dims=[0, 1])",
        "matern32(dims=[1])",
        "matern52(lengthscale=[1, 1], dims=[0, 1])",
        "rq(dims=[0, 1])",
        "periodic(dims=[0])",
        "cosine(dims=[0, 1])",
        "linear(lengthscale=[1, 1], dims=[0, 1])",
        "polynomial(degree=3, dims=[0, 1])",
        "arccos(order=0, dims=[0, 1])",
        "arccos(order=1, dims=[1])",
        "arccos(order=2, dims=[0, 1])",
        "constant",
        "white",
        "overlap(dims=[2])",
        "index(levels=3, rank=2, dims=[2])",
    ]);
    text.prop_map(str::to_owned)
}

fn tree() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 6, 2, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} + {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} * {b})")),
            inner.prop_map(|a| format!("(1.7 * {a})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_kernels_with_random_parameters_conform(
        text in tree(),
        seed in any::<u64>(),
        scales in prop::collection::vec(0.5..2.5f64, 64),
    ) {
        let mut kernel = parse(&text).unwrap_or_else(|error| panic!("{error}"));
        for (name, scale) in kernel.parameter_names().iter().zip(scales) {
            kernel.set(name, scale).unwrap_or_else(|error| panic!("{error}"));
        }
        let kit = KernelKit::new(vec![InputKind::Real, InputKind::Real, InputKind::Codes(3)]).with_seed(seed);
        if let Err(failures) = kit.check(kernel.as_ref()) {
            return Err(TestCaseError::fail(failures.to_string()));
        }
    }
}
