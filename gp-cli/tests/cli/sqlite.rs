//! SQLite: whole tables, by name, by query; never written.

use crate::support::{Desk, sine};
use rusqlite::Connection;
use std::io::Write as _;
use std::process::Stdio;

/// Sine as table `t`, and further statements.
fn database(desk: &Desk, more: &str) {
    let connection = Connection::open(desk.path("d.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE t (x REAL, y REAL)").unwrap();
    for row in sine(40).lines().skip(1) {
        connection.execute_batch(&format!("INSERT INTO t VALUES ({row})")).unwrap();
    }
    connection.execute_batch(more).unwrap();
}

#[test]
fn a_database_is_a_table() {
    let desk = Desk::new();
    database(&desk, "");
    desk.write("t.csv", sine(40));
    let before = (desk.read("d.sqlite"), desk.names());
    for flags in ["--method exact", "--method sep --inducing 8 --epochs 2 --stream always"] {
        desk.ok(&format!("fit t.csv --target y {flags} -o text.gp --force --quiet"));
        desk.ok(&format!("fit d.sqlite --target y {flags} -o d.gp --force --quiet"));
        assert!(desk.read("text.gp") == desk.read("d.gp"), "{flags}");
        let query = "--query \"select y, x as x from T order by rowid\"";
        desk.ok(&format!("fit d.sqlite --target y {flags} {query} -o d.gp --force --quiet"));
        let told = |model: &str| {
            let mut told = desk.ok(&format!("inspect {model} --json")).json();
            let query = told["about"]["config"].as_object_mut().unwrap().remove("query");
            (told, query)
        };
        let ((of_text, _), (of_query, query)) = (told("text.gp"), told("d.gp"));
        assert_eq!(
            (of_text, query),
            (of_query, Some("select y, x as x from T order by rowid".into())),
            "{flags}"
        );
    }
    let expected = desk.ok("predict d.gp t.csv").out;
    assert_eq!(desk.ok("predict d.gp d.sqlite").out, expected);
    assert_eq!(desk.ok("predict d.gp d.sqlite --table t --joint").table().1.len(), 40);
    // A query determines rows and their order.
    let reversed = desk.ok("predict d.gp d.sqlite --query \"SELECT * FROM t ORDER BY x DESC LIMIT 3\"");
    let back: Vec<&str> = expected.lines().rev().take(3).collect();
    assert_eq!(reversed.out.lines().skip(1).collect::<Vec<_>>(), back);
    for line in [
        "eval d.gp d.sqlite --query \"select * from t where x > 1\"",
        "cv d.sqlite --table t --target y --method exact --no-train --folds 2",
        "update d.gp d.sqlite --query \"select * from t limit 2\" -o more.gp",
        "check d.sqlite",
        "diagnose d.sqlite --target y --method exact --rows 5",
        "plot d.gp d.sqlite -o p.svg",
    ] {
        desk.ok(line);
    }
    let rest: Vec<String> = desk.names().into_iter().filter(|name| before.1.contains(name)).collect();
    assert!(desk.read("d.sqlite") == before.0 && rest == before.1);
    assert!(desk.names().iter().all(|name| !name.starts_with("d.sqlite-")), "{:?}", desk.names());
}

#[test]
fn a_page_tells_the_query() {
    let desk = Desk::new();
    database(&desk, "CREATE TABLE u AS SELECT * FROM t WHERE x < 3");
    let fit = "fit d.sqlite --target y --method exact --no-train --force --quiet";
    desk.ok(&format!("{fit} --query \"select * from t where x > 1\""));
    desk.ok("report model.gp -o page.html");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    assert!(page.contains("query = &quot;select * from t where x &gt; 1&quot;"), "{page}");
    desk.ok(&format!("{fit} --table u"));
    desk.ok("report model.gp -o page.html --force");
    let page = String::from_utf8(desk.read("page.html")).unwrap();
    assert!(page.contains("table = &quot;u&quot;"), "{page}");
    // The settings on the page are a valid configuration file.
    desk.write(
        "fit.toml",
        "target = [\"y\"]\nquery = \"select * from t where x > 1\"\nno-train = true\nmethod = \"exact\"\n",
    );
    desk.ok("fit d.sqlite --config fit.toml --force --quiet");
}

#[test]
fn rows_to_score_on_have_a_query_of_their_own() {
    let desk = Desk::new();
    database(&desk, "");
    let line = "fit d.sqlite --target y --method exact --no-train --json --quiet";
    let parts = "--query \"select * from t where x < 4\" --test d.sqlite --test-query \"select * from t where x >= 4\"";
    let json = desk.ok(&format!("{line} {parts}")).json();
    assert_eq!((&json["n"], &json["test"]["rows"]), (&27.into(), &13.into()));
    desk.write(
        "fit.toml",
        "target = \"y\"\nquery = \"select * from t where x < 4\"\nmethod = \"exact\"\nno-train = true\n",
    );
    let json = desk.ok("fit d.sqlite --config fit.toml -o c.gp --json --quiet --test d.sqlite").json();
    assert_eq!((&json["n"], &json["test"]["rows"]), (&27.into(), &40.into()));
}

#[test]
fn values_have_types() {
    let desk = Desk::new();
    database(
        &desk,
        "CREATE TABLE kinds (n INTEGER, day TEXT, word TEXT, flag TEXT, code TEXT, y REAL, bytes BLOB, mixed);
         INSERT INTO kinds VALUES (1, '2024-01-01', 'a', 'true', '007', 1.5, x'00ff', 1), (NULL, '2024-01-03', 'b', 'false', '12', 2, NULL, 2.5), (3, NULL, '', 'true', '7', NULL, NULL, ' 7 ');",
    );
    desk.refused("check d.sqlite --table kinds", 3, &["row 1, column bytes: a BLOB"]);
    let blob = ["`d.sqlite`, row 1, column bytes: a BLOB", "--exclude bytes"];
    desk.refused("fit d.sqlite --table kinds --target y", 3, &blob);
    let missing = "--missing keep --exclude bytes --no-train --method exact --task regression";
    desk.ok(&format!("fit d.sqlite --table kinds --target y {missing}"));
    let inputs = desk.ok("inspect model.gp --json").json()["about"]["inputs"]["features"].clone();
    let kind = |name: &str| {
        let one = inputs.as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        one["kind"].as_str().unwrap().to_owned()
    };
    for (name, expected) in [
        ("n", "number"),
        ("day", "date"),
        ("word", "category"),
        ("flag", "boolean"),
        ("code", "category"),
        ("mixed", "number"),
    ] {
        assert_eq!(kind(name), expected, "{name}");
    }
    desk.ok(&format!("fit d.sqlite --table kinds --target y {missing} --type code=number --force"));
    desk.refused(
        "fit d.sqlite -o w.gp --table kinds --target y --type word=number --exclude bytes",
        3,
        &["row 1, column word: `a` is not a finite number"],
    );
}

#[test]
fn what_is_no_table_is_refused() {
    let desk = Desk::new();
    database(&desk, "CREATE TABLE other (z); CREATE VIEW best AS SELECT * FROM t WHERE y > 0;");
    desk.write("t.csv", sine(30));
    let several = ["has the tables other, t, best", "--table", "--query"];
    desk.refused("fit d.sqlite --target y", 3, &several);
    desk.refused(
        "fit d.sqlite --target y --table tt",
        3,
        &["has no table tt; it has other, t, best; did you mean `t`?"],
    );
    desk.refused("fit d.sqlite --target y --table other", 3, &["has no rows"]);
    desk.ok("fit d.sqlite --target y --table best --method exact --no-train --quiet -o best.gp");
    for query in [
        "delete from t",
        "update t set x = 1",
        "create table u (x)",
        "begin",
        "drop table t",
        "insert into t values (1, 2) returning x",
    ] {
        desk.refused(
            &format!("fit d.sqlite --target y --query \"{query}\""),
            2,
            &["--query has to select rows"],
        );
    }
    desk.refused(
        "fit d.sqlite --target y --query \"selec 1\"",
        2,
        &["--query: near \\\"selec\\\": syntax error".replace('\\', "").as_str()],
    );
    desk.refused(
        "fit d.sqlite --target y --query \"select * from nowhere\"",
        2,
        &["--query: no such table: nowhere"],
    );
    desk.refused(
        "fit d.sqlite --target y --query \"select 1; select 2\"",
        2,
        &["--query takes one statement"],
    );
    desk.refused(
        "fit d.sqlite --target y --query \"select * from t where x > 100\"",
        3,
        &["`d.sqlite` has no rows"],
    );
    desk.refused("fit d.sqlite --target y --query \"select x as y, y from t\"", 3, &["two columns called y"]);
    desk.refused("fit t.csv --target y --query \"select 1\"", 2, &["--query", "a table in csv"]);
    desk.refused("predict best.gp t.csv --table t", 2, &["--table", "a table in csv"]);
    let bytes = desk.read("d.sqlite");
    desk.write("half.sqlite", &bytes[..bytes.len() / 2]);
    desk.refused("check half.sqlite --table t", 3, &["`half.sqlite` is a damaged or truncated SQLite file"]);
}

#[test]
fn files_that_others_write() {
    let desk = Desk::new();
    database(&desk, "");
    desk.ok("fit d.sqlite --target y --method exact --no-train --quiet");
    let writer = Connection::open(desk.path("d.sqlite")).unwrap();
    writer.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let said = desk.gp("predict model.gp d.sqlite --quiet");
    assert_eq!((said.code, said.err.lines().count()), (7, 1), "{}", said.err);
    assert!(said.err.contains("`d.sqlite` is locked by another program"), "{}", said.err);
    writer.execute_batch("ROLLBACK; PRAGMA journal_mode = wal; INSERT INTO t VALUES (7, 0)").unwrap();
    assert!(desk.path("d.sqlite-wal").exists());
    assert_eq!(desk.ok("predict model.gp d.sqlite").table().1.len(), 41);
    // Changes of a program that did not end properly are not in the file.
    desk.write("left.sqlite", desk.read("d.sqlite"));
    desk.write("left.sqlite-wal", desk.read("d.sqlite-wal"));
    desk.refused(
        "predict model.gp left.sqlite",
        7,
        &["has changes that are not in it yet, in `left.sqlite-wal`"],
    );
    drop(writer);
    // After closing, the file has all changes, and reading leaves no files beside it.
    assert!(!desk.path("d.sqlite-wal").exists());
    let before = (desk.names(), desk.read("d.sqlite"));
    assert_eq!(desk.ok("predict model.gp d.sqlite").table().1.len(), 41);
    assert!((desk.names(), desk.read("d.sqlite")) == before);
}

#[test]
fn databases_come_through_pipes_too() {
    let desk = Desk::new();
    database(&desk, "PRAGMA journal_mode = wal;");
    desk.ok("fit d.sqlite --target y --method exact --no-train --quiet");
    let mut child = desk
        .command(&["predict", "model.gp", "-", "--query", "select * from t limit 5"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&desk.read("d.sqlite")).unwrap();
    let said = crate::support::Said::of(&child.wait_with_output().unwrap());
    assert_eq!((said.code, said.table().1.len()), (0, 5));
}

/// Unfinished changes are in the file, old contents in the journal.
#[test]
fn a_change_that_was_not_finished_is_seen() {
    let desk = Desk::new();
    database(&desk, "");
    desk.ok("fit d.sqlite --target y --method exact --no-train --quiet");
    let writer = Connection::open(desk.path("d.sqlite")).unwrap();
    let rows = "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 5000)";
    writer.execute_batch(&format!("INSERT INTO t {rows} SELECT n, n FROM i; PRAGMA cache_size = 5")).unwrap();
    writer.execute_batch("BEGIN; UPDATE t SET x = x + 1").unwrap();
    desk.write("left.sqlite", desk.read("d.sqlite"));
    desk.write("left.sqlite-journal", desk.read("d.sqlite-journal"));
    let said = ["`left.sqlite` was left in the middle of a change", "`left.sqlite-journal`"];
    desk.refused("predict model.gp left.sqlite", 7, &said);
    writer.execute_batch("ROLLBACK").unwrap();
    assert_eq!(desk.ok("predict model.gp d.sqlite").table().1.len(), 5040);
}

#[test]
fn numbers_in_columns_of_text_are_recognised() {
    let desk = Desk::new();
    let connection = Connection::open(desk.path("d.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE t (x TEXT, y REAL, z TEXT)").unwrap();
    for (i, row) in sine(40).lines().skip(1).enumerate() {
        connection.execute_batch(&format!("INSERT INTO t VALUES ({row}, '{}')", 0.25 * i as f64)).unwrap();
    }
    let said = "column x: 40 numbers are stored as words; --type x=number reads them as numbers";
    let fit = "fit d.sqlite --exclude z --target y --iterations 3 --force";
    assert!(desk.ok(fit).err.contains(said));
    assert!(desk.ok("check d.sqlite").out.contains(said));
    assert!(!desk.ok(&format!("{fit} --type x=number")).err.contains("stored as words"));
    let target = "fit d.sqlite --exclude x --target z -o z.gp";
    desk.refused(target, 2, &["say --type z=number if they are numbers"]);
}
