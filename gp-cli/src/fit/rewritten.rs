//! Rewritten expressions, with faults located in originals.

use gp_kernels::KernelError;
use gp_likelihoods::LikelihoodError;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rewritten<'t> {
    given: &'t str,
    pub(super) text: String,
    taken: usize,
    pieces: Vec<Piece>,
}

/// Start in both texts, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    text: usize,
    given: usize,
    is_kept: bool,
}

impl<'t> Rewritten<'t> {
    pub(super) fn new(given: &'t str) -> Self {
        Self { given, text: String::new(), taken: 0, pieces: Vec::new() }
    }

    pub(super) fn unchanged(given: &'t str) -> Self {
        let mut all = Self::new(given);
        all.keep(given.len());
        all
    }

    pub(super) fn keep(&mut self, end: usize) {
        self.pieces.push(Piece { text: self.text.len(), given: self.taken, is_kept: true });
        self.text.push_str(&self.given[self.taken..end]);
        self.taken = end;
    }

    pub(super) fn replace(&mut self, end: usize, by: &str) {
        self.pieces.push(Piece { text: self.text.len(), given: self.taken, is_kept: false });
        self.text.push_str(by);
        self.taken = end;
    }

    /// Original column, in characters from 1.
    fn column(&self, column: usize) -> usize {
        let at: usize = self.text.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let Some(piece) = self.pieces.iter().rev().find(|piece| piece.text <= at) else { return column };
        let place = if piece.is_kept { piece.given + at - piece.text } else { piece.given };
        1 + self.given.char_indices().filter(|(start, _)| *start < place).count()
    }

    pub(super) fn in_kernel(&self, fault: KernelError) -> KernelError {
        let KernelError::Expression(mut error) = fault else { return fault };
        (error.text, error.column) = (self.given.to_owned(), self.column(error.column));
        error.into()
    }

    pub(super) fn in_likelihood(&self, fault: LikelihoodError) -> LikelihoodError {
        match fault {
            LikelihoodError::Expression { column, message, .. } => LikelihoodError::Expression {
                text: self.given.to_owned(),
                column: self.column(column),
                message,
            },
            other => other,
        }
    }
}
