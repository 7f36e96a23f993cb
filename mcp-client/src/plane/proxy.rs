//! The way to a plane that is not on this machine: straight, or through a proxy.
//!
//! One proxy at most: that of `config.toml`, else that of the environment. A plane on this machine is never asked through
//! one. A proxy that fails is named, without the password its address may hold.

use std::fmt;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::{Proxy, Url};

use super::error::PlaneError;
use super::origin::Origin;
use crate::home::SecretText;

/// Schemes of proxies.
const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];

/// A proxy as somebody set it.
#[derive(Debug, Clone)]
pub struct ProxySetting {
    /// Its address; it may hold a password.
    pub url: SecretText,
    /// Where that was said: a variable, or a key of `config.toml`.
    pub from: &'static str,
    /// Hosts it is not for, as in `NO_PROXY`.
    pub except: Option<String>,
}

/// A proxy without the secrets of its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyName {
    address: String,
    from: &'static str,
    is_loopback: bool,
}

impl ProxyName {
    /// Where it was set: a variable, or a key of `config.toml`.
    pub fn from(&self) -> &'static str {
        self.from
    }

    /// Whether it runs on this machine.
    pub fn is_loopback(&self) -> bool {
        self.is_loopback
    }
}

impl fmt::Display for ProxyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

/// How a proxy fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProxyTrouble {
    /// It can't be reached, or does not answer.
    NotReached,
    /// It wants a name and a password, or others.
    WantsLogin,
    /// It does not open the way, or what answers is no proxy.
    Refuses,
}

/// A proxy that can be used.
pub(super) struct Route {
    pub(super) name: ProxyName,
    pub(super) proxy: Proxy,
    matcher: Matcher,
}

impl Route {
    /// # Errors
    /// The address is none.
    pub(super) fn new(setting: &ProxySetting) -> Result<Self, PlaneError> {
        let bad = || PlaneError::Setup {
            reason: format!(
                "{} is no proxy's address: write it as http://HOST:PORT",
                setting.from
            ),
        };
        let text = setting.url.expose().trim();
        let url = match text.contains("://") {
            true => Url::parse(text),
            false => Url::parse(&format!("http://{text}")),
        }
        .map_err(|_| bad())?;
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(bad)?;
        if !SCHEMES.contains(&url.scheme()) {
            return Err(bad());
        }
        let port = url.port().map_or_else(String::new, |port| format!(":{port}"));
        let name = ProxyName {
            address: format!("{}://{host}{port}", url.scheme()),
            from: setting.from,
            is_loopback: matches!(host, "localhost" | "127.0.0.1" | "[::1]"),
        };
        let matcher = Matcher::builder()
            .all(url.as_str())
            .no(setting.except.as_deref().unwrap_or_default())
            .build();
        Ok(Self {
            name,
            proxy: Proxy::all(url).map_err(|_| bad())?,
            matcher,
        })
    }

    /// Whether requests to a plane go through it.
    pub(super) fn leads_to(&self, origin: &Origin) -> bool {
        let asked = origin.to_string().parse();
        !origin.is_loopback() && asked.is_ok_and(|uri| self.matcher.intercept(&uri).is_some())
    }
}

/// What a connection that was not made through a proxy tells of it, by the words of the library that makes the tunnel.
pub(super) fn trouble(causes: impl Iterator<Item = String>) -> ProxyTrouble {
    for cause in causes {
        if cause.contains("proxy authorization required") || cause.contains("user/pass") {
            return ProxyTrouble::WantsLogin;
        }
        if cause.contains("tunnel error: unsuccessful") {
            return ProxyTrouble::Refuses;
        }
    }
    ProxyTrouble::NotReached
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn route(url: &str, except: Option<&str>) -> Result<Route, PlaneError> {
        Route::new(&ProxySetting {
            url: SecretText::new(url),
            from: "HTTPS_PROXY",
            except: except.map(str::to_owned),
        })
    }

    #[test]
    fn a_proxy_is_named_without_its_password() {
        let route = route("http://ana:hunter2@proxy.example:3128/", None).unwrap();
        assert_eq!(route.name.to_string(), "http://proxy.example:3128");
        assert!(!format!("{:?}", route.name).contains("hunter2"));
        let Err(error) = self::route("gopher://ana:hunter2@proxy", None) else {
            unreachable!("no such proxy")
        };
        assert!(error.to_string().contains("HTTPS_PROXY") && !error.to_string().contains("hunter2"));
    }

    #[test]
    fn an_address_without_a_scheme_is_that_of_an_http_proxy() {
        assert_eq!(
            route("proxy.example:3128", None).unwrap().name.to_string(),
            "http://proxy.example:3128"
        );
        assert!(
            route("socks5h://127.0.0.1:1080", None)
                .unwrap()
                .name
                .is_loopback()
        );
        for bad in ["http://", "ftp://proxy", "http://:3128", "https://a b"] {
            assert!(route(bad, None).is_err(), "{bad}");
        }
    }

    #[test]
    fn planes_of_this_machine_and_excepted_hosts_are_asked_straight() {
        let route = route("http://proxy", Some("corp.example, 10.0.0.0/8")).unwrap();
        for (plane, through) in [
            ("https://plane.example", true),
            ("https://plane.corp.example", false),
            ("https://notcorp.example", true),
            ("https://10.1.2.3:8443", false),
            ("https://localhost:8443", false),
            ("https://127.0.0.1:8443", false),
            ("https://[::1]:8443", false),
        ] {
            assert_eq!(route.leads_to(&plane.parse().unwrap()), through, "{plane}");
        }
        let nobody = self::route("http://proxy", Some("*")).unwrap();
        assert!(!nobody.leads_to(&"https://plane.example".parse().unwrap()));
    }
}
