//! Influences, against true values and permutations.

use crate::support::Desk;
use rand::{RngExt as _, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;
use std::f64::consts::PI;
use std::fmt::Write as _;

const INPUTS: usize = 10;

/// Friedman's first function on [0, 1]: five of ten inputs matter (Friedman 1991).
fn friedman(x: &[f64]) -> f64 {
    10.0 * (PI * x[0] * x[1]).sin() + 20.0 * (x[2] - 0.5).powi(2) + 10.0 * x[3] + 5.0 * x[4]
}

fn rows(count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| (0..INPUTS).map(|_| rng.random::<f64>()).collect()).collect()
}

fn table(rows: &[Vec<f64>]) -> String {
    let header: Vec<String> = (1..=INPUTS).map(|d| format!("x{d}")).collect();
    let mut text = header.join(",") + ",y\n";
    for (i, row) in rows.iter().enumerate() {
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        let _ = writeln!(text, "{},{}", cells.join(","), friedman(row) + (1.9 * i as f64).sin());
    }
    text
}

/// Influences: alone, total.
fn said(desk: &Desk) -> (Vec<String>, HashMap<String, (f64, f64)>) {
    let json = desk.ok("inspect model.gp --json").json();
    let inputs = json["about"]["training"]["influence"][0]["inputs"].as_array().unwrap().clone();
    let share = |of: &serde_json::Value, which: &str| {
        let [low, value, high] = ["low", "value", "high"].map(|part| of[which][part].as_f64().unwrap());
        assert!(low <= value && value <= high, "{of}");
        value
    };
    let names = inputs.iter().map(|of| of["input"].as_str().unwrap().to_owned()).collect();
    let shares = inputs
        .iter()
        .map(|of| (of["input"].as_str().unwrap().to_owned(), (share(of, "alone"), share(of, "total"))));
    (names, shares.collect())
}

/// Variance shares of five inputs, alone and total, by grid.
fn true_shares() -> [(f64, f64); 5] {
    const N: usize = 400;
    let places: Vec<f64> = (0..N).map(|i| (i as f64 + 0.5) / N as f64).collect();
    let mean = |f: &dyn Fn(f64) -> f64| places.iter().map(|&x| f(x)).sum::<f64>() / N as f64;
    let variance = |f: &dyn Fn(f64) -> f64| mean(&|x| f(x).powi(2)) - mean(f).powi(2);
    let wave = |x: f64, y: f64| 10.0 * (PI * x * y).sin();
    let alone = variance(&|x| mean(&|y| wave(x, y)));
    let total = mean(&|y| variance(&|x| wave(x, y)));
    let both = alone + total;
    let [third, fourth, fifth] =
        [variance(&|x| 20.0 * (x - 0.5).powi(2)), variance(&|x| 10.0 * x), variance(&|x| 5.0 * x)];
    let whole = both + third + fourth + fifth;
    [(alone, total), (alone, total), (third, third), (fourth, fourth), (fifth, fifth)]
        .map(|(alone, total)| (alone / whole, total / whole))
}

#[test]
fn shares_are_those_of_the_function_and_of_permutation() {
    let desk = Desk::new();
    desk.write("t.csv", table(&rows(400, 1)));
    desk.ok("fit t.csv --target y");
    let (order, shares) = said(&desk);
    for (d, (alone, total)) in true_shares().into_iter().enumerate() {
        let found = shares[&format!("x{}", d + 1)];
        // Blocks of 20 of 400 rows determine variances to 1.6 %, and 400 rows the variance to 4 %.
        assert!((found.0 - alone).abs() < 0.05, "x{}: {found:?}, not {alone}", d + 1);
        assert!((found.1 - total).abs() < 0.06, "x{}: {found:?}, not {total}", d + 1);
    }
    assert!(order[5..].iter().all(|name| shares[name].1 < 0.02), "{shares:?}");
    assert_eq!(order[0], "x4");

    let held_out = rows(300, 2);
    let squared_error = |rows: &[Vec<f64>]| {
        desk.write("h.csv", table(rows));
        let means = desk.ok("predict model.gp h.csv").column("mean");
        let errors = held_out.iter().zip(&means).map(|(row, mean)| (friedman(row) - mean).powi(2));
        (errors.sum::<f64>() / means.len() as f64, means)
    };
    let (least, means) = squared_error(&held_out);
    let level = means.iter().sum::<f64>() / means.len() as f64;
    let variance = means.iter().map(|mean| (mean - level).powi(2)).sum::<f64>() / means.len() as f64;
    for d in 0..INPUTS {
        let mut permuted = held_out.clone();
        (0..permuted.len()).for_each(|i| permuted[i][d] = held_out[(i + 137) % held_out.len()][d]);
        let share = (squared_error(&permuted).0 - least) / (2.0 * variance);
        let found = shares[&format!("x{}", d + 1)].1;
        assert!((share - found).abs() < 0.06, "x{}: {share} by permutation, {found} said", d + 1);
    }
}

fn normal(count: usize, seed: u64) -> Vec<Vec<f64>> {
    let pair = |u: &[f64]| (-2.0 * u[0].max(1e-12).ln()).sqrt() * (2.0 * PI * u[1]).cos();
    rows(count, seed).iter().map(|row| row.chunks_exact(2).map(pair).collect()).collect()
}

fn mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.map(|value| value * value).sum::<f64>() / count
}

/// Tail rows have most variance. Shares equal changes by permutation, without false correlations.
#[test]
fn rows_in_the_tails_count() {
    type Function = fn(&[f64]) -> f64;
    let functions: [(Function, &str); 3] = [
        (|x| x[0].exp(), "rbf + linear"),
        (|x| x[0].exp() + 2.0 * x[1].exp(), "linear"),
        (|x| x[0] * x[0] + x[1], "rbf + linear"),
    ];
    for (number, (f, kernel)) in functions.into_iter().enumerate() {
        let desk = Desk::new();
        let is_linear = kernel == "linear";
        let x: Vec<Vec<f64>> = normal(300, 7);
        let cell = |value: f64| if is_linear { value.exp() } else { value };
        let line = |row: &[f64]| format!("{},{},{}\n", cell(row[0]), cell(row[1]), f(row) + 0.1 * row[2]);
        let table =
            |x: &[Vec<f64>]| "a,b,y\n".to_owned() + &x.iter().map(|row| line(row)).collect::<String>();
        desk.write("t.csv", table(&x));
        desk.ok(&format!("fit t.csv --target y --kernel {}", kernel.replace(' ', "")));
        let means = desk.ok("predict model.gp t.csv").column("mean");
        let level = means.iter().sum::<f64>() / means.len() as f64;
        let variance = mean_square(means.iter().map(|mean| mean - level));
        let json = desk.ok("inspect model.gp --json").json();
        for of in json["about"]["training"]["influence"][0]["inputs"].as_array().unwrap() {
            let d = usize::from(of["input"] == "b");
            let shift = |by: usize| {
                let mut moved = x.clone();
                (0..moved.len()).for_each(|i| moved[i][d] = x[(i + by) % x.len()][d]);
                desk.write("p.csv", table(&moved));
                let by = desk.ok("predict model.gp p.csv").column("mean");
                0.5 * mean_square(by.iter().zip(&means).map(|(a, b)| a - b)) / variance
            };
            let permuted = [37, 101, 149, 211, 263].map(shift).iter().sum::<f64>() / 5.0;
            let [low, value, high] = ["low", "value", "high"].map(|part| of["total"][part].as_f64().unwrap());
            let words = format!("function {number}, {of}, {permuted} by permutation");
            assert!((value - permuted).abs() < 0.05, "{words}");
            assert!(low - 0.03 < permuted && permuted < high + 0.03, "{words}");
        }
        let text = desk.ok("inspect model.gp").out;
        assert!(!text.contains("correlated") && !text.contains("of no single input"), "{text}");
        assert!(!text.contains("inputs interact") && !text.contains("in new ways"), "{text}");
    }
}

/// Following single rows, the function is flat between.
#[test]
fn what_varies_only_at_the_rows_is_not_called_correlation() {
    let desk = Desk::new();
    let line = |row: &Vec<f64>| format!("{},{},{}\n", row[0], row[1], row[2] - 0.5);
    desk.write("t.csv", "a,b,y\n".to_owned() + &rows(150, 8).iter().map(line).collect::<String>());
    let kernel = "fixed(1)*rbf(lengthscale=fixed(0.03))";
    desk.ok(&format!(
        "fit t.csv --target y --method exact --units model --no-train --kernel {kernel} --likelihood gaussian(variance=0.001)"
    ));
    let told = desk.ok("inspect model.gp").out;
    assert!(told.contains("is lost if inputs are combined in new ways"), "{told}");
    assert!(!told.contains("correlated"), "{told}");
}

#[test]
fn models_of_earlier_versions_do_not_know_correlations() {
    let desk = Desk::new();
    let line =
        |row: &Vec<f64>| format!("{},{},{}\n", row[0], row[0] + 0.1 * row[1], 2.0 * row[0] + 0.1 * row[1]);
    desk.write("t.csv", "a,b,y\n".to_owned() + &rows(60, 9).iter().map(line).collect::<String>());
    desk.ok("fit t.csv --target y --kernel linear");
    let recombined = |record: &str| {
        let mut record: serde_json::Value = serde_json::from_str(record).unwrap();
        let influence = &mut record["training"]["influence"][0];
        influence.as_object_mut().unwrap().remove("recombined").unwrap();
        record.to_string()
    };
    desk.write("old.gp", with_record(&desk.read("model.gp"), recombined));
    let told = desk.ok("inspect old.gp").out;
    assert!(told.contains("depends on") && !told.contains("correlated"), "{told}");
}

#[test]
fn straight_inputs_count_and_idle_labels_do_not() {
    let desk = Desk::new();
    let mut text = "colour,bent,straight,y\n".to_owned();
    for row in rows(150, 3) {
        let colour = ["red", "green", "blue"][(3.0 * row[0]) as usize];
        let y = 6.0 * row[2] + (6.0 * row[1]).sin() + 0.1 * (row[3] - 0.5);
        let _ = writeln!(text, "{colour},{},{},{y}", row[1], row[2]);
    }
    desk.write("t.csv", text);
    desk.ok("fit t.csv --target y --method vfe --inducing 30");
    let (order, shares) = said(&desk);
    assert_eq!(order, ["straight", "bent", "colour"], "{shares:?}");
    // 36/12, compared with the variance of a sine between 0 and 6, 0.5.
    assert!(shares["straight"].1 > 0.75 && shares["colour"].1 < 0.01, "{shares:?}");
    let text = desk.ok("inspect model.gp").out;
    for part in ["depends on  share of the variance", "by term     rbf ", "linear "] {
        assert!(text.contains(part), "no `{part}` in {text}");
    }
}

/// Classes differ by function differences; shared kernels print once.
#[test]
fn classes_are_looked_at_together() {
    let desk = Desk::new();
    let mut text = "a,b,y\n".to_owned();
    for row in rows(150, 4) {
        let label = ["one", "two", "three"][(3.0 * row[0]) as usize];
        let _ = writeln!(text, "{},{},{label}", row[0], row[1]);
    }
    desk.write("t.csv", text);
    desk.ok("fit t.csv --target y");
    let (order, shares) = said(&desk);
    assert_eq!(order, ["a", "b"]);
    assert!(shares["a"].1 > 0.9 && shares["b"].1 < 0.1, "{shares:?}");
    let text = desk.ok("inspect model.gp").out;
    assert_eq!(text.matches("\nkernel ").count(), 1, "{text}");
}

#[test]
fn shares_are_the_same_with_any_number_of_threads() {
    let desk = Desk::new();
    desk.write("t.csv", table(&rows(120, 5)));
    desk.ok("fit t.csv --target y --threads 1 -o one.gp");
    desk.ok("fit t.csv --target y --threads 4 -o four.gp");
    assert!(desk.read("one.gp") == desk.read("four.gp"));
}

#[test]
fn one_input_accounts_for_all() {
    let desk = Desk::new();
    let row = |i: usize| format!("{},{}\n", i as f64 / 8.0, (i as f64 / 8.0).sin() + (1.9 * i as f64).sin());
    desk.write("t.csv", "x,y\n".to_owned() + &(0..80).map(row).collect::<String>());
    for flags in ["--kernel rbf", "--kernel rbf+linear", "--method vfe --inducing 8 --seed 3"] {
        desk.ok(&format!("fit t.csv --target y --force {flags}"));
        let json = desk.ok("inspect model.gp --json").json();
        let influence = &json["about"]["training"]["influence"][0];
        for of in ["alone", "total"] {
            for end in ["low", "value", "high"] {
                assert_eq!(influence["inputs"][0][of][end], 1.0, "{flags}: {influence}");
            }
        }
        let text = desk.ok("inspect model.gp").out;
        assert!(!text.contains("-0.0 %"), "{text}");
    }
}

#[test]
fn what_correlated_inputs_share_is_said() {
    let desk = Desk::new();
    let mut text = "a,b,y\n".to_owned();
    for row in rows(120, 6) {
        let (a, b) = (row[0], row[0] + 0.1 * row[1]);
        let _ = writeln!(text, "{a},{b},{}", 3.0 * a + 3.0 * b + 0.1 * row[2]);
    }
    desk.write("t.csv", text);
    desk.ok("fit t.csv --target y");
    let words =
        "% of the variance belongs to no single input: inputs are correlated and act in the same direction";
    let told = desk.ok("inspect model.gp").out;
    assert!(told.contains(words), "{told}");
    desk.ok("report model.gp -o page.html");
    assert!(String::from_utf8(desk.read("page.html")).unwrap().contains(words));
}

/// Model file, record changed.
fn with_record(file: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let (length, rest) = file.split_first_chunk::<8>().unwrap();
    let (header, numbers) = rest.split_at(u64::from_le_bytes(*length) as usize);
    let (mut header, mut numbers) =
        (serde_json::from_slice::<serde_json::Value>(header).unwrap(), numbers.to_vec());
    let record = change(header["__metadata__"]["gp-model"].as_str().unwrap());
    assert_ne!(header["__metadata__"]["gp-model"], record.as_str());
    let check = header["record.crc32"]["data_offsets"][0].as_u64().unwrap() as usize;
    numbers[check..check + 8].copy_from_slice(&f64::from(crc32(record.as_bytes())).to_le_bytes());
    header["__metadata__"]["gp-model"] = record.into();
    let mut header = header.to_string();
    header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), &numbers].concat()
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
}

#[test]
fn old_shares_are_left_out() {
    let desk = Desk::new();
    desk.write("t.csv", table(&rows(60, 1)));
    desk.ok("fit t.csv --target y --no-train");
    let before = desk.ok("inspect model.gp").out;
    assert!(before.contains("depends on") && !before.contains("left out, because"), "{before}");
    let old = with_record(&desk.read("model.gp"), |record| record.replace(r#""high":0."#, r#""high":1."#));
    desk.write("old.gp", old);
    let after = desk.ok("inspect old.gp").out;
    assert!(!after.contains("depends on"), "{after}");
    assert!(after.contains("could put them above 100 %; fit again to see them"), "{after}");
    desk.ok("report old.gp -o old.html");
    let page = String::from_utf8(desk.read("old.html")).unwrap();
    assert!(page.contains("fit again to see them") && !page.contains("What predictions depend on"));
}

/// Rust formats widths to 65,535 only.
#[test]
fn names_of_any_length_are_shown() {
    let desk = Desk::new();
    let rows: Vec<String> = (0..30).map(|i| format!("{i},{},{}.5", (i * 7) % 5, i / 2)).collect();
    let name = "h".repeat(70_000);
    desk.write("t.csv", format!("x,{name},y\n{}\n", rows.join("\n")));
    desk.ok("fit t.csv --target y");
    assert!(desk.ok("inspect model.gp").out.contains(&name));
}

#[test]
fn a_report_has_the_terms_of_every_target() {
    let desk = Desk::new();
    let rows: Vec<String> = (0..40).map(|i| format!("{i},{},{}", (i * 7) % 5, i % 4 + i / 3)).collect();
    desk.write("t.csv", format!("x,one,two\n{}\n", rows.join("\n")));
    desk.ok("fit t.csv --target one,two");
    desk.ok("report model.gp -o page.html");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    for caption in ["one, by term of the kernel", "two, by term of the kernel"] {
        assert!(page.contains(caption), "{caption}");
    }
}
