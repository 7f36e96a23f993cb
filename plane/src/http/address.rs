//! Where a request comes from. `Forwarded` and `X-Forwarded-For` count only as far as configured proxies wrote them;
//! everybody else could write anything there and so pass the join limits.

use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use http::HeaderMap;

/// Not an address or a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a trusted proxy is an IP address or a network such as 10.0.0.0/8")]
pub struct BadProxy;

/// One proxy, or a network of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Network {
    base: IpAddr,
    bits: u8,
}

impl FromStr for Network {
    type Err = BadProxy;

    fn from_str(text: &str) -> Result<Self, BadProxy> {
        let (base, bits) = text
            .split_once('/')
            .map_or((text, None), |(base, bits)| (base, Some(bits)));
        let base: IpAddr = base.parse().map_err(|_| BadProxy)?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(most), |bits| bits.parse().map_err(|_| BadProxy))?;
        if bits > most {
            Err(BadProxy)
        } else {
            Ok(Self { base, bits })
        }
    }
}

impl Network {
    fn contains(self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let rest = 32 - u32::from(self.bits);
                u64::from(u32::from(base) ^ u32::from(address)) >> rest == 0
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let differing = u128::from(base) ^ u128::from(address);
                self.bits == 0 || differing >> (128 - u32::from(self.bits)) == 0
            }
            _ => false,
        }
    }
}

/// The proxies whose word on a client's address counts; none by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    /// Reads addresses and networks.
    ///
    /// # Errors
    /// One that is neither.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, BadProxy> {
        texts
            .into_iter()
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// As they would be written.
    pub fn shown(&self) -> Vec<String> {
        self.0
            .iter()
            .map(|network| format!("{}/{}", network.base, network.bits))
            .collect()
    }

    fn trusts(&self, address: IpAddr) -> bool {
        self.0
            .iter()
            .any(|network| network.contains(address.to_canonical()))
    }

    /// The client of a request: walking back from the peer, the first address that is no trusted proxy, or the last
    /// one that can be read.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.trusts(client) {
            return client;
        }
        for hop in hops(headers).into_iter().rev() {
            let Some(address) = hop else { break };
            client = address;
            if !self.trusts(client) {
                break;
            }
        }
        client
    }
}

/// The addresses that were forwarded, first hop first; `None` where one is hidden or can't be read.
fn hops(headers: &HeaderMap) -> Vec<Option<IpAddr>> {
    let texts = |name: &str| {
        headers
            .get_all(name)
            .iter()
            .flat_map(|value| value.to_str().unwrap_or("?").split(','))
            .map(|text| text.trim().to_owned())
            .collect::<Vec<_>>()
    };
    let forwarded = texts("forwarded");
    if forwarded.is_empty() {
        return texts("x-forwarded-for")
            .iter()
            .map(|text| address(text))
            .collect();
    }
    forwarded
        .iter()
        .map(|element| forwarded_for(element).and_then(address))
        .collect()
}

/// The `for` of one element (RFC 7239).
fn forwarded_for(element: &str) -> Option<&str> {
    element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("for")
            .then(|| value.trim().trim_matches('"'))
    })
}

/// An address, alone, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse::<IpAddr>().ok();
    text.parse::<IpAddr>()
        .ok()
        .or_else(|| text.parse::<SocketAddr>().ok().map(|with_port| with_port.ip()))
        .or_else(bare)
        .map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn client(trusted: &[&str], peer: &str, headers: &[(&'static str, &str)]) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().unwrap());
        }
        TrustedProxies::parse(trusted.iter().copied())
            .unwrap()
            .client(peer.parse().unwrap(), &map)
            .to_string()
    }

    #[test]
    fn a_strangers_headers_do_not_count() {
        assert_eq!(
            client(&[], "203.0.113.9", &[("x-forwarded-for", "198.51.100.1")]),
            "203.0.113.9"
        );
        assert_eq!(
            client(&["10.0.0.0/8"], "11.0.0.1", &[("forwarded", "for=198.51.100.1")]),
            "11.0.0.1"
        );
    }

    #[test]
    fn what_a_client_wrote_before_the_proxy_does_not_count() {
        let headers = [("x-forwarded-for", "1.1.1.1, 198.51.100.1")];
        assert_eq!(client(&["10.0.0.1"], "10.0.0.1", &headers), "198.51.100.1");
        let headers = [
            ("forwarded", "for=1.1.1.1"),
            ("forwarded", "for=\"198.51.100.1:4711\";proto=https, for=10.0.0.2"),
        ];
        assert_eq!(client(&["10.0.0.0/8"], "10.0.0.1", &headers), "198.51.100.1");
    }

    #[test]
    fn forms_of_addresses() {
        assert_eq!(
            client(&["::1"], "::1", &[("forwarded", "For=\"[2001:db8::7]:99\"")]),
            "2001:db8::7"
        );
        assert_eq!(
            client(&["fd00::/8"], "fd00::1", &[("x-forwarded-for", "[2001:db8::7]")]),
            "2001:db8::7"
        );
        assert_eq!(
            client(
                &["127.0.0.1"],
                "::ffff:127.0.0.1",
                &[("x-forwarded-for", "192.0.2.1")]
            ),
            "192.0.2.1"
        );
        assert_eq!(
            client(&["10.0.0.1"], "10.0.0.1", &[("x-forwarded-for", "junk")]),
            "10.0.0.1"
        );
        assert_eq!(
            client(&["10.0.0.1"], "10.0.0.1", &[("forwarded", "for=_hidden")]),
            "10.0.0.1"
        );
    }

    #[test]
    fn networks_are_read_strictly() {
        for bad in ["", "x", "10.0.0.0/33", "::/129", "10.0.0.0/", "10.0.0.0/8/8"] {
            assert!(TrustedProxies::parse([bad]).is_err(), "{bad}");
        }
        let all = TrustedProxies::parse(["0.0.0.0/0", "::/0"]).unwrap();
        assert!(all.trusts("192.0.2.1".parse().unwrap()) && all.trusts("2001:db8::1".parse().unwrap()));
    }
}
