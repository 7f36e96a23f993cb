//! Connecting a machine (device login, RFC 8628), decided purely: what the codes look like, what of a machine's own
//! name is shown, and what a request for its token is answered.

use std::fmt;

use wire::timestamp::Timestamp;
use wire::transcript::sha256;

/// How long a machine waits between two requests for its token, in seconds.
pub(crate) const INTERVAL_S: u64 = 5;
/// A request that comes earlier than the interval by no more than that was hurried by the network.
const EARLY_MS: i64 = 1_000;
/// Consonants alone (RFC 8628, 6.1): no two look alike, and no words come about.
const SYMBOLS: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";
const LENGTH: usize = 8;
/// The longest name of a machine, in symbols.
const NAME_MAX: usize = 64;

/// What people type: eight symbols.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct UserCode([u8; LENGTH]);

impl UserCode {
    /// A code of random bytes; none, if too few of them can be used without favouring a symbol.
    pub(crate) fn draw(random: &[u8]) -> Option<Self> {
        let count = SYMBOLS.len();
        let even = u8::MAX as usize / count * count;
        let mut symbols = random
            .iter()
            .map(|byte| usize::from(*byte))
            .filter(|byte| *byte < even)
            .filter_map(|byte| SYMBOLS.get(byte % count));
        let mut code = [0; LENGTH];
        for place in &mut code {
            *place = *symbols.next()?;
        }
        Some(Self(code))
    }

    /// Reads what a person typed: in lower case as well, with hyphens and spaces where they like.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let symbols: Vec<u8> = text
            .bytes()
            .filter(|byte| *byte != b'-' && !byte.is_ascii_whitespace())
            .map(|byte| byte.to_ascii_uppercase())
            .collect();
        let known = symbols.iter().all(|symbol| SYMBOLS.contains(symbol));
        symbols.try_into().ok().filter(|_| known).map(Self)
    }

    /// What the store keeps.
    pub(crate) fn hash(&self) -> [u8; 32] {
        sha256(&self.0)
    }

    /// The eight symbols.
    pub(crate) fn text(&self) -> String {
        self.0.iter().copied().map(char::from).collect()
    }
}

impl fmt::Debug for UserCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("UserCode")
    }
}

/// What is shown of the name that a machine gives itself. Anybody may ask, so it may hold anything: an approver's
/// terminal gets letters, digits and a few marks of it, and no more than fit a line.
pub(crate) fn shown_name(given: &str) -> Option<String> {
    let kept: String = given
        .chars()
        .map(|symbol| if symbol.is_whitespace() { ' ' } else { symbol })
        .filter(|symbol| symbol.is_alphanumeric() && !is_blank(*symbol) || " -._'’()".contains(*symbol))
        .collect();
    let words: Vec<&str> = kept.split(' ').filter(|word| !word.is_empty()).collect();
    let name: String = words.join(" ").chars().take(NAME_MAX).collect();
    let name = name.trim_end();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Letters by their class that show nothing: the fillers of Hangul.
const fn is_blank(symbol: char) -> bool {
    matches!(symbol, '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// A request as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Standing {
    /// Until when both codes count.
    pub(crate) expires_at: Timestamp,
    /// When the machine asked for its token last.
    pub(crate) polled_at: Option<Timestamp>,
    /// Somebody said yes.
    pub(crate) approved: bool,
    /// Somebody said no. Counts more than a yes.
    pub(crate) denied: bool,
    /// The token was handed out.
    pub(crate) spent: bool,
}

/// What a machine that asks for its token is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Poll {
    /// The token.
    HandOut,
    /// Nobody decided yet.
    Pending,
    /// As before, and it asks too often.
    TooSoon,
    /// Refused.
    Denied,
    /// The codes count no more.
    Over,
}

impl Standing {
    /// What a machine that asks now is answered. How often it asks matters only while there is nothing to tell.
    pub(crate) fn poll(&self, now: Timestamp) -> Poll {
        if self.spent || now >= self.expires_at {
            return Poll::Over;
        }
        if self.denied {
            return Poll::Denied;
        }
        if self.approved {
            return Poll::HandOut;
        }
        let interval = i64::try_from(INTERVAL_S)
            .unwrap_or(i64::MAX)
            .saturating_mul(1_000);
        let next = self.polled_at.map(|at| at.plus_millis(interval - EARLY_MS));
        if next.is_some_and(|next| now < next) {
            Poll::TooSoon
        } else {
            Poll::Pending
        }
    }

    /// Whether a yes still counts.
    pub(crate) fn may_be_approved(&self) -> bool {
        !self.spent && !self.denied && !self.approved
    }

    /// Whether a no still counts: also after a yes, until the machine has its token.
    pub(crate) const fn may_be_denied(&self) -> bool {
        !self.spent && !self.denied
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    const WAITING: Standing = Standing {
        expires_at: at(600_000),
        polled_at: None,
        approved: false,
        denied: false,
        spent: false,
    };

    #[test]
    fn a_code_has_eight_symbols_none_of_which_look_alike() {
        let code = UserCode::draw(&(0..=255).collect::<Vec<u8>>()).unwrap().text();
        assert_eq!(code.len(), 8);
        for look_alikes in ["0O", "1IL", "2Z", "5S", "8B", "UV"] {
            let inside = look_alikes
                .bytes()
                .filter(|symbol| SYMBOLS.contains(symbol))
                .count();
            assert!(inside < 2, "{look_alikes}");
        }
    }

    #[test]
    fn every_symbol_is_as_likely_as_every_other() {
        let mut counts = std::collections::BTreeMap::new();
        for byte in 0..=u8::MAX {
            if let Some(code) = UserCode::draw(&[byte; LENGTH]) {
                *counts.entry(code.text()).or_insert(0) += 1;
            }
        }
        assert_eq!(counts.len(), SYMBOLS.len());
        assert!(counts.values().all(|count| *count == 12), "{counts:?}");
        assert!(UserCode::draw(&[255; 32]).is_none());
    }

    #[test]
    fn a_code_is_read_as_people_type_it() {
        let code = UserCode::parse("WDJBMJHT").unwrap();
        for typed in ["WDJB-MJHT", "wdjb mjht", " wdjb-mjht\n", "W D J B M J H T"] {
            assert_eq!(UserCode::parse(typed), Some(code), "{typed}");
        }
        for other in [
            "",
            "WDJBMJH",
            "WDJBMJHTT",
            "WDJBMJH1",
            "WDJBMJHA",
            "WDJBMJHÄ",
            "ＷDJBMJHT",
        ] {
            assert_eq!(UserCode::parse(other), None, "{other}");
        }
        assert_eq!(
            format!("{code:?}"),
            "UserCode",
            "a code is shown to nobody but its approver"
        );
    }

    #[test]
    fn of_a_machines_name_only_what_can_do_no_harm_is_shown() {
        for (given, shown) in [
            ("ada-laptop.local", Some("ada-laptop.local")),
            ("Ada’s MacBook Pro (2)", Some("Ada’s MacBook Pro (2)")),
            ("Jürgens Rechner", Some("Jürgens Rechner")),
            ("  a \t\n b  ", Some("a b")),
            ("a\u{1b}[31mred\u{1b}]0;x\u{7}", Some("a31mred0x")),
            ("a\u{202e}b\u{200b}c\u{e0041}d\u{3164}e", Some("abcde")),
            ("<b>`$;|&\"", Some("b")),
            ("\u{1b}\u{200d}\u{2028}", None),
            ("", None),
        ] {
            assert_eq!(shown_name(given).as_deref(), shown, "{given:?}");
        }
        assert_eq!(shown_name(&"ä".repeat(1_000)).unwrap().chars().count(), 64);
    }

    #[test]
    fn a_machine_that_keeps_to_the_interval_is_never_told_to_slow_down() {
        assert_eq!(WAITING.poll(at(0)), Poll::Pending);
        let polled = Standing {
            polled_at: Some(at(10_000)),
            ..WAITING
        };
        assert_eq!(polled.poll(at(10_001)), Poll::TooSoon);
        assert_eq!(polled.poll(at(13_999)), Poll::TooSoon);
        assert_eq!(polled.poll(at(14_000)), Poll::Pending);
        assert_eq!(polled.poll(at(15_000)), Poll::Pending);
    }

    #[test]
    fn what_was_decided_is_told_at_once_and_once() {
        let approved = Standing {
            approved: true,
            polled_at: Some(at(10_000)),
            ..WAITING
        };
        assert_eq!(approved.poll(at(10_001)), Poll::HandOut);
        assert_eq!(approved.poll(at(599_999)), Poll::HandOut);
        assert_eq!(approved.poll(at(600_000)), Poll::Over);
        let spent = Standing {
            spent: true,
            ..approved
        };
        assert_eq!(spent.poll(at(10_001)), Poll::Over);
        let denied = Standing {
            denied: true,
            ..approved
        };
        assert_eq!(denied.poll(at(10_001)), Poll::Denied);
    }

    #[test]
    fn a_no_counts_until_the_token_is_out_and_a_yes_once() {
        let approved = Standing {
            approved: true,
            ..WAITING
        };
        let spent = Standing {
            spent: true,
            ..approved
        };
        let denied = Standing {
            denied: true,
            ..WAITING
        };
        assert!(WAITING.may_be_approved() && WAITING.may_be_denied());
        assert!(!approved.may_be_approved() && approved.may_be_denied());
        assert!(!spent.may_be_approved() && !spent.may_be_denied());
        assert!(!denied.may_be_approved() && !denied.may_be_denied());
    }
}
