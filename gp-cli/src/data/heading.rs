//! File columns, and selection to read.

use super::column::Kind;
use super::options::ReadOptions;

/// Prefix of unnamed pandas indices.
const PANDAS_INDEX: &str = "__index_level_";

/// Names, positions read, dropped row-number columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heading {
    names: Vec<String>,
    places: Vec<usize>,
    left_out: Vec<String>,
    unnamed: Option<String>,
    /// Role flags by position.
    uses: Vec<Option<&'static str>>,
    words: Vec<bool>,
}

impl Heading {
    /// Selects columns; pandas indices only if requested. If none is left, selects the first, so that errors can list
    /// names.
    #[must_use]
    pub fn new(names: Vec<String>, options: &ReadOptions) -> Self {
        Self::with_indices(names, &[], options)
    }

    /// [`new`](Self::new) with further pandas indices.
    pub(super) fn with_indices(names: Vec<String>, named: &[String], options: &ReadOptions) -> Self {
        let mut heading = Self { places: (0..names.len()).collect(), names, ..Self::default() };
        let is_index = |name: &String| is_pandas_index(name) || named.contains(name);
        let indices = heading.names.iter().filter(|name| is_index(name) && !options.names(name));
        for name in indices.cloned().collect::<Vec<_>>() {
            heading.leave_out(&name, "the index that pandas wrote");
        }
        heading.uses = heading.names.iter().map(|name| options.flag(name)).collect();
        let are_words = |name: &String| options.kind(name) == Some(Kind::Category);
        heading.words = heading.names.iter().map(are_words).collect();
        heading.places.retain(|&place| options.wants(&heading.names[place]));
        if heading.places.is_empty() && !heading.names.is_empty() {
            heading.places.push(0);
        }
        heading
    }

    /// Drops a column, but never the last.
    pub(super) fn leave_out(&mut self, name: &str, what: &str) {
        let rest: Vec<usize> =
            self.places.iter().copied().filter(|&place| self.names[place] != name).collect();
        if !rest.is_empty() && rest.len() < self.places.len() {
            self.places = rest;
            self.left_out
                .push(format!("left out column {name}, {what}; to keep it, name it among --features"));
        }
    }

    pub(super) fn mark_unnamed(&mut self, name: &str) {
        self.unnamed = Some(name.to_owned());
    }

    /// All column names.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Positions of columns to read.
    #[must_use]
    pub fn places(&self) -> &[usize] {
        &self.places
    }

    pub(super) fn flag(&self, place: usize) -> Option<&'static str> {
        self.uses.get(place).copied().flatten()
    }

    /// `true` if read as words.
    #[cfg(feature = "columnar")]
    pub(super) fn holds_words(&self, place: usize) -> bool {
        self.words.get(place).copied().unwrap_or(false)
    }

    /// Dropped row-number columns, one sentence each.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Name given to an unnamed column.
    #[must_use]
    pub fn unnamed(&self) -> Option<&str> {
        self.unnamed.as_deref()
    }
}

fn is_pandas_index(name: &str) -> bool {
    let number = name.strip_prefix(PANDAS_INDEX).and_then(|rest| rest.strip_suffix("__"));
    number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heading(names: &[&str], wanted: Option<&[&str]>) -> Heading {
        let columns = wanted.map(|names| names.iter().map(|&name| name.to_owned()).collect());
        let options = ReadOptions { columns, ..ReadOptions::default() };
        Heading::new(names.iter().map(|&name| name.to_owned()).collect(), &options)
    }

    #[test]
    fn an_index_is_read_where_it_is_asked_for() {
        let names = ["x", "__index_level_0__", "__index_level_x__", "y"];
        let all = heading(&names, None);
        assert_eq!(all.places(), [0, 2, 3]);
        assert!(
            all.left_out()[0].starts_with("left out column __index_level_0__, the index that pandas wrote")
        );
        let asked = heading(&names, Some(&["__index_level_0__", "y"]));
        assert_eq!((asked.places(), asked.left_out().len()), ([1, 3].as_slice(), 0));
        assert_eq!(heading(&["__index_level_0__"], None).places(), [0]);
    }

    #[test]
    fn a_table_without_the_wanted_columns_has_rows() {
        assert_eq!(heading(&["a", "b"], Some(&["c"])).places(), [0]);
    }
}
