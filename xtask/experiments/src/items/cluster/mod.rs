//! Work shared by machines: cost model, its check on this machine, predictions for many nodes.

mod cases;
mod check;
mod measure;
mod network;
mod nodes;
mod plan;
mod show;

use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Item, Outcome, Results};
use crate::report::Block;
use cases::{CASES, Case};

/// Only method: all timings alternate.
const IN_TURNS: &str = "in turns";

#[derive(Debug)]
pub(super) struct Cluster;

const ABOUT: &str = "Our own question: what several machines would gain, by the cost model \
    `gp_ep::operations::SharedWork`. The seconds of a step are the sum of three parts: work on the rows of the \
    largest share (its lanes on the threads of a process); M×M algebra, which every process does; and messages on \
    the longest path: 2 ⌈log2 P⌉ for a sum of (M² + M)/2 + M + 1 numbers per latent function, as many for its \
    gradient of M² + M D numbers and those of a kernel, and 10 ⌈log2 P⌉ of two numbers, by which processes agree \
    that none has failed. A test of gp-ep compares these counts of messages and bytes with those that teams send.\n\n\
    Check on this machine: two threads act as two processes that exchange copies through a channel, with one thread \
    per process. All timings of a case alternate, and the shortest of several counts, in processor seconds, which \
    other load hardly changes (for two processes those of the slower one; the rest of the wall-clock time is \
    waiting, also for a processor). 192 rows and half of the rows by one process give the rate of rows and the \
    seconds of algebra; all rows by one process and by two are predicted; messages of 1 and of 262,144 numbers give \
    latency and bandwidth. `sweep` updates the sites of EP on all rows, `step` is a step of EP with tied sites and \
    its gradient over all rows, and `batch` the same over half of the table.\n\n\
    Predictions are for up to 1,024 nodes of 32 cores, each core with the rates measured for the same number of \
    inducing inputs; eight inputs, kernels with one length-scale per input. A node is a process; the M×M algebra of \
    a matrix takes one core. Not modelled: memory bandwidth shared by the cores of a node, networks with other \
    traffic, reading rows from files, and projections computed twice because they do not fit in memory.\n\n\
    Reduced form: without M = 2,000.";

impl Item for Cluster {
    fn name(&self) -> &'static str {
        "cluster"
    }

    fn title(&self) -> &'static str {
        "gain from several machines, by a cost model"
    }

    fn needs(&self) -> Vec<String> {
        Vec::new()
    }

    fn method(&self) -> &'static str {
        ABOUT
    }

    fn takes(&self) -> [&'static str; 2] {
        ["4 minutes", "1 minute"]
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let cell = |case: &Case| Cell::new(case.name, case.setting(extent.form), IN_TURNS, 0);
        CASES.iter().filter(|case| case.is_in(extent.form)).map(cell).collect()
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let is_that =
            |case: &&Case| case.name == cell.data && case.setting(context.extent.form) == cell.setting;
        let case = CASES.iter().find(is_that).ok_or_else(|| cell.unknown())?;
        measure::measured(case, &context.extent)
    }

    fn is_whole_run_by_run(&self) -> bool {
        true
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        show::blocks(results)
    }
}
