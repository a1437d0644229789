//! Errors in tables: place, advice, unchanged files.

use crate::support::{Desk, circle, sine};
use std::io::Write;

const FIT: &str = "fit t.csv --target y -o m.gp";

#[track_caller]
fn refused(table: impl AsRef<[u8]>, texts: &[&str]) {
    let desk = Desk::new();
    desk.write("t.csv", table);
    // A model that must not change.
    desk.write("m.gp", "precious");
    desk.refused(&format!("{FIT} --force"), 3, texts);
}

#[test]
fn cells() {
    refused("x,y\n1,2\n2,NaN\n3,4\n", &["`t.csv`, line 3, column y", "missing", "--missing drop"]);
    refused("x,y\n1,2\n,5\n3,4\n", &["`t.csv`, line 3, column x", "missing"]);
    refused(
        "x,y\n1,2\n2,3\nred,4\n",
        &["`t.csv`, line 4, column x", "`red` is not a finite number", "--type x=category"],
    );
    refused("x,y\n1,2\n\n2,inf\n3,4\n", &["`t.csv`, line 4, column y", "`inf` is not a finite number"]);
    refused("x,y\r\n1,2\r\n2,1e999\r\n3,4\r\n", &["line 3, column y", "`1e999`"]);
}

#[test]
fn cells_of_columns_with_a_role() {
    let desk = Desk::new();
    desk.write("t.csv", "x,y,w\n1,2,1\n2,3,two\n3,4,1\n4,6,1\n");
    for (flag, more) in
        [("--weights", ""), ("--offset", ""), ("--noise-variance", ""), ("--exposure", "--task count")]
    {
        let fit = format!("fit t.csv --target y {flag} w {more} -o m.gp");
        desk.refused(
            &fit,
            3,
            &["`t.csv`, line 3, column w", "`two` is not a finite number", &format!("{flag} needs numbers")],
        );
        assert!(!desk.gp(&fit).err.contains("--type"), "{flag}");
    }
}

#[test]
fn tables_of_a_target_and_roles_have_no_inputs() {
    let desk = Desk::new();
    desk.write("t.csv", "y,e\n2,1\n3,2\n4,1\n");
    let told = "no column besides the target y and e (--exposure)";
    desk.refused("fit t.csv --target y --exposure e --task count -o m.gp", 3, &[told]);
}

#[test]
fn rows_and_headers() {
    refused("x,y\n1,2\n1,2,3\n", &["`t.csv`, line 3: 3 cells, but the header has 2"]);
    refused("x,y\n1,2\n7\n", &["`t.csv`, line 3: 1 cell, but the header has 2"]);
    refused("x,y\n\"1\n1\",2\n7\n", &["`t.csv`, line 4: 1 cell"]);
    refused("x,y,x\n1,2,3\n", &["`t.csv`, line 1: columns 1 and 3 are both called x", "rename"]);
    refused("\u{feff} x\ty\tx \r\n1\t2\t3\r\n", &["line 1: columns 1 and 3 are both called x"]);
    refused("x,y,y\n1,2,3\n", &["line 1: columns 2 and 3 are both called y"]);
    refused("x,,y\n1,2,3\n", &["`t.csv`, line 1: column 2 has no name", "give it one"]);
    refused("x,\"\",y\n1,2,3\n", &["column 2 has no name"]);
    refused("x,  ,y\n1,2,3\n", &["column 2 has no name"]);
    refused("x,y,\n1,2,3\n", &["column 3 has no name"]);
    refused(",,\n1,2,3\n", &["column 2 has no name"]);
    refused("1.5,2.5\n1,2\n", &["`t.csv`, line 1", "add a header"]);
    refused("x,y\n", &["`t.csv` has no rows"]);
    refused("x\ty", &["`t.csv` has no rows"]);
    refused("\u{feff}x,y\r\n\r\n", &["`t.csv` has no rows"]);
    refused("", &["`t.csv` is empty"]);
    refused("x,z\n1,2\n", &["`t.csv` has no column y; it has x, z"]);
    refused("x y\n1 2\n", &["no column y; it has x y alone", "is the separator other than"]);
    refused("y\n1\n2\n", &["no column besides the target y"]);
}

#[test]
fn targets() {
    refused("x,y\n1,2\n", &["column y", "the only row has the value `2`", "does not vary", "--target"]);
    refused("x,y\n1,2\n2,2\n3,2\n", &["column y", "every row has the value `2`"]);
    refused("x,y\n1,a\n2,a\n", &["column y", "every row has the value `a`"]);
    let desk = Desk::new();
    desk.write("t.csv", "x,y\n1,0\n2,-3\n3,4\n");
    desk.refused("fit t.csv --target y --task count", 3, &["`t.csv`, line 3, column y", "whole number"]);
    desk.refused("fit t.csv --target y --task binary", 3, &["3 different values", "two"]);
}

#[test]
fn nothing_to_tell_apart() {
    let one_class = "x,y\n1,a\n2,a\n3,a\n4,a\n";
    for (table, flags) in [
        ("x,y\n1,a\n", ""),
        ("x,y\n1,a\n", "--task multiclass"),
        ("x,y\n1,2\n", "--task count"),
        ("x,y\n1,2\n", "--method exact"),
        ("x,y\n1,2\n", "--likelihood student_t"),
        (one_class, ""),
        (one_class, "--task binary"),
        (one_class, "--task multiclass"),
        (one_class, "--task ordinal"),
        (one_class, "--method ivm"),
        (one_class, "--method savigp"),
        ("x,y\n1,0\n2,0\n3,0\n", "--likelihood bernoulli_probit"),
        // One row remains after dropping.
        ("x,y\n1,a\n2,\n,b\n", "--missing drop"),
    ] {
        let desk = Desk::new();
        desk.write("t.csv", table);
        desk.write("m.gp", "precious");
        desk.refused(
            &format!("{FIT} --force {flags}"),
            3,
            &["`t.csv`, column y", "does not vary", "--target"],
        );
        desk.refused(&format!("diagnose t.csv --target y {flags}"), 3, &["does not vary"]);
    }
    let desk = Desk::new();
    desk.write("t.csv", "x,y\n,a\n2,\n,b\n");
    desk.refused(&format!("{FIT} --missing drop"), 3, &["`t.csv`: each of its 3 rows misses a value"]);
    // Without the only row of a label, a fold cannot learn that label.
    desk.write("t.csv", "x,y\n1,a\n2,a\n3,a\n4,a\n5,a\n6,a\n7,a\n8,b\n");
    desk.refused("cv t.csv --target y --folds 4", 3, &["line 9, column y", "label `b` is in fold"]);
    desk.write("t.csv", "x,y\n1,a\n2,b\n");
    desk.refused("cv t.csv --target y", 3, &["5 folds of 2 rows", "--folds"]);
    desk.ok(FIT);
}

#[test]
fn encodings() {
    refused(b"x,y\n1,2\n\xff\xfe,3\n", &["`t.csv`, line 3", "UTF-8"]);
    refused(b"\xff\xfex\0,\0y\0", &["UTF-16", "UTF-8"]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(sine(100).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    refused(&packed[..packed.len() / 2], &["`t.csv` is a damaged or truncated gzip file"]);
}

#[test]
fn a_million_columns_are_refused_at_once() {
    let header: Vec<String> = (0..1_000_000).map(|i| format!("c{i}")).collect();
    let cells = vec!["1"; 1_000_000].join(",");
    refused(format!("{}\n{cells}\n{cells}\n", header.join(",")), &["1000000 columns", "at most 100000"]);
}

#[test]
fn a_million_columns_of_any_format_are_refused() {
    let desk = Desk::new();
    desk.write("t.svm", "1 1000000:1\n-1 3:1\n");
    desk.refused("fit t.svm --target label", 3, &["`t.svm` has 1000000 columns", "at most 100000"]);
    let header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 1000000), }";
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(format!("{header:<117}\n").bytes());
    bytes.resize(bytes.len() + 2_000_000, 1);
    desk.write("t.npy", bytes);
    desk.refused("fit t.npy --target x0", 3, &["`t.npy` has 1000000 columns", "at most 100000"]);
}

#[test]
fn binary_files() {
    let desk = Desk::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
    for name in [
        "table_snappy.parquet",
        "table_zstd.feather",
        "table_lz4.feather",
        "polars_zstd.feather",
        "table.npy",
        "plain.npz",
    ] {
        let whole = std::fs::read(format!("{data}{name}")).unwrap();
        for length in [whole.len() - 1, whole.len() / 2, 12] {
            desk.write(name, &whole[..length]);
            desk.refused(&format!("fit {name} --target y"), 3, &[&format!("`{name}` is "), "damaged"]);
        }
        std::fs::remove_file(desk.path(name)).unwrap();
    }
    desk.write("t.idx", [0, 0, 8, 1, 0, 0, 0, 9, 1, 2]);
    desk.refused("fit t.idx --target label", 3, &["`t.idx` is damaged", "9"]);
    desk.write("t.svm", "1 1:0.5\n-1 0:2\n");
    desk.refused("fit t.svm --target label", 3, &["`t.svm`, line 2", "`0:2`"]);
    desk.refused("fit t.svm --target label --format xls", 2, &["no format `xls`", "parquet"]);
}

#[test]
fn tables_of_a_model() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.ok("fit t.csv --target y --iterations 3");
    desk.write("no_b.csv", "a,kind\n1,red\n");
    desk.refused("predict model.gp no_b.csv", 3, &["`no_b.csv` has no column b; it has a, kind"]);
    desk.write("text.csv", "a,b,kind\n1,oops,red\n");
    desk.refused("predict model.gp text.csv", 3, &["`text.csv`, line 2, column b", "`oops`"]);
    desk.write("label.csv", "a,b,kind,y\n1,1,red,maybe\n");
    desk.refused("eval model.gp label.csv", 3, &["`label.csv`, line 2, column y", "`maybe`", "in, out"]);
    desk.refused("predict model.gp label.csv", 3, &["`label.csv`, line 2, column y", "`maybe`", "in, out"]);
    desk.refused("update model.gp label.csv -o u.gp", 3, &["`label.csv`, line 2, column y", "`maybe`"]);
    desk.refused("plot model.gp label.csv -o p.png", 3, &["`label.csv`, line 2, column y", "`maybe`"]);
    desk.refused(
        "report model.gp --test label.csv -o r.html",
        3,
        &["`label.csv`, line 2, column y", "`maybe`"],
    );
    desk.write("header.csv", "a,b,kind,y\n");
    for command in
        ["predict model.gp header.csv", "eval model.gp header.csv", "update model.gp header.csv -o u.gp"]
    {
        desk.refused(command, 3, &["`header.csv` has no rows"]);
    }
    desk.write("blank.csv", "a,b,kind,y\n1,1,red,\n");
    desk.refused("eval model.gp blank.csv", 3, &["`blank.csv`, line 2, column y", "missing"]);
    desk.refused("eval model.gp no_b.csv", 3, &["no column"]);
    desk.write("unlabelled.csv", "a,b,kind\n1,1,red\n");
    desk.refused("eval model.gp unlabelled.csv", 3, &["no column y"]);
    desk.refused("predict model.gp missing.csv", 7, &["cannot read `missing.csv`"]);
    desk.refused("predict nothing.gp t.csv", 7, &["cannot read `nothing.gp`"]);
}

#[test]
fn rows_that_miss_values_can_be_left_out() {
    let desk = Desk::new();
    let table = sine(20).replacen("\n0.3,", "\n,", 1);
    desk.write("t.csv", &table);
    let said = desk.ok("fit t.csv --target y --missing drop --json");
    assert_eq!(said.json()["n"], 19);
    assert!(said.err.contains("left out 1 row that misses a value"), "{}", said.err);
    desk.refused("predict model.gp t.csv", 3, &["`t.csv`, line 3, column x"]);
    assert_eq!(desk.ok("predict model.gp t.csv --missing drop").table().1.len(), 20);
    desk.write("later.csv", "x,y\n0.1,TBD\n");
    let texts = [
        "`later.csv`, line 2, column y: `TBD`",
        "correct it: the target of the model is a number, and may be empty in rows to predict",
    ];
    desk.refused("predict model.gp later.csv", 3, &texts);
    desk.write("later.csv", "x,y\n0.1,\n");
    desk.ok("predict model.gp later.csv");
}

/// Only scored tables need the target, which is checked before training.
#[test]
fn test_tables_with_and_without_the_target() {
    let desk = Desk::new();
    desk.write("t.csv", circle(60));
    desk.write("with.csv", "y,b,a,kind,more\nin,0.1,0.1,red,1\nout,0.9,0.9,blue,2\n");
    desk.write("without.csv", "a,b,kind\n0.1,0.1,red\n");
    desk.write("header.csv", "a,b,kind,y\n");
    for (test, texts) in [
        ("without.csv", ["`without.csv` has no column y", "it has a, b, kind"]),
        ("header.csv", ["`header.csv` has no rows", "one at least"]),
        ("nowhere.csv", ["cannot read", "`nowhere.csv`"]),
    ] {
        let code = if test == "nowhere.csv" { 7 } else { 3 };
        desk.refused(&format!("fit t.csv --target y --iterations 100000 --test {test}"), code, &texts);
    }
    let said = desk.ok("fit t.csv --target y --iterations 3 --test with.csv --json");
    assert_eq!(said.json()["test"]["rows"], 2);
    assert!(desk.ok("predict model.gp with.csv").table().0.contains(&"log_density".to_owned()));
    assert!(!desk.ok("predict model.gp without.csv").table().0.contains(&"log_density".to_owned()));
    desk.refused("report model.gp --test - --test - -o r.html", 2, &["--test - is given twice"]);
    desk.refused("report model.gp --test without.csv -o r.html", 3, &["`without.csv` has no column y"]);
    // A plot needs no target.
    desk.ok("plot model.gp without.csv -o p.svg");
}
