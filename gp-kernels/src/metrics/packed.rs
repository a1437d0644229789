//! Points stored by dimension.

use crate::kernel::{Points, PointsMut, point, point_mut};

/// `packed[d·M + i]` ← coordinate d of point i.
pub(super) fn pack(points: Points<'_>, packed: &mut [f64]) {
    let count = points.nrows();
    for i in 0..count {
        for (d, &x) in point(points, i).iter().enumerate() {
            packed[d * count + i] = x;
        }
    }
}

pub(super) fn add_unpacked(packed: &[f64], points: &mut PointsMut<'_>) {
    let count = points.nrows();
    for i in 0..count {
        for (d, x) in point_mut(points, i).iter_mut().enumerate() {
            *x += packed[d * count + i];
        }
    }
}
