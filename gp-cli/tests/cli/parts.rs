//! `gp predict --parts`.

use crate::support::{Desk, circle, noise, sine};

/// Parts sum to the latent mean in target units, for exact, inducing and mixture posteriors; `linear` is
/// straight.
#[test]
fn parts_of_numbers_add_up() {
    let desk = Desk::new();
    let row = |i: usize| {
        let x = 6.0 * i as f64 / 40.0;
        format!("{x},{}\n", 500.0 + 30.0 * x + 20.0 * x.sin() + noise(i))
    };
    desk.write("t.csv", "x,y\n".to_owned() + &(0..40).map(row).collect::<String>());
    for method in
        ["exact --parameters known", "vfe --inducing 8 --parameters known", "exact --parameters uncertain"]
    {
        desk.ok(&format!(
            "fit t.csv --target y --force --iterations 30 --method {method} --kernel \"1 * rbf + linear + 0.1 * rbf\""
        ));
        let said = desk.ok("predict model.gp t.csv --parts --latent");
        let names = [
            "part(centre)",
            "part(rbf 1)",
            "part_variance(rbf 1)",
            "part(linear)",
            "part_variance(linear)",
            "part(rbf 2)",
            "part_variance(rbf 2)",
        ];
        let header = said.table().0;
        let first = header.iter().position(|name| name == "part(centre)").unwrap();
        assert_eq!(header[first..first + 7], names, "{method}");
        let parts: Vec<Vec<f64>> =
            names.iter().filter(|name| name.starts_with("part(")).map(|name| said.column(name)).collect();
        let mean = said.column("latent_mean");
        for (i, mean) in mean.iter().enumerate() {
            let sum: f64 = parts.iter().map(|part| part[i]).sum();
            assert!((sum - mean).abs() <= 1e-12 * mean.abs(), "{method}: {sum} and {mean}");
        }
        let (straight, spread) = (&parts[2], said.column("part_variance(linear)"));
        assert!((1..39).all(|i| (straight[i + 1] - 2.0 * straight[i] + straight[i - 1]).abs() < 1e-9));
        assert!(spread.iter().all(|variance| *variance >= 0.0));
        // Slope of 30 per step of 1, in target units.
        assert!((straight[39] - straight[0] - 30.0 * 5.85).abs() < 60.0, "{}", straight[39] - straight[0]);
    }
    // Predictions in chunks and at once agree.
    let whole = desk.ok("predict model.gp t.csv --parts --joint").table().0;
    assert!(whole.contains(&"part(rbf 2)".to_owned()));
    desk.ok("predict model.gp t.csv --parts -o p.jsonl");
    assert!(String::from_utf8(desk.read("p.jsonl")).unwrap().contains("\"part_variance(rbf 1)\":"));
}

/// Single latents: likelihood units, no constant.
#[test]
fn parts_of_classes_are_those_of_each_function() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.ok("fit t.csv --target kind --features a,b --iterations 3 --method svgp -o three.gp");
    let said = desk.ok("predict three.gp t.csv --parts --latent --output-format tsv");
    let header: Vec<&str> = said.out.lines().next().unwrap().split('\t').collect();
    for name in ["part(rbf, red)", "part(linear, blue)", "part_variance(rbf, green)"] {
        assert!(header.contains(&name), "{header:?}");
    }
    for line in said.out.lines().skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let of = |name: String| -> f64 {
            cells[header.iter().position(|found| *found == name).unwrap()].parse().unwrap()
        };
        for class in ["red", "green", "blue"] {
            let parts = ["rbf", "linear", "constant"].map(|term| of(format!("part({term}, {class})")));
            assert!((parts.iter().sum::<f64>() - of(format!("latent_mean({class})"))).abs() < 1e-12);
        }
    }
    desk.ok("fit t.csv --target y --features a,b --method ivm --inducing 10 --iterations 2 -o two.gp");
    let said = desk.ok("predict two.gp t.csv --parts --latent");
    let [rbf, linear, constant, mean] =
        ["part(rbf)", "part(linear)", "part(constant)", "latent_mean"].map(|name| said.column(name));
    assert!((0..60).all(|i| (rbf[i] + linear[i] + constant[i] - mean[i]).abs() < 1e-12));
    assert!(!said.table().0.contains(&"part(centre)".to_owned()));
}

#[test]
fn a_single_term_is_the_whole_function() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30));
    desk.ok(
        "fit t.csv --target y --parameters known --iterations 5 --kernel \"1 * rbf\" --likelihood gaussian",
    );
    let said = desk.ok("predict model.gp t.csv --parts --latent");
    let variances = said.column("part_variance(rbf)").into_iter().zip(said.column("latent_variance"));
    assert!(variances.into_iter().all(|(part, whole)| (part - whole).abs() <= 1e-12 * whole));
}

#[test]
fn parts_are_drawn() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.ok("fit t.csv --target a --parameters known --iterations 5 --kernel \"1 * rbf(dims=[0]) + linear(dims=[2])\" --exclude y -o a.gp");
    desk.ok("plot a.gp t.csv --parts -o a.svg");
    let drawn = String::from_utf8(desk.read("a.svg")).unwrap();
    assert!(drawn.starts_with("<svg") && drawn.len() > 5_000);
    desk.ok("fit t.csv --target kind --features a,b --iterations 2 --method svgp --inducing 6 -o k.gp");
    desk.ok("plot k.gp t.csv --parts -o k.png");
    assert_eq!(desk.read("k.png")[..4], [0x89, b'P', b'N', b'G']);
}

#[test]
fn terms_are_drawn_along_their_own_strongest_input() {
    let desk = Desk::new();
    let row = |i: usize| {
        let (a, b) = ((i * 7 % 60) as f64 / 10.0, (i * 11 % 60) as f64 / 10.0);
        format!("{a},{b},{}\n", 5.0 * a + (2.0 * b).sin() + 0.1 * noise(i))
    };
    desk.write("t.csv", "a,b,y\n".to_owned() + &(0..60).map(row).collect::<String>());
    let kernel = "1 * rbf(lengthscale=[20, 0.7]) + 10 * linear(dims=[a])";
    desk.ok(&format!("fit t.csv --target y --kernel \"{kernel}\" --method exact --iterations 20"));
    desk.ok("plot model.gp t.csv --parts -o p.svg");
    let picture = String::from_utf8(desk.read("p.svg")).unwrap();
    // Names of axes, in the order of the panels.
    let names = ["\na\n", "\nb\n"].map(|name| picture.matches(name).count());
    assert_eq!(names, [1, 1], "{picture}");
}
