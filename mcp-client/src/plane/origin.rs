//! Where a plane is: scheme, host and port, and nothing else of a URL.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An origin in its one spelling: lower case, no default port. `http` is for the machine itself alone
/// (`crypto.md` section 4).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Origin {
    https: bool,
    host: String,
    port: Option<u16>,
}

/// Not an origin this client talks to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadOrigin {
    /// Not `https://HOST[:PORT]`.
    #[error("not a plane's address: write it as https://HOST")]
    Malformed,
    /// `http` to another machine.
    #[error("an address without TLS, which only a plane on this machine may have: write https://HOST")]
    Insecure,
}

impl Origin {
    /// An origin from its parts.
    ///
    /// # Errors
    /// A host with other symbols than a name or an address has, or `http` to another machine.
    pub fn new(https: bool, host: &str, port: Option<u16>) -> Result<Self, BadOrigin> {
        let host = host.to_ascii_lowercase();
        let named = !host.is_empty()
            && host
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.' || b == b'-');
        let address = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .is_some_and(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok());
        if !(named || address) || port == Some(0) {
            return Err(BadOrigin::Malformed);
        }
        let default = if https { 443 } else { 80 };
        let origin = Self {
            https,
            host,
            port: port.filter(|port| *port != default),
        };
        if origin.https || origin.is_loopback() {
            Ok(origin)
        } else {
            Err(BadOrigin::Insecure)
        }
    }

    /// Whether it leads to this machine itself.
    pub fn is_loopback(&self) -> bool {
        matches!(self.host.as_str(), "localhost" | "127.0.0.1" | "[::1]")
    }

    /// Whether TLS protects it.
    pub fn is_https(&self) -> bool {
        self.https
    }

    /// The host, an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, if it is not the scheme's own.
    pub fn port(&self) -> Option<u16> {
        self.port
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.https { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.host)?;
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Origin {
    type Err = BadOrigin;

    /// Reads `https://HOST[:PORT]`, a trailing slash allowed, anything more refused.
    fn from_str(text: &str) -> Result<Self, BadOrigin> {
        let (scheme, rest) = text.trim().split_once("://").ok_or(BadOrigin::Malformed)?;
        let https = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return Err(BadOrigin::Malformed),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let split = match rest.rfind(']') {
            Some(end) => rest.get(end..).and_then(|tail| tail.find(':')).map(|at| end + at),
            None => rest.find(':'),
        };
        let (host, port) = match split.and_then(|at| rest.split_at_checked(at)) {
            Some((host, port)) => {
                let digits = port.strip_prefix(':').ok_or(BadOrigin::Malformed)?;
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let port = digits.parse().ok().filter(|_| plain);
                (host, Some(port.ok_or(BadOrigin::Malformed)?))
            }
            None => (rest, None),
        };
        Self::new(https, host, port)
    }
}

impl TryFrom<String> for Origin {
    type Error = BadOrigin;

    fn try_from(text: String) -> Result<Self, BadOrigin> {
        text.parse()
    }
}

impl From<Origin> for String {
    fn from(origin: Origin) -> Self {
        origin.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::{BadOrigin, Origin};

    fn spelled(text: &str) -> Result<String, BadOrigin> {
        text.parse::<Origin>().map(|origin| origin.to_string())
    }

    #[test]
    fn one_origin_has_one_spelling() {
        assert_eq!(
            spelled("HTTPS://Plane.Example:443/"),
            Ok("https://plane.example".to_owned())
        );
        assert_eq!(
            spelled("https://plane.example:8443"),
            Ok("https://plane.example:8443".to_owned())
        );
        assert_eq!(spelled("http://[::1]:3848"), Ok("http://[::1]:3848".to_owned()));
    }

    #[test]
    fn http_stays_on_this_machine() {
        assert_eq!(
            spelled("http://127.0.0.1:3848"),
            Ok("http://127.0.0.1:3848".to_owned())
        );
        assert_eq!(spelled("http://127.0.0.2"), Err(BadOrigin::Insecure));
        assert_eq!(spelled("http://localhost.evil.example"), Err(BadOrigin::Insecure));
        assert_eq!(spelled("http://[::2]"), Err(BadOrigin::Insecure));
    }

    #[test]
    fn nothing_but_an_origin_is_taken() {
        for text in [
            "plane.example",
            "ftp://plane.example",
            "https://",
            "https://a/b",
            "https://u@a",
            "https://a:0",
            "https://a:",
            "https://a:+1",
            "https://a:70000",
            "https://[::1",
            "https://a?b",
        ] {
            assert_eq!(spelled(text), Err(BadOrigin::Malformed), "{text}");
        }
    }
}
