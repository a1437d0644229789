//! Tables and figures as values: data sets × settings × methods, a function per run, and report contents.

mod at;
mod show;

pub use at::{At, number};
pub use show::Show;

use crate::data::{count_of, files_of};
use crate::error::ExperimentError;
use crate::harness::{Cell, Context, Extent, Form, Item, LIBRARIES, Outcome, Results, chosen};
use crate::methods::guest::Guest;
use crate::report::{Block, Comparison, Reference};
use std::collections::BTreeSet;
use std::fmt;

/// Function that performs one run.
pub type Run<M> = fn(&At<'_, M>) -> Result<Outcome, ExperimentError>;

/// Table or figure: runs of every data set, setting and method that `has` admits.
///
/// `M`: method settings. Start from [`Grid::EMPTY`].
pub struct Grid<M: 'static> {
    /// Command-line name, such as `003-table-1`.
    pub name: &'static str,
    /// One-line title.
    pub title: &'static str,
    /// Markdown: the paper's procedure, own choices, omissions when reduced.
    pub about: &'static str,
    /// Durations, full and reduced.
    pub takes: [&'static str; 2],
    /// Data sets; those of [`Store::load`](crate::data::Store::load) need no `files`.
    pub data: &'static [&'static str],
    /// Further data files.
    pub files: &'static [&'static str],
    /// Variations such as `M=15%;batch=200`, read by [`At::number`].
    pub settings: &'static [&'static str],
    /// Further settings, if many or machine-dependent.
    pub more_settings: fn(Form) -> Vec<String>,
    /// Methods by name, with settings.
    pub methods: &'static [(&'static str, M)],
    /// Splits, full and reduced.
    pub splits: [usize; 2],
    /// Words as for `--only`: reduced, quick.
    pub words: [&'static [&'static str]; 2],
    /// `true` for combinations to run.
    pub has: fn(Form, &Cell, &M) -> bool,
    /// Performs a run.
    pub run: Run<M>,
    /// Run by a guest method, if supported.
    pub guest: Option<Run<Guest>>,
    /// Protocol version ([`Item::protocol`]).
    pub protocol: u32,
    /// `true` if reduced runs are not shortened ([`Item::is_whole_run_by_run`]).
    pub is_whole_run_by_run: bool,
    /// Folders and files whose code affects results.
    pub depends_on: &'static [&'static str],
    /// `true` for sequential runs ([`Item::is_alone`]).
    pub is_alone: bool,
    /// Published numbers.
    pub reference: Reference,
    /// Report after the description.
    pub show: &'static [Show],
}

impl<M> Grid<M> {
    /// No runs, one split.
    pub const EMPTY: Self = Self {
        name: "",
        title: "",
        about: "",
        takes: [""; 2],
        data: &[],
        files: &[],
        settings: &[],
        more_settings: |_| Vec::new(),
        methods: &[],
        splits: [1; 2],
        words: [&[]; 2],
        has: |_, _, _| true,
        run: |at| Err(at.cell.unknown()),
        guest: None,
        protocol: 1,
        is_whole_run_by_run: false,
        depends_on: LIBRARIES,
        is_alone: false,
        reference: Reference::NONE,
        show: &[],
    };

    fn settings(&self, form: Form) -> Vec<String> {
        self.settings.iter().map(|name| (*name).to_owned()).chain((self.more_settings)(form)).collect()
    }

    /// Ordered by split, so that interrupted runs leave complete splits.
    fn product(&self, extent: &Extent) -> Vec<Cell> {
        let settings = self.settings(extent.form);
        let mut cells = Vec::new();
        for split in 0..extent.splits(self.splits[0], self.splits[1]) {
            for setting in &settings {
                for data in self.data.iter().filter(|name| count_of(name).is_none_or(|count| split < count)) {
                    let all = self.methods.iter();
                    let cell = |name: &&'static str| Cell::new(*data, setting.clone(), *name, split);
                    let known = all.map(|(name, how)| (cell(name), how));
                    let kept = known.filter(|(cell, how)| (self.has)(extent.form, cell, how));
                    cells.extend(kept.map(|(cell, _)| cell));
                }
            }
        }
        cells
    }
}

impl<M> fmt::Debug for Grid<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Grid({})", self.name)
    }
}

impl<M: Sync> Item for Grid<M> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn needs(&self) -> Vec<String> {
        files_of(self.data).iter().chain(self.files).map(|file| (*file).to_owned()).collect()
    }

    fn method(&self) -> &'static str {
        self.about
    }

    fn takes(&self) -> [&'static str; 2] {
        self.takes
    }

    fn cells(&self, extent: &Extent) -> Vec<Cell> {
        let words = extent.choose(&[][..], self.words[0], self.words[1]);
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        chosen(self.product(extent), &words)
    }

    fn run(&self, cell: &Cell, context: &Context) -> Result<Outcome, ExperimentError> {
        let is_known = self.data.contains(&cell.data.as_str())
            && self.settings(context.extent.form).contains(&cell.setting);
        let own = self.methods.iter().find(|(name, _)| *name == cell.method);
        match (own, self.guest) {
            (Some((_, how)), _) if is_known => (self.run)(&At { cell, how, context }),
            (None, Some(run)) if is_known => {
                run(&At { cell, how: &Guest::named(&cell.method, &context.names)?, context })
            }
            _ => Err(cell.unknown()),
        }
    }

    fn protocol(&self) -> u32 {
        self.protocol
    }

    fn is_whole_run_by_run(&self) -> bool {
        self.is_whole_run_by_run
    }

    fn depends_on(&self) -> &'static [&'static str] {
        self.depends_on
    }

    fn is_alone(&self) -> bool {
        self.is_alone
    }

    fn takes_guests(&self) -> bool {
        self.guest.is_some()
    }

    fn reference(&self) -> Reference {
        self.reference
    }

    fn show(&self, results: &Results) -> Vec<Block> {
        let own = || self.methods.iter().map(|(name, _)| *name);
        let all: BTreeSet<&str> = results.records().map(|record| record.cell.method.as_str()).collect();
        let guests = all.into_iter().filter(|name| self.guest.is_some() && own().all(|own| own != *name));
        let methods: Vec<&str> = own().chain(guests).collect();
        let of = Comparison {
            results,
            reference: self.reference,
            data: self.data,
            settings: self.settings,
            methods: &methods,
            measure: "",
        };
        self.show.iter().flat_map(|show| show.blocks(&of)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Store;

    const GRID: Grid<f64> = Grid {
        name: "grid",
        data: &["pima", "heart"],
        settings: &["M=5%", "M=10"],
        methods: &[("half", 0.5), ("whole", 1.0)],
        splits: [3, 2],
        words: [&["M=10"], &["pima", "half"]],
        has: |_, cell, how| cell.data != "heart" || *how == 1.0,
        run: |at| Ok(Outcome::of([("found", at.number("M")? * at.how)])),
        ..Grid::EMPTY
    };

    fn cells(form: Form, splits: Option<usize>) -> Vec<String> {
        GRID.cells(&Extent { form, splits }).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn forms_are_parts_of_the_product_without_its_holes() {
        assert_eq!(cells(Form::Full, None).len(), 3 * 2 * 3);
        assert_eq!(cells(Form::Full, Some(9)).len(), 3 * 2 * 3);
        let reduced = cells(Form::Reduced, Some(1));
        assert_eq!(
            reduced,
            ["pima, M=10, half, split 0", "pima, M=10, whole, split 0", "heart, M=10, whole, split 0"]
        );
        assert_eq!(cells(Form::Quick, None), ["pima, M=5%, half, split 0", "pima, M=10, half, split 0"]);
    }

    #[test]
    fn a_run_is_given_its_method_and_the_numbers_of_its_setting() {
        let names = gp_cli::Context::built_in();
        let context = Context { store: Store::Synthetic, extent: Extent::default(), names };
        let found = |setting, method| GRID.run(&Cell::new("pima", setting, method, 0), &context);
        assert_eq!(found("M=5%", "half").unwrap().scores["found"], 0.025);
        assert_eq!(found("M=10", "whole").unwrap().scores["found"], 10.0);
        for (setting, method) in [("M=20", "whole"), ("M=10", "third")] {
            let refused = found(setting, method).unwrap_err().to_string();
            assert!(refused.contains("is not a run of this item"), "{refused}");
        }
        assert_eq!(GRID.needs().len(), 3);
    }
}
