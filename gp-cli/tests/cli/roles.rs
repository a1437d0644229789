//! Weights, offsets, exposures, known noise.

use crate::support::{Desk, Said};

/// Reproducible, between 0 and 1.
struct Draws(u64);

impl Draws {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Poisson, mean below 500: draws multiply until below e^−mean.
    fn count(&mut self, mean: f64) -> u32 {
        let (mut product, mut count) = (self.next(), 0);
        while product > (-mean).exp() {
            product *= self.next();
            count += 1;
        }
        count
    }
}

fn csv(header: &str, rows: impl Iterator<Item = Vec<f64>>) -> String {
    let line = |row: Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    std::iter::once(header.to_owned()).chain(rows.map(line)).collect::<Vec<_>>().join("\n") + "\n"
}

fn objective(desk: &Desk, model: &str) -> f64 {
    desk.ok(&format!("inspect {model} --json")).json()["about"]["training"]["objective"].as_f64().unwrap()
}

#[track_caller]
fn assert_near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (place, (found, expected)) in found.iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        assert!(
            error <= tolerance * (1.0 + expected.abs()),
            "{what}, {place}: {found} instead of {expected}"
        );
    }
}

const GIVEN: &str = "--no-train --kernel \"1.3 * rbf(lengthscale=0.8)\"";
const PLACES: &str = "x\n-1.2\n-0.6\n0\n0.5\n1.1\n";

/// Rows of x, y, label, weight; table of repeated rows.
fn copies() -> Desk {
    let mut draws = Draws(7);
    let rows: Vec<Vec<f64>> = (0..30)
        .map(|i| {
            let x = 0.2 * f64::from(i);
            let y = x.sin() + 0.4 * draws.next();
            vec![x, y, f64::from(u8::from(y > 0.3)), f64::from(1 + i % 3)]
        })
        .collect();
    let often = rows.iter().flat_map(|row| std::iter::repeat_n(row.clone(), row[3] as usize));
    let desk = Desk::new();
    desk.write("copies.csv", csv("x,y,label,w", often));
    desk.write("rows.csv", csv("x,y,label,w", rows.into_iter()));
    desk.write("z.csv", PLACES);
    desk
}

#[test]
fn noise_that_is_no_noise_is_named() {
    let desk = copies();
    for weights in ["--weights w", ""] {
        let fit = format!("fit rows.csv --target y --features x {weights} -o m.gp");
        for method in ["exact", "vfe", "ep", "svgp"] {
            let fit = format!("{fit} --method {method} --iterations 2");
            let tiny = format!("{fit} --likelihood gaussian(variance=fixed(1e-200))");
            desk.refused(&tiny, 2, &["a noise variance of 1e-200 is too small to compute with"]);
        }
    }
}

#[test]
fn weights_are_copies() {
    let desk = copies();
    let cases = [
        ("y", "exact", 1e-9),
        ("y", "pep --alpha 0.3", 1e-9),
        ("y", "vfe", 1e-9),
        ("y", "fitc", 1e-9),
        // Sites converge to about 1e-6.
        ("y", "ep --alpha 0.5", 1e-4),
        ("y", "svgp", 1e-4),
        ("y", "sep", 1e-4),
        ("label", "sep", 1e-4),
        ("label", "ep", 1e-4),
        ("label", "svgp", 1e-4),
        ("label", "savigp --samples 0", 1e-4),
    ];
    for (target, method, tolerance) in cases {
        let places = if method == "exact" { "" } else { "--inducing-file z.csv" };
        let fit = |table: &str, weights: &str| {
            desk.ok(&format!(
                "fit {table}.csv --target {target} --features x {weights} -o {table}.gp --force --method {method} {GIVEN} {places}"
            ));
            let said = desk.ok(&format!("predict {table}.gp rows.csv --latent"));
            let mut state = [said.column("latent_mean"), said.column("latent_variance")].concat();
            state.push(objective(&desk, &format!("{table}.gp")));
            let scores = desk.ok(&format!("eval {table}.gp rows.csv --json")).json();
            let linear = &scores["scores"]["linear"];
            state.extend(linear["nlpd"].as_f64().or(linear["log_loss"].as_f64()));
            let beside = &scores["scores"][if target == "y" { "mean" } else { "shares" }];
            state.extend(beside["nlpd"].as_f64().or(beside["log_loss"].as_f64()));
            state
        };
        let (found, expected) = (fit("rows", "--weights w"), fit("copies", ""));
        assert_near(&found, &expected, tolerance, method);
    }
}

/// Separate copies differ for few inducing points, agree with one per row.
#[test]
fn copies_share_their_latent_value_under_gfitc() {
    let desk = copies();
    let places = (0..30).map(|i| format!("{}\n", 0.2 * f64::from(i))).collect::<String>();
    desk.write("all.csv", "x\n".to_owned() + &places);
    for target in ["y", "label"] {
        let gaps = ["z.csv", "all.csv"].map(|places| {
            let fit = |table: &str, weights: &str| {
                desk.ok(&format!(
                    "fit {table}.csv --target {target} --features x {weights} -o {table}.gp --force --method gfitc {GIVEN} --inducing-file {places}"
                ));
                objective(&desk, &format!("{table}.gp"))
            };
            (fit("rows", "--weights w") - fit("copies", "")).abs()
        });
        assert!(gaps[0] > 0.05 && gaps[1] < 1e-3, "{target}: {gaps:?}");
    }
}

#[test]
fn an_offset_of_numbers_is_subtracted() {
    let mut draws = Draws(3);
    let rows: Vec<Vec<f64>> = (0..40)
        .map(|i| {
            let (x, o) = (0.2 * f64::from(i), 50.0 * draws.next());
            let y = o + x.sin() + 0.2 * draws.next();
            vec![x, y, o, y - o]
        })
        .collect();
    let desk = Desk::new();
    desk.write("t.csv", csv("x,y,o,rest", rows.iter().cloned()));
    for method in [
        "exact --parameters known",
        "pep --inducing 6 --parameters known",
        "ep --inducing 6 --iterations 4 --likelihood student_t",
    ] {
        let fit = format!("fit t.csv --features x --force --method {method}");
        desk.ok(&format!("{fit} --target y --offset o -o offset.gp"));
        desk.ok(&format!("{fit} --target rest -o rest.gp"));
        assert_eq!(objective(&desk, "offset.gp"), objective(&desk, "rest.gp"), "{method}");
        let said = |model: &str| desk.ok(&format!("predict {model} t.csv --latent --quantiles 0.1"));
        let (with, without) = (said("offset.gp"), said("rest.gp"));
        for column in ["mean", "lower", "q0.1"] {
            let expected: Vec<f64> =
                without.column(column).iter().zip(&rows).map(|(value, row)| value + row[2]).collect();
            assert_near(&with.column(column), &expected, 1e-12, method);
        }
        // The latent function excludes the offset.
        for column in ["variance", "latent_mean", "latent_variance"] {
            assert_near(&with.column(column), &without.column(column), 1e-12, method);
        }
        assert_near(&with.column("log_density"), &without.column("log_density"), 1e-11, method);
        let score = |model: &str| {
            desk.ok(&format!("eval {model} t.csv --json")).json()["scores"]["gp"]["rmse"].as_f64().unwrap()
        };
        assert_near(&[score("offset.gp")], &[score("rest.gp")], 1e-12, method);
    }
}

/// Exposures from 0.5 to 50; rates rise and fall.
fn exposed(rows: usize) -> Vec<[f64; 3]> {
    let mut draws = Draws(11);
    (0..rows)
        .map(|i| {
            let x = 6.0 * i as f64 / rows as f64;
            let exposure = 0.5 * 100f64.powf(draws.next());
            [x, exposure, f64::from(draws.count(exposure * x.sin().exp()))]
        })
        .collect()
}

#[test]
fn targets_beside_exposures_are_counts() {
    let desk = Desk::new();
    let table = |count: &dyn Fn(usize) -> f64| {
        csv("x,e,y", (0..40).map(|i| vec![i as f64, 1.0 + (i % 5) as f64, count(i)]))
    };
    // Events of 0 or 1, hundreds, and few different numbers, which alone would be labels, amounts and a question.
    for count in [&|i: usize| (i % 3 / 2) as f64, &|i| 100.0 + (i * i % 97) as f64, &|i| (i % 4) as f64]
        as [&dyn Fn(usize) -> f64; 3]
    {
        desk.write("t.csv", table(count));
        let said =
            desk.ok("fit t.csv --target y --exposure e --features x --inducing 5 --iterations 2 --force");
        assert!(
            said.err.contains("counts with likelihood poisson, because --exposure is for counts"),
            "{}",
            said.err
        );
    }
    desk.write("t.csv", table(&|i| if i == 6 { 4.5 } else { i as f64 }));
    let fit = "fit t.csv --target y --exposure e --features x --force";
    desk.refused(fit, 3, &["line 8, column y: observation is 4.5, but must be a whole number"]);
}

#[test]
fn the_rate_is_found_behind_exposures() {
    let desk = Desk::new();
    let rows = exposed(200);
    desk.write("t.csv", csv("x,e,y", rows.iter().map(|row| row.to_vec())));
    desk.write("one.csv", csv("x,e", (0..25).map(|i| vec![0.2 + 0.22 * f64::from(i), 1.0])));
    let fit =
        "fit t.csv --target y --features x --task count --method ep --inducing 12 --iterations 20 --force";
    desk.ok(&format!("{fit} --exposure e -o with.gp"));
    desk.ok(&format!("{fit} -o without.gp"));
    let worst = |model: &str| {
        let means = desk.ok(&format!("predict {model} one.csv")).column("mean");
        let off = |(i, mean): (usize, &f64)| (mean.ln() - (0.2 + 0.22 * i as f64).sin()).abs();
        means.iter().enumerate().map(off).fold(0.0, f64::max)
    };
    let (with, without) = (worst("with.gp"), worst("without.gp"));
    assert!(with < 0.25 && without > 1.0, "{with} {without}");
    // Predicted counts and intervals refer to the exposure of each row.
    let scores = desk.ok("eval with.gp t.csv --json").json();
    let coverage = scores["scores"]["gp"]["coverage"][2].as_f64().unwrap();
    assert!(coverage > 0.9, "{coverage}");
    let nlpd = |by: &str| scores["scores"][by]["nlpd"].as_f64().unwrap();
    assert!(nlpd("gp") < nlpd("linear") && nlpd("linear") < nlpd("mean"), "{scores}");
    // The logarithm of an exposure is an offset.
    let logs = rows.iter().map(|row| vec![row[0], row[1].ln(), row[2]]);
    desk.write("logs.csv", csv("x,o,y", logs));
    desk.ok("fit logs.csv --target y --features x --task count --method ep --inducing 12 --iterations 20 --offset o -o logs.gp");
    let density =
        |model: &str, table: &str| desk.ok(&format!("predict {model} {table}")).column("log_density");
    assert_near(&density("logs.gp", "logs.csv"), &density("with.gp", "t.csv"), 1e-4, "offset");
}

/// One rate for all rows: nothing is gained over a constant rate, and its errors are those of λ e.
#[test]
fn the_constant_baseline_takes_exposures_and_offsets() {
    let desk = Desk::new();
    let (mut draws, rate) = (Draws(12), 0.8);
    let rows: Vec<[f64; 3]> = (0..400)
        .map(|i| {
            let exposure = 0.5 * 100f64.powf(draws.next());
            [f64::from(i) / 40.0, exposure, f64::from(draws.count(exposure * rate))]
        })
        .collect();
    desk.write("t.csv", csv("x,e,y", rows.iter().map(|row| row.to_vec())));
    desk.write("logs.csv", csv("x,o,y", rows.iter().map(|[x, e, y]| vec![*x, e.ln(), *y])));
    let found = rows.iter().map(|row| row[2]).sum::<f64>() / rows.iter().map(|row| row[1]).sum::<f64>();
    let squares = rows.iter().map(|[_, e, y]| (y - found * e).powi(2)).sum::<f64>();
    let fit = "--target y --features x --likelihood poisson --inducing 8 -o m.gp --force";
    for (table, role) in [
        ("t.csv", "--exposure e --method ep --iterations 5"),
        ("logs.csv", "--offset o --method ep --iterations 5"),
        ("t.csv", "--exposure e --method sep --epochs 5 --stream always"),
    ] {
        desk.ok(&format!("fit {table} {fit} {role}"));
        let told = desk.ok(&format!("eval m.gp {table} --json")).json();
        let score = |by: &str, name: &str| told["scores"][by][name].as_f64().unwrap();
        assert!(score("gp", "msll").abs() < 0.03, "{role}: {told}");
        assert_near(&[score("mean", "rmse")], &[(squares / 400.0).sqrt()], 1e-9, role);
        let said = told["predictors"]["mean"].as_str().unwrap();
        assert!(said.contains("with the offset or exposure of each row"), "{said}");
    }
    // Offsets of a Gaussian target are subtracted before its mean and variance are taken.
    let line = |i: usize| vec![(i % 7) as f64, 100.0 * i as f64, 100.0 * i as f64 + (i * i % 5) as f64];
    desk.write("line.csv", csv("x,o,y", (0..60).map(line)));
    desk.ok("fit line.csv --target y --features x --offset o -o m.gp --force");
    let told = desk.ok("eval m.gp line.csv --json").json();
    let rest: Vec<f64> = (0..60).map(|i| f64::from(i * i % 5)).collect();
    let mean = rest.iter().sum::<f64>() / 60.0;
    let rmse = (rest.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / 60.0).sqrt();
    assert_near(&[told["scores"]["mean"]["rmse"].as_f64().unwrap()], &[rmse], 1e-9, "line");
}

fn solve(matrix: &[Vec<f64>], right: &[f64]) -> (Vec<f64>, f64) {
    let n = right.len();
    let mut a: Vec<Vec<f64>> =
        matrix.iter().zip(right).map(|(row, b)| [row.as_slice(), &[*b]].concat()).collect();
    let mut log_det = 0.0;
    for k in 0..n {
        let pivot = a[k].clone();
        log_det += pivot[k].ln();
        for row in a.iter_mut().skip(k + 1) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).skip(k).for_each(|(x, own)| *x -= factor * own);
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|j| a[i][j] * x[j]).sum();
        x[i] = (a[i][n] - known) / a[i][i];
    }
    (x, log_det)
}

fn kernel(x: f64, z: f64) -> f64 {
    1.3 * (-0.5 * (x - z).powi(2) / 0.64).exp()
}

#[test]
fn known_noise_is_on_the_diagonal() {
    let (mut draws, desk) = (Draws(5), Desk::new());
    let rows: Vec<[f64; 3]> = (0..12)
        .map(|i| {
            let x = 0.4 * f64::from(i) - 2.0;
            [x, x.sin() + draws.next(), [0.0, 0.3, 2.0][i as usize % 3]]
        })
        .collect();
    desk.write("t.csv", csv("x,y,v", rows.iter().map(|row| row.to_vec())));
    desk.write("new.csv", "x,v\n-1.1,0\n0.3,0.5\n1.7,4\n");
    desk.write("bare.csv", "x\n-1.1\n0.3\n1.7\n");
    let given = format!("{GIVEN} --standardize none --likelihood \"gaussian(variance=fixed(0.05))\"");
    desk.ok(&format!(
        "fit t.csv --target y --features x --noise-variance v --method exact {given} -o exact.gp"
    ));
    let matrix: Vec<Vec<f64>> = (0..12)
        .map(|i| {
            (0..12)
                .map(|j| kernel(rows[i][0], rows[j][0]) + f64::from(u8::from(i == j)) * (0.05 + rows[i][2]))
                .collect()
        })
        .collect();
    let y: Vec<f64> = rows.iter().map(|row| row[1]).collect();
    let (alpha, log_det) = solve(&matrix, &y);
    let quadratic: f64 = y.iter().zip(&alpha).map(|(y, a)| y * a).sum();
    let evidence = -0.5 * (quadratic + log_det + 12.0 * std::f64::consts::TAU.ln());
    assert_near(&[objective(&desk, "exact.gp")], &[evidence], 1e-10, "evidence");
    let said = desk.ok("predict exact.gp new.csv --latent");
    let (mut means, mut variances) = (Vec::new(), Vec::new());
    for x in [-1.1, 0.3, 1.7] {
        let across: Vec<f64> = rows.iter().map(|row| kernel(x, row[0])).collect();
        means.push(across.iter().zip(&alpha).map(|(k, a)| k * a).sum());
        let explained: f64 = across.iter().zip(solve(&matrix, &across).0).map(|(k, s)| k * s).sum();
        variances.push(1.3 - explained);
    }
    assert_near(&said.column("mean"), &means, 1e-10, "means");
    assert_near(&said.column("latent_variance"), &variances, 1e-9, "latent variances");
    let with: Vec<f64> = variances.iter().zip([0.0, 0.5, 4.0]).map(|(v, known)| v + 0.05 + known).collect();
    assert_near(&said.column("variance"), &with, 1e-9, "variances");
    // Without the column, predictions have the learned noise only, with a message.
    let bare = desk.ok("predict exact.gp bare.csv");
    let without: Vec<f64> = variances.iter().map(|v| v + 0.05).collect();
    assert_near(&bare.column("variance"), &without, 1e-9, "without the column");
    assert!(bare.err.contains("no column v, the known part of the noise variance"), "{}", bare.err);
    // With inducing inputs at all rows, every power is exact.
    desk.write("z.csv", csv("x", rows.iter().map(|row| vec![row[0]])));
    for method in ["pep --alpha 0.5", "vfe", "fitc", "ep", "gfitc", "svgp"] {
        desk.ok(&format!(
            "fit t.csv --target y --features x --noise-variance v --method {method} --inducing-file z.csv {given} -o m.gp --force"
        ));
        let found = desk.ok("predict m.gp new.csv");
        assert_near(&found.column("mean"), &means, 1e-4, method);
        assert_near(&[objective(&desk, "m.gp")], &[evidence], 1e-4, method);
    }
}

#[test]
fn later_rows_have_roles_too() {
    let mut draws = Draws(9);
    let rows: Vec<Vec<f64>> = (0..40)
        .map(|i| {
            let (x, o) = (0.15 * f64::from(i), 3.0 * draws.next());
            vec![x, o + x.sin() + 0.2 * draws.next(), o, 0.3 + 2.0 * draws.next(), 0.2 * draws.next()]
        })
        .collect();
    let desk = Desk::new();
    desk.write("all.csv", csv("x,y,o,w,v", rows.iter().cloned()));
    desk.write("first.csv", csv("x,y,o,w,v", rows[..25].iter().cloned()));
    desk.write("rest.csv", csv("x,y,o,w,v", rows[25..].iter().cloned()));
    desk.write("z.csv", "x\n0.2\n1.1\n2\n3.1\n4\n5\n5.8\n");
    let given = format!(
        "{GIVEN} --standardize none --likelihood gaussian(variance=0.02) --features x --target y --offset o --weights w --noise-variance v"
    );
    for method in
        ["exact", "pep --inducing-file z.csv", "vfe --inducing-file z.csv", "ep --inducing-file z.csv"]
    {
        for part in ["first", "all"] {
            desk.ok(&format!("fit {part}.csv -o {part}.gp --force --method {method} {given}"));
        }
        desk.ok("update first.gp rest.csv -o both.gp --force");
        let state = |model: &str| {
            let said = desk.ok(&format!("predict {model} all.csv --latent"));
            let mut state = [said.column("latent_mean"), said.column("variance")].concat();
            state.push(objective(&desk, model));
            state
        };
        assert_near(&state("both.gp"), &state("all.gp"), 1e-8, method);
    }
    desk.write("bare.csv", "x,y,o\n1,2,3\n");
    desk.refused("update first.gp bare.csv -o both.gp --force", 3, &["`bare.csv`", "no column", "w"]);
}

#[test]
fn streamed_rows_have_the_same_roles() {
    let mut draws = Draws(13);
    let rows = (0..150).map(|i| {
        let (x, o, e) = (0.04 * f64::from(i), draws.next(), 0.5 + 4.0 * draws.next());
        let count = f64::from(draws.count(e * x.sin().exp()));
        vec![x, o + x.sin() + 0.1 * draws.next(), o, 0.2 + draws.next(), 0.1 * draws.next(), e, count]
    });
    let desk = Desk::new();
    desk.write("t.csv", csv("x,y,o,w,v,e,n", rows));
    for flags in [
        "--target y --offset o --weights w --noise-variance v --method pep --inducing 8 --iterations 5",
        "--target y --offset o --weights w --method svgp --optimizer adam --inducing 8 --epochs 2 --likelihood student_t",
        "--target n --exposure e --weights w --task count --method sep --alpha 0.2 --inducing 8 --epochs 2",
    ] {
        for stream in ["never", "always"] {
            desk.ok(&format!("fit t.csv --features x {flags} --stream {stream} -o {stream}.gp --force"));
        }
        assert!(desk.read("never.gp") == desk.read("always.gp"), "{flags}");
    }
}

#[test]
fn model_files_know_roles() {
    let desk = Desk::new();
    desk.write("t.csv", csv("x,e,y", exposed(60).iter().map(|row| row.to_vec())));
    desk.ok("fit t.csv --target y --exposure e --task count --iterations 3 -o m.gp");
    assert!(desk.ok("inspect m.gp").out.contains("roles       --exposure e"));
    let about = &desk.ok("inspect m.gp --json").json()["about"];
    assert_eq!(about["roles"]["exposure"], "e");
    assert_eq!(about["inputs"]["features"].as_array().unwrap().len(), 1, "e is no input");
    let text = String::from_utf8_lossy(&desk.read("m.gp")).into_owned();
    assert!(text.contains("\\\"version\\\":3"), "{}", &text[..200]);
    desk.ok("fit t.csv --target y --features x --task count --iterations 3 -o plain.gp");
    let text = String::from_utf8_lossy(&desk.read("plain.gp")).into_owned();
    assert!(text.contains("\\\"version\\\":1"), "{}", &text[..200]);
    // Plots and reports work.
    desk.ok("plot m.gp t.csv -o m.svg");
    assert!(String::from_utf8(desk.read("m.svg")).unwrap().contains("y / e"));
    desk.ok("eval m.gp t.csv --report m.html");
    assert!(String::from_utf8(desk.read("m.html")).unwrap().contains("--exposure e"));
}

#[test]
fn cross_validation_and_gradients_take_roles() {
    let desk = copies();
    let said: Said = desk
        .ok("cv rows.csv --target y --features x --weights w --folds 3 --method exact --iterations 5 --json");
    assert_eq!(said.json()["folds"].as_array().unwrap().len(), 3);
    for flags in [
        "--target y --method pep",
        "--target label --method ep",
        "--target label --method svgp",
        "--target y --method exact",
    ] {
        desk.ok(&format!("diagnose rows.csv --features x --weights w {flags} --rows 20"));
    }
    desk.write(
        "e.csv",
        csv("x,e,y,v,o", exposed(40).iter().map(|row| [row.as_slice(), &[0.1, row[0]]].concat())),
    );
    for flags in [
        "--exposure e --task count --method ep",
        "--exposure e --offset o --task count --method svgp",
        "--noise-variance v --offset o --task regression --method pep",
        "--noise-variance v --task regression --method exact",
        "--noise-variance v --task regression --method gfitc",
    ] {
        desk.ok(&format!("diagnose e.csv --target y --features x {flags} --rows 20"));
    }
    desk.write(
        "fit.toml",
        "target = \"y\"\nfeatures = \"x\"\nweights = \"w\"\nmethod = \"exact\"\niterations = 3\n",
    );
    desk.ok("fit rows.csv --config fit.toml -o c.gp");
    desk.ok("fit rows.csv --target y --features x --weights w --method exact --iterations 3 -o d.gp");
    let roles = |model: &str| desk.ok(&format!("inspect {model} --json")).json()["about"]["roles"].clone();
    assert_eq!(roles("c.gp"), roles("d.gp"));
}

#[test]
fn values_that_no_role_has_are_refused_with_their_place() {
    let desk = Desk::new();
    desk.write(
        "t.csv",
        "x,y,w,e,v,o,one\n1,2,1,1,0,0.5,1\n2,0,0,2,0.1,1,1\n3,4,-1,0,-1,2,1\n4,1,2,1,0,x,1\n5,3,1,2,1,0,1\n",
    );
    let fit = "fit t.csv --target y --features x -o m.gp";
    for (flags, line, column, what) in [
        ("--weights w", 3, "w", "a weight has to be above 0"),
        ("--exposure e --task count", 4, "e", "an exposure has to be above 0"),
        ("--noise-variance v --task regression", 4, "v", "a variance cannot be negative"),
        ("--offset o --task regression", 5, "o", "number"),
    ] {
        let at = format!("`t.csv`, line {line}, column {column}");
        for stream in ["never", "always"] {
            let method = if stream == "always" { "--method svgp --optimizer adam" } else { "" };
            desk.refused(&format!("{fit} {flags} --stream {stream} {method}"), 3, &[&at, what]);
        }
    }
    desk.write("nan.csv", "x,y,w\n1,2,1\n2,3,\n3,5,1\n");
    desk.refused(
        "fit nan.csv --target y --weights w -o m.gp",
        3,
        &["`nan.csv`, line 3, column w", "missing"],
    );
    desk.refused(&format!("{fit} --weights x"), 2, &["column x is a feature", "--weights"]);
    desk.refused(&format!("{fit} --offset y"), 2, &["column y is the target", "--offset"]);
    desk.refused(
        "fit t.csv --target y --weights w --exclude w -o m.gp",
        2,
        &["column w is that of --weights"],
    );
    desk.refused(&format!("{fit} --weights wight"), 3, &["no column wight for --weights"]);
    desk.refused(
        &format!("{fit} --exposure one --task regression"),
        2,
        &["--exposure", "log link", "gaussian"],
    );
    desk.refused(
        &format!("{fit} --noise-variance one --task count"),
        2,
        &["--noise-variance", "Gaussian noise", "poisson"],
    );
    let classes = "fit c.csv --target y --features x -o m.gp";
    desk.write("c.csv", csv("x,y,o", (0..40).map(|i| vec![f64::from(i), f64::from(i % 3), 0.1])));
    desk.refused(&format!("{classes} --offset o --task multiclass"), 2, &["one latent function", "has 3"]);
    desk.refused(
        &format!("{classes} --weights o --task multiclass --method ivm"),
        2,
        &["method ivm takes no --weights", "svgp"],
    );
    desk.refused(
        &format!("{classes} --weights o --task multiclass --method sep --sites tied"),
        2,
        &["--sites tied", "0.1"],
    );
}

#[test]
fn tables_to_predict_have_offsets() {
    let desk = Desk::new();
    desk.write("t.csv", csv("x,e,y", exposed(40).iter().map(|row| row.to_vec())));
    desk.ok("fit t.csv --target y --features x --exposure e --task count --iterations 2 -o m.gp");
    desk.write("bare.csv", "x\n1\n2\n");
    desk.refused("predict m.gp bare.csv", 3, &["`bare.csv` has no column e"]);
    desk.write("zero.csv", "x,e\n1,2\n2,0\n");
    desk.refused("predict m.gp zero.csv", 3, &["`zero.csv`, line 3, column e", "above 0"]);
    desk.write("gap.csv", "x,e\n1,2\n2,\n");
    // Predictions ignore the weights.
    desk.ok("fit t.csv --target y --features x --weights e --task count --iterations 2 -o w.gp");
    desk.write("words.csv", "x,e\n1,none\n2,\n");
    assert_eq!(desk.ok("predict w.gp words.csv").column("mean").len(), 2);
    let said = desk.ok("predict m.gp gap.csv --missing drop");
    assert_eq!(said.out.lines().nth(2), Some(",,,"), "{}", said.out);
}
