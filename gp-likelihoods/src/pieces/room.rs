//! Memory of sums over pieces.

use crate::latent::Latent;
use crate::slopes::Slopes;

/// Scratch of the sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub(super) own: Slopes,
    pub(super) touched: Vec<Latent>,
}
