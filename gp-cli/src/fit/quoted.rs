//! Quoted names in comma-separated lists.

/// Rejoins quoted pieces cut at commas. Inner quotes are doubled, unclosed ones literal.
pub(crate) fn joined(pieces: &[String]) -> Vec<String> {
    let (mut names, mut rest) = (Vec::with_capacity(pieces.len()), pieces);
    while let [first, behind @ ..] = rest {
        let end = (0..rest.len()).find(|&end| unquoted(&rest[..=end].join(",")).is_some());
        match end.filter(|_| first.starts_with('"')) {
            Some(end) => {
                names.extend(unquoted(&rest[..=end].join(",")));
                rest = &rest[end + 1..];
            }
            None => {
                names.push(first.clone());
                rest = behind;
            }
        }
    }
    names
}

fn unquoted(text: &str) -> Option<String> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    let is_whole = !inside.is_empty() && !inside.replace("\"\"", "").contains('"');
    is_whole.then(|| inside.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::quoted;

    fn cut(text: &str) -> Vec<String> {
        joined(&text.split(',').map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn names_in_quotes_keep_their_commas() {
        assert_eq!(cut("a,\"height, cm\",b"), ["a", "height, cm", "b"]);
        assert_eq!(cut("\"x,y,z\""), ["x,y,z"]);
        assert_eq!(cut("\"a\",\"b,c\""), ["a", "b,c"]);
        assert_eq!(cut("a,b"), ["a", "b"]);
    }

    #[test]
    fn quotes_without_an_end_are_letters() {
        assert_eq!(cut("\"a,b"), ["\"a", "b"]);
        assert_eq!(cut("5\" pipe,b"), ["5\" pipe", "b"]);
        assert_eq!(cut("\",b"), ["\"", "b"]);
    }

    #[test]
    fn what_is_quoted_is_read_back() {
        for name in ["a", "a,b", "height, cm", "\"", "a\",b", "\"a\"", "a\"\",\"b"] {
            assert_eq!(cut(&quoted(name)), [name]);
        }
    }
}
