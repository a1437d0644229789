//! Memory for sums over pieces.

use crate::derivatives::LatentDerivatives;
use crate::latent::Latent;

#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub(super) own: LatentDerivatives,
    pub(super) touched: Vec<Latent>,
}
