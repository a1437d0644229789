//! Targets with role columns, against separate models.

use crate::support::{Desk, Said, noise};

/// Rows of `x,a,b,w,oa,ob,va,vb,g,p`; `b` is missing in every fifth.
fn table(rows: usize) -> String {
    let row = |i: usize| {
        let x = 6.0 * i as f64 / rows as f64;
        let (oa, ob) = (3.0 * noise(i + 100), 20.0 + 5.0 * noise(i + 200));
        let (va, vb) = (0.01 * (1 + i % 4) as f64, 0.3 * (i % 3) as f64);
        let (a, b) = (oa + x.sin() + 0.1 * noise(i), ob + 2.0 * x + 0.4 * noise(i + 50));
        let b = if i % 5 == 4 { String::new() } else { b.to_string() };
        let (g, p) = (i / 10, 0.25 * (i / 10 % 4) as f64 + 0.1);
        format!("{x},{a},{b},{},{oa},{ob},{va},{vb},{g},{p}\n", 1 + i % 3)
    };
    "x,a,b,w,oa,ob,va,vb,g,p\n".to_owned() + &(0..rows).map(row).collect::<String>()
}

#[track_caller]
fn near(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= tolerance * (1.0 + expected.abs()), "{what}: {found} {expected}");
    }
}

fn cells(said: &Said, name: &str) -> Vec<String> {
    let (header, rows) = said.table();
    let place = header.iter().position(|found| found == name).unwrap();
    rows.iter().map(|row| row[place].clone()).collect()
}

fn objective(desk: &Desk, model: &str) -> f64 {
    desk.ok(&format!("inspect {model} --json")).json()["about"]["training"]["objective"].as_f64().unwrap()
}

/// Own or shared roles, held and streamed; scores, updates. Inputs are not standardised: their scale is that
/// of all rows.
#[test]
fn each_target_is_as_if_it_were_alone() {
    let desk = Desk::new();
    desk.write("t.csv", table(60));
    let cases = [
        (
            "exact --iterations 8 --parameters known",
            "--weights w --offset oa,ob --noise-variance va,vb",
            1e-12,
        ),
        ("pep --inducing 6 --iterations 5 --parameters known", "--noise-variance va --offset oa", 1e-12),
        ("svgp --inducing 6 --iterations 4", "--weights w --offset oa,ob", 1e-12),
        (
            "pep --inducing 6 --iterations 3 --parameters known",
            "--blocks g --alpha-column p --weights w",
            1e-12,
        ),
    ];
    for (method, roles, tolerance) in cases {
        let fit =
            format!("fit t.csv --features x --missing drop --standardize target --force --method {method}");
        desk.ok(&format!("{fit} --target a,b {roles} -o both.gp"));
        let both = desk.ok("predict both.gp t.csv --missing drop --interval 0.5,0.9 --latent");
        let (mut sum, mut nlpds) = (0.0, Vec::new());
        for (place, target) in ["a", "b"].into_iter().enumerate() {
            let own = |text: &str| match text.split_once(',') {
                Some(pair) => [pair.0, pair.1][place].to_owned(),
                None => text.to_owned(),
            };
            let roles: Vec<String> = roles.split(' ').map(own).collect();
            desk.ok(&format!("{fit} --target {target} {} -o one.gp", roles.join(" ")));
            sum += objective(&desk, "one.gp");
            let one = desk.ok("predict one.gp t.csv --missing drop --interval 0.5,0.9 --latent");
            for name in ["mean", "variance", "lower(0.5)", "upper(0.9)", "latent_mean", "latent_variance"] {
                let in_both = match name.split_once('(') {
                    Some((stem, rest)) => format!("{stem}({target})({rest}"),
                    None => format!("{name}({target})"),
                };
                near(&both.column(&in_both), &one.column(name), tolerance, &format!("{method} {in_both}"));
            }
            let scores = desk.ok("eval one.gp t.csv --missing drop --json").json();
            nlpds.push(scores["scores"]["gp"]["nlpd"].clone());
        }
        near(&[objective(&desk, "both.gp")], &[sum], 1e-10, method);
        let scores = desk.ok("eval both.gp t.csv --missing drop --json").json();
        for (target, nlpd) in ["a", "b"].into_iter().zip(&nlpds) {
            let found = scores["targets"][target]["scores"]["gp"]["nlpd"].as_f64().unwrap();
            near(&[found], &[nlpd.as_f64().unwrap()], 1e-10, method);
        }
        // Independent targets: log densities of the targets of a row add up.
        let all: f64 = cells(&both, "log_density").iter().map(|cell| cell.parse::<f64>().unwrap()).sum();
        let each = 60.0 * nlpds[0].as_f64().unwrap() + 48.0 * nlpds[1].as_f64().unwrap();
        near(&[-all], &[each], 1e-9, method);
    }
    let flags = "--target a,b --features x --missing drop --weights w --offset oa,ob --noise-variance va,vb";
    let fit = format!("fit t.csv {flags} --method svgp --optimizer adam --inducing 6 --epochs 2");
    desk.ok(&format!("{fit} -o held.gp"));
    desk.ok(&format!("{fit} --stream always -o read.gp"));
    assert!(desk.read("held.gp") == desk.read("read.gp"), "other bytes from a file");
    let scores = desk.ok(&format!("cv t.csv {flags} --iterations 2 --folds 3 --json")).json();
    assert!(
        scores["summary"].as_array().unwrap().iter().any(|entry| entry["score"] == "rmse(b)"),
        "{scores}"
    );
}

#[test]
fn updates_know_the_roles_of_each_target() {
    let desk = Desk::new();
    desk.write("t.csv", table(60));
    let (all, half) = (table(60), table(60));
    let head = half.lines().take(31).collect::<Vec<_>>().join("\n");
    let tail: Vec<&str> = all.lines().take(1).chain(all.lines().skip(31)).collect();
    desk.write("first.csv", head);
    desk.write("then.csv", tail.join("\n"));
    let flags = "--target a,b --features x --missing drop --weights w --offset oa,ob --noise-variance va,vb";
    let kernel = "--kernel \"1 * rbf\" --kernel \"1 * rbf\" --standardize none --method exact --no-train";
    desk.ok(&format!("fit t.csv {flags} {kernel} -o all.gp"));
    desk.ok(&format!("fit first.csv {flags} {kernel} -o first.gp"));
    desk.ok("update first.gp then.csv --missing drop -o then.gp");
    let (updated, whole) =
        (desk.ok("predict then.gp t.csv --missing drop"), desk.ok("predict all.gp t.csv --missing drop"));
    for column in ["mean(a)", "variance(a)", "mean(b)", "variance(b)"] {
        near(&updated.column(column), &whole.column(column), 1e-9, column);
    }
    near(&[objective(&desk, "then.gp")], &[objective(&desk, "all.gp")], 1e-9, "objective");
    let told = desk.ok("inspect then.gp --json").json();
    assert_eq!((&told["targets"]["a"]["rows"], &told["targets"]["b"]["rows"]), (&60.into(), &48.into()));
}

/// Weight w equals w rows; known noise adds to learned noise.
#[test]
fn targets_that_share_a_kernel_have_weights_and_known_noise() {
    let desk = Desk::new();
    let text = table(30);
    let mut rows = text.lines();
    let header = rows.next().unwrap();
    let weight = |row: &str| row.split(',').nth(3).unwrap().parse::<usize>().unwrap();
    let often: Vec<&str> = rows.flat_map(|row| std::iter::repeat_n(row, weight(row))).collect();
    desk.write("copies.csv", format!("{header}\n{}\n", often.join("\n")));
    desk.write("rows.csv", &text);
    desk.write("z.csv", "x\n0\n1\n2\n3\n4\n5\n6\n");
    let fit = |from: &str, roles: &str, method: &str, to: &str| {
        let kernel = "--kernel \"1.3 * rbf(lengthscale=0.8)\" --no-train --inducing-file z.csv";
        desk.ok(&format!(
            "fit {from} --target a,b --features x --missing drop {kernel} {method} {roles} -o {to} --force"
        ));
        let said = desk.ok(&format!("predict {to} rows.csv --missing drop --latent"));
        let names = ["latent_mean(a)", "latent_variance(b)", "latent_mean(b)"];
        let mut state: Vec<f64> = names.iter().flat_map(|name| said.column(name)).collect();
        state.push(objective(&desk, to));
        state
    };
    for method in ["--method ep --alpha 0.5", "--method svgp"] {
        let found = fit("rows.csv", "--weights w --offset oa,ob", method, "rows.gp");
        let expected = fit("copies.csv", "--offset oa,ob", method, "copies.gp");
        near(&found, &expected, 1e-4, method);
    }
    // Mixtures can have weights, too.
    let mixed = "--latents 1 --offset oa";
    desk.refused(
        &format!("fit rows.csv --target a,b --features x --missing drop {mixed} -o no.gp"),
        2,
        &["--offset: the 2 targets share the latent functions of coregionalised", "subtract the offset"],
    );
    let known = "--noise-variance va --latents 1";
    desk.refused(
        &format!("fit rows.csv --target a,b --features x --missing drop {known} -o no.gp"),
        2,
        &["--noise-variance: it is for targets with a latent function each", "leave out --latents"],
    );
    let weights = "--latents 1 --inducing 6 --iterations 3";
    desk.ok(&format!(
        "fit rows.csv --target a,b --features x --missing drop {weights} --weights w -o mixed.gp"
    ));
    // Noise of 0.4 plus known noise of 0.3 equals noise of 0.7, in data units.
    let fit = |likelihood: &str, roles: &str| {
        desk.write(
            "same.csv",
            text.lines()
                .enumerate()
                .map(|(i, row)| format!("{row},{}\n", if i == 0 { "v".to_owned() } else { "0.3".to_owned() }))
                .collect::<String>(),
        );
        let kernel = "--kernel \"1.3 * rbf\" --no-train --inducing-file z.csv --standardize none --method ep";
        desk.ok(&format!(
            "fit same.csv --target a,b --features x --missing drop {kernel} --likelihood \"gaussians(variance={likelihood})\" {roles} -o same.gp --force"
        ));
        let said = desk.ok("predict same.gp same.csv --missing drop");
        let mut state: Vec<f64> =
            ["mean(a)", "variance(b)"].iter().flat_map(|name| said.column(name)).collect();
        state.push(objective(&desk, "same.gp"));
        state
    };
    near(&fit("[0.4, 0.5]", "--noise-variance v"), &fit("[0.7, 0.8]", ""), 1e-6, "known noise");
}

#[test]
fn columns_go_with_their_targets() {
    let desk = Desk::new();
    desk.write("t.csv", table(20));
    let fit = |rest: &str, code: i32, texts: &[&str]| {
        desk.refused(&format!("fit t.csv --features x --missing drop -o no.gp {rest}"), code, texts);
    };
    fit("--target a,b --offset oa,ob,va", 2, &["--offset names 3 columns, and there are 2 targets"]);
    fit("--target a --offset oa,ob", 2, &["--offset names 2 columns, and there is 1 target"]);
    fit("--target a,b --exposure w", 2, &["--exposure: it is for counts and rates"]);
    fit("--target a,b --noise-variance va,q", 3, &["no column q"]);
    fit("--target a,b --offset oa,b", 2, &["column b is the target"]);
    desk.ok("fit t.csv --target a,b --features x --missing drop --offset oa,ob --noise-variance va,vb --iterations 2 -o m.gp");
    desk.write("new.csv", "x,oa\n1,2\n");
    desk.refused("predict m.gp new.csv", 3, &["no column ob"]);
    desk.write("new.csv", "x,oa,ob\n1,2,3\n");
    let said = desk.ok("predict m.gp new.csv");
    assert!(said.err.contains("no columns va, vb, the known parts of the noise variance"), "{}", said.err);
    let inspect = desk.ok("inspect m.gp").out;
    assert!(inspect.contains("--offset oa, --offset ob"), "{inspect}");
}

/// Single-target methods refuse shared kernels, with advice. Power columns replace pep's default.
#[test]
fn a_kernel_for_all_targets_is_told_from_one_each() {
    let desk = Desk::new();
    desk.write("t.csv", table(40));
    let fit = "fit t.csv --target a,b --features x --missing drop --kernel rbf -o m.gp --force";
    desk.refused(
        &format!("{fit} --method exact"),
        2,
        &["one --kernel is shared by all targets", "give --kernel once for each"],
    );
    let told = [
        "targets that share a kernel are fitted by ep, which takes no --blocks",
        "give --kernel once for each",
    ];
    desk.refused(&format!("{fit} --method pep --blocks g"), 2, &told);
    desk.ok(&format!("{fit} --method pep --alpha-column p --iterations 3"));
    desk.refused(&format!("{fit} --method pep --alpha-column p --alpha 0.5"), 2, &["leave one of them out"]);
    let mixed = "--latents 3 --iterations 1 --inducing 5 -o m.gp --force";
    let said = desk.ok(&format!("fit t.csv --target a,b --features x --missing drop {mixed}"));
    assert!(said.err.contains("--latents 3 is more than the 2 targets"), "{}", said.err);
}
