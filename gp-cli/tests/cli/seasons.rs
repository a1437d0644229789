//! Detected, reported and extrapolated seasons.

use crate::support::{Desk, noise};
use std::f64::consts::TAU;
use std::fmt::Write as _;

/// Trend, yearly season, noise.
fn value(month: usize) -> f64 {
    let (t, year) = (month as f64, TAU * month as f64 / 12.0);
    110.0 + 2.6 * t + 30.0 * year.sin() + 12.0 * (2.0 * year).cos() + 9.0 * noise(month)
}

fn monthly(from: usize, to: usize) -> String {
    let mut text = "month,passengers\n".to_owned();
    (from..to).for_each(|month| writeln!(text, "{month},{}", value(month)).unwrap());
    text
}

/// By first days of months.
fn dated(from: usize, to: usize) -> String {
    let mut text = "date,passengers\n".to_owned();
    for month in from..to {
        writeln!(text, "{}-{:02}-01,{}", 1949 + month / 12, month % 12 + 1, value(month)).unwrap();
    }
    text
}

fn kernel_line(err: &str) -> &str {
    err.lines().find(|line| line.starts_with("kernel: ")).unwrap()
}

#[track_caller]
fn period(err: &str, input: &str) -> f64 {
    let words = format!("a season along {input} with a period of ");
    let line = kernel_line(err);
    assert!(line.contains(&words), "{line}");
    let (_, rest) = line.split_once(&words).unwrap();
    rest.split([' ', ';', ',']).next().unwrap().parse().unwrap()
}

#[test]
fn a_year_of_months_is_found_and_goes_on() {
    let desk = Desk::new();
    type Rows = fn(usize, usize) -> String;
    let tables: [Rows; 2] = [monthly, dated];
    for ((name, year), table) in [("month", 12.0), ("date", 365.25)].into_iter().zip(tables) {
        desk.write("train.csv", table(0, 120));
        desk.write("test.csv", table(120, 144));
        let line = format!("fit train.csv --target passengers --test test.csv --json --force -o {name}.gp");
        let said = desk.ok(&line);
        // A wave of amplitude 30 over ten years with noise 9 determines its period to about 0.2 %.
        assert!((period(&said.err, name) / year - 1.0).abs() < 0.01, "{}", said.err);
        let scores = said.json()["test"]["scores"].clone();
        let rmse = |of: &str| scores[of]["rmse"].as_f64().unwrap();
        // The noise has standard deviation 9; a line misses a wave of amplitude 30.
        assert!(rmse("gp") < 14.0 && rmse("gp") < 0.6 * rmse("linear"), "{name}: {scores}");
    }
    assert!(kernel_line(&desk.ok("fit train.csv --target passengers --force").err).contains(" days;"));
}

#[test]
fn a_season_that_a_given_kernel_misses_is_said() {
    let desk = Desk::new();
    desk.write("t.csv", monthly(0, 144));
    let said = desk.ok("fit t.csv --target passengers --kernel \"rbf + linear\"");
    assert!(!kernel_line(&said.err).contains("season"), "{}", said.err);
    let remark =
        said.err.lines().find(|line| line.starts_with("warning: the data have a season along month"));
    let remark = remark.unwrap_or_else(|| panic!("no remark in {}", said.err));
    let (_, flag) = remark.split_once("--kernel \"").unwrap();
    let kernel = flag.split('"').next().unwrap();
    let period = kernel.strip_prefix("rbf + linear + periodic(period=").unwrap().trim_end_matches(')');
    assert!((period.parse::<f64>().unwrap() / 12.0 - 1.0).abs() < 0.01, "{remark}");
    let better = desk.ok(&format!("fit t.csv --target passengers --force --kernel \"{kernel}\""));
    assert!(!better.err.contains("the data have a season"), "{}", better.err);
}

#[test]
fn a_search_that_the_time_limit_ends_is_said() {
    let desk = Desk::new();
    desk.write("t.csv", monthly(0, 144));
    let short = desk.ok("fit t.csv --target passengers --time-limit 10ms --force").err;
    assert!(
        short.contains("warning: the search for seasons along month took its share of --time-limit"),
        "{short}"
    );
    assert!(!desk.ok("fit t.csv --target passengers --force").err.contains("took its share"));
}

#[test]
fn streamed_rows_have_the_same_season() {
    let desk = Desk::new();
    desk.write("t.csv", monthly(0, 144));
    let fit = |stream: &str| {
        let line = format!(
            "fit t.csv --target passengers --method vfe --inducing 40 --stream {stream} -o {stream}.gp"
        );
        let said = desk.ok(&line);
        assert!(kernel_line(&said.err).contains("a season along month"), "{}", said.err);
        desk.read(&format!("{stream}.gp"))
    };
    assert!(fit("always") == fit("never"));
}

#[test]
fn counts_have_seasons() {
    let desk = Desk::new();
    // Counts with mean and variance of a Poisson distribution.
    let mut text = "month,events\n".to_owned();
    for month in 0..120 {
        let rate = (2.5 + 0.8 * (TAU * f64::from(month) / 12.0).sin()).exp();
        let count = (rate + rate.sqrt() * noise(month as usize)).round().max(0.0);
        writeln!(text, "{month},{count}").unwrap();
    }
    desk.write("t.csv", &text);
    let said = desk.ok("fit t.csv --target events --task count --test t.csv --json");
    assert!((period(&said.err, "month") - 12.0).abs() < 0.2, "{}", said.err);
    let scores = said.json()["test"]["scores"].clone();
    let nlpd = |of: &str| scores[of]["nlpd"].as_f64().unwrap();
    assert!(nlpd("gp") < nlpd("linear") - 0.5, "{scores}");
}

#[test]
fn what_has_no_season_is_said_to_have_none() {
    let desk = Desk::new();
    let table = |f: &dyn Fn(usize) -> f64| {
        let mut text = "x,y\n".to_owned();
        (0..120).for_each(|i| writeln!(text, "{i},{}", f(i)).unwrap());
        text
    };
    let (mut walk, mut place) = (Vec::new(), 0.0);
    for i in 0..120 {
        place += noise(i + 5_000);
        walk.push(place);
    }
    for (name, text) in [
        ("noise", table(&|i| noise(i))),
        ("trend", table(&|i| 0.1 * i as f64 + noise(i))),
        ("smooth", table(&|i| (i as f64 / 30.0).sin() + 0.1 * noise(i))),
        ("walk", table(&|i| walk[i])),
    ] {
        desk.write("t.csv", text);
        let said = desk.ok("fit t.csv --target y --force --parameters known");
        assert!(!said.err.contains("season"), "{name}: {}", said.err);
    }
}

/// Sales in four cities at prices; slow wave, error deviation 2.
fn sales(seed: usize, days: impl Iterator<Item = usize>, week: f64) -> String {
    let mut text = "day,city,price,y\n".to_owned();
    for (i, day) in days.enumerate() {
        let (city, price) = (i * 7 % 4, 1.0 + (i * (389 + 2 * seed) % 97) as f64 / 12.0);
        let slow = 4.0 * (TAU * day as f64 / 365.0).sin();
        let errors = 2.0 * noise(i + 1000 * seed);
        let y = 5.0 * city as f64 - 1.5 * price + slow + week * (TAU * day as f64 / 7.0).cos() + errors;
        writeln!(text, "{},c{city},{price},{y}", date(day)).unwrap();
    }
    text
}

fn date(mut day: usize) -> String {
    const MONTHS: [usize; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut months =
        (0..).flat_map(|year| (1..).zip(MONTHS).map(move |(month, days)| (2023 + year, month, days)));
    loop {
        let (year, month, days) = months.next().unwrap();
        let days = if (year, month) == (2024, 2) { 29 } else { days };
        if day < days {
            return format!("{year}-{month:02}-{:02}", day + 1);
        }
        day -= days;
    }
}

/// No short season for slow waves; a week of half the error is found.
#[test]
fn a_date_beside_other_inputs_has_its_seasons_and_no_others() {
    let desk = Desk::new();
    for seed in [1, 3, 8, 16, 18, 25] {
        desk.write("t.csv", sales(seed, (0..188).map(|i| i * (613 + seed) % 700), 0.0));
        let said = desk.ok("fit t.csv --target y --iterations 1 --force");
        assert!(!kernel_line(&said.err).contains("season"), "{seed}: {}", said.err);
    }
    desk.write("t.csv", sales(2, 0..700, 1.0));
    let said = desk.ok("fit t.csv --target y --iterations 1 --force");
    assert!((period(&said.err, "day") - 7.0).abs() < 0.05, "{}", said.err);
    assert_eq!(kernel_line(&said.err).matches("a season").count(), 1, "{}", said.err);
}

#[test]
fn a_season_is_found_along_one_of_two_dates() {
    let desk = Desk::new();
    let dates = |first: bool| {
        let mut text = if first { "due,date,passengers\n" } else { "date,due,passengers\n" }.to_owned();
        for month in 0..120 {
            let date = format!("{}-{:02}-01", 1949 + month / 12, month % 12 + 1);
            let due = format!(
                "{}-{:02}-{:02}",
                1960 + (month * 7) % 13,
                (month * 5) % 12 + 1,
                (month * 11) % 28 + 1
            );
            let both = if first { format!("{due},{date}") } else { format!("{date},{due}") };
            writeln!(text, "{both},{}", value(month)).unwrap();
        }
        text
    };
    for first in [true, false] {
        desk.write("t.csv", dates(first));
        let said = desk.ok("fit t.csv --target passengers --iterations 1 --force");
        assert!((period(&said.err, "date") / 365.25 - 1.0).abs() < 0.02, "{}", said.err);
    }
}

/// Years around a gap of decades: weeks would be one of thousands of periods.
#[test]
fn a_gap_between_dates_is_a_reason_for_missed_seasons() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (year, day) = (if i < 60 { 1980 } else { 2020 }, i % 60);
        let (month, day) = if day < 31 { (1, day + 1) } else { (2, day - 30) };
        let wave = (TAU * i as f64 / 7.0).sin() + 0.1 * noise(i);
        format!("{year}-{month:02}-{day:02},{wave}\n")
    };
    let rows: Vec<String> = (0..120).map(row).collect();
    desk.write("t.csv", "day,y\n".to_owned() + &rows.concat());
    let said = desk.ok("fit t.csv --target y --iterations 1");
    let what =
        "was looked for along day, because there are no rows between 1980-02-29 and 2020-01-01; leave out";
    assert!(said.err.contains(what), "{}", said.err);
    desk.write("t.csv", "day,y\n".to_owned() + &rows[..60].concat());
    let said = desk.ok("fit t.csv --target y --iterations 1 --force");
    assert!(!said.err.contains("no rows between"), "{}", said.err);
    assert!((period(&said.err, "day") / 7.0 - 1.0).abs() < 0.05, "{}", said.err);
}
