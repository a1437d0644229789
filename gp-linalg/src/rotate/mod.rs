//! Rank-k updates and downdates that drag further columns along ("chollrup").
//!
//! `A = L Lᵀ` becomes `A ± W Wᵀ = L' L'ᵀ`, and `X = L⁻¹ C` becomes `X' = L'⁻¹ C` without `C`: the same
//! plane rotations do both.
//!
//! - **Update.** Rotations `Q` with `[L W] Q = [L' 0]`. Because `[L W] Q Qᵀ [X; 0] = L X = C`, the first d rows of
//!   `Qᵀ [X; 0]` are `X'`.
//! - **Downdate** (LINPACK's way, which is stable). `P = L⁻¹ W`, `S` upper triangular with `Sᵀ S = I − Pᵀ P`: if that
//!   factor does not exist the downdate breaks down, before anything has been touched. Rotations `Q` with
//!   `Q [P; S] = [0; I]`, found from the last row of `P` upwards, give `Q [Lᵀ; 0] = [L'ᵀ; Wᵀ]`; and with
//!   `T = −S⁻ᵀ Pᵀ X`, `Q [X; T] = [X'; 0]`.
//!
//! The d·k rotations are found first, from `L` and `W` alone, and then applied to narrow panels of columns
//! whose carried rows stay in vector registers.

mod downdate;
mod kernel;
mod pack;
mod sequence;
mod update;

pub use kernel::MAX_RANK as MAX_GROUP;

use crate::cholesky::Cholesky;
use faer::{Mat, MatMut};
use sequence::Sequence;

/// Reusable memory for [`Cholesky::update`] and [`Cholesky::downdate`].
#[derive(Clone, Default)]
pub struct RotationScratch {
    /// W, then P = L⁻¹W: d×k.
    directions: Block,
    /// Carried rows, exchanged with X: k×m.
    carried: Block,
    /// I − PᵀP.
    remainder: Block,
    /// Factor of `remainder`.
    remainder_factor: Cholesky,
    sequence: Sequence,
}

impl RotationScratch {
    /// Empty scratch; the first use allocates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rotations of the last [`Cholesky::update`], for columns that the caller drags along.
    ///
    /// Groups of at most [`MAX_GROUP`] directions: the number of directions and d·directions pairs `[c,
    /// s]`, row 0 first. A group passes over all rows of a column X, first to last, before the next group;
    /// with a number t per direction, 0 at the start, every row x and every t become `(c x + s t, c t − s
    /// x)`.
    pub fn groups(&self) -> impl Iterator<Item = (usize, &[[f64; 2]])> {
        self.sequence.all_groups()
    }
}

impl std::fmt::Debug for RotationScratch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("RotationScratch").finish_non_exhaustive()
    }
}

/// Matrix that keeps its memory when it shrinks.
#[derive(Clone, Default)]
struct Block {
    memory: Vec<f64>,
}

impl Block {
    /// `nrows`×`ncols` block, column-major, contents arbitrary.
    fn shaped(&mut self, nrows: usize, ncols: usize) -> MatMut<'_, f64> {
        let needed = nrows * ncols;
        if self.memory.len() < needed {
            self.memory.resize(needed, 0.0);
        }
        MatMut::from_column_major_slice_mut(&mut self.memory[..needed], nrows, ncols)
    }
}

/// Cosine and sine of the rotation of (a, b) to (√(a² + b²), 0), and that length; a > 0.
fn rotation(a: f64, b: f64) -> (f64, f64, f64) {
    let squares = a * a + b * b;
    // The square root is exact enough unless the squares leave the normal range.
    let length = if squares.is_normal() { squares.sqrt() } else { a.hypot(b) };
    (a / length, b / length, length)
}

/// Matrix without columns, for calls with nothing to drag.
///
/// ```
/// use gp_linalg::faer::mat;
/// use gp_linalg::rotate::{self, RotationScratch};
/// use gp_linalg::{Cholesky, JitterPolicy, Threading};
///
/// let a = mat![[4.0, 2.0], [2.0, 3.0]];
/// let w = mat![[1.0], [1.0]];
/// let mut cholesky = Cholesky::factor(a.as_ref(), &JitterPolicy::none())?;
/// let mut scratch = RotationScratch::new();
/// let mut nothing = rotate::nothing(2);
/// cholesky.update(w.as_ref(), nothing.as_mut(), &mut scratch, Threading::Here)?;
/// assert!((cholesky.log_det() - 11f64.ln()).abs() < 1e-14); // det [[5, 3], [3, 4]]
/// # Ok::<(), gp_linalg::LinalgError>(())
/// ```
pub fn nothing(dim: usize) -> Mat<f64> {
    Mat::zeros(dim, 0)
}
