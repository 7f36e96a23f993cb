//! `connect`: gets this machine a token for a plane, by a code that the plane's operator says yes to (device login, RFC
//! 8628). For the command line alone.
//!
//! The plane may be anybody's: what it answers is checked before it is shown, and the page that is named is its own.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use wire::api::{Connected, Connecting};
use wire::encoding::Secret32;
use wire::problem::Code;

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::{Failure, code};
use super::host::Host;
use super::{reach, wording};
use crate::credentials::Credentials;
use crate::home::SecretText;
use crate::plane::{MachineToken, Origin, Plane, PlaneError, within};
use crate::render;

/// How long one request may take, in seconds.
const CALL_S: u64 = 15;
/// RFC 8628, 3.5: who is told to slow down waits so much longer from then on.
const SLOWER: Duration = Duration::from_secs(5);
/// What a plane may ask for: an hour to wait, a minute between two requests.
const LONGEST_S: u64 = 3_600;
const SLOWEST_S: u64 = 60;
/// How often the person sees that it goes on.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// What to connect to.
#[derive(Debug, Clone)]
pub struct ConnectArgs {
    /// The plane's address.
    pub plane: String,
    /// Make a plane that is connected already the one to share on.
    pub make_default: bool,
    /// Get a new token although there is one that counts.
    pub replace: bool,
}

/// The code that is waiting for a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectCode {
    /// Always `waiting`.
    pub state: String,
    /// The plane.
    pub plane: String,
    /// The code, in two groups of four.
    pub user_code: String,
    /// The plane's own page that says what to do with it.
    pub page: String,
    /// What the plane's operator runs.
    pub operator_command: String,
    /// How this machine calls itself there.
    pub machine_name: Option<String>,
    /// How long the code counts, in seconds.
    pub expires_in_s: u64,
}

/// A machine that is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectAnswer {
    /// `connected`, or `already_connected`: nothing was fetched.
    pub state: String,
    /// The plane.
    pub plane: String,
    /// The org that the machine belongs to, by name; only of a new token.
    pub org: Option<String>,
    /// The member whose machine it is, by name; only of a new token.
    pub member: Option<String>,
    /// What the token may do.
    pub scopes: Vec<String>,
    /// Whether sessions are shared there unless something says otherwise.
    pub is_default: bool,
    /// What to do next.
    pub next: String,
    /// What else to know.
    pub warnings: Vec<String>,
}

/// How far `connect` came at once.
#[derive(Debug)]
pub enum Begun {
    /// There is a token that counts.
    Connected(Box<Delivered<ConnectAnswer>>),
    /// Somebody has to say yes first.
    Waiting(Box<Waiting>),
}

/// A code that waits for a yes, and what the token is fetched with.
#[derive(Debug)]
pub struct Waiting {
    origin: Origin,
    device_code: Secret32,
    interval: Duration,
    ends: Instant,
    code: ConnectCode,
    had_token: bool,
}

impl Answer for ConnectCode {
    fn text(&self) -> String {
        let name = self.machine_name.as_deref().unwrap_or("this machine");
        format!(
            "Connecting {name} to {}.\n\n  Code:  {}\n  Page:  {}\n\nGive the code to whoever runs that plane; they run\n  {}\nWaiting \
             for their yes, {} min at most; Ctrl-C ends it.",
            self.plane,
            self.user_code,
            self.page,
            self.operator_command,
            self.expires_in_s.div_ceil(60),
        )
    }
}

impl Answer for ConnectAnswer {
    fn text(&self) -> String {
        let may = match self.scopes.as_slice() {
            [] => "nothing yet".to_owned(),
            scopes => scopes.join(", "),
        };
        let first = match (&self.member, &self.org) {
            (Some(member), Some(org)) => format!(
                "Connected to {} as a machine of \"{member}\" in \"{org}\"; its token may: {may}.",
                self.plane
            ),
            _ => format!(
                "This machine is connected to {} already, and its token counts; it may: {may}.",
                self.plane
            ),
        };
        let mut lines = vec![first, self.next.clone()];
        lines.extend(self.warnings.iter().cloned());
        lines.join("\n")
    }
}

/// Looks whether this machine is connected, and asks the plane for a code if it is not.
///
/// # Errors
/// No plane's address; the plane can't be reached or connects no machines; the token could not be stored.
pub async fn begin(app: &App, arguments: ConnectArgs, host: &dyn Host) -> Result<Begun, Failure> {
    let origin: Origin = arguments.plane.parse().map_err(|bad| {
        let text = format!("That is {bad}. Nothing was sent. It is to be like this:");
        Failure::new(code::BAD_ARGUMENT, text).with_command("connect https://plane.example.org")
    })?;
    let stored = app
        .credentials()?
        .stored_token(&origin)
        .map(|token| wire::api::TokenText(token.expose().to_owned()));
    let plane = Plane::new(app.http.clone(), origin.clone());
    let had_token = stored.is_some();
    if let Some(token) = stored.filter(|_| !arguments.replace) {
        let token = MachineToken::new(origin.clone(), token);
        match or_cancelled(host, plane.me(&token, within(CALL_S))).await? {
            Ok(me) => return already(app, &origin, me.scopes, arguments.make_default),
            // It counts no more, so a new one takes its place.
            Err(error) if error.code() == Some(Code::Unauthorized) => {}
            Err(error) => return Err(not_reached(&error)),
        }
    }
    Credentials::try_storing(&app.home).map_err(|error| reach::credentials(&error))?;
    let machine_name = machine_name();
    let codes = or_cancelled(host, plane.connect(machine_name.clone(), within(CALL_S))).await?;
    let codes = codes.map_err(|error| refused(&origin, &error))?;
    waiting(origin, codes, machine_name, had_token).map(|waiting| Begun::Waiting(Box::new(waiting)))
}

fn already(app: &App, origin: &Origin, scopes: Vec<String>, make_default: bool) -> Result<Begun, Failure> {
    if make_default {
        Credentials::make_default(&app.home, origin).map_err(|error| reach::credentials(&error))?;
    }
    let (is_default, warnings) = standing(app, origin)?;
    let replace = format!(
        "To replace its token: {}",
        app.command(&format!("connect {origin} --replace"))
    );
    let next = if is_default {
        format!("Sessions are shared there. {replace}")
    } else {
        let default = app.command(&format!("connect {origin} --default"));
        format!("To share there: {default}\n{replace}")
    };
    Ok(Begun::Connected(Box::new(Delivered::plain(ConnectAnswer {
        state: "already_connected".to_owned(),
        plane: origin.to_string(),
        org: None,
        member: None,
        scopes: known(&scopes),
        is_default,
        next,
        warnings,
    }))))
}

/// Checks what the plane answered: its text goes before a person's eyes.
fn waiting(
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

impl Waiting {
    /// What to show whoever sits there.
    pub fn code(&self) -> &ConnectCode {
        &self.code
    }

    /// Waits for the yes, fetches the token and stores it.
    ///
    /// # Errors
    /// Refused, out of time, interrupted; the token can't be stored, and then its owner is told to have it ended.
    pub async fn wait(mut self, app: &App, host: &dyn Host) -> Result<Delivered<ConnectAnswer>, Failure> {
        let plane = Plane::new(app.http.clone(), self.origin.clone());
        loop {
            self.pause(host).await?;
            let asked = plane.connect_token(&self.device_code, within(CALL_S));
            match or_cancelled(host, asked).await? {
                Ok(connected) => return self.keep(app, connected),
                Err(error) => self.judge(&error)?,
            }
        }
    }

    /// Waits for the interval, in sight of whoever sits there.
    async fn pause(&self, host: &dyn Host) -> Result<(), Failure> {
        let next = Instant::now() + self.interval;
        loop {
            let now = Instant::now();
            if now >= self.ends {
                return Err(self.too_late());
            }
            if now >= next {
                return Ok(());
            }
            let left = self.ends.duration_since(now).as_secs();
            let message = format!("{}: waiting for a yes", self.code.user_code);
            let gone = self.code.expires_in_s.saturating_sub(left);
            host.progress(gone, self.code.expires_in_s, &message).await;
            let until = next.min(now + SHOW_EVERY).min(self.ends);
            or_cancelled(host, tokio::time::sleep_until(until)).await?;
        }
    }

    /// Whether to go on after a refusal.
    fn judge(&mut self, error: &PlaneError) -> Result<(), Failure> {
        match error.code() {
            Some(Code::AuthorizationPending) => Ok(()),
            Some(Code::SlowDown) => {
                self.interval += SLOWER;
                Ok(())
            }
            Some(Code::AccessDenied) => Err(Failure::new(
                code::NOT_CONNECTED,
                format!(
                    "The operator of {} refused this machine. Ask them before you run it again.",
                    self.origin
                ),
            )),
            Some(Code::ExpiredToken) => Err(self.too_late()),
            // Whoever was asked may say yes while the plane is away.
            _ if error.is_passing()
                || matches!(
                    error,
                    PlaneError::TimedOut { .. } | PlaneError::Unreachable { .. }
                ) =>
            {
                Ok(())
            }
            _ => Err(wording::plane(error)),
        }
    }

    fn too_late(&self) -> Failure {
        Failure::new(
            code::NOT_CONNECTED,
            "Nobody said yes in time, or the token was fetched and its answer got lost. Nothing was stored. Run it again for a new \
             code:",
        )
        .with_command(format!("connect {}", self.origin))
    }

    fn keep(self, app: &App, connected: Connected) -> Result<Delivered<ConnectAnswer>, Failure> {
        let Connected {
            machine_token,
            org,
            member,
            scopes,
        } = connected;
        let token = SecretText::new(machine_token.0);
        Credentials::remember(&app.home, &self.origin, token, true).map_err(|error| {
            let failure = reach::credentials(&error);
            Failure::new(
                failure.code(),
                format!(
                    "The plane gave a token, and it could not be stored: {} Ask its operator to revoke that token \
                     (`devpilot-plane admin token list` shows it), then run this again.",
                    failure.message()
                ),
            )
        })?;
        let (is_default, mut warnings) = standing(app, &self.origin)?;
        if self.had_token {
            warnings.push(
                "The token that this machine had for that plane is gone from here. The plane may still take it: its operator \
                 revokes it with `devpilot-plane admin token revoke`."
                    .to_owned(),
            );
        }
        Ok(Delivered::plain(ConnectAnswer {
            state: "connected".to_owned(),
            plane: self.origin.to_string(),
            org: Some(render::title(&org)),
            member: Some(render::title(&member)),
            scopes: known(&scopes),
            is_default,
            next: format!(
                "Now share: say \"share this session\" to your agent, or run\n  {}",
                app.command("share --title \"A first session\"")
            ),
            warnings,
        }))
    }
}

/// Whether a plane is the one to share on, and what of the environment gets in the way.
fn standing(app: &App, origin: &Origin) -> Result<(bool, Vec<String>), Failure> {
    let credentials = app.credentials()?;
    let is_default = credentials.share_plane().is_ok_and(|plane| plane == origin);
    let mut warnings = Vec::new();
    if let Some(named) = credentials.named_plane().filter(|named| *named != origin) {
        warnings.push(format!(
            "DEVPILOT_PLANE is set here and names {named}: where it is set, sessions are shared there."
        ));
    }
    if is_default && credentials.has_named_token() {
        warnings.push(
            "DEVPILOT_BRIDGE_TOKEN is set here and counts before the stored token. Unset it to use that one."
                .to_owned(),
        );
    }
    Ok((is_default, warnings))
}

/// Scopes that there are, each once; a plane's other words are not shown.
fn known(scopes: &[String]) -> Vec<String> {
    ["share", "rekey", "admin"]
        .into_iter()
        .filter(|known| scopes.iter().any(|scope| scope == known))
        .map(str::to_owned)
        .collect()
}

/// What the plane answers to a machine that wants to be connected.
fn refused(origin: &Origin, error: &PlaneError) -> Failure {
    match error.code() {
        Some(Code::NotFound) => Failure::new(
            code::NOT_CONNECTED,
            format!(
                "{origin} connects no machines this way; it may be of an older version. Ask its operator for a machine token \
                 (`devpilot-plane admin token create`), and set DEVPILOT_PLANE={origin} and DEVPILOT_BRIDGE_TOKEN."
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
fn not_reached(error: &PlaneError) -> Failure {
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

async fn or_cancelled<T>(host: &dyn Host, work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::select! {
        done = work => Ok(done),
        () = host.cancelled().cancelled() => Err(Failure::new(
            code::CANCELLED,
            "Interrupted. Nothing was stored, and the code is of no more use.",
        )),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn codes(user_code: &str, page: &str) -> Connecting {
        Connecting {
            device_code: Secret32::new([1; 32]),
            user_code: user_code.to_owned(),
            verification_uri: page.to_owned(),
            expires_in: u64::MAX,
            interval: 0,
        }
    }

    fn origin() -> Origin {
        "https://plane.example.org".parse().unwrap()
    }

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

    #[tokio::test]
    async fn who_is_told_to_slow_down_does_so_for_good() {
        let mut waiting = waiting(origin(), codes("WDJBMJHT", ""), None, false).unwrap();
        let problem = |code| PlaneError::Problem {
            status: 400,
            code,
            extras: Box::default(),
        };
        waiting.judge(&problem(Code::AuthorizationPending)).unwrap();
        assert_eq!(waiting.interval, Duration::from_secs(1));
        waiting.judge(&problem(Code::SlowDown)).unwrap();
        waiting.judge(&problem(Code::SlowDown)).unwrap();
        assert_eq!(waiting.interval, Duration::from_secs(11));
        for code in [Code::AccessDenied, Code::ExpiredToken, Code::BadRequest] {
            assert!(waiting.judge(&problem(code)).is_err());
        }
    }

    #[tokio::test]
    async fn a_plane_that_is_away_for_a_while_ends_no_waiting_for_the_yes() {
        let mut waiting = waiting(origin(), codes("WDJBMJHT", ""), None, false).unwrap();
        for error in [
            PlaneError::TimedOut { origin: origin() },
            PlaneError::Unreachable {
                origin: "http://127.0.0.1:8787".parse().unwrap(),
                reason: "refused".to_owned(),
                refused: true,
                sent: false,
            },
            PlaneError::NotApi {
                origin: origin(),
                status: 503,
            },
            PlaneError::Problem {
                status: 503,
                code: Code::StoreUnavailable,
                extras: Box::default(),
            },
        ] {
            assert!(waiting.judge(&error).is_ok(), "{error}");
        }
        let page = PlaneError::NotApi {
            origin: origin(),
            status: 404,
        };
        assert!(waiting.judge(&page).is_err());
    }

    #[test]
    fn a_planes_own_words_for_scopes_are_not_shown() {
        let named = ["share", "Run rm -rf", "rekey", "\u{1b}[2J", "Admin", "admin"];
        let shown = known(&named.map(str::to_owned));
        assert_eq!(shown, ["share", "rekey", "admin"]);
        let often = vec!["share".to_owned(); 5_000];
        assert_eq!(known(&often), ["share"]);
    }
}
