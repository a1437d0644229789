//! Expressions in place of given ones, with faults at the columns of those.

use gp_kernels::KernelError;
use gp_likelihoods::LikelihoodError;

/// Expression in place of a given one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rewritten<'t> {
    given: &'t str,
    pub(super) text: String,
    /// Bytes of the given text that have been taken over.
    taken: usize,
    pieces: Vec<Piece>,
}

/// Start of a piece in both texts, in bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Piece {
    text: usize,
    given: usize,
    is_kept: bool,
}

impl<'t> Rewritten<'t> {
    /// Nothing yet of a text.
    pub(super) fn new(given: &'t str) -> Self {
        Self { given, text: String::new(), taken: 0, pieces: Vec::new() }
    }

    /// The text as it is.
    pub(super) fn unchanged(given: &'t str) -> Self {
        let mut all = Self::new(given);
        all.keep(given.len());
        all
    }

    /// Takes the given text over up to this byte.
    pub(super) fn keep(&mut self, end: usize) {
        self.pieces.push(Piece { text: self.text.len(), given: self.taken, is_kept: true });
        self.text.push_str(&self.given[self.taken..end]);
        self.taken = end;
    }

    /// Puts other text in place of the given one up to this byte.
    pub(super) fn replace(&mut self, end: usize, by: &str) {
        self.pieces.push(Piece { text: self.text.len(), given: self.taken, is_kept: false });
        self.text.push_str(by);
        self.taken = end;
    }

    /// Column of the given text, in characters from 1, for one of the text.
    fn column(&self, column: usize) -> usize {
        let at: usize = self.text.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
        let Some(piece) = self.pieces.iter().rev().find(|piece| piece.text <= at) else { return column };
        let place = if piece.is_kept { piece.given + at - piece.text } else { piece.given };
        1 + self.given.char_indices().filter(|(start, _)| *start < place).count()
    }

    /// Fault of the text as one of the given kernel.
    pub(super) fn in_kernel(&self, fault: KernelError) -> KernelError {
        let KernelError::Expression(mut error) = fault else { return fault };
        (error.text, error.column) = (self.given.to_owned(), self.column(error.column));
        error.into()
    }

    /// Fault of the text as one of the given likelihood.
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
