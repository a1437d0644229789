//! Plot texts: ticks, colour scales, names.

use crate::support::{Desk, circle};

fn texts(svg: &str) -> Vec<String> {
    let parts = svg.split("<text").skip(1).filter_map(|part| part.split_once('>')?.1.split_once("</text>"));
    parts.map(|(text, _)| text.trim().to_owned()).collect()
}

fn svg(desk: &Desk, line: &str) -> String {
    desk.ok(&format!("plot {line} -o picture.svg --force"));
    String::from_utf8(desk.read("picture.svg")).unwrap()
}

/// Inputs symmetric about 0, which summed steps miss.
#[test]
fn a_surface_has_a_scale_and_ticks_without_rounding() {
    let desk = Desk::new();
    let rows =
        (0..60).map(|i| (f64::from((i * 17) % 41) / 41.0 - 0.5, f64::from((i * 29) % 37) / 37.0 - 0.5));
    let table =
        rows.fold("a,b,y\n".to_owned(), |text, (a, b)| text + &format!("{a},{b},{}\n", 4.0 * a + b * b));
    desk.write("t.csv", table);
    desk.ok("fit t.csv --target y --method exact --iterations 5");
    let surface = texts(&svg(&desk, "model.gp t.csv"));
    assert!(surface.contains(&"mean of y".to_owned()), "{surface:?}");
    let numbers: Vec<&String> = surface.iter().filter(|text| text.parse::<f64>().is_ok()).collect();
    assert!(numbers.len() > 12, "two axes and a scale: {surface:?}");
    assert!(numbers.iter().all(|text| !text.contains('e') && text.len() <= 5), "{numbers:?}");
    assert!(numbers.iter().filter(|text| *text == &"0").count() >= 2, "{numbers:?}");
    // Ticks of the colour scale lie within the range of the means.
    let means = desk.ok("predict model.gp t.csv").column("mean");
    let largest = means.iter().copied().fold(0.0, f64::max);
    assert!(numbers.iter().any(|text| text.parse::<f64>().unwrap() > 0.6 * largest), "{numbers:?}");
    // Curves and classes have no colour scale.
    desk.write("c.csv", circle(90));
    desk.ok("fit c.csv --target y --features a,b -o c.gp --iterations 5 --inducing 20");
    assert!(!svg(&desk, "c.gp c.csv").contains("mean of"));
}

#[test]
fn names_of_levels_do_not_overlap() {
    let desk = Desk::new();
    let level = |i: usize| format!("a rather long name of level {}", i % 9);
    let rows = (0..180).map(|i| format!("{},{},{}\n", level(i), i as f64 / 10.0, ((i % 9) as f64).sin()));
    desk.write("t.csv", "word,x,y\n".to_owned() + &rows.collect::<String>());
    desk.ok("fit t.csv --target y --method exact --iterations 3");
    let picture = svg(&desk, "model.gp t.csv");
    let names: Vec<(f64, String)> = picture
        .split("<text")
        .skip(1)
        .filter_map(|part| {
            let (head, rest) = part.split_once('>')?;
            let x = head.split_once("x=\"")?.1.split_once('"')?.0.parse().ok()?;
            Some((x, rest.split_once("</text>")?.0.trim().to_owned()))
        })
        .filter(|(_, text): &(f64, String)| text.starts_with('…'))
        .collect();
    let words: Vec<&str> = names.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(words, ["…0", "…1", "…2", "…3", "…4", "…5", "…6", "…7", "…8"]);
    for pair in names.windows(2) {
        // Letters of this font and size are at most nine units wide on average; texts are centred.
        let room = 0.7 * 9.5 * 0.5 * (pair[0].1.chars().count() + pair[1].1.chars().count()) as f64;
        assert!(pair[1].0 - pair[0].0 >= room, "{pair:?}");
    }
}

/// Many weeks add a panel of the average week.
#[test]
fn seasons_are_not_sampled_too_coarsely() {
    let desk = Desk::new();
    let (fixed, kernel) = ("fixed(7)", "--kernel");
    for (rows, panels) in [
        (200, vec!["depends on day, averaged over 7 days", "depends on day, 3 seasons of 7 days"]),
        (70, vec!["depends on day"]),
    ] {
        let line = |i: usize| {
            let (month, day) = (1 + i / 28, 1 + i % 28);
            let season = (std::f64::consts::TAU * i as f64 / 7.0).sin();
            format!("2024-{month:02}-{day:02},{},{season}\n", ["a", "b"][i % 2])
        };
        desk.write("t.csv", "day,word,y\n".to_owned() + &(0..rows).map(line).collect::<String>());
        let terms = format!("1 * periodic(period={fixed}, dims=[day]) + 0.1 * rbf(dims=[word])");
        desk.ok(&format!(
            "fit t.csv --target y --force --method exact --iterations 3 --features day,word {kernel} \"{terms}\""
        ));
        let picture = svg(&desk, "model.gp t.csv");
        let titles: Vec<String> =
            texts(&picture).into_iter().filter(|text| text.starts_with("depends on day")).collect();
        assert_eq!(titles, panels);
        let curves = picture.split("<polyline").skip(1).map(|part| {
            let points = part.split_once("points=\"").unwrap().1.split_once('"').unwrap().0;
            points.split_whitespace().count()
        });
        // Sixteen points per week: three weeks, or ten with the margins.
        let fewest = if rows == 200 { 49 } else { 160 };
        assert!(curves.max().unwrap() >= fewest);
    }
}

#[test]
fn a_surface_does_not_hide_seasons() {
    let desk = Desk::new();
    let day = |i: usize| format!("2024-{:02}-{:02}", 1 + i / 28, 1 + i % 28);
    let season = |i: usize| (std::f64::consts::TAU * i as f64 / 7.0).sin();
    let line = |i: usize| format!("{},{},{}\n", day(i), i * 7 % 13, season(i));
    let kernel = "periodic(period=fixed(7), dims=[day]) + 0.1 * rbf(dims=[x])";
    for (rows, is_surface) in [(200, false), (70, true)] {
        desk.write("t.csv", "day,x,y\n".to_owned() + &(0..rows).map(line).collect::<String>());
        desk.ok(&format!("fit t.csv --target y --force --method exact --iterations 3 --kernel \"{kernel}\""));
        let shown = texts(&svg(&desk, "model.gp t.csv"));
        let is_apart = shown.iter().any(|text| text == "depends on day, 3 seasons of 7 days");
        assert_eq!(
            (is_apart, shown.iter().any(|text| text == "mean of y")),
            (!is_surface, is_surface),
            "{shown:?}"
        );
    }
}

#[test]
fn dates_have_ticks_of_the_calendar_wherever_they_are() {
    let desk = Desk::new();
    let date = |i: usize| format!("{}-{:02}-{:02}", 2019 + i / 12, i % 12 + 1, 1 + (7 * i) % 28);
    let rows = (0..40).map(|i| format!("{},{},{}\n", i, (1.7 * i as f64).sin(), date(i)));
    desk.write("t.csv", "x,z,day\n".to_owned() + &rows.collect::<String>());
    let half_years = ["2019-07", "2020-01", "2020-07", "2021-01", "2021-07", "2022-01"];
    let fit = "fit t.csv --force --method exact --iterations 5 --quiet";
    for (flags, line) in [("--target day --features x", "upright"), ("--target day", "colours")] {
        desk.ok(&format!("{fit} {flags}"));
        let found = texts(&svg(&desk, "model.gp t.csv"));
        assert!(half_years.iter().all(|tick| found.contains(&(*tick).to_owned())), "{line}: {found:?}");
    }
    desk.ok(&format!("{fit} --target z --features x,day"));
    let found = texts(&svg(&desk, "model.gp t.csv"));
    assert!(half_years.iter().all(|tick| found.contains(&(*tick).to_owned())), "{found:?}");
}
