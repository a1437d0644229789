//! Messages about users' files.

use crate::support::{Desk, noise, sine};

#[test]
fn spreadsheets_are_named_with_what_to_do() {
    let desk = Desk::new();
    let archive = |name: &str| {
        let mut bytes = b"PK\x03\x04".to_vec();
        bytes.resize(26, 0);
        bytes.extend([name.len() as u8, 0, 0, 0]);
        bytes.extend(name.bytes());
        bytes
    };
    let advice = ["which is not read; save its sheet as CSV in UTF-8, or write it to Parquet", "read_excel"];
    for (name, bytes) in [
        ("t.xlsx", archive("[Content_Types].xml")),
        ("t.csv", archive("xl/workbook.xml")),
        ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more".to_vec()),
    ] {
        desk.write(name, bytes);
        let said = format!("`{name}` is an Excel file");
        desk.refused(&format!("fit {name} --target y"), 3, &[&[said.as_str()][..], &advice].concat());
        desk.refused(&format!("check {name}"), 3, &[&said]);
    }
    // A table in text is read, whatever its name.
    desk.write("text.xls", sine(20).replace(',', "\t"));
    desk.ok("fit text.xls --target y");
}

#[test]
fn open_quotes_are_named_with_their_line() {
    let desk = Desk::new();
    let texts = |line: usize| {
        format!("`t.csv`, line {line}: a cell begins with a quotation mark that is never closed")
    };
    for (table, line) in [
        ("x,y\n1,2\n2,\"3\n3,4\n4,5\n", 3),
        ("x,y\n1,2\n\n\"2,3\n3,4\n", 4),
        ("x,y\n\"1\n1\",2\n2,\"3", 4),
        ("\"x,y\n1,2\n3,4\n", 1),
    ] {
        desk.write("t.csv", table);
        for command in
            ["fit t.csv --target y", "fit t.csv --target y --stream always --method exact", "check t.csv"]
        {
            desk.refused(command, 3, &[&texts(line)]);
        }
    }
    desk.write("s.csv", sine(20));
    desk.ok("fit s.csv --target y");
    desk.write("t.csv", "x,y\n1,2\n2,\"3\n3,4\n");
    desk.refused("predict model.gp t.csv", 3, &[&texts(3)]);
    desk.write("closed.csv", sine(20) + "\"5\n\",\"0.\"\n");
    desk.ok("predict model.gp closed.csv");
}

#[test]
fn control_characters_and_long_cells_do_not_reach_the_terminal() {
    let desk = Desk::new();
    let long = "z".repeat(500);
    desk.write("t.csv", format!("x\u{1b}[31m,y\n1,2\n2,3\n\u{1b}]0;title\u{7}{long},4\n"));
    let line = "fit t.csv --target y";
    desk.refused(
        line,
        3,
        &["line 4, column x\\u{1b}[31m: `\\u{1b}]0;title\\u{7}zzz", "zz…` is not a finite number"],
    );
    let said = desk.gp(line);
    assert!(!said.err.contains('\u{1b}') && !said.err.contains(&"z".repeat(100)), "{}", said.err);
    desk.write("t.csv", sine(20));
    desk.ok("fit t.csv --target y");
    let row = |i: usize| format!("{},{},{i}\n", ["a", "b", "c"][i % 3], i / 2);
    desk.write("w.csv", "w\u{1b}[1m,x,y\n".to_owned() + &(0..30).map(row).collect::<String>());
    desk.ok("fit w.csv --target y --task regression --force");
    desk.write("new.csv", format!("w\u{1b}[1m,x,y\n\u{1b}[2J{long},1,1\n"));
    let said = desk.ok("predict model.gp new.csv");
    let what = "warning: column w\\u{1b}[1m: `\\u{1b}[2Jzzz";
    assert!(said.err.contains(what) && said.err.contains("zz…` did not occur in training"), "{}", said.err);
    desk.write("bad.csv", format!("x,y\n1,2\n1,2\n\u{1b}[2J{long},1\n"));
    let found = desk.ok("check w.csv");
    assert!(!found.err.contains('\u{1b}') && !found.out.contains('\u{1b}'), "{}", found.out);
    desk.refused("fit t.csv --target \u{1b}[2J --force", 3, &["no column \\u{1b}[2J"]);
}

/// The giant's square overflows, perhaps sums.
#[test]
fn giants_are_named_with_their_place() {
    let desk = Desk::new();
    desk.write("t.csv", sine(30) + "1e300,0.5\n");
    for flags in ["", "--stream always --method exact"] {
        let said = desk.ok(&format!("fit t.csv --target y --iterations 1 --force {flags}"));
        let text = "column x: 1e300 at line 32 is so large that its square is beyond the range of numbers, and others are equal beside it;";
        assert!(said.err.contains(text), "{}", said.err);
    }
    desk.write("s.csv", sine(30));
    desk.ok("fit s.csv --target y --iterations 1 --force");
    let texts = ["`t.csv`, line 32, column x: 1e300 is too far from the numbers of training"];
    desk.refused("predict model.gp t.csv", 3, &texts);
    let found = desk.ok("check t.csv").out;
    assert!(found.starts_with("column x: 1e300 at line 32 is ") && found.len() < 200, "{found}");
    desk.write("t.csv", sine(30) + "1e308,1\n1.7e308,1\n");
    let texts = ["`t.csv`, line 32, column x: 1e308 is too large, and sums over the column are", "--exclude"];
    desk.refused("fit t.csv --target y --force", 3, &texts);
    desk.write("t.csv", sine(30) + "5,-1e300\n");
    let texts = ["`t.csv`, line 32, column y: -1e300 is too large", "square is beyond the range"];
    desk.refused("fit t.csv --target y --force", 3, &texts);
}

/// Equal sizes are no giants while squares are finite.
#[test]
fn large_numbers_are_called_giants_where_it_is_true() {
    let desk = Desk::new();
    let times = |unit: &str, rows: usize| {
        let row = |i: usize| format!("{i},{}{unit}\n", (0.2 * i as f64).sin() + 0.05 * noise(i));
        "x,y\n".to_owned() + &(0..rows).map(row).collect::<String>()
    };
    desk.write("t.csv", times("e150", 60));
    let said = desk.ok("fit t.csv --target y --iterations 1 --force");
    assert!(!said.err.contains("so large") && !said.err.contains("beside it"), "{}", said.err);
    desk.write("t.csv", times("", 60) + "60,1e152\n");
    let said = desk.ok("fit t.csv --target y --iterations 1 --force");
    assert!(
        said.err.contains("1e152 at line 62 is so large that others are equal beside it;"),
        "{}",
        said.err
    );
    desk.write("t.csv", times("", 60).replace("x,y", "y,x") + "0.5,1e160\n0.6,-1e160\n");
    let said = desk.ok("fit t.csv --target y --iterations 1 --force");
    let text = "column x: 1e160 at line 62 is so large that its square is beyond the range of numbers;";
    assert!(said.err.contains(text), "{}", said.err);
}

/// Variances under- or overflow; inputs of any size have units.
#[test]
fn targets_without_a_variance_are_named_with_their_column() {
    let desk = Desk::new();
    for exponent in [-315, -307, -200, -160, 155] {
        let row = |i: usize| {
            let y = (0.2 * i as f64).sin() + 0.05 * noise(i);
            format!("{},{y}e{exponent}\n", 0.1 * i as f64)
        };
        let rows: String = (0..40).map(row).collect();
        desk.write("t.csv", "x,y\n".to_owned() + &rows);
        for flags in ["", "--likelihood student_t", "--stream always --method exact"] {
            let texts =
                ["`t.csv`", "column y", "square is beyond the range of numbers", "rescale the column"];
            desk.refused(&format!("fit t.csv --target y --force {flags}"), 3, &texts);
        }
        desk.write("t.csv", "y,x\n".to_owned() + &rows);
        let said = desk.ok("fit t.csv --target y --iterations 20 --force");
        assert!(exponent > 0 || !said.err.contains("warning: column x"), "{}", said.err);
        assert!(desk.ok("predict model.gp t.csv").column("mean").iter().all(|mean| mean.is_finite()));
    }
}
