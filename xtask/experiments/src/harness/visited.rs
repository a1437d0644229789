//! Items with guest methods.

use super::{Cell, Context, Extent, Item, Outcome, Results};
use crate::error::ExperimentError;
use crate::report::{Block, Reference};
use std::collections::BTreeSet;

/// Item with guest methods.
#[derive(Debug)]
pub struct Visited<'a> {
    item: &'a dyn Item,
    guests: &'a [String],
}

impl<'a> Visited<'a> {
    /// Items with guests; empty without any.
    ///
    /// # Errors
    /// Item without support for guests.
    pub fn all(items: &[&'a dyn Item], guests: &'a [String]) -> Result<Vec<Self>, ExperimentError> {
        if guests.is_empty() {
            return Ok(Vec::new());
        }
        match items.iter().find(|item| !item.takes_guests()) {
            Some(item) => Err(ExperimentError::NoGuests { item: item.name() }),
            None => Ok(items.iter().map(|&item| Self { item, guests }).collect()),
        }
    }
}

impl Item for Visited<'_> {
    fn name(&self) -> &'static str {
        self.item.name()
    }

    fn title(&self) -> &'static str {
        self.item.title()
    }

    fn needs(&self) -> Vec<String> {
        self.item.needs()
    }

    fn method(&self) -> &'static str {
        self.item.method()
    }

    fn takes(&self) -> [&'static str; 2] {
        self.item.takes()
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let (mut cells, mut seen) = (Vec::new(), BTreeSet::new());
        for cell in self.item.cells(extent) {
            for guest in self.guests {
                let cell = Cell { method: guest.clone(), ..cell.clone() };
                if seen.insert(cell.clone()) {
                    cells.push(cell);
                }
            }
        }
        cells
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        self.item.run(cell, context)
    }

    fn protocol(&self) -> u32 {
        self.item.protocol()
    }

    fn is_whole_run_by_run(&self) -> bool {
        self.item.is_whole_run_by_run()
    }

    fn depends_on(&self) -> &'static [&'static str] {
        self.item.depends_on()
    }

    fn is_alone(&self) -> bool {
        self.item.is_alone()
    }

    fn takes_guests(&self) -> bool {
        true
    }

    fn reference(&self) -> Reference {
        self.item.reference()
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        self.item.show(results)
    }
}
