//! Rank-k updates and downdates of a factor and further columns (*chollrup*).
//!
//! `A = L Lᵀ` becomes `A ± W Wᵀ = L' L'ᵀ`, and `X = L⁻¹ C` becomes `X' = L'⁻¹ C` without `C`, by d·k plane rotations.
//!
//! - **Update.** `[L W] Q = [L' 0]`. As `[L W] Q Qᵀ [X; 0] = L X = C`, the first d rows of `Qᵀ [X; 0]` are `X'`.
//! - **Downdate** (stable, as in LINPACK). `P = L⁻¹ W`, `S` upper triangular with `Sᵀ S = I − Pᵀ P`; fails without
//!   change if S does not exist. `Q [P; S] = [0; I]`, from the last row of `P` upwards, gives `Q [Lᵀ; 0] = [L'ᵀ; Wᵀ]`;
//!   with `T = −S⁻ᵀ Pᵀ X`, `Q [X; T] = [X'; 0]`.

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
    /// W, then P = L⁻¹W; d×k.
    directions: Block,
    /// Carried rows, rotated with X; k×m.
    carried: Block,
    /// I − PᵀP.
    remainder: Block,
    remainder_factor: Cholesky,
    sequence: Sequence,
}

impl RotationScratch {
    /// Empty scratch; the first use allocates.
    pub fn new() -> Self {
        Self::default()
    }

    /// Rotations of the last [`Cholesky::update`].
    ///
    /// Groups of up to [`MAX_GROUP`] directions: their number, and as many pairs `[c, s]` per row, row 0 first. To
    /// rotate X by a group, set one t per direction to 0; for each row x in order and each t,
    /// `(x, t) ← (c x + s t, c t − s x)`.
    pub fn groups(&self) -> impl Iterator<Item = (usize, &[[f64; 2]])> {
        self.sequence.all_groups()
    }
}

impl std::fmt::Debug for RotationScratch {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("RotationScratch").finish_non_exhaustive()
    }
}

/// Matrix that keeps its memory.
#[derive(Clone, Default)]
struct Block {
    memory: Vec<f64>,
}

impl Block {
    /// Column-major with arbitrary contents.
    fn shaped(&mut self, nrows: usize, ncols: usize) -> MatMut<'_, f64> {
        let needed = nrows * ncols;
        if self.memory.len() < needed {
            self.memory.resize(needed, 0.0);
        }
        MatMut::from_column_major_slice_mut(&mut self.memory[..needed], nrows, ncols)
    }
}

/// Cosine, sine, length of the rotation from `(a, b)` to `(√(a² + b²), 0)`; `a > 0`.
fn rotation(a: f64, b: f64) -> (f64, f64, f64) {
    let squares = a * a + b * b;
    // Accurate unless the squares leave the normal range.
    let length = if squares.is_normal() { squares.sqrt() } else { a.hypot(b) };
    (a / length, b / length, length)
}

/// d×0 matrix, for updates without columns.
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
