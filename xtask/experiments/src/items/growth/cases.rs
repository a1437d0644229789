//! Measured cases.

use super::drawn::Drawn;
use super::size::Axis;
use super::{Case, batches, operations, whole};
use gp_ep::power_ep::Sharing;

const ROWS: &[usize] = &[1_000, 10_000, 100_000, 1_000_000];
const MANY_INDUCING: &[usize] = &[50, 100, 200, 500, 1_000, 2_000];
const INDUCING: &[usize] = &[50, 100, 200, 500, 1_000];
const DIMS: &[usize] = &[2, 8, 32, 128, 784];
const CLASSES: &[usize] = &[2, 5, 10, 20, 50];

const STEP: &str = "N=10000;B=200;M=100;D=16;C=10";
const BY_ROWS: Axis = Axis::new("N", ROWS, "0");
const BY_INDUCING: Axis = Axis::new("M", INDUCING, "2, 3");
const BY_CLASSES: Axis = Axis::new("C", CLASSES, "1");

pub(super) const CASES: &[Case] = &[
    Case {
        name: "regression",
        what: "Sparse regression in closed form (VFE): value and gradient. 4 M²N + 2 M³ + 6 MND + 3 M²D.",
        base: "N=10000;M=100;D=8",
        axes: &[
            Axis::new("N", &[1_000, 3_000, 10_000, 30_000, 100_000, 1_000_000], "1").with_memory("1"),
            Axis::new("M", MANY_INDUCING, "2"),
            Axis::new("D", DIMS, "0, 1"),
        ],
        rows: Drawn::numbers,
        prepare: whole::regression,
        work: operations::regression,
        unit: "GF/s",
    },
    Case {
        name: "exact",
        what: "Exact regression: value and gradient. N³ + 2 N²D.",
        base: "N=1000;D=8",
        axes: &[Axis::new("N", &[250, 500, 1_000, 2_000, 4_000], "3").with_memory("2")],
        rows: Drawn::numbers,
        prepare: whole::exact,
        work: operations::exact,
        unit: "GF/s",
    },
    Case {
        name: "ep",
        what: "A step of EP on a batch with its gradient, one process for all classes, one site per observation. \
               6 MBD + 3 M²D + 2 M²B + 4/3 M³ + C (5 M²B + ⅔ M³).",
        base: STEP,
        axes: &[
            BY_ROWS.with_memory("1"),
            BY_INDUCING,
            Axis::new("D", &[2, 16, 64, 256, 784], "0, 1"),
            BY_CLASSES,
        ],
        rows: Drawn::labels,
        prepare: |sizes, rows, threading| batches::alike(sizes, rows, threading, Sharing::Own),
        work: operations::shared,
        unit: "GF/s",
    },
    Case {
        name: "ep, tied",
        what: "The same with one site per class.",
        base: STEP,
        axes: &[BY_ROWS.with_memory("0")],
        rows: Drawn::labels,
        prepare: |sizes, rows, threading| batches::alike(sizes, rows, threading, Sharing::Tied),
        work: operations::shared,
        unit: "GF/s",
    },
    Case {
        name: "ep, a process each",
        what: "The same with one process per class. C (6 MBD + 3 M²D + 7 M²B + 2 M³).",
        base: STEP,
        axes: &[BY_CLASSES],
        rows: Drawn::labels,
        prepare: batches::each,
        work: operations::each,
        unit: "GF/s",
    },
    Case {
        name: "bound, robust max",
        what: "A variational step on a batch: bound and gradient by one-dimensional integrals, one process for all \
               classes. 6 MBD + 3 M²D + 2 M²B + 4/3 M³ + C (3 M²B + M³).",
        base: STEP,
        axes: &[BY_ROWS.with_memory("0"), BY_INDUCING, BY_CLASSES],
        rows: Drawn::labels,
        prepare: |sizes, rows, threading| batches::bound(sizes, rows, threading, "robust_max"),
        work: operations::bound,
        unit: "GF/s",
    },
    Case {
        name: "bound, softmax",
        what: "The same by sampling; operations of the samples, C each, are not counted.",
        base: STEP,
        axes: &[BY_CLASSES],
        rows: Drawn::labels,
        prepare: |sizes, rows, threading| batches::bound(sizes, rows, threading, "softmax"),
        work: operations::bound,
        unit: "GF/s",
    },
    Case {
        name: "prediction",
        what: "Means and variances of T new rows by sparse regression. 2 MTD + M²T.",
        base: "N=2000;M=100;D=8;T=10000",
        axes: &[
            Axis::new("T", &[1_000, 3_000, 10_000, 30_000, 100_000], "1"),
            Axis::new("M", MANY_INDUCING, "2"),
        ],
        rows: Drawn::numbers,
        prepare: whole::prediction,
        work: operations::prediction,
        unit: "GF/s",
    },
    Case {
        name: "active set",
        what: "The informative vector machine: A active rows of N, two classes with softmax. C A³ N/25, since a \
               twenty-fifth of the rows are candidates for each.",
        base: "N=5000;A=100;C=2;D=8",
        axes: &[
            Axis::new("N", &[1_000, 2_000, 5_000, 10_000, 20_000], "1"),
            Axis::new("A", &[50, 100, 200, 400], "3"),
        ],
        rows: Drawn::labels,
        prepare: whole::active_set,
        work: operations::active_set,
        unit: "GF/s",
    },
];
