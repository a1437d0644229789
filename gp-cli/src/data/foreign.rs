//! Recognition of unsupported files, with advice for conversion.

/// Position and signature of DuckDB files.
const DUCKDB: (usize, &[u8]) = (8, b"DUCK");
/// First bytes of SQLite files, for builds without that format.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// First bytes of Parquet and Arrow files, for builds without these formats.
const COLUMNAR: [&[u8]; 2] = [b"PAR1", b"ARROW1"];

/// Position and first bytes of the JSON header of model files (safetensors).
const MODEL: (usize, &[u8]) = (8, b"{\"__metadata__\":{\"gp-model\"");

/// Description of an unsupported file with these first bytes, and advice; `None` if it may be a table.
pub(super) fn advice(name: &str, head: &[u8]) -> Option<String> {
    if head.get(MODEL.0..).is_some_and(|rest| rest.starts_with(MODEL.1)) {
        return Some(format!("`{name}` is a model file, not a table; gp inspect {name} shows what it holds"));
    }
    if head.get(DUCKDB.0..).is_some_and(|rest| rest.starts_with(DUCKDB.1)) {
        return Some(format!(
            "`{name}` is a DuckDB file, which is not read; write the table to Parquet and read that: duckdb {name} -c \"COPY (SELECT * FROM my_table) TO 'my_table.parquet'\""
        ));
    }
    if COLUMNAR.iter().any(|mark| head.starts_with(mark)) {
        return Some(format!(
            "`{name}` is a Parquet or Arrow file, and this program was built without the feature columnar that reads them"
        ));
    }
    head.starts_with(SQLITE).then(|| {
        format!(
            "`{name}` is an SQLite file, and this program was built without the feature sqlite that reads them; build it with --features sqlite, or write the table as text: sqlite3 -header -csv {name} \"SELECT * FROM my_table\" > my_table.csv"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_where_they_are() {
        let duck = advice("x", b"12345678DUCK@").unwrap();
        assert!(duck.starts_with("`x` is a DuckDB file"));
        let model = advice("x", b"\x30\x12\0\0\0\0\0\0{\"__metadata__\":{\"gp-model\":\"{").unwrap();
        assert!(model.starts_with("`x` is a model file"));
        for columnar in [&b"PAR1\x15\x04"[..], b"ARROW1\0\0"] {
            assert!(advice("x", columnar).unwrap().contains("the feature columnar"));
        }
        assert!(advice("x", b"SQLite format 3\0more").unwrap().contains("--features sqlite"));
        for other in [&b"DUCK"[..], b"", b"a,b\n1,DUCK", b"1234567DUCK"] {
            assert_eq!(advice("x", other), None);
        }
    }
}
