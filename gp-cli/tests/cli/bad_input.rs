//! What is wrong with a table is told in one line: file, line, column, what to do; and nothing is touched.

use crate::support::{Desk, circle, sine};
use std::io::Write;

const FIT: &str = "fit t.csv --target y -o m.gp";

#[track_caller]
fn refused(table: impl AsRef<[u8]>, texts: &[&str]) {
    let desk = Desk::new();
    desk.write("t.csv", table);
    // A model that must not be harmed.
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
fn rows_and_headers() {
    refused("x,y\n1,2\n1,2,3\n", &["`t.csv`, line 3: 3 cells, but the header has 2"]);
    refused("x,y\n1,2\n7\n", &["`t.csv`, line 3: 1 cell, but the header has 2"]);
    refused("x,y\n\"1\n1\",2\n7\n", &["`t.csv`, line 4: 1 cell"]);
    refused("x,y,x\n1,2,3\n", &["two columns called x", "rename"]);
    refused("x,,y\n1,2,3\n", &["column 2 has no name"]);
    refused("1.5,2.5\n1,2\n", &["`t.csv`, line 1", "add a header"]);
    refused("x,y\n", &["`t.csv` has no rows"]);
    refused("", &["`t.csv` is empty"]);
    refused("x,z\n1,2\n", &["`t.csv` has no column y; it has x, z"]);
    refused("x y\n1 2\n", &["no column y; it has x y alone", "separated by something else"]);
    refused("y\n1\n2\n", &["no column besides the target y"]);
}

#[test]
fn targets() {
    refused("x,y\n1,2\n", &["column y", "does not vary"]);
    refused("x,y\n1,2\n2,2\n3,2\n", &["column y", "every row has the value `2`"]);
    refused("x,y\n1,a\n2,a\n", &["column y", "every row has the value `a`"]);
    let desk = Desk::new();
    desk.write("t.csv", "x,y\n1,0\n2,-3\n3,4\n");
    desk.refused("fit t.csv --target y --task count", 3, &["`t.csv`, line 3, column y", "whole number"]);
    desk.refused("fit t.csv --target y --task binary", 3, &["3 different values", "two"]);
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
fn binary_files() {
    let desk = Desk::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/");
    for name in ["table_snappy.parquet", "table_zstd.feather", "table_lz4.feather", "table.npy", "plain.npz"]
    {
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
    assert!(said.err.contains("left out 1 rows"), "{}", said.err);
    desk.refused("predict model.gp t.csv", 3, &["`t.csv`, line 3, column x"]);
    assert_eq!(desk.ok("predict model.gp t.csv --missing drop").table().1.len(), 19);
}
