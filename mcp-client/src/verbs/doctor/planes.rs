//! The planes that are configured here or that open seats depend on: whether they answer, what time they have, and whether
//! they take this machine's token and know its sessions. No other host is contacted.

use std::time::{Duration, SystemTime};

use futures_util::future::join_all;
use wire::api::TokenText;
use wire::problem::Code;
use wire::timestamp::Timestamp;

use super::Check;
use super::seated::Seated;
use crate::config::Config;
use crate::credentials::{Credentials, CredentialsError};
use crate::home::{Environment, Home, HomeError};
use crate::plane::{Alive, Http, HttpSettings, MachineToken, Origin, Plane, PlaneError, within};
use crate::session::Clock;
use crate::verbs::command::Program;
use crate::verbs::wording;

/// How long one request may take, in seconds.
const CALL_S: u64 = 10;
/// A plane's word on the time is to the second, and on its way for a while.
const SKEW_MAX: Duration = Duration::from_secs(60);

/// All of them.
pub(super) async fn all(
    home: &Home,
    environment: &Environment,
    usable: Option<(Config, HttpSettings)>,
    clock: &Clock,
) -> Vec<Check> {
    let program = Program::of(home, environment);
    let credentials = match Credentials::load(home, environment) {
        Ok(credentials) => credentials,
        Err(error) => return vec![not_loaded(&error, &program)],
    };
    let Some((config, settings)) = usable else {
        return vec![Check::skipped("plane", "config.toml can't be used")];
    };
    let credentials = credentials.on_moved_planes(&config.moved);
    let seated = Seated::of(home, &config, clock);
    let planes = configured(&credentials);
    let beside = seated.planes_beside(&planes);
    let mut checks = seated.alarms();
    if planes.is_empty() && beside.is_empty() {
        let note = Check::note("plane", "none is known; joining needs none, sharing does")
            .helped_by(
                "For your team's plane, with its address; or start one on this machine: devpilot-plane serve, or make run in a checkout",
            )
            .by(program.line("connect https://PLANE"));
        checks.push(note);
        return checks;
    }
    let look = Look {
        http: Http::new(settings),
        credentials,
        seated,
        clock,
        program,
    };
    let with_token = planes.iter().map(|origin| (origin, true));
    let all = with_token.chain(beside.iter().map(|origin| (origin, false)));
    let found = join_all(all.map(|(origin, shares)| look.at(origin, shares))).await;
    checks.extend(found.into_iter().flatten());
    checks
}

fn configured(credentials: &Credentials) -> Vec<Origin> {
    let mut planes: Vec<Origin> = credentials.share_plane().ok().cloned().into_iter().collect();
    for plane in credentials.planes() {
        if !planes.contains(plane) {
            planes.push(plane.clone());
        }
    }
    planes
}

fn not_loaded(error: &CredentialsError, program: &Program) -> Check {
    let remedy = match error {
        CredentialsError::NotAToken => {
            "Correct DEVPILOT_BRIDGE_TOKEN, or unset it: then the stored token counts. `connect` gets one."
        }
        CredentialsError::Plane(_) => {
            "Correct DEVPILOT_PLANE, or unset it: then the plane connected last counts."
        }
        CredentialsError::Home(HomeError::Damaged { .. }) => {
            "Connect this machine again, with the plane's address."
        }
        _ => {
            "Where that can't be done, move the file away and connect this machine again, with the plane's address."
        }
    };
    let check = Check::failed("token", error.to_string(), remedy);
    match error {
        CredentialsError::NotAToken if cfg!(unix) => check.by("unset DEVPILOT_BRIDGE_TOKEN"),
        CredentialsError::Plane(_) if cfg!(unix) => check.by("unset DEVPILOT_PLANE"),
        CredentialsError::NotAToken | CredentialsError::Plane(_) => check,
        _ => check.by(program.line("connect https://PLANE")),
    }
}

/// What a look at a plane takes.
struct Look<'a> {
    http: Http,
    credentials: Credentials,
    seated: Seated,
    clock: &'a Clock,
    program: Program,
}

impl Look<'_> {
    /// One plane; a token is asked for where this machine is to share there.
    async fn at(&self, origin: &Origin, shares: bool) -> Vec<Check> {
        let plane = Plane::new(self.http.clone(), origin.clone());
        let alive = match plane.alive(within(CALL_S)).await {
            Ok(alive) => alive,
            Err(error) => {
                let about = format!("{origin} does not answer{}", self.seated.dependents(origin));
                let failed = Check::failed("plane", about, away(origin, &self.credentials, &error));
                let mut checks = vec![match origin.is_loopback() {
                    true => failed.by(wording::serve_command(origin)),
                    false => failed,
                }];
                if shares {
                    checks.push(Check::skipped("token", "the plane does not answer"));
                }
                return checks;
            }
        };
        let mut checks = vec![version(origin, &alive)];
        checks.extend(time(origin, &alive, self.clock));
        if shares {
            checks.push(token(&plane, origin, &self.credentials, &self.program).await);
        }
        checks.extend(self.seated.known(&plane, &self.program).await);
        checks
    }
}

/// What helps where a plane does not answer. Nothing was asked of it that could be repeated.
fn away(origin: &Origin, credentials: &Credentials, error: &PlaneError) -> String {
    let why = match error {
        PlaneError::Unreachable { reason, .. } if !origin.is_loopback() => {
            format!("It can't be reached ({reason}).")
        }
        PlaneError::TimedOut { .. } => "There was no answer in time.".to_owned(),
        _ => return wording::plane(error).message().to_owned(),
    };
    let anew = match credentials.named_plane() == Some(origin) {
        true => "set DEVPILOT_PLANE to it".to_owned(),
        false => {
            format!("name it in config.toml: [moved] and below that \"{origin}\" = \"https://NEW.ADDRESS\"")
        }
    };
    format!(
        "{why} Look at this machine's network, and ask whoever runs that plane. If it has a new address, {anew}."
    )
}

/// Clients and planes of one minor version, before 1.0, understand each other.
fn version(origin: &Origin, alive: &Alive) -> Check {
    const OURS: &str = env!("CARGO_PKG_VERSION");
    let compatible = |version: &str| {
        let mut parts = version.split('.');
        (parts.next().map(str::to_owned), parts.next().map(str::to_owned))
    };
    let about = format!("{origin} answers; its version is {}", alive.version);
    if compatible(&alive.version) == compatible(OURS) {
        Check::ok("plane", about)
    } else {
        Check::note("plane", format!("{about}, and this is {OURS}"))
            .helped_by("Where something does not work, update the older of the two.")
    }
}

fn time(origin: &Origin, alive: &Alive, clock: &Clock) -> Option<Check> {
    let theirs = alive.date?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let theirs = Timestamp::from_millis(i64::try_from(theirs.as_millis()).ok()?);
    let ours = clock.now();
    let apart = Duration::from_millis(ours.millis().abs_diff(theirs.millis()));
    if apart <= SKEW_MAX {
        return Some(Check::ok("clock", format!("that of {origin} shows the same")));
    }
    let seconds = apart.as_secs();
    let word = if ours > theirs { "ahead" } else { "behind" };
    let failed = Check::failed(
        "clock",
        format!(
            "this machine's is {seconds} s {word} of that of {origin}: times that are shown, and how long auto lasts, are wrong"
        ),
        "Set the clock of whichever is wrong by the network's time; on Linux with systemd:",
    );
    Some(failed.by("sudo timedatectl set-ntp true"))
}

async fn token(plane: &Plane, origin: &Origin, credentials: &Credentials, program: &Program) -> Check {
    let connect = || program.line(&format!("connect {origin}"));
    let Ok(token) = credentials.machine_token(origin) else {
        return Check::failed(
            "token",
            format!("there is none for {origin}, so nothing can be shared there"),
            "Connect this machine; the plane's operator says yes to a code.",
        )
        .by(connect());
    };
    let from_environment = credentials
        .stored_token(origin)
        .is_none_or(|stored| stored.expose() != token.expose());
    let machine = MachineToken::new(origin.clone(), TokenText(token.expose().to_owned()));
    match plane.me(&machine, within(CALL_S)).await {
        Ok(me) => {
            let may = |scope: &str| me.scopes.iter().any(|word| word == scope);
            let place = if from_environment {
                "DEVPILOT_BRIDGE_TOKEN"
            } else {
                "credentials.json"
            };
            if may("share") {
                Check::ok("token", format!("{origin} takes the one in {place}"))
            } else {
                let about = format!("{origin} takes the one in {place}, which can't share: it lacks that scope");
                let without_share = Check::note("token", about);
                match from_environment {
                    true => without_share
                        .helped_by("To share, unset DEVPILOT_BRIDGE_TOKEN where it is set, and connect this machine.")
                        .by(connect()),
                    false => without_share
                        .helped_by("To share, get another; the plane's operator says yes to a code.")
                        .by(program.line(&format!("connect {origin} --replace"))),
                }
            }
        }
        Err(error) if error.code() == Some(Code::Unauthorized) && from_environment => Check::failed(
            "token",
            format!("{origin} does not take the one in DEVPILOT_BRIDGE_TOKEN: it was revoked, or is another plane's"),
            "Unset DEVPILOT_BRIDGE_TOKEN where it is set, and connect this machine.",
        )
        .by(connect()),
        Err(error) if error.code() == Some(Code::Unauthorized) => Check::failed(
            "token",
            format!("{origin} takes this machine's no more: it was revoked, or the plane's data is new"),
            "Connect this machine again; the plane's operator says yes to a code.",
        )
        .by(connect()),
        Err(error) => Check::failed(
            "token",
            format!("whether {origin} takes this machine's is not known"),
            wording::plane(&error).message(),
        ),
    }
}
