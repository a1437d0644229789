//! Time of work shared by several machines: a cost model, its check on this machine, and predictions for many.

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

/// Name of the only method: all timings of a case alternate.
const IN_TURNS: &str = "in turns";

#[derive(Debug)]
pub(super) struct Cluster;

const ABOUT: &str = "No paper's: what several machines would give, by the cost model of `gp_ep::operations::SharedWork`. \
    Seconds of a step are those of the rows of the largest share (its lanes on the threads of a process), those of M×M \
    algebra, which every process does, and those of messages that follow each other on the longest way: 2 ⌈log2 P⌉ for a sum \
    of (M² + M)/2 + M + 1 numbers for each latent function, as many for its gradient of M² + M D numbers and those of a \
    kernel, and 10 ⌈log2 P⌉ of two numbers by which processes agree that none has failed. Counts of messages and bytes are \
    those that teams send, which a test of gp-ep compares.\n\n\
    Checked on this machine: two threads as two processes that send each other copies through a channel, one thread a \
    process. In turns, and each the least of several, in seconds of the processor, which others on the machine hardly change (of two \
    processes those of the longer one; what is on the clock besides is waiting, for a processor too): 192 rows and half the rows \
    by one process, which give the rate of rows and the seconds of algebra; all rows by one and by two, which \
    are predicted; messages of 1 and of 262,144 numbers, which give latency and bandwidth. `sweep` updates the sites of EP \
    on all rows, `step` is one of EP with tied sites, with its gradient, over all rows, and `batch` the same over half of the \
    table.\n\n\
    Then carried to 1,024 nodes of 32 cores, each core with the rates measured for as many inducing inputs; eight inputs, \
    kernels with a length-scale for each. A node is a process; a matrix of M×M algebra takes one core. What is left out: \
    cores of a node that share its memory's bandwidth, networks that others use too, reading rows from files, projections \
    that are worked out twice because they do not fit in memory.\n\n\
    Reduced form: without M = 2,000.";

impl Item for Cluster {
    fn name(&self) -> &'static str {
        "cluster"
    }

    fn title(&self) -> &'static str {
        "what several machines would give, by a cost model"
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
