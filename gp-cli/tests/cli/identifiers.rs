//! Identifiers are unchanged text, also of groups.

use crate::support::{Desk, sine};

/// Three identifiers, equal as numbers.
fn table() -> String {
    let text = sine(30);
    let ids = ["007", "7", "9007199254740993"];
    let row = |(row, line): (usize, &str)| format!("{},{line}\n", ids[row / 10]);
    "id,x,y\n".to_owned() + &text.lines().skip(1).enumerate().map(row).collect::<String>()
}

fn first_cells(out: &str) -> Vec<&str> {
    out.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect()
}

#[test]
fn identifiers_come_back_as_they_are_written() {
    let desk = Desk::new();
    desk.write("t.csv", table());
    desk.ok("fit t.csv --target y --features x");
    for more in ["", "--samples 1 --seed 1"] {
        let said = desk.ok(&format!("predict model.gp t.csv --id id {more}"));
        let ids = first_cells(&said.out);
        assert_eq!((ids[0], ids[10], ids[20]), ("007", "7", "9007199254740993"));
    }
    let said = desk.ok("suggest model.gp t.csv --id id --count 30");
    let mut ids = first_cells(&said.out);
    ids.sort_unstable();
    assert_eq!((ids[0], ids[10], ids[20]), ("007", "7", "9007199254740993"));
    // A few words among numbers are identifiers, too.
    desk.write("t.csv", table().replacen("007", "A-12", 1));
    assert_eq!(first_cells(&desk.ok("predict model.gp t.csv --id id").out)[..2], ["A-12", "007"]);
}

#[test]
fn inputs_are_identifiers_as_well() {
    let desk = Desk::new();
    let row =
        |i: u32| format!("00{i},2024/{:02}/{:02},{}\n", 1 + i / 28, 1 + i % 28, f64::from(i % 13) / 4.0);
    desk.write("t.csv", "n,day,y\n".to_owned() + &(0..40).map(row).collect::<String>());
    desk.ok("fit t.csv --target y --features n,day");
    let plain = desk.ok("predict model.gp t.csv");
    let said = desk.ok("predict model.gp t.csv --id n --id day --id y");
    let (header, rows) = said.table();
    assert_eq!(header[..3], ["n", "day", "y"]);
    assert_eq!(rows[29][..3], ["0029", "2024/02/02", "0.75"]);
    let rest = |line: &str| line.splitn(4, ',').nth(3).unwrap().to_owned();
    assert_eq!(said.out.lines().map(rest).collect::<Vec<_>>(), plain.out.lines().collect::<Vec<_>>());
    desk.write("bad.csv", "n,day,y\n1,2024/01/01,1\nx,2024/01/01,1\n");
    let texts = ["`bad.csv`, line 3, column n: `x` is not a finite number"];
    desk.refused("predict model.gp bad.csv --id n", 3, &texts);
    // So do the suggested points, which are the same.
    let plain = desk.ok("suggest model.gp t.csv --count 2").table().1;
    let said = desk.ok("suggest model.gp t.csv --count 2 --id n --id day");
    let (header, rows) = said.table();
    assert_eq!(header[..2], ["n", "day"]);
    for (row, plain) in rows.iter().zip(&plain) {
        assert_eq!(row[0], format!("00{}", plain[0]), "{}", said.out);
        assert_eq!(row[1], plain[1].replace('-', "/"), "{}", said.out);
        assert_eq!(row[2..], plain[2..], "{}", said.out);
    }
    let told = desk.ok("suggest model.gp t.csv --id n --json").json();
    assert_eq!(told["points"][0]["n"], rows[0][0].as_str());
}

#[test]
fn groups_are_told_apart_by_their_text() {
    let desk = Desk::new();
    desk.write("t.csv", table() + "9007199254740992,0.1,0.2\n");
    let said = desk.ok("cv t.csv --target y --groups id --method exact --json");
    assert_eq!(said.json()["division"]["groups"].to_string(), "[1,1,1,1]");
}

#[test]
fn long_integers_are_exact() {
    let desk = Desk::new();
    for name in ["ids.parquet", "ids.feather"] {
        let file = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
        desk.write(name, std::fs::read(file).unwrap());
        desk.ok(&format!("fit {name} --target y --features x --force"));
        let said = desk.ok(&format!("predict model.gp {name} --id patient --id sensor --id ward"));
        let rows = said.table().1;
        assert_eq!(rows[0][..3], ["9007199254740992", "18446744073709551615", "9007199254740992"], "{name}");
        assert_eq!(rows[3][..3], ["9007199254740993", "18446744073709551614", "9007199254740993"], "{name}");
        for groups in ["patient", "sensor", "ward"] {
            let line = format!("cv {name} --target y --features x --groups {groups} --iterations 1 --json");
            assert_eq!(desk.ok(&line).json()["division"]["groups"].to_string(), "[1,1,1,1]", "{name}");
        }
        // As words, they are four levels, not three.
        desk.ok(&format!("fit {name} --target y --features patient --type patient=category --force"));
        let inspected = desk.ok("inspect model.gp --json").json();
        let levels = &inspected["about"]["inputs"]["features"][0]["encoding"]["one_hot"];
        assert_eq!(levels.as_array().map(Vec::len), Some(4), "{name}: {levels}");
    }
}
