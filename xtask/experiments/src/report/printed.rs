//! Published tables and figures, their statements and our judgements.

use crate::error::ExperimentError;
use std::collections::BTreeMap;
use std::path::Path;

const INDEX: &str = include_str!("../../papers/index.csv");
const JUDGEMENTS: &str = "judgements.csv";

pub(super) const PAPERS: [(&str, &str); 5] = [
    ("000", "Villacampa-Calvo & Hernández-Lobato 2017: scalable multi-class expectation propagation"),
    ("001", "Bui, Yan & Turner 2017: Power EP"),
    ("002", "Seeger & Jordan 2004: the multi-class informative vector machine"),
    ("003", "Hernández-Lobato & Hernández-Lobato 2016: scalable expectation propagation"),
    ("004", "Bonilla, Krauth & Dezfouli 2019: automated variational inference"),
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Figure {
    pub(super) paper: &'static str,
    pub(super) name: &'static str,
    items: &'static str,
    pub(super) what: &'static str,
    /// Short statement.
    pub(super) says: &'static str,
}

impl Figure {
    /// All, in the papers' order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        INDEX.lines().skip(1).filter_map(|line| match super::reference::cells(line)[..] {
            [paper, name, items, what, says] => Some(Self { paper, name, items, what, says }),
            _ => None,
        })
    }

    /// Items that reproduce it.
    pub(super) fn items(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.items.split("; ").filter(|name| !name.is_empty())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// `yes`, `no` or `unclear`.
    pub(super) holds: String,
    pub(super) why: String,
    /// Plot name in `figures`; may be empty.
    pub(super) shown: String,
}

/// Judgements by paper and figure.
#[derive(Clone, Debug, Default)]
pub(super) struct Judgements(BTreeMap<(String, String), Judgement>);

impl Judgements {
    pub(super) fn read(folder: &Path) -> Result<Self, ExperimentError> {
        let path = folder.join(JUDGEMENTS);
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let mut all = BTreeMap::new();
        for (i, line) in text.lines().enumerate().skip(1) {
            let [paper, figure, holds @ ("yes" | "no" | "unclear"), why, shown] =
                super::reference::cells(line)[..]
            else {
                let what =
                    format!("`{line}` is not a row of paper, figure, yes/no/unclear, reason, and plot");
                return Err(ExperimentError::BadData { path, line: i + 1, what });
            };
            let [holds, why, shown] = [holds, why, shown].map(str::to_owned);
            let judgement = Judgement { holds, why, shown };
            all.insert((paper.to_owned(), figure.to_owned()), judgement);
        }
        Ok(Self(all))
    }

    pub(super) fn of(&self, figure: &Figure) -> Option<&Judgement> {
        self.0.get(&(figure.paper.to_owned(), figure.name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::items::ITEMS;

    #[test]
    fn figures_are_whole_and_their_items_exist() {
        assert_eq!(Figure::all().count(), INDEX.lines().count() - 1);
        assert_eq!(Figure::all().count(), 68);
        for figure in Figure::all() {
            assert!(PAPERS.iter().any(|(paper, _)| *paper == figure.paper), "{figure:?}");
            assert!(!figure.says.is_empty() && !figure.what.is_empty(), "{figure:?}");
            for name in figure.items() {
                assert!(ITEMS.iter().any(|item| item.name() == name), "{figure:?}");
            }
        }
        for item in ITEMS.iter().filter(|item| item.name().starts_with('0')) {
            assert!(Figure::all().any(|figure| figure.items().any(|name| name == item.name())), "{item:?}");
        }
    }

    #[test]
    fn judgements_of_the_results_are_of_known_figures_and_pictures() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results");
        let judgements = Judgements::read(&folder).unwrap();
        let all = Figure::all().filter_map(|figure| judgements.of(&figure)).collect::<Vec<_>>();
        assert_eq!(all.len(), judgements.0.len());
        for shown in all.iter().map(|judgement| &judgement.shown).filter(|shown| !shown.is_empty()) {
            assert!(folder.join("figures").join(format!("{shown}.svg")).is_file(), "{shown}");
        }
    }

    #[test]
    fn judgements_are_read_and_bad_ones_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Judgements::read(folder.path()).unwrap().0.is_empty());
        let path = folder.path().join(JUDGEMENTS);
        std::fs::write(&path, "paper,figure,holds,why,shown\n000,Figure 1,yes,\"so, it does\",a\n").unwrap();
        let first = Figure::all().next().unwrap();
        assert_eq!(Judgements::read(folder.path()).unwrap().of(&first).unwrap().why, "so, it does");
        std::fs::write(&path, "paper,figure,holds,why,shown\n000,Figure 1,perhaps,x,\n").unwrap();
        assert!(Judgements::read(folder.path()).unwrap_err().to_string().contains("line 2"));
    }
}
