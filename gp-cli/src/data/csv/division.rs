//! Division of text among processes, at record starts.
//!
//! Each process scans an equal share of bytes. Without knowing earlier quotation marks, it follows the parser from
//! every state; then all exchange final states.

use super::super::supply::{Supply, unreadable};
use super::open_quote::At;
use crate::error::{CliError, ErrorKind};
use crate::own_rows::all_succeed;
use gp_optim::{Team, TeamError};
use std::io::Read;
use std::ops::Range;

const AT_ONCE: usize = 1 << 16;

/// Consecutive records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPart {
    /// Positions in the file, byte-order mark included.
    pub(super) bytes: Range<u64>,
    /// Line ends before the part.
    pub(super) lines: u64,
}

/// This process's part of `body`.
pub(super) fn own_part(
    team: &Team,
    supply: &dyn Supply,
    body: &TextPart,
    delimiter: u8,
) -> Result<TextPart, CliError> {
    let (rank, count) = (team.rank() as u64, team.count() as u64);
    let TextPart { bytes: Range { start, end }, lines } = body.clone();
    let length = end.saturating_sub(start);
    // A record that starts at a cut belongs to the later process, with the line end before it.
    let cut = |rank: u64| match rank {
        0 => start,
        rank if rank == count => end,
        rank => (start + length * rank / count).saturating_sub(1).max(start),
    };
    let mut passage = Passage::new(cut(rank), delimiter);
    let passed = passage.through(supply, cut(rank + 1));
    if !all_succeed(team, passed.is_ok())? {
        return Err(passed.err().unwrap_or_else(elsewhere));
    }
    let first = Start { byte: start, lines: 0 };
    Ok(resolved(team, &passage, first, end)?.behind(lines))
}

pub(super) fn elsewhere() -> CliError {
    CliError::new(ErrorKind::Elsewhere, "another process cannot read its part of the table")
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Start {
    byte: u64,
    lines: u64,
}

#[derive(Clone, Copy, Debug)]
struct Way {
    at: At,
    /// First record that starts after a scanned byte.
    first: Option<Start>,
}

struct Passage {
    ways: [Way; At::ALL.len()],
    byte: u64,
    lines: u64,
    delimiter: u8,
}

impl Passage {
    fn new(byte: u64, delimiter: u8) -> Self {
        Self { ways: At::ALL.map(|at| Way { at, first: None }), byte, lines: 0, delimiter }
    }

    fn through(&mut self, supply: &dyn Supply, end: u64) -> Result<(), CliError> {
        let mut from = supply.reader_at(self.byte)?.take(end.saturating_sub(self.byte));
        let mut buffer = vec![0; AT_ONCE];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => self.pass(&buffer[..count]),
                Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => {}
                Err(cause) => return Err(unreadable(supply, cause)),
            }
        }
    }

    fn pass(&mut self, bytes: &[u8]) {
        let is_begun = |way: &Way| way.first.is_some() || way.at == At::Quoted;
        match bytes.last() {
            Some(&last) if self.ways.iter().all(is_begun) && !bytes.contains(&b'"') => {
                self.ways.iter_mut().for_each(|way| way.at = way.at.behind_plain(last, self.delimiter));
                self.lines += line_ends(bytes);
                self.byte += bytes.len() as u64;
            }
            _ => bytes.iter().for_each(|&byte| self.step(byte)),
        }
    }

    fn step(&mut self, byte: u8) {
        self.byte += 1;
        self.lines += u64::from(byte == b'\n');
        for way in &mut self.ways {
            way.at = way.at.behind(byte, self.delimiter);
            if way.at == At::CellStart && byte != self.delimiter && way.first.is_none() {
                way.first = Some(Start { byte: self.byte, lines: self.lines });
            }
        }
    }

    /// Line ends, final states, first records.
    fn numbers(&self) -> Vec<f64> {
        let of_way = |way: &Way| {
            let first = way.first.map_or([-1.0; 2], |first| [first.byte as f64, first.lines as f64]);
            [way.at as usize as f64, first[0], first[1]]
        };
        std::iter::once(self.lines as f64).chain(self.ways.iter().flat_map(of_way)).collect()
    }
}

const NUMBERS: usize = 1 + 3 * At::ALL.len();

fn resolved(team: &Team, own: &Passage, first: Start, end: u64) -> Result<TextPart, TeamError> {
    let all = team.gather(&own.numbers())?;
    let (mut starts, mut at, mut before) = (Vec::with_capacity(team.count() + 1), At::CellStart, 0);
    for (rank, numbers) in all.as_chunks::<NUMBERS>().0.iter().enumerate() {
        let [state, byte, lines] = numbers[1..].as_chunks::<3>().0[at as usize];
        let found = (byte >= 0.0).then(|| Start { byte: byte as u64, lines: before + lines as u64 });
        starts.push(if rank == 0 { Some(first) } else { found });
        at = At::ALL[state as usize];
        before += numbers[0] as u64;
    }
    // A process without a record start has no records.
    let next = |rank: usize| starts[rank..].iter().flatten().next().copied();
    let start = next(team.rank()).unwrap_or(Start { byte: end, lines: before });
    let stop = starts.get(team.rank() + 1..).and_then(|rest| rest.iter().flatten().next());
    Ok(TextPart { bytes: start.byte..stop.map_or(end, |stop| stop.byte), lines: start.lines })
}

impl TextPart {
    fn behind(self, lines: u64) -> Self {
        Self { lines: self.lines + lines, ..self }
    }
}

fn line_ends(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::csv::Csv;
    use crate::data::format::Format;
    use crate::data::{FrameStream, Input, ReadOptions};
    use proptest::prelude::*;

    fn rows(mut pieces: Box<dyn FrameStream + '_>) -> Result<Vec<Vec<String>>, CliError> {
        let mut rows = Vec::new();
        while let Some(piece) = pieces.next_piece()? {
            for row in 0..piece.row_count() {
                let cells =
                    piece.columns().iter().map(|column| format!("{} {}", column.kind(), column.text(row)));
                rows.push(cells.chain([piece.place(row)]).collect());
            }
        }
        Ok(rows)
    }

    fn input(text: &str) -> Input {
        Input::from_bytes("t.csv", text.as_bytes().to_vec()).unwrap()
    }

    fn whole(text: &str) -> Result<Vec<Vec<String>>, String> {
        let input = input(text);
        let read = Csv.pieces(&input, &ReadOptions::default()).and_then(rows);
        read.map_err(|error| error.to_string())
    }

    fn divided(text: &str, count: usize) -> Result<Vec<Vec<Vec<String>>>, String> {
        let found = Team::in_threads(count, |team| {
            let input = input(text);
            let pieces = Csv.own_pieces(&input, &ReadOptions::default(), &team);
            pieces.and_then(|own| rows(own.unwrap())).map_err(|error| error.to_string())
        });
        found.into_iter().collect()
    }

    fn check(text: &str) {
        let whole = whole(text);
        for count in 1..=6 {
            match (&whole, divided(text, count)) {
                (Ok(rows), Ok(found)) => assert_eq!(&found.concat(), rows, "{count} processes: {text:?}"),
                (Err(_), Err(_)) => {}
                (whole, found) => panic!("{count} processes: {text:?}: {whole:?}, {found:?}"),
            }
        }
    }

    #[test]
    fn every_record_is_read_by_one_process() {
        let rows = |row: &dyn Fn(usize) -> String| (0..60).map(row).collect::<String>();
        check(&format!("x,y\n{}", rows(&|i| format!("{i},{}\n", i * i))));
        check(&format!("\u{feff}x,y\r\n{}", rows(&|i| format!("{i},{}\r\n", i * i))));
        check(&format!("w,y\n\n{}", rows(&|i| format!("\"a,\"\"{i}\n\n\",{i}\n\n"))));
        check(&format!("w;y\n{}", rows(&|i| format!("5\" pipe {i};\"{}\"\n", "\n".repeat(i % 7)))));
        check(&format!(",y\n{}3,4", rows(&|i| format!("{},{i}\n", i + 1))));
        check("x,y\n1,2");
        check("x,y\n");
        // One process lies within a cell.
        check(&format!("w,y\n{}", rows(&|i| format!("\u{feff}a{i},{i}\n"))));
        check(&format!("w,y\na,1\n\"{}\",2\nb,3\n", "long\n".repeat(100)));
        let parts = divided(&format!("x,y\n{}", rows(&|i| format!("{},{i}\n", 100 + i))), 3).unwrap();
        assert!(parts.iter().all(|part| (18..=22).contains(&part.len())));
    }

    proptest! {
        #[test]
        fn texts_are_divided_at_the_starts_of_records(
            cells in prop::collection::vec(
                prop::sample::select(vec!["1", "a", "\"\"", "\"a\"\"b\"", "\"\n\"", "\"x,\r\n,\"", "4\"", " \"b", "", "\"é\""]),
                2..40,
            ),
            ends in prop::collection::vec(prop::sample::select(vec!["\n", "\r\n", "\n\n", "\r"]), 20),
        ) {
            let pairs = cells.chunks_exact(2).zip(ends.iter().cycle());
            let text: String = pairs.map(|(pair, end)| format!("{},{}{end}", pair[0], pair[1])).collect();
            check(&format!("v,w\n{text}"));
        }
    }
}
