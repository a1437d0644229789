//! Blocks and powers from columns.

use super::raw::Levels;
use super::roles::{Role, Roles, words};
use crate::data::{Column, FILL_OR_DROP, Frame, Values};
use crate::error::CliError;

/// Block and power per row, or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Factors {
    /// From 0, by first occurrence.
    pub blocks: Vec<usize>,
    /// Per row.
    pub powers: Vec<f64>,
}

impl Factors {
    /// Reads both columns.
    ///
    /// # Errors
    /// [`Data`](crate::ErrorKind::Data) for a missing column or value, or an invalid power.
    pub fn of(roles: &Roles, frame: &Frame) -> Result<Self, CliError> {
        let blocks = column(Role::Blocks, roles, frame)?;
        let blocks = blocks.map_or_else(Vec::new, |column| Levels::default().places_by_text(column));
        let blocks = blocks.into_iter().map(|block| block as usize).collect();
        let powers = column(Role::AlphaColumn, roles, frame)?;
        Ok(Self { blocks, powers: powers.map_or(Ok(Vec::new()), |column| numbers(column, frame))? })
    }

    /// Appends a row.
    pub fn add(&mut self, block: Option<usize>, power: Option<f64>) {
        self.blocks.extend(block);
        self.powers.extend(power);
    }

    /// Power per block, else per row; None without a column.
    ///
    /// # Errors
    /// `fault(row, message)` for different powers in a block.
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

fn column<'f>(role: Role, roles: &Roles, frame: &'f Frame) -> Result<Option<&'f Column>, CliError> {
    let Some(name) = roles.column(role) else { return Ok(None) };
    let column = frame.require(&[name])?[0];
    frame.refuse_missing(&[column], FILL_OR_DROP)?;
    Ok(Some(column))
}

fn numbers(column: &Column, frame: &Frame) -> Result<Vec<f64>, CliError> {
    let (role, name) = (Role::AlphaColumn, column.name());
    let Values::Numbers(numbers) = column.values() else { return Err(words(frame.source(), role, name)) };
    let fault = numbers.iter().enumerate().find_map(|(row, &value)| Some((row, role.fault(value)?)));
    fault.map_or_else(|| Ok(numbers.clone()), |(row, what)| Err(frame.fault(row, name, &what)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Kind;
    use crate::error::ErrorKind;

    fn of(blocks: &[&str], powers: &[f64]) -> Factors {
        let columns = vec![
            Column::of_words("b", blocks.iter().copied().map(Some)),
            Column::of_numbers("a", Kind::Number, powers.to_vec()),
        ];
        let roles = [(Role::Blocks, "b".to_owned()), (Role::AlphaColumn, "a".to_owned())];
        Factors::of(&Roles::new(roles), &Frame::new("t.csv", columns, None).unwrap()).unwrap()
    }

    #[test]
    fn blocks_are_numbered_as_they_occur() {
        let factors = of(&["7", "007", "7", "0"], &[0.5, 1.0, 0.5, 1.0]);
        assert_eq!(factors.blocks, [0, 1, 0, 2]);
        let none = |_: usize, _: &str| CliError::usage("none");
        assert_eq!(factors.powers_of_factors(none).unwrap(), Some(vec![0.5, 1.0, 1.0]));
        assert_eq!(Factors::default().powers_of_factors(none).unwrap(), None);
    }

    /// In formats without text.
    #[test]
    fn both_zeros_are_one_block() {
        let column = Column::of_numbers("b", Kind::Number, vec![0.0, 1.0, -0.0]);
        let frame = Frame::new("t.npy", vec![column], None).unwrap();
        let roles = Roles::new([(Role::Blocks, "b".to_owned())]);
        assert_eq!(Factors::of(&roles, &frame).unwrap().blocks, [0, 1, 0]);
    }

    #[test]
    fn a_block_has_one_power() {
        let refused = of(&["1", "1"], &[0.5, 0.25])
            .powers_of_factors(|row, what| CliError::new(ErrorKind::Data, format!("{row}: {what}")));
        assert!(refused.unwrap_err().with_causes().starts_with("1: a power of 0.25"));
    }
}
