//! Schedules of mini-batches.

use gp_optim::{Batches, OptimError};
use std::collections::HashMap;

fn epoch(batches: &mut Batches) -> Vec<(Vec<usize>, f64)> {
    (0..batches.per_epoch())
        .map(|_| {
            let batch = batches.draw();
            (batch.indices.to_vec(), batch.weight)
        })
        .collect()
}

fn schedules(terms: usize, size: usize) -> Vec<Batches> {
    let mut all = vec![
        Batches::shuffled(terms, size, 5).unwrap(),
        Batches::in_sequence(terms, size).unwrap(),
        Batches::whole(terms).unwrap(),
    ];
    all.extend([1, 2, 3, 4, 50].map(|len| Batches::in_blocks(terms, size, len, 5).unwrap()));
    all
}

#[test]
fn an_epoch_draws_every_term_once_with_the_right_weight() {
    for (terms, size) in [(1, 1), (10, 3), (10, 5), (11, 4), (7, 20), (5, 1)] {
        for mut batches in schedules(terms, size) {
            for round in 0..4 {
                let drawn = epoch(&mut batches);
                assert!(batches.ends_epoch() && batches.epoch() == round);
                for (indices, weight) in &drawn {
                    assert_eq!(*weight, terms as f64 / indices.len() as f64);
                }
                let mut indices: Vec<usize> = drawn.into_iter().flat_map(|(indices, _)| indices).collect();
                indices.sort_unstable();
                assert_eq!(indices, (0..terms).collect::<Vec<_>>(), "{batches:?}");
            }
        }
    }
}

#[test]
fn orders_are_what_they_say() {
    let mut stream = Batches::in_sequence(5, 2).unwrap();
    let drawn: Vec<Vec<usize>> = epoch(&mut stream).into_iter().map(|(indices, _)| indices).collect();
    assert_eq!(drawn, [vec![0, 1], vec![2, 3], vec![4]]);

    let mut shuffled = Batches::shuffled(100, 100, 1).unwrap();
    let (first, second) = (epoch(&mut shuffled), epoch(&mut shuffled));
    assert_ne!(first, second);
    assert_ne!(first, epoch(&mut Batches::shuffled(100, 100, 2).unwrap()));
    assert_eq!(first, epoch(&mut Batches::shuffled(100, 100, 1).unwrap()));

    // The epoch starts and ends in the same of ten blocks.
    let mut blocks = Batches::in_blocks(100, 100, 10, 3).unwrap();
    let places: Vec<usize> = epoch(&mut blocks)[0].0.iter().map(|term| term / 10).collect();
    let changes = places.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!((9..=10).contains(&changes), "{places:?}");
    assert_ne!(places, epoch(&mut blocks)[0].0.iter().map(|term| term / 10).collect::<Vec<_>>());
}

#[test]
fn every_order_of_a_shuffle_is_equally_likely() {
    let mut batches = Batches::shuffled(3, 3, 11).unwrap();
    let mut counts: HashMap<Vec<usize>, f64> = HashMap::new();
    let rounds = 6_000.0;
    for _ in 0..6_000 {
        *counts.entry(batches.draw().indices.to_vec()).or_default() += 1.0;
    }
    assert_eq!(counts.len(), 6);
    let chi_square: f64 = counts.values().map(|n| (n - rounds / 6.0).powi(2) / (rounds / 6.0)).sum();
    // Five degrees of freedom: one seed in a thousand exceeds; fixed seed.
    assert!(chi_square < 20.5, "{chi_square}");
}

#[test]
fn every_batch_is_unbiased_the_short_one_too() {
    let terms = [3.0, -1.0, 4.0, 10.0, -5.0, 9.0, 2.0];
    let total: f64 = terms.iter().sum();
    let makers: [fn(u64) -> Result<Batches, OptimError>; 2] =
        [|seed| Batches::shuffled(7, 3, seed), |seed| Batches::in_blocks(7, 3, 3, seed)];
    for make in makers {
        let mut sums = [0.0; 3];
        let rounds = 20_000;
        let mut batches = make(17).unwrap();
        for _ in 0..rounds {
            for (sum, (indices, weight)) in sums.iter_mut().zip(epoch(&mut batches)) {
                *sum += weight * indices.iter().map(|&i| terms[i]).sum::<f64>();
            }
        }
        for sum in sums {
            // Terms have standard deviation 5.1; batches of one, weight 7, 36; their mean over 20,000 epochs
            // 0.25. Four of those; wrong weights would be off by 15.
            let mean = sum / f64::from(rounds);
            assert!((mean - total).abs() < 1.0, "{mean} instead of {total}");
        }
    }
}

#[test]
fn a_schedule_goes_on_mid_epoch_from_what_was_stored() {
    for mut batches in schedules(11, 4) {
        for _ in 0..5 {
            batches.draw();
        }
        let text = serde_json::to_string(&batches).unwrap();
        assert!(text.len() < 120, "the order itself is not stored: {text}");
        let mut resumed: Batches = serde_json::from_str(&text).unwrap();
        for _ in 0..9 {
            assert_eq!(resumed.draw(), batches.draw());
        }
    }
}

#[test]
fn empty_schedules_are_refused_by_name() {
    let name = |result: Result<Batches, OptimError>| match result {
        Err(OptimError::InvalidOption { name, .. }) => name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name(Batches::shuffled(0, 1, 1)), "terms");
    assert_eq!(name(Batches::shuffled(1, 0, 1)), "size");
    assert_eq!(name(Batches::in_blocks(1, 1, 0, 1)), "len");
    assert_eq!(name(Batches::whole(0)), "terms");
}
