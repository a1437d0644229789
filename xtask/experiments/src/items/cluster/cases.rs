//! Measured cases.

use crate::harness::Form;
use crate::items::growth::Sizes;
use gp_ep::operations::{Extents, SharedWork};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sweep,
    Step,
}

pub(super) struct Case {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Values of N, B, M, D, C.
    setting: &'static str,
    quick: &'static str,
    pub(super) own: bool,
}

const QUICK: &str = "N=1000;B=1000;M=10;D=2;C=1";

pub(super) const CASES: &[Case] = &[
    Case {
        name: "sweep",
        kind: Kind::Sweep,
        setting: "N=20000;B=20000;M=200;D=4;C=1",
        quick: QUICK,
        own: false,
    },
    Case {
        name: "step",
        kind: Kind::Step,
        setting: "N=20000;B=20000;M=200;D=4;C=1",
        quick: QUICK,
        own: false,
    },
    Case {
        name: "batch",
        kind: Kind::Step,
        setting: "N=8000;B=4000;M=200;D=4;C=1",
        quick: QUICK,
        own: false,
    },
    Case {
        name: "step, classes share a process",
        kind: Kind::Step,
        setting: "N=4096;B=4096;M=200;D=4;C=10",
        quick: "N=1000;B=1000;M=10;D=2;C=3",
        own: false,
    },
    Case {
        name: "step, a process each",
        kind: Kind::Step,
        setting: "N=6144;B=6144;M=200;D=4;C=10",
        quick: "N=1000;B=1000;M=10;D=2;C=3",
        own: true,
    },
    Case { name: "step", kind: Kind::Step, setting: "N=2048;B=2048;M=2000;D=4;C=1", quick: "", own: false },
];

impl Case {
    pub(super) const fn setting(&self, form: Form) -> &'static str {
        match form {
            Form::Full | Form::Reduced => self.setting,
            Form::Quick => self.quick,
        }
    }

    pub(super) fn is_in(&self, form: Form) -> bool {
        form == Form::Full || !self.quick.is_empty()
    }

    pub(super) fn work(&self, sizes: &Sizes, rows: usize) -> SharedWork {
        let processes = if self.own { sizes.classes } else { 1 };
        let Sizes { inducing, dim, classes: latents, .. } = *sizes;
        let sizes = Extents { rows, inducing, dim, latents, processes };
        match self.kind {
            Kind::Sweep => SharedWork::sweep(&sizes),
            Kind::Step => SharedWork::step(&sizes, of_parameters(dim)),
        }
    }
}

/// Parameter counts of kernel and likelihood.
pub(super) const fn of_parameters(dim: usize) -> [usize; 2] {
    [1 + dim, 0]
}
