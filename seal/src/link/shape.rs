//! The shapes of a link in pasted text (`crypto.md` section 4.1, steps 4 and 7), read symbol by symbol.
//!
//! The section writes them as expressions. From where one begins it matches in one way at most, so reading on and never
//! back finds the same. Compiled, expressions that count to 512 take a megabyte, and every process looks for links:
//! these take nothing. The tests hold them against the expressions.

/// Most symbols of a query before the fragment.
const QUERY_MAX: usize = 512;
/// Most symbols of a host in a link of which hardly more is there.
const BEGUN_MAX: usize = 255;
/// Symbols of a token in base32.
const TOKEN_SYMBOLS: usize = 64;
/// Hexadecimal digits of a session id, by group.
const ID_GROUPS: [usize; 5] = [8, 4, 4, 4, 12];

/// What a link consists of, as it stands in the text.
#[derive(PartialEq, Eq)]
pub(super) struct Shape<'t> {
    /// `http` or `https`.
    pub(super) scheme: &'t str,
    pub(super) host: &'t str,
    /// With its colon; empty if there is none.
    pub(super) port: &'t str,
    /// Thirty-two digits, with or without hyphens between the groups.
    pub(super) session: &'t str,
    /// `f` or `v`.
    pub(super) kind: &'t str,
    pub(super) token: &'t str,
}

/// The links of a text from the front, none of them within another.
pub(super) fn links(text: &str) -> impl Iterator<Item = Shape<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let mut reader = Reader(rest.get(rest.find("http")?..)?);
            // No start can be within these four symbols.
            let next = reader.0.get("http".len()..)?;
            let shape = reader.link();
            rest = if shape.is_some() { reader.0 } else { next };
            if shape.is_some() {
                return shape;
            }
        }
    })
}

/// Whether there is a link of another version than this one.
pub(super) fn has_other_version(text: &str) -> bool {
    tags(text).any(|rest| {
        let mut symbols = rest.chars();
        match symbols.next() {
            Some('0' | '2'..='9') => true,
            Some('1') => matches!(
                symbols.next(),
                Some('a'..='e' | 'g'..='u' | 'w'..='z' | '2'..='7')
            ),
            _ => false,
        }
    })
}

/// Whether there is a link, or its key alone, of which the end is missing.
pub(super) fn has_cut(text: &str) -> bool {
    tags(text).next().is_some() || text.contains("#dp1f") || text.contains("#dp1v")
}

/// Whether there is a link without its key.
pub(super) fn has_id_only(text: &str) -> bool {
    paths(text).any(|reader| !reader.0.starts_with(|symbol| symbol == '-' || is_hex(symbol)))
}

/// Whether there is a link of which hardly more than the host is there.
pub(super) fn has_begun(text: &str) -> bool {
    text.match_indices("http")
        .filter_map(|(at, _)| text.get(at..))
        .any(|rest| Reader(rest).begun().is_some())
}

/// What comes after each `#dp` that ends the path of a session.
fn tags(text: &str) -> impl Iterator<Item = &str> {
    paths(text).filter_map(|mut reader| {
        reader.query()?;
        reader.literal("#dp")?;
        Some(reader.0)
    })
}

/// What comes after each path of a session.
fn paths(text: &str) -> impl Iterator<Item = Reader<'_>> {
    // By its first symbol, since one path can begin with the last symbol of what looked like another.
    text.match_indices('/').filter_map(|(at, _)| {
        let mut reader = Reader(text.get(at..)?);
        reader.path()?;
        Some(reader)
    })
}

/// The text that is left to read.
#[derive(Clone, Copy)]
struct Reader<'t>(&'t str);

impl<'t> Reader<'t> {
    fn link(&mut self) -> Option<Shape<'t>> {
        let scheme = self.scheme()?;
        let host = self.host()?;
        let port = self.port()?;
        let session = self.path()?;
        self.query()?;
        self.literal("#dp1")?;
        let kind = self.run(1, 1, |symbol| matches!(symbol, 'f' | 'v'))?;
        let token = self.run(
            TOKEN_SYMBOLS,
            TOKEN_SYMBOLS,
            |symbol| matches!(symbol, 'a'..='z' | '2'..='7'),
        )?;
        Some(Shape {
            scheme,
            host,
            port,
            session,
            kind,
            token,
        })
    }

    fn begun(&mut self) -> Option<&'t str> {
        self.scheme()?;
        self.run(1, BEGUN_MAX, |symbol| symbol != '/')?;
        self.literal("/s/")
    }

    fn scheme(&mut self) -> Option<&'t str> {
        let scheme = self.literal("https").or_else(|| self.literal("http"))?;
        self.literal("://")?;
        Some(scheme)
    }

    fn host(&mut self) -> Option<&'t str> {
        self.span(|reader| {
            if reader.literal("[").is_none() {
                let is_name = |symbol| matches!(symbol, 'a'..='z' | '0'..='9' | '.' | '-');
                return reader.run(1, usize::MAX, is_name);
            }
            reader.run(1, usize::MAX, |symbol| {
                is_hex(symbol) || matches!(symbol, ':' | '.')
            })?;
            reader.literal("]")
        })
    }

    fn port(&mut self) -> Option<&'t str> {
        self.span(|reader| match reader.literal(":") {
            Some(_) => reader.run(1, 5, |symbol| symbol.is_ascii_digit()),
            None => Some(""),
        })
    }

    /// `/s/` and the session id, which is given.
    fn path(&mut self) -> Option<&'t str> {
        self.literal("/s/")?;
        self.span(|reader| {
            let mut last = "";
            for (group, digits) in ID_GROUPS.into_iter().enumerate() {
                if group > 0 {
                    reader.literal("-");
                }
                last = reader.run(digits, digits, is_hex)?;
            }
            Some(last)
        })
    }

    /// What may stand between the path and the fragment.
    fn query(&mut self) -> Option<&'t str> {
        self.literal("/");
        match self.literal("?") {
            Some(_) => self.run(0, QUERY_MAX, |symbol| symbol != '#'),
            None => Some(""),
        }
    }

    fn literal(&mut self, literal: &str) -> Option<&'t str> {
        let rest = self.0.strip_prefix(literal)?;
        let read = self.0.get(..literal.len());
        self.0 = rest;
        read
    }

    /// As many symbols of a class as there are, up to `most`; none if they are fewer than `least`.
    fn run(&mut self, least: usize, most: usize, class: impl Fn(char) -> bool) -> Option<&'t str> {
        let (mut count, mut length) = (0, 0);
        for symbol in self.0.chars().take(most).take_while(|symbol| class(*symbol)) {
            count += 1;
            length += symbol.len_utf8();
        }
        let (run, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        (count >= least).then_some(run)
    }

    /// All that `read` reads.
    fn span(&mut self, read: impl FnOnce(&mut Self) -> Option<&'t str>) -> Option<&'t str> {
        let before = self.0;
        read(self)?;
        before.get(..before.len().checked_sub(self.0.len())?)
    }
}

const fn is_hex(symbol: char) -> bool {
    matches!(symbol, '0'..='9' | 'a'..='f')
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use proptest::sample::select;
    use regex::Regex;

    use super::*;

    // As `crypto.md` section 4.1 writes them.
    const UUID: &str = "[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}";
    const TAG: &str = r"/s/UUID/?(?:\?[^#]{0,512})?#dp";
    static LINK: LazyLock<Regex> = LazyLock::new(|| {
        expression(
            r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{1,5})?/s/(UUID)/?(?:\?[^#]{0,512})?#dp1([fv])([a-z2-7]{64})",
        )
    });
    static OTHER_VERSION: LazyLock<Regex> =
        LazyLock::new(|| expression(&format!("{TAG}(?:[02-9]|1[a-eg-uw-z2-7])")));
    static CUT: LazyLock<Regex> = LazyLock::new(|| expression(&format!("{TAG}|#dp1[fv]")));
    static ID_ONLY: LazyLock<Regex> = LazyLock::new(|| expression(r"/s/UUID(?:[^0-9a-f\-]|\z)"));
    static BEGUN: LazyLock<Regex> = LazyLock::new(|| expression("https?://[^/]{1,255}/s/"));

    fn expression(text: &str) -> Regex {
        let text = text.replace("UUID", UUID);
        regex::RegexBuilder::new(&text)
            .size_limit(1 << 26)
            .build()
            .unwrap()
    }

    /// Each shape finds in a text what its expression finds in it.
    fn agree(text: &str) {
        let read: Vec<_> = links(text)
            .map(|link| {
                [
                    link.scheme,
                    link.host,
                    link.port,
                    link.session,
                    link.kind,
                    link.token,
                ]
            })
            .collect();
        let matched: Vec<_> = LINK
            .captures_iter(text)
            .map(|found| [1, 2, 3, 4, 5, 6].map(|group| found.get(group).map_or("", |found| found.as_str())))
            .collect();
        assert_eq!(read, matched, "{text}");
        assert_eq!(has_other_version(text), OTHER_VERSION.is_match(text), "{text}");
        assert_eq!(has_cut(text), CUT.is_match(text), "{text}");
        assert_eq!(has_id_only(text), ID_ONLY.is_match(text), "{text}");
        assert_eq!(has_begun(text), BEGUN.is_match(text), "{text}");
    }

    const ID: &str = "0123456789abcdef0123456789abcdef";
    const HYPHENED: &str = "01234567-89ab-cdef-0123-456789abcdef";
    const TOKEN: &str = "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrstuvwxyz234567";

    /// The parts of a link in their order, each most often as it should be.
    fn link_like() -> impl Strategy<Value = String> {
        let part = |good: &[&str], bad: &[&str]| {
            let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            prop_oneof![15 => select(owned(good)), 1 => select(owned(bad))]
        };
        let long = |symbols: usize, symbol: &str| format!("?{}", symbol.repeat(symbols));
        let queries = [
            long(511, "x"),
            long(512, "é"),
            long(513, "x"),
            long(3, "/s/"),
            "?".to_owned(),
            format!("?http://q/s/{ID}"),
        ];
        let query =
            prop_oneof![4 => Just(String::new()), 2 => select(queries.to_vec()), 1 => Just("x".to_owned())];
        (
            part(&["http", "https"], &["", "httphttp", "ttp", "httpss"]),
            part(&["://"], &["", ":/", ":////"]),
            part(
                &["localhost", "a-1.b", "[::1]", "[0f.1]"],
                &["", "[]", "[::g]", "[::1", "ü", "a_b"],
            ),
            part(&["", ":1", ":12345"], &[":", ":123456", ":x"]),
            part(&["/s/"], &["", "/s", "/s/s/", "//s/"]),
            part(
                &[ID, HYPHENED, "01234567-89abcdef0123-456789abcdef"],
                &["", "0123", "01234567--89ab", &ID[1..]],
            ),
            part(&["", "/"], &["//", "-", "f", "é"]),
            query,
            part(&["#dp1"], &["", "#", "#dp", "#dp0", "#dp2", "dp1", "##dp1"]),
            (
                part(&["f", "v"], &["", "a", "8", "F"]),
                part(&[TOKEN], &["", &TOKEN[1..], "8", "abc1"]),
            ),
        )
            .prop_map(
                |(scheme, colon, host, port, path, id, slash, query, tag, (kind, token))| {
                    [
                        scheme, colon, host, port, path, id, slash, query, tag, kind, token,
                    ]
                    .concat()
                },
            )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn shapes_find_what_their_expressions_find(parts in prop::collection::vec(link_like(), 1..4), between in "[a-f/#é]{0,2}") {
            agree(&parts.join(&between));
        }

        #[test]
        fn and_in_any_text(text in r"(http|s|://|/s/|/|#dp|1|f|\?|é|[0-9a-f-]{1,12}){0,40}") {
            agree(&text);
        }
    }

    #[test]
    fn the_edges_of_counted_symbols_are_those_of_the_expressions() {
        for count in [0, 1, 254, 255, 256, 257, 511, 512, 513] {
            for symbol in ["x", "é", "🙂", "?"] {
                let many = symbol.repeat(count);
                agree(&format!("https://{many}/s/"));
                agree(&format!("https://h/s/{ID}?{many}#dp1f{TOKEN}"));
                agree(&format!("https://h/s/{ID}/?{many}#dp2"));
            }
        }
    }

    #[test]
    fn a_link_in_the_query_of_what_is_none_is_found() {
        let inner = format!("https://h/s/{ID}#dp1f{TOKEN}");
        let text = format!("https://a/s/{ID}?{}{inner}", "x".repeat(600));
        assert!(links(&text).any(|link| link.host == "h"));
        agree(&text);
        let text = format!("http://a/s/{ID}?{inner}{inner}");
        assert_eq!(links(&text).count(), 2);
        agree(&text);
    }
}
