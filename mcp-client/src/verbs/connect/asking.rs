//! Asks a plane for a code. What it answers goes before a person's eyes, so it is checked first; the page that is named is the
//! plane's own.

use std::time::Duration;

use tokio::time::Instant;
use wire::api::Connecting;
use wire::problem::Code;

use super::waiting::Waiting;
use super::{CALL_S, ConnectCode, or_cancelled};
use crate::plane::{Origin, Plane, PlaneError, within};
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::Host;
use crate::verbs::wording;

/// What a plane may ask for: an hour to wait, a minute between two requests.
const LONGEST_S: u64 = 3_600;
const SLOWEST_S: u64 = 60;
/// Gets a code for this machine.
pub(super) async fn ask(plane: &Plane, had_token: bool, host: &dyn Host) -> Result<Waiting, Failure> {
    let origin = plane.origin();
    let machine_name = machine_name();
    let codes = or_cancelled(host, plane.connect(machine_name.clone(), within(CALL_S))).await?;
    let codes = codes.map_err(|error| refused(origin, &error))?;
    waiting(origin.clone(), codes, machine_name, had_token)
}

/// Checks what the plane answered: its text goes before a person's eyes.
pub(super) fn waiting(
    origin: Origin,
    codes: Connecting,
    machine_name: Option<String>,
    had_token: bool,
) -> Result<Waiting, Failure> {
    let plain = codes
        .user_code
        .bytes()
        .all(|symbol| symbol.is_ascii_alphanumeric());
    let (true, Some((first, second))) = (
        plain && codes.user_code.len() == 8,
        codes.user_code.split_at_checked(4),
    ) else {
        return Err(wording::plane(&PlaneError::BadAnswer { origin }));
    };
    let user_code = format!("{first}-{second}");
    let expires_in_s = codes.expires_in.clamp(1, LONGEST_S);
    let code = ConnectCode {
        state: "waiting".to_owned(),
        plane: origin.to_string(),
        page: page(&origin, &codes.verification_uri),
        operator_command: format!("devpilot-plane admin approve {user_code}"),
        user_code,
        machine_name,
        expires_in_s,
    };
    Ok(Waiting {
        device_code: codes.device_code,
        interval: Duration::from_secs(codes.interval.clamp(1, SLOWEST_S)),
        ends: Instant::now() + Duration::from_secs(expires_in_s),
        origin,
        code,
        had_token,
    })
}

/// The page as the plane names it, if it is one of its own; a code is for no other's.
fn page(origin: &Origin, named: &str) -> String {
    let own = named
        .strip_prefix(&format!("{origin}/"))
        .filter(|path| path.len() <= 100 && path.bytes().all(is_plain));
    own.map_or_else(|| format!("{origin}/connect"), |_| named.to_owned())
}

const fn is_plain(symbol: u8) -> bool {
    symbol.is_ascii_alphanumeric() || matches!(symbol, b'/' | b'-' | b'_' | b'.')
}

/// What the plane answers to a machine that wants to be connected.
fn refused(origin: &Origin, error: &PlaneError) -> Failure {
    match error.code() {
        Some(Code::NotFound) => Failure::new(
            code::NOT_CONNECTED,
            format!(
                "{origin} connects no machines this way; it may be of an older version. Ask its operator for a machine token \
                 (`devpilot-plane admin token create --org ORG --member NAME --scopes share,rekey`), and set DEVPILOT_PLANE={origin} and DEVPILOT_BRIDGE_TOKEN."
            ),
        ),
        Some(Code::RateLimited) => Failure::new(
            code::NOT_CONNECTED,
            format!(
                "Too many machines ask {origin} from this address. Try again in {} s.",
                error.retry_after_s().unwrap_or(60)
            ),
        ),
        _ => not_reached(error),
    }
}

/// Nothing is at stake yet, and the address is what was just typed.
pub(super) fn not_reached(error: &PlaneError) -> Failure {
    let (origin, what) = match error {
        PlaneError::Unreachable {
            origin,
            refused: true,
            ..
        } if origin.is_loopback() => {
            let serve = wording::serve_command(origin);
            let text = format!(
                "Nothing listens at {origin} on this machine. Check the address, or start a plane there: `{serve}`, or \
                 `make run` in a checkout."
            );
            return Failure::new(code::PLANE_UNREACHABLE, text);
        }
        PlaneError::Unreachable { origin, reason, .. } => (origin, format!("can't be reached ({reason})")),
        PlaneError::TimedOut { origin } => (origin, "did not answer in time".to_owned()),
        _ => return wording::plane(error),
    };
    let text = format!(
        "{origin} {what}. Check the address with whoever runs that plane, and this machine's network, and run it again."
    );
    Failure::new(code::PLANE_UNREACHABLE, text)
}

/// How this machine is called, for whoever says yes.
fn machine_name() -> Option<String> {
    let name = gethostname::gethostname().to_string_lossy().trim().to_owned();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::verbs::connect::tests::{codes, origin};

    #[tokio::test]
    async fn only_the_planes_own_page_is_shown() {
        for (named, shown) in [
            (
                "https://plane.example.org/connect",
                "https://plane.example.org/connect",
            ),
            ("https://plane.example.org/a/b", "https://plane.example.org/a/b"),
            (
                "https://evil.example/connect",
                "https://plane.example.org/connect",
            ),
            (
                "https://plane.example.org.evil.example/",
                "https://plane.example.org/connect",
            ),
            (
                "https://plane.example.org/connect?code=X",
                "https://plane.example.org/connect",
            ),
            (
                "https://plane.example.org/\u{1b}[2J",
                "https://plane.example.org/connect",
            ),
            ("", "https://plane.example.org/connect"),
        ] {
            let waiting = waiting(origin(), codes("WDJBMJHT", named), None, false).unwrap();
            assert_eq!(waiting.code().page, shown);
        }
    }

    #[tokio::test]
    async fn a_code_that_is_none_is_never_shown_and_times_are_kept_within_reason() {
        for bad in [
            "",
            "WDJB-MJHT",
            "Run rm -rf",
            "WDJBMJH\u{202e}",
            "WD\u{1b}[2JMJ",
            "WDJB MJH",
            "WDJBMJHTX",
        ] {
            let refused = waiting(origin(), codes(bad, ""), None, false).unwrap_err();
            assert_eq!(refused.code(), code::PLANE_ANSWER, "{bad}");
        }
        let waiting = waiting(origin(), codes("WDJBMJHT", ""), None, false).unwrap();
        assert_eq!(waiting.code().user_code, "WDJB-MJHT");
        assert_eq!(waiting.code().expires_in_s, 3_600);
        assert_eq!(waiting.interval, Duration::from_secs(1));
        assert!(
            !format!("{waiting:?}").contains("AQEB"),
            "the device code is secret"
        );
    }
}
