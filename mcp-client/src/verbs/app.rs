//! What one process of the client holds: home, configuration, clock, HTTP client, and the sessions it has used.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use tokio::sync::Mutex;
use wire::ids::SessionId;

use super::choose::CALL_S;
use super::delivered::Due;
use super::failure::{Failure, code};
use super::reach::in_turn;
use super::wording;
use crate::clipboard::Clipboard;
use crate::config::Config;
use crate::home::{Environment, Home, files};
use crate::plane::{Authorities, Http, HttpSettings, NoCertificate, within};
use crate::seat::{Lease, Seats};
use crate::session::{Clock, Meter, Session, SessionError};

/// How long a move of the cursor may wait for another call on the session.
const SETTLE_S: u64 = 5;

/// One process of the client. Making it reads `config.toml` at most; no network.
#[derive(Debug)]
pub struct App {
    pub(super) environment: Environment,
    pub(super) home: Home,
    pub(super) config: Config,
    pub(super) clock: Clock,
    pub(super) meter: Meter,
    pub(super) http: Http,
    pub(super) seats: Seats,
    pub(super) clipboard: Clipboard,
    pub(super) process: Mutex<Process>,
    /// Held while a seat is taken or made: two calls at once must not both come in.
    pub(super) entering: Mutex<()>,
}

/// What this process has used so far.
#[derive(Debug, Default)]
pub(super) struct Process {
    /// The session last shared, joined or named here.
    pub(super) current: Option<SessionId>,
    pub(super) held: BTreeMap<SessionId, Held>,
    /// Sessions that are only looked at, by a seat that is somebody else's to act for: without its lease.
    pub(super) looked_at: BTreeMap<SessionId, Arc<Mutex<Session>>>,
    /// It came in as a participant of its own, beside other agents of this machine, and has not been told.
    pub(super) joined_beside: bool,
}

/// A session in use. The lease is held as long as the process lives.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) session: Arc<Mutex<Session>>,
    pub(super) _lease: Option<Lease>,
}

impl App {
    /// From the process environment.
    ///
    /// # Errors
    /// A setting that can't be understood.
    pub fn from_environment() -> Result<Self, Failure> {
        Self::new(Environment::process(), Clock::system())
    }

    /// From an environment and a clock.
    ///
    /// # Errors
    /// A setting that can't be understood.
    pub fn new(environment: Environment, clock: Clock) -> Result<Self, Failure> {
        let home = Home::from_environment(&environment).map_err(wording::home)?;
        let config =
            Config::load(&home).map_err(|error| Failure::new(code::LOCAL_FILE, error.to_string()))?;
        Ok(Self {
            http: Http::new(http_settings(&config, &environment)?),
            seats: Seats::new(home.clone()).on_moved_planes(config.moved.clone()),
            clipboard: Clipboard::from_environment(&environment),
            process: Mutex::default(),
            entering: Mutex::default(),
            environment,
            home,
            config,
            clock,
            meter: Meter::default(),
        })
    }

    /// The same, and tells somebody how far the reading of a long transcript is.
    #[must_use]
    pub fn with_meter(mut self, meter: Meter) -> Self {
        self.meter = meter;
        self
    }

    /// Does what is due once an answer was written out.
    pub(super) async fn settle(&self, due: Due) -> Result<(), Failure> {
        let session = {
            let process = self.process.lock().await;
            process.held.get(due.session()).map(|held| held.session.clone())
        };
        // A session that this process no longer holds has nothing due.
        let Some(session) = session else { return Ok(()) };
        match due {
            // The next call waits for this one; a cursor that was not moved shows the same again.
            Due::Shown(shown) => {
                let mut session = in_turn(&session, within(SETTLE_S)).await?;
                if let Some(to) = shown.cursor {
                    session.move_cursor(to.seq, to.begun).await?;
                }
                if let Some(to) = shown.for_me {
                    session.shown_for_me(to).await?;
                }
                if let Some(proposal) = shown.proposal {
                    session.proposal_told(proposal).await?;
                }
                if shown.auto_over {
                    session.auto_told().await?;
                }
                Ok(())
            }
            Due::Posted { .. } => {
                in_turn(&session, within(CALL_S)).await?.delivered();
                Ok(())
            }
        }
    }

    /// Reads on in every session this process uses, so that claims and hooks are current, and in those of `followed`
    /// that it looks at. Nothing counts as read by it, and nothing is shown. A session in use by a call is left to that call.
    pub async fn fetch(&self, followed: &[SessionId]) {
        let sessions: Vec<_> = {
            let process = self.process.lock().await;
            let held = process.held.values().map(|held| &held.session);
            let looked_at = followed.iter().filter_map(|id| process.looked_at.get(id));
            held.chain(looked_at).cloned().collect()
        };
        for session in sessions {
            let Ok(mut session) = session.try_lock() else {
                continue;
            };
            if let Err(error) = session.sync(within(CALL_S)).await {
                tracing::info!(session = %session.id(), %error, "nothing was fetched");
            }
            // What a run of calls left to the next one that waits for the disk, which may not come.
            if let Err(error) = session.flush() {
                tracing::info!(session = %session.id(), %error, "the seat is not on the disk yet");
            }
        }
    }

    /// Puts a session in use, as the one this process used last.
    pub(super) async fn hold(&self, session: Session, lease: Option<Lease>) -> Arc<Mutex<Session>> {
        let id = *session.id();
        let session = Arc::new(Mutex::new(session));
        let mut process = self.process.lock().await;
        process.current = Some(id);
        process.looked_at.remove(&id);
        process.held.insert(
            id,
            Held {
                session: session.clone(),
                _lease: lease,
            },
        );
        session
    }
}

/// What connections are made with.
pub(super) fn http_settings(config: &Config, environment: &Environment) -> Result<HttpSettings, Failure> {
    let mut settings = HttpSettings {
        proxy: config.proxy(environment),
        ..HttpSettings::default()
    };
    for path in &config.certificate_authorities {
        let authorities = read_authorities(path)?;
        settings.certificate_authorities.push(authorities);
    }
    Ok(settings)
}

/// The certificates of a file that `config.toml` names.
fn read_authorities(path: &Path) -> Result<Authorities, Failure> {
    let wrong = |what: &str| {
        let text = format!(
            "The certificate authority {} named in config.toml {what}. Correct config.toml, or put the authority's certificate \
             there in PEM form.",
            path.display()
        );
        Failure::new(code::LOCAL_FILE, text)
    };
    let pem = files::read(path).map_err(wording::home)?;
    let pem = pem.ok_or_else(|| wrong("is not there"))?;
    Authorities::from_pem(&pem).map_err(|NoCertificate| wrong("holds no whole certificate"))
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        wording::session(error)
    }
}
