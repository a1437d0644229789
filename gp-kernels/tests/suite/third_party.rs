//! Kernels of another crate; the kit must find planted faults.

use gp_kernels::expression::{KernelArguments, KernelEntry, KernelSetting, ParameterKind};
use gp_kernels::metrics::Euclid;
use gp_kernels::testkit::{InputKind, KernelKit};
use gp_kernels::{Kernel, KernelError, KernelExt, Profile, Radial, Registry};
use gp_optim::Parameter;

/// Kernel `1 / (1 + s/c)`; `WRONG` selects a planted fault.
#[derive(Clone, Copy, Debug, Default)]
struct Cauchy<const WRONG: u8>;

const SOUND: u8 = 0;
const WRONG_SLOPE: u8 = 1;
const WRONG_OWN_GRADIENT: u8 = 2;
const WRONG_SUM: u8 = 3;
const NOT_DEFINITE: u8 = 4;
const NOT_ONE_AT_ZERO: u8 = 5;

impl<const WRONG: u8> Profile for Cauchy<WRONG> {
    const NAME: &'static str = "cauchy";
    const SUMMARY: &'static str = "1 / (1 + r²/width)";
    type Metric = Euclid;

    fn parameters() -> Vec<(Parameter, ParameterKind)> {
        vec![(Parameter::positive("width"), ParameterKind::Shared)]
    }

    fn apply(&self, own: &[Parameter], s: &mut [f64]) {
        let width = own[0].value();
        for s in s {
            *s = match WRONG {
                NOT_DEFINITE => 1.0 - *s,
                NOT_ONE_AT_ZERO => 1.5 / (1.0 + *s / width),
                _ => 1.0 / (1.0 + *s / width),
            };
        }
    }

    fn reverse(&self, own: &[Parameter], s: &mut [f64], upstream: &[f64], own_grad: &mut [f64]) -> f64 {
        let width = own[0].value();
        let mut sum = 0.0;
        for (s, g) in s.iter_mut().zip(upstream) {
            let value = 1.0 / (1.0 + *s / width);
            sum += g * value;
            own_grad[0] += g * value * value * *s / (width * width)
                * if WRONG == WRONG_OWN_GRADIENT { 1.01 } else { 1.0 };
            *s = -g * value * value / width * if WRONG == WRONG_SLOPE { 0.99 } else { 1.0 };
        }
        if WRONG == WRONG_SUM { 2.0 * sum } else { sum }
    }
}

fn check<const WRONG: u8>() -> Result<(), String> {
    let registry = Registry::built_in().with(Radial::<Cauchy<WRONG>>::entry());
    let kernel = registry
        .parse("1.4 * cauchy(lengthscale=[0.7, 1.2], width=1.6)")
        .map_err(|error| error.to_string())?;
    let kit = KernelKit::new(vec![InputKind::Real, InputKind::Real]).with_registry(registry);
    kit.check(kernel.as_ref()).map_err(|failures| failures.to_string())
}

#[test]
fn a_kernel_from_another_crate_is_not_second_class() -> Result<(), KernelError> {
    check::<SOUND>().unwrap_or_else(|failures| panic!("{failures}"));
    let registry = Registry::built_in().with(Radial::<Cauchy<SOUND>>::entry());
    let kernel = registry.parse_for("cauchy(ard=true) * rbf + white", 3)?;
    assert_eq!(kernel.parameter_names()[3], "cauchy.width");
    Ok(())
}

#[test]
fn the_kit_finds_planted_faults() {
    let faults = [
        ("slope", check::<WRONG_SLOPE>(), "row points"),
        ("own gradient", check::<WRONG_OWN_GRADIENT>(), "parameters"),
        ("sum", check::<WRONG_SUM>(), "returned"),
        ("not definite", check::<NOT_DEFINITE>(), "positive"),
        ("not one at zero", check::<NOT_ONE_AT_ZERO>(), "diagonal = Gram's diagonal"),
    ];
    for (fault, found, wanted) in faults {
        let failures = found.expect_err(fault);
        assert!(failures.contains(wanted), "{fault}: {failures}");
    }
}

/// `min(x, z)`, Wiener process on x ≥ 0; implements `Kernel`.
mod wiener {
    use super::*;
    use gp_kernels::Workspace;
    use gp_kernels::kernel::{
        Block, BlockMut, Gradients, Pair, Points, TileShape, column, column_mut, point, point_mut,
    };

    /// Length of a useless record.
    #[derive(Clone, Debug)]
    pub(super) struct Wiener {
        pub(super) recorded: usize,
        /// Planted fault: reverse pass of an earlier tile.
        pub(super) stale: bool,
    }

    impl Wiener {
        pub(super) fn entry() -> KernelEntry {
            KernelEntry::new(
                "wiener",
                "min(|x|, |z|) where signs agree: Brownian motion",
                |arguments: &mut KernelArguments<'_>| {
                    let recorded = arguments.whole_number("recorded", 0)?;
                    Ok(Box::new(Wiener { recorded, stale: arguments.whole_number("stale", 0)? == 1 }))
                },
            )
        }
    }

    fn value(x: f64, z: f64) -> f64 {
        if x * z <= 0.0 { 0.0 } else { x.abs().min(z.abs()) }
    }

    fn slopes(x: f64, z: f64) -> (f64, f64) {
        match (x * z <= 0.0, x.abs() < z.abs()) {
            (true, _) => (0.0, 0.0),
            (false, true) => (x.signum(), 0.0),
            (false, false) => (0.0, z.signum()),
        }
    }

    impl Kernel for Wiener {
        fn name(&self) -> &str {
            "wiener"
        }
        fn parameters(&self) -> &[Parameter] {
            &[]
        }
        fn parameters_mut(&mut self) -> &mut [Parameter] {
            &mut []
        }
        fn check_inputs(&self, points: Points<'_>, _ws: &mut Workspace) -> Result<(), KernelError> {
            match points.ncols() {
                1 => Ok(()),
                found => {
                    Err(KernelError::Dimensions { kernel: "wiener".into(), expected: "1".into(), found })
                }
            }
        }
        fn settings(&self) -> Vec<KernelSetting> {
            vec![
                KernelSetting::new("recorded", self.recorded),
                KernelSetting::new("stale", usize::from(self.stale)),
            ]
        }
        fn record_len(&self, _: TileShape) -> usize {
            self.recorded
        }
        fn tile(&self, pair: Pair<'_>, mut out: BlockMut<'_>, record: &mut [f64], _: &mut Workspace) {
            assert!(record.is_empty() || record.len() == self.recorded);
            if !self.stale {
                record.fill(1.0);
            }
            for j in 0..out.ncols() {
                let z = point(pair.cols, j)[0];
                for (i, out) in column_mut(&mut out, j).iter_mut().enumerate() {
                    *out = value(point(pair.rows, i)[0], z);
                }
            }
        }
        fn tile_reverse(
            &self,
            pair: Pair<'_>,
            up: Block<'_>,
            mut grads: Gradients<'_>,
            record: &[f64],
            _: &mut Workspace,
        ) -> f64 {
            assert!(record.is_empty() || record.len() == self.recorded);
            let scale = record.last().copied().unwrap_or(1.0);
            let mut sum = 0.0;
            for j in 0..up.ncols() {
                let z = point(pair.cols, j)[0];
                for (i, g) in column(up, j).iter().enumerate() {
                    let g = scale * g;
                    let x = point(pair.rows, i)[0];
                    sum += g * value(x, z);
                    let (by_x, by_z) = slopes(x, z);
                    if let Some(rows) = &mut grads.rows {
                        point_mut(rows, i)[0] += g * by_x;
                    }
                    if let Some(cols) = &mut grads.cols {
                        point_mut(cols, j)[0] += g * by_z;
                    }
                }
            }
            sum
        }
        fn diagonal(&self, points: Points<'_>, out: &mut [f64], _: &mut Workspace) {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = point(points, i)[0].abs());
        }
        fn diagonal_reverse(&self, points: Points<'_>, up: &[f64], grads: Gradients<'_>, _: &mut Workspace) {
            if let Some(mut rows) = grads.rows {
                for (i, g) in up.iter().enumerate() {
                    point_mut(&mut rows, i)[0] += g * point(points, i)[0].signum();
                }
            }
        }
    }
}

#[test]
fn a_kernel_against_the_bare_trait_conforms() -> Result<(), KernelError> {
    let registry = Registry::built_in().with(wiener::Wiener::entry());
    for expression in [
        "wiener",
        "0.7 * wiener * rbf + white(variance=0.2)",
        "wiener(dims=[0])",
        "wiener(recorded=5) + 0.7 * wiener(recorded=1) * rbf * wiener(recorded=7, dims=[0]) + white",
    ] {
        let kernel = registry.parse(expression)?;
        let kit = KernelKit::new(vec![InputKind::Real]).with_registry(registry.clone());
        kit.check(kernel.as_ref()).unwrap_or_else(|failures| panic!("{failures}"));
    }
    Ok(())
}

#[test]
fn the_kit_finds_a_record_that_is_not_written() -> Result<(), KernelError> {
    let registry = Registry::built_in().with(wiener::Wiener::entry());
    let kernel = registry.parse("rbf + wiener(recorded=2, stale=1)")?;
    let kit = KernelKit::new(vec![InputKind::Real]).with_registry(registry);
    let failures = kit.check(kernel.as_ref()).expect_err("a planted fault").to_string();
    assert!(failures.contains("with a record"), "{failures}");
    Ok(())
}
