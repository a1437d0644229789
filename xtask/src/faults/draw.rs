//! Random numbers.

/// Vigna's splitmix64.
#[derive(Debug)]
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn of_round(seed: u64, round: u64) -> Self {
        let mut draw = Self(seed);
        let mixed = draw.next();
        Self(mixed ^ round.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number in [0, 1].
    pub(super) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Element of a non-empty list.
    pub(super) fn one_of<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[((self.share() * things.len() as f64) as usize).min(things.len() - 1)]
    }

    pub(super) fn coin(&mut self) -> bool {
        self.share() < 0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_draw_differently_and_every_time_the_same() {
        let shares = |round| {
            [(); 3].map({
                let mut draw = Draw::of_round(1, round);
                move |()| draw.share()
            })
        };
        assert_eq!(shares(3), shares(3));
        assert_ne!(shares(3), shares(4));
        assert!(shares(5).iter().all(|share| (0.0..1.0).contains(share)));
    }
}
