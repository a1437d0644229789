//! Runs of items that use all processors are sequential.

use gp_experiments::ExperimentError;
use gp_experiments::data::Store;
use gp_experiments::harness::{Cell, Context, Extent, Item, Outcome, Results, Workers};
use gp_experiments::report::Block;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Debug, Default)]
struct Counting {
    now: AtomicUsize,
    most: AtomicUsize,
}

impl Item for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn title(&self) -> &'static str {
        "how many runs go on side by side"
    }

    fn needs(&self) -> Vec<String> {
        Vec::new()
    }

    fn method(&self) -> &'static str {
        "By counting."
    }

    fn takes(&self) -> [&'static str; 2] {
        ["no time"; 2]
    }

    fn cells(&self, _: &Extent) -> Vec<Cell> {
        (0..8).map(|split| Cell::new("none", "none", "count", split)).collect()
    }

    fn run(&self, _: &Cell, _: &Context) -> Result<Outcome, ExperimentError> {
        self.most.fetch_max(self.now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // Long enough for parallel runs to overlap.
        std::thread::sleep(Duration::from_millis(20));
        self.now.fetch_sub(1, Ordering::SeqCst);
        Ok(Outcome::default())
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn show(&self, _: &Results) -> Vec<Block> {
        Vec::new()
    }
}

#[test]
fn runs_that_take_all_processors_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (item, mut results) = (Counting::default(), Results::open(folder.path(), "counting").unwrap());
    let names = gp_cli::Context::built_in();
    let context = Context { store: Store::Synthetic, extent: Extent::default(), names };
    let workers = Workers { threads: 4, budget: None };
    let tally = workers.run(&item, &context, &[], &mut results, &|_| {}).unwrap();
    assert_eq!((tally.all, tally.failed, tally.left), (8, 0, 0));
    assert_eq!(item.most.load(Ordering::SeqCst), 1);
}
