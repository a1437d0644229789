//! Blocks of rows; powers per row.

use crate::support::{Desk, sine};

const Z: [f64; 4] = [0.4, 2.0, 3.7, 5.5];
const NOISE: f64 = 0.05;

fn kernel(x: f64, z: f64) -> f64 {
    1.3 * (-0.5 * (x - z).powi(2) / 0.64).exp()
}

/// A⁻¹ B and ln|A|, A small and positive definite.
fn solve(matrix: &[Vec<f64>], right: &[Vec<f64>]) -> (Vec<Vec<f64>>, f64) {
    let n = matrix.len();
    let mut a: Vec<Vec<f64>> = (0..n).map(|i| [matrix[i].clone(), right[i].clone()].concat()).collect();
    let mut log_det = 0.0;
    for k in 0..n {
        let pivot = a[k].clone();
        log_det += pivot[k].ln();
        for (_, row) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).skip(k).for_each(|(x, own)| *x -= factor * own);
        }
    }
    ((0..n).map(|i| (n..a[i].len()).map(|j| a[i][j] / a[i][i]).collect()).collect(), log_det)
}

fn gram(x: &[f64], z: &[f64]) -> Vec<Vec<f64>> {
    x.iter().map(|x| z.iter().map(|z| kernel(*x, *z)).collect()).collect()
}

fn product(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let entry = |row: &Vec<f64>, j: usize| row.iter().enumerate().map(|(k, a)| a * b[k][j]).sum();
    a.iter().map(|row| (0..b[0].len()).map(|j| entry(row, j)).collect()).collect()
}

/// Log Z of structured Power EP (Bui et al. 2017 §3.7), dense: `ln N(y; 0, Q + D)` less `(1 − α)/2α Σ ln|I +
/// α S_b/σ²|`, with block-diagonal D of `α_b S_b + σ² I`.
fn log_z(x: &[f64], y: &[f64], blocks: &[usize], power: impl Fn(usize) -> f64) -> f64 {
    let (n, across) = (x.len(), gram(&Z, x));
    let (half, _) = solve(&gram(&Z, &Z), &across);
    let transposed: Vec<Vec<f64>> = (0..n).map(|i| across.iter().map(|row| row[i]).collect()).collect();
    let q = product(&transposed, &half);
    let same = |i: usize, j: usize| f64::from(u8::from(blocks[i] == blocks[j]));
    let diagonal = |i: usize, j: usize, value: f64| if i == j { value } else { 0.0 };
    let left = |i: usize, j: usize| same(i, j) * (kernel(x[i], x[j]) - q[i][j]);
    let covariance: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| q[i][j] + power(i) * left(i, j) + diagonal(i, j, NOISE)).collect())
        .collect();
    let right: Vec<Vec<f64>> = y.iter().map(|y| vec![*y]).collect();
    let (alpha, log_det) = solve(&covariance, &right);
    let quadratic: f64 = y.iter().zip(&alpha).map(|(y, a)| y * a[0]).sum();
    let mut value = -0.5 * (quadratic + log_det + n as f64 * std::f64::consts::TAU.ln());
    let mut all = blocks.to_vec();
    all.sort_unstable();
    all.dedup();
    for block in all {
        let rows: Vec<usize> = (0..n).filter(|i| blocks[*i] == block).collect();
        let own = power(rows[0]);
        let matrix: Vec<Vec<f64>> = rows
            .iter()
            .map(|&i| rows.iter().map(|&j| own * left(i, j) / NOISE + diagonal(i, j, 1.0)).collect())
            .collect();
        let none = vec![vec![0.0]; rows.len()];
        value -= 0.5 * (1.0 - own) / own * solve(&matrix, &none).1;
    }
    value
}

/// Sine with columns of blocks and powers.
fn desk() -> (Desk, Vec<f64>, Vec<f64>, Vec<usize>) {
    let (desk, text) = (Desk::new(), sine(24));
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect())
        .collect();
    let blocks: Vec<usize> = (0..24).map(|i| [0, 2, 1, 2][i % 4]).collect();
    let lines = rows.iter().enumerate().map(|(i, row)| {
        let block = blocks[i];
        format!(
            "{},{},{},{},{}\n",
            row[0],
            row[1],
            ["north", "south", "west"][block],
            [0.2, 0.7, 1.0][block],
            0.1 + 0.03 * i as f64
        )
    });
    desk.write("t.csv", "x,y,b,a,each\n".to_owned() + &lines.collect::<String>());
    desk.write("z.csv", "x\n".to_owned() + &Z.map(|z| format!("{z}\n")).concat());
    (desk, rows.iter().map(|row| row[0]).collect(), rows.iter().map(|row| row[1]).collect(), blocks)
}

const GIVEN: &str = "--no-train --standardize none --kernel \"1.3 * rbf(lengthscale=0.8)\" --likelihood gaussian(variance=0.05) --inducing-file z.csv --features x --target y";

fn objective(desk: &Desk, flags: &str) -> f64 {
    desk.ok(&format!("fit t.csv {GIVEN} {flags} -o m.gp --force"));
    desk.ok("inspect m.gp --json").json()["about"]["training"]["objective"].as_f64().unwrap()
}

#[track_caller]
fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{found} instead of {expected}");
}

#[test]
fn blocks_are_those_of_the_dense_formula() {
    let (desk, x, y, blocks) = desk();
    let each: Vec<usize> = (0..24).collect();
    assert_near(objective(&desk, "--method fitc --blocks b"), log_z(&x, &y, &blocks, |_| 1.0));
    assert_near(objective(&desk, "--method pep --alpha 0.4 --blocks b"), log_z(&x, &y, &blocks, |_| 0.4));
    assert_near(
        objective(&desk, "--method pep --alpha-column a --blocks b"),
        log_z(&x, &y, &blocks, |i| [0.2, 0.7, 1.0][blocks[i]]),
    );
    assert_near(
        objective(&desk, "--method pep --alpha-column each"),
        log_z(&x, &y, &each, |i| 0.1 + 0.03 * i as f64),
    );
    // The variational bound does not depend on blocks.
    assert_near(objective(&desk, "--method vfe --blocks b"), objective(&desk, "--method vfe"));
    // Power EP by iteration converges to the same value.
    let (closed, sites) = (
        objective(&desk, "--method pep --alpha-column each"),
        objective(&desk, "--method ep --alpha-column each"),
    );
    assert!((closed - sites).abs() < 1e-5 * closed.abs(), "{closed} {sites}");
}

#[test]
fn blocks_and_powers_are_streamed_kept_and_diagnosed() {
    let (desk, ..) = desk();
    for flags in [
        "--method fitc --blocks b",
        "--method pep --alpha-column a --blocks b",
        "--method pep --alpha-column each",
    ] {
        let fit = format!("fit t.csv --features x --target y --inducing 5 --iterations 4 --force {flags}");
        for stream in ["never", "always"] {
            desk.ok(&format!("{fit} --stream {stream} -o {stream}.gp"));
        }
        assert!(desk.read("never.gp") == desk.read("always.gp"), "{flags}");
        desk.ok(&format!("diagnose t.csv --features x --target y {flags}"));
    }
    let said = desk
        .ok("fit t.csv --features x --target y --inducing 5 --iterations 2 --method fitc --blocks b -o m.gp");
    assert!(said.err.contains("3 blocks"), "{}", said.err);
    assert!(desk.ok("inspect m.gp").out.contains("--blocks b"));
    desk.write("new.csv", "x\n1\n2\n");
    desk.ok("predict m.gp new.csv");
    desk.refused("update m.gp t.csv -o n.gp", 2, &["takes in no more rows", "blocks of column b"]);
    // An update reads the powers of its own rows.
    desk.ok(&format!("fit t.csv {GIVEN} --method pep --alpha-column each -o all.gp"));
    let lines: Vec<String> =
        String::from_utf8(desk.read("t.csv")).unwrap().lines().map(str::to_owned).collect();
    desk.write("first.csv", lines[..16].join("\n"));
    desk.write("rest.csv", format!("{}\n{}", lines[0], lines[16..].join("\n")));
    desk.ok(&format!("fit first.csv {GIVEN} --method pep --alpha-column each -o first.gp"));
    desk.ok("update first.gp rest.csv -o both.gp");
    let of = |model: &str| {
        desk.ok(&format!("inspect {model} --json")).json()["about"]["training"]["objective"].as_f64().unwrap()
    };
    assert_near(of("both.gp"), of("all.gp"));
}

/// Numbers equal as floats; different texts of one number.
#[test]
fn blocks_are_told_apart_by_their_text() {
    let (desk, ..) = desk();
    let table = String::from_utf8(desk.read("t.csv")).unwrap();
    let expected = objective(&desk, "--method fitc --blocks b");
    for names in [["9007199254740992", "9007199254740993", "5"], ["007", "7", "7.0"], ["0", "-0", "inf"]] {
        let pairs = ["north", "south", "west"].into_iter().zip(names);
        desk.write("t.csv", pairs.fold(table.clone(), |text, (word, name)| text.replace(word, name)));
        for flags in ["", " --stream always", " --type b=number"] {
            if names[2] == "inf" && flags.ends_with("number") {
                continue;
            }
            let found = objective(&desk, &format!("--method fitc --blocks b{flags}"));
            assert!(found == expected, "{names:?}{flags}: {found} instead of {expected}");
        }
    }
    for name in ["ids.parquet", "ids.feather"] {
        let file = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        desk.write(name, std::fs::read(file).unwrap());
        for stream in ["never", "always"] {
            let fit =
                format!("fit {name} --target y --features x --method fitc --blocks patient --iterations 1");
            let said = desk.ok(&format!("{fit} --force --stream {stream}"));
            assert!(said.err.contains(", 4 blocks"), "{name}: {}", said.err);
        }
    }
    // Also in the parts of a cross-validation.
    desk.ok(
        "cv t.csv --features x --target y --method fitc --blocks b --inducing 5 --iterations 1 --folds 2",
    );
}

#[test]
fn methods_without_blocks_and_powers_refuse_them() {
    let (desk, ..) = desk();
    let fit = "fit t.csv --features x --target y -o m.gp";
    desk.refused(
        &format!("{fit} --method svgp --blocks b"),
        2,
        &["method svgp takes no --blocks", "pep, vfe, fitc"],
    );
    desk.refused(
        &format!("{fit} --method exact --alpha-column a"),
        2,
        &["method exact takes no --alpha-column", "pep, ep"],
    );
    desk.refused(
        &format!("{fit} --method pep --alpha 0.3 --alpha-column a"),
        2,
        &["--alpha and --alpha-column"],
    );
    desk.refused(
        &format!("{fit} --method pep --alpha-column each --blocks b"),
        3,
        &["line 5, column each", "all rows of a block"],
    );
    desk.refused(&format!("{fit} --method pep --alpha-column x"), 2, &["column x is a feature"]);
    desk.write("wrong.csv", "x,y,a\n1,2,0.5\n2,3,1.5\n3,1,0\n");
    desk.refused(
        "fit wrong.csv --target y --alpha-column a -o m.gp",
        3,
        &["line 3, column a", "between 0 and 1"],
    );
}
