//! Recognises unsupported files and advises.

const DUCKDB: (usize, &[u8]) = (8, b"DUCK");
/// For builds without SQLite.
const SQLITE: &[u8] = b"SQLite format 3\0";

/// For builds without Parquet and Arrow.
const COLUMNAR: [&[u8]; 2] = [b"PAR1", b"ARROW1"];

/// Start of model files (safetensors).
const MODEL: (usize, &[u8]) = (8, b"{\"__metadata__\":{\"gp-model\"");

/// Excel before 2007, encrypted workbooks.
const OLD_EXCEL: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";
const ZIP: &[u8] = b"PK\x03\x04";
/// Marks near a spreadsheet archive's start.
const PARTS: [&[u8]; 3] = [b"[Content_Types].xml", b"xl/", b"opendocument.spreadsheet"];
/// Positions of an archive's first name.
const NAME_LENGTH: usize = 26;
const NAME: usize = 30;
const SPREADSHEETS: [&str; 6] = ["xlsx", "xlsm", "xlsb", "xls", "ods", "numbers"];

/// Advice for spreadsheets; else `None`.
pub(super) fn spreadsheet(name: &str, extension: &str, head: &[u8]) -> Option<String> {
    let is_zip = head.starts_with(ZIP) && !holds_arrays(head);
    let has_part = || PARTS.iter().any(|part| head.windows(part.len()).any(|bytes| bytes == *part));
    let is_named = SPREADSHEETS.contains(&extension);
    let is_one = head.starts_with(OLD_EXCEL) || (is_zip && (is_named || has_part()));
    let what = if extension == "ods" || extension == "numbers" { "a spreadsheet" } else { "an Excel file" };
    is_one.then(|| {
        format!(
            "`{name}` is {what}, which is not read; save its sheet as CSV in UTF-8, or write it to Parquet: python -c \"import pandas; pandas.read_excel('{name}').to_parquet('my_table.parquet')\""
        )
    })
}

fn holds_arrays(head: &[u8]) -> bool {
    let length = head
        .get(NAME_LENGTH..NAME_LENGTH + 2)
        .map_or(0, |two| usize::from(two[0]) + 256 * usize::from(two[1]));
    head.get(NAME..NAME + length).is_some_and(|name| name.ends_with(b".npy"))
}

/// Advice on unsupported files; `None` for possible tables.
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
    fn spreadsheets_are_told_from_arrays() {
        let zip = |name: &str| [ZIP, &[0; 22], &[name.len() as u8, 0, 0, 0], name.as_bytes()].concat();
        let of = |extension: &str, head: &[u8]| spreadsheet("x", extension, head);
        for (extension, head) in [
            ("", zip("[Content_Types].xml")),
            ("xlsx", zip("xl/workbook.xml")),
            ("xlsm", zip("unknown")),
            ("xls", OLD_EXCEL.to_vec()),
        ] {
            assert!(of(extension, &head).unwrap().starts_with("`x` is an Excel file"), "{extension}");
        }
        let sheet = zip("mimetypeapplication/vnd.oasis.opendocument.spreadsheet");
        assert!(of("ods", &sheet).unwrap().starts_with("`x` is a spreadsheet"));
        for (extension, head) in
            [("npz", zip("X.npy")), ("xlsx", zip("xl/X.npy")), ("xls", b"a,b\n1,2".to_vec())]
        {
            assert_eq!(of(extension, &head), None);
        }
    }

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
