//! Messages between in_threads processes.

use super::{Team, TeamError};

#[test]
fn every_process_hears_of_every_other() {
    for count in 1..10 {
        for root in 0..count {
            let shared = |team: Team| {
                let mut numbers = [team.rank() as f64, -1.0];
                team.share(root, &mut numbers).unwrap();
                numbers
            };
            assert_eq!(Team::in_threads(count, shared), vec![[root as f64, -1.0]; count]);
        }
        let sum = |team: Team| {
            let mut numbers = [1.0, team.rank() as f64];
            team.sum_counts(&mut numbers).unwrap();
            numbers
        };
        let ranks = (count * (count - 1) / 2) as f64;
        assert_eq!(Team::in_threads(count, sum), vec![[count as f64, ranks]; count]);
        let own = |rank: usize| vec![rank as f64; (rank * 3) % 4];
        let gathered = Team::in_threads(count, |team| team.gather(&own(team.rank())).unwrap());
        let expected: Vec<f64> = (0..count).flat_map(own).collect();
        assert_eq!(gathered, vec![expected; count]);
    }
}

#[test]
fn the_first_process_decides() {
    let decided = Team::in_threads(4, |team| (team.decide(team.leads()), team.decide(!team.leads())));
    assert_eq!(decided, [(true, false); 4]);
    assert!(Team::default().decide(true));
}

#[test]
fn bytes_are_those_of_the_first_process() {
    for length in [0, 1, 7, 8, 9, 1000] {
        let bytes: Vec<u8> = (0..length).map(|i| (i * 37 % 251) as u8 | 0x80).collect();
        let found = Team::in_threads(3, |team| {
            team.bytes_of_first(|| Ok::<_, TeamError>(Some(bytes.clone()))).unwrap()
        });
        assert_eq!(found, vec![Some(bytes); 3]);
    }
    let none = Team::in_threads(3, |team| team.bytes_of_first(|| Ok::<_, TeamError>(None)).unwrap());
    assert_eq!(none, vec![None; 3]);
    let fault = TeamError { reason: "gone".to_owned() };
    let failed = Team::in_threads(3, |team| team.bytes_of_first(|| Err(fault.clone())).unwrap_err());
    assert_eq!(failed[0], fault);
    assert!(failed[1..].iter().all(|error| error.reason == "process 0 has failed"));
}

#[test]
fn bytes_of_all_are_gathered_by_rank() {
    let own =
        |rank: usize| (0..[0, 1, 9, 8, 1000][rank]).map(|i| (i * 37 % 251) as u8 | 0x80).collect::<Vec<u8>>();
    for count in 1..=5 {
        let found = Team::in_threads(count, |team| team.gather_bytes(&own(team.rank())).unwrap());
        assert_eq!(found, vec![(0..count).map(own).collect::<Vec<_>>(); count]);
    }
}

#[test]
fn messages_are_counted() {
    let sent = Team::in_threads(2, |team| {
        team.share(0, &mut [0.0; 10]).unwrap();
        (team.traffic().messages, team.traffic().bytes)
    });
    assert_eq!(sent, [(1, 80), (0, 0)]);
}
