//! Blocks and powers of the approximation, from columns.

use super::roles::{Role, Roles, words};
use crate::data::{FILL_OR_DROP, Frame, Values};
use crate::error::CliError;
use std::collections::HashMap;

/// Block and power per row; both empty without a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Factors {
    /// Block numbers from 0, in order of first occurrence.
    pub blocks: Vec<usize>,
    /// Power per row.
    pub powers: Vec<f64>,
    known: HashMap<u64, usize>,
}

impl Factors {
    /// Blocks and powers of a table.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data) for a missing column or value, or an invalid power.
    pub fn of(roles: &Roles, frame: &Frame) -> Result<Self, CliError> {
        let [blocks, powers] = [Role::Blocks, Role::AlphaColumn].map(|role| values(role, roles, frame));
        let (blocks, powers, mut found) = (blocks?, powers?, Self::default());
        let at = |values: &[f64], row: usize| values.get(row).copied();
        (0..frame.row_count()).for_each(|row| found.add(at(&blocks, row), at(&powers, row)));
        Ok(found)
    }

    /// Adds a row, with the value of its block column and its power.
    pub fn add(&mut self, block: Option<f64>, power: Option<f64>) {
        if let Some(block) = block {
            let next = self.known.len();
            // Both zeros are one value.
            self.blocks.push(*self.known.entry((block + 0.0).to_bits()).or_insert(next));
        }
        self.powers.extend(power);
    }

    /// Power per factor: per row or, with blocks, per block; None without a column. `fault` makes the error
    /// for different powers within a block, from a row and a message.
    ///
    /// # Errors
    /// Those made by `fault`.
    pub fn powers_of_factors(
        &self,
        fault: impl FnOnce(usize, &str) -> CliError,
    ) -> Result<Option<Vec<f64>>, CliError> {
        if self.powers.is_empty() || self.blocks.is_empty() {
            return Ok((!self.powers.is_empty()).then(|| self.powers.clone()));
        }
        let mut found: Vec<f64> = Vec::new();
        for (row, (&block, &power)) in self.blocks.iter().zip(&self.powers).enumerate() {
            match found.get(block) {
                None => found.push(power),
                Some(&first) if first == power => {}
                Some(first) => {
                    let what = format!(
                        "a power of {power}, and the block has had {first}: all rows of a block need the same"
                    );
                    return Err(fault(row, &what));
                }
            }
        }
        Ok(Some(found))
    }
}

/// Role column as numbers; words as indices. Empty without a column.
fn values(role: Role, roles: &Roles, frame: &Frame) -> Result<Vec<f64>, CliError> {
    let Some(name) = roles.column(role) else { return Ok(Vec::new()) };
    let column = frame.require(&[name])?[0];
    frame.refuse_missing(&[column], FILL_OR_DROP)?;
    let values: Vec<f64> = match column.values() {
        Values::Numbers(numbers) => numbers.clone(),
        Values::Levels { codes, .. } if role == Role::Blocks => {
            codes.iter().map(|&code| f64::from(code)).collect()
        }
        Values::Levels { .. } => return Err(words(frame.source(), role, name)),
    };
    let fault = values.iter().enumerate().find_map(|(row, &value)| Some((row, role.fault(value)?)));
    fault.map_or(Ok(values), |(row, what)| Err(frame.fault(row, name, &what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn of(rows: &[(f64, f64)]) -> Factors {
        let mut factors = Factors::default();
        rows.iter().for_each(|&(block, power)| factors.add(Some(block), Some(power)));
        factors
    }

    #[test]
    fn blocks_are_numbered_as_they_occur() {
        let factors = of(&[(7.0, 0.5), (0.0, 1.0), (7.0, 0.5), (-0.0, 1.0)]);
        assert_eq!(factors.blocks, [0, 1, 0, 1]);
        let none = |_: usize, _: &str| CliError::usage("none");
        assert_eq!(factors.powers_of_factors(none).unwrap(), Some(vec![0.5, 1.0]));
        assert_eq!(Factors::default().powers_of_factors(none).unwrap(), None);
    }

    #[test]
    fn a_block_has_one_power() {
        let refused = of(&[(1.0, 0.5), (1.0, 0.25)])
            .powers_of_factors(|row, what| CliError::new(ErrorKind::Data, format!("{row}: {what}")));
        assert!(refused.unwrap_err().with_causes().starts_with("1: a power of 0.25"));
    }
}
