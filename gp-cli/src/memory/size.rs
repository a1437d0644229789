//! Sizes in bytes, as text.

const UNITS: [(&str, f64); 9] = [
    ("", 1.0),
    ("k", 1e3),
    ("m", 1e6),
    ("g", 1e9),
    ("t", 1e12),
    ("ki", 1024.0),
    ("mi", 1_048_576.0),
    ("gi", 1_073_741_824.0),
    ("ti", 1_099_511_627_776.0),
];

/// At least one byte: `500M`, `2G`, `1.5GiB`, or bytes.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size such as 500M, 2G or 2GiB");
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.to_ascii_lowercase();
    let unit = unit.strip_suffix('b').unwrap_or(&unit);
    let (_, factor) = UNITS.into_iter().find(|(known, _)| *known == unit).ok_or_else(wrong)?;
    let number: f64 = number.trim().parse().map_err(|_| wrong())?;
    let bytes = number * factor;
    if (1.0..=u64::MAX as f64).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

pub(crate) fn size_text(bytes: f64) -> String {
    match bytes {
        1e9.. => format!("{:.1} GB", bytes / 1e9),
        1e6.. => format!("{:.0} MB", bytes / 1e6),
        1e3.. => format!("{:.0} kB", bytes / 1e3),
        _ if bytes == 1.0 => "1 byte".to_owned(),
        _ => format!("{bytes:.0} bytes"),
    }
}

/// Size for `--memory`: whole megabytes, rounded up.
pub(super) fn size_flag(bytes: f64) -> String {
    format!("{:.0}M", (bytes / 1e6).ceil())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_both_kinds() {
        let known = [
            ("500M", 500_000_000),
            ("2G", 2_000_000_000),
            ("2GiB", 2 << 30),
            ("1.5 kib", 1536),
            ("64KB", 64_000),
            ("1000000", 1_000_000),
            ("12b", 12),
        ];
        for (text, bytes) in known {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "-1G", "0", "nan", "1e400", "2X", "two", "1 2"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn flags_are_enough() {
        for bytes in [1.0, 1e6, 1e6 + 1.0, 2.34e7] {
            let read = parse_size(&size_flag(bytes)).unwrap() as f64;
            assert!(read >= bytes && read < bytes + 1e6, "{bytes}: {read}");
        }
    }

    #[test]
    fn sizes_are_short() {
        assert_eq!(
            [1.0, 12.0, 2e3, 1.23e8, 1.6e10].map(size_text),
            ["1 byte", "12 bytes", "2 kB", "123 MB", "16.0 GB"]
        );
    }
}
