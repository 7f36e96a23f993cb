//! The origin that links are built from (`crypto.md` section 4: http is for this machine alone).

use std::fmt;
use std::str::FromStr;

/// Not an origin that links may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPublicUrl {
    /// Not `https://HOST` or `https://HOST:PORT`.
    #[error("write it as https://plane.example.org or https://plane.example.org:8443, without a path")]
    Form,
    /// `http` to another machine.
    #[error("http is for localhost, 127.0.0.1 and [::1] alone, and clients refuse such a link; use https")]
    Insecure,
}

/// `https://HOST[:PORT]`, or `http` on this machine. Lower case, without a slash at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl(String);

impl FromStr for PublicUrl {
    type Err = BadPublicUrl;

    fn from_str(text: &str) -> Result<Self, BadPublicUrl> {
        let text = text.strip_suffix('/').unwrap_or(text).to_ascii_lowercase();
        let (scheme, authority) = text.split_once("://").ok_or(BadPublicUrl::Form)?;
        let (host, port) = split_port(authority);
        let port_fits = port.is_none_or(|port| {
            port.bytes().all(|symbol| symbol.is_ascii_digit())
                && port.parse::<u16>().is_ok_and(|port| port > 0)
        });
        if !is_host(host) || !port_fits {
            return Err(BadPublicUrl::Form);
        }
        match scheme {
            "https" => Ok(Self(text)),
            "http" if matches!(host, "localhost" | "127.0.0.1" | "[::1]") => Ok(Self(text)),
            "http" => Err(BadPublicUrl::Insecure),
            _ => Err(BadPublicUrl::Form),
        }
    }
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

fn is_host(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            !host.is_empty()
                && host
                    .bytes()
                    .all(|symbol| matches!(symbol, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-'))
        }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
