//! List of the papers' data sets.

use super::{BANANA, Digits, Flights, Splits, Task};
use std::collections::BTreeSet;

/// Table with the target last, and splits.
#[derive(Clone, Copy, Debug)]
pub struct Set {
    /// Name in the papers.
    pub name: &'static str,
    /// Name in the data folder.
    pub table: &'static str,
    /// Training and test rows.
    pub splits: Splits,
    /// Kind of the target.
    pub task: Task,
    /// Rows and inputs.
    pub size: (usize, usize),
    /// Columns used, target last; empty for all.
    pub columns: &'static [usize],
}

impl Set {
    const fn of_columns(self, columns: &'static [usize]) -> Self {
        Self { columns, ..self }
    }
}

const fn binary(name: &'static str, table: &'static str, splits: Splits, size: (usize, usize)) -> Set {
    Set { name, table, splits, task: Task::Binary, size, columns: &[] }
}

const fn classes(
    name: &'static str,
    table: &'static str,
    file: &'static str,
    classes: usize,
    size: (usize, usize),
) -> Set {
    Set {
        name,
        table,
        splits: Splits::BothParts { file, count: 20 },
        task: Task::Classes(classes),
        size,
        columns: &[],
    }
}

const fn number(name: &'static str, table: &'static str, file: &'static str, size: (usize, usize)) -> Set {
    Set { name, table, splits: Splits::TestRows { file, count: 20 }, task: Task::Number, size, columns: &[] }
}

const fn twenty(file: &'static str) -> Splits {
    Splits::TestRows { file, count: 20 }
}

const fn partitions(
    name: &'static str,
    table: &'static str,
    file: &'static str,
    count: usize,
    task: Task,
    size: (usize, usize),
) -> Set {
    Set { name, table, splits: Splits::BothParts { file, count }, task, size, columns: &[] }
}

const ALL: [Set; 33] = [
    binary("australian", "binary/australian.csv", twenty("splits/australian_pep20.csv.gz"), (690, 14)),
    binary(
        "australian (authors)",
        "binary/australian_authors.csv",
        twenty("splits/australian_pep20.csv.gz"),
        (690, 14),
    ),
    binary("breast", "binary/breast.csv", twenty("splits/breast_pep20.csv.gz"), (683, 9)),
    binary("breast (authors)", "binary/breast_authors.csv", twenty("splits/breast_pep20.csv.gz"), (683, 10)),
    binary("crabs", "binary/crabs.csv", twenty("splits/crabs_pep20.csv.gz"), (200, 7)),
    // Bui et al. 2017 has 6 inputs, which allows two readings of the table.
    binary("crabs (sex)", "binary/crabs.csv", twenty("splits/crabs_pep20.csv.gz"), (200, 6))
        .of_columns(&[7, 2, 3, 4, 5, 6, 0]),
    binary("crabs (6 inputs)", "binary/crabs.csv", twenty("splits/crabs_pep20.csv.gz"), (200, 6))
        .of_columns(&[0, 2, 3, 4, 5, 6, 7]),
    binary("heart", "binary/heart.csv", Splits::Drawn { test: 27, count: 20 }, (270, 13)),
    binary("image", "binary/image.csv", Splits::Drawn { test: 231, count: 100 }, (2310, 18)),
    binary("ionosphere", "binary/ionosphere.csv", twenty("splits/ionosphere_pep20.csv.gz"), (351, 34)),
    binary("pima", "binary/pima.csv", twenty("splits/pima_pep20.csv.gz"), (768, 8)),
    binary("sonar", "binary/sonar.csv", twenty("splits/sonar_pep20.csv.gz"), (208, 60)),
    classes("glass", "multiclass/glass.csv", "splits/glass_pep20.csv.gz", 6, (214, 9)),
    classes("new-thyroid", "multiclass/new-thyroid.csv", "splits/new-thyroid_pep20.csv.gz", 3, (215, 5)),
    classes("satellite", "multiclass/satellite.csv", "splits/satellite_pep20.csv.gz", 6, (6435, 36)),
    classes("svmguide2", "multiclass/svmguide2.csv", "splits/svmguide2_pep20.csv.gz", 3, (391, 20)),
    classes("vehicle", "multiclass/vehicle.csv", "splits/vehicle_pep20.csv.gz", 4, (846, 18)),
    classes("vowel", "multiclass/vowel.csv", "splits/vowel_pep20.csv.gz", 6, (540, 10)),
    classes("waveform", "multiclass/waveform.csv", "splits/waveform_pep20.csv.gz", 3, (1000, 21)),
    classes("wine", "multiclass/wine.csv", "splits/wine_pep20.csv.gz", 3, (178, 13)),
    number("boston", "regression/boston.csv", "splits/boston_pbp20.csv.gz", (506, 13)),
    number("concrete", "regression/concrete.csv", "splits/concrete_pbp20.csv.gz", (1030, 8)),
    number("energy", "regression/energy.csv", "splits/energy_pbp20.csv.gz", (768, 8)),
    number("kin8nm", "regression/kin8nm.csv", "splits/kin8nm_pbp20.csv.gz", (8192, 8)),
    number("naval", "regression/naval.csv.gz", "splits/naval_pbp20.csv.gz", (11934, 16)),
    number("power", "regression/power.csv", "splits/power_pbp20.csv.gz", (9568, 4)),
    number("wine_red", "regression/wine_red.csv", "splits/wine_red_pbp20.csv.gz", (1599, 11)),
    number("yacht", "regression/yacht.csv", "splits/yacht_pbp20.csv.gz", (308, 6)),
    partitions(
        "boston (savigp)",
        "regression/boston.csv",
        "splits/boston_savigp5.csv.gz",
        5,
        Task::Number,
        (506, 13),
    ),
    // All published partitions of these two (20 and 6) hold the same rows in another order, so they count as one.
    partitions("creep", "regression/creep.csv", "splits/creep_savigp20.csv.gz", 1, Task::Number, (2066, 30)),
    partitions(
        "abalone",
        "regression/abalone.csv",
        "splits/abalone_savigp6.csv.gz",
        1,
        Task::Number,
        (4177, 10),
    ),
    partitions(
        "breast (savigp)",
        "binary/breast.csv",
        "splits/breast_savigp5.csv.gz",
        5,
        Task::Binary,
        (683, 9),
    ),
    partitions(
        "usps (savigp)",
        "usps/usps_479_savigp.csv.gz",
        "splits/usps_479_savigp5.csv.gz",
        5,
        Task::Classes(3),
        (2465, 256),
    ),
];

/// Data set by name.
#[must_use]
pub fn set(name: &str) -> Option<&'static Set> {
    ALL.iter().find(|set| set.name == name)
}

/// Number of splits; None if unknown.
#[must_use]
pub fn count_of(name: &str) -> Option<usize> {
    set(name).map(|set| set.splits.count())
}

/// Files of data sets known to [`Store::load`](super::Store::load).
#[must_use]
pub fn files_of(names: &[&str]) -> Vec<&'static str> {
    let mut files = Vec::new();
    for name in names {
        match *name {
            "mnist" | "mnist-b" => files.extend(Digits::FILES),
            "banana" => files.extend(BANANA),
            "flights, 2 classes" | "flights, 3 classes" => files.push(Flights::FILE),
            _ => files
                .extend(set(name).into_iter().flat_map(|set| [Some(set.table), set.splits.file()]).flatten()),
        }
    }
    let mut seen = BTreeSet::new();
    files.retain(|file| seen.insert(*file));
    files
}
