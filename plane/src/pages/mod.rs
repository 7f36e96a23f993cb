//! The files that browsers get, from inside the binary, and which page a path under `/s/` gets.
//!
//! The session page is the same for every id: a preview bot, or somebody who guesses ids, learns nothing.

mod built;
mod files;

pub use built::{BuiltApp, BuiltFile, built};
pub use files::{File, Files, Page};

use wire::ids::SessionId;

/// What a path under `/s` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPath {
    /// A session's id alone.
    Session,
    /// Anything else: most likely a link whose `#` was turned into `%23`, so that its secret reached us.
    Damaged,
}

impl LinkPath {
    /// Decides on path and query as they stand in the request line.
    ///
    /// A session id alone, hyphenated or not, a slash behind it or not, in either case: a program that writes a link in
    /// capitals takes nothing from it (`crypto.md` 4.1, step 3). A query may stand there unless it holds what a link's secret
    /// starts with.
    pub fn of(path: &str, query: Option<&str>) -> Self {
        let id = path
            .strip_prefix("/s/")
            .or_else(|| path.strip_prefix("/S/"))
            .map(|rest| rest.strip_suffix('/').unwrap_or(rest));
        if id.is_some_and(is_session_id) && !query.is_some_and(crate::logging::holds_link_token) {
            Self::Session
        } else {
            Self::Damaged
        }
    }
}

fn is_session_id(text: &str) -> bool {
    let compact = |text: &str| text.len() == 32 && text.bytes().all(|symbol| symbol.is_ascii_hexdigit());
    compact(text) || text.to_ascii_lowercase().parse::<SessionId>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";

    #[test]
    fn a_session_id_alone_is_a_session() {
        let hex = ID.replace('-', "");
        for path in [
            format!("/s/{ID}"),
            format!("/s/{hex}"),
            format!("/s/{ID}/"),
            format!("/s/{hex}/"),
            format!("/s/{}", ID.to_uppercase()),
            format!("/S/{}/", hex.to_uppercase()),
        ] {
            assert_eq!(LinkPath::of(&path, None), LinkPath::Session, "{path}");
            assert_eq!(
                LinkPath::of(&path, Some("utm_source=x")),
                LinkPath::Session,
                "{path}"
            );
        }
    }

    #[test]
    fn everything_else_is_damaged() {
        let hex = ID.replace('-', "");
        let token = format!("dp1f{}", "a".repeat(64));
        for path in [
            "/s".to_owned(),
            "/s/".to_owned(),
            "/s//".to_owned(),
            "/s/nothing".to_owned(),
            format!("/s/{hex}//"),
            format!("/s/{hex}%23{token}"),
            format!("/s/{hex}%2523{token}"),
            format!("/s/{hex}/{token}"),
            format!("/s/{hex}{token}"),
            format!("/s/{ID}x"),
            format!("/s/{hex}%20"),
            format!("/s/{hex}/records"),
            format!("/S/{}%23{}", hex.to_uppercase(), token.to_uppercase()),
            format!("/s/{}", &hex[1..]),
        ] {
            assert_eq!(LinkPath::of(&path, None), LinkPath::Damaged, "{path}");
        }
        for query in [format!("x=1%23{token}"), token.to_uppercase()] {
            assert_eq!(
                LinkPath::of(&format!("/s/{hex}"), Some(&query)),
                LinkPath::Damaged,
                "{query}"
            );
        }
    }
}
