//! Memory for sums over pieces.

use crate::latent::Latent;
use crate::slopes::Slopes;

#[derive(Clone, Debug, Default)]
pub(crate) struct Room {
    pub(super) own: Slopes,
    pub(super) touched: Vec<Latent>,
}
