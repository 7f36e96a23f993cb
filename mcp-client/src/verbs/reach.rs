//! What several verbs ask of the plane and of this machine's files.

use super::app::App;
use super::failure::{Failure, code};
use super::present::{Presenter, short};
use super::{proposals, wording};
use crate::credentials::{Credentials, CredentialsError};
use crate::home::HomeError;
use crate::plane::{Deadline, MachineToken, Origin};
use crate::seat::{EnteringLock, SeatError, SeatState};
use crate::session::{Session, SessionError};
use tokio::sync::{Mutex, MutexGuard};
use wire::api::{ParticipantRow, TokenText};

/// The right to take or make a seat, in this process and in this home.
pub(super) struct Entrance<'a> {
    // Dropped in this order: other processes first, then this process's next call.
    _home: EnteringLock,
    _turn: MutexGuard<'a, ()>,
}

/// The session, once other calls have left it. A call that holds it may be waiting for the plane, so this one ends in its
/// own time.
pub(super) async fn in_turn(
    session: &Mutex<Session>,
    until: Deadline,
) -> Result<MutexGuard<'_, Session>, Failure> {
    tokio::time::timeout_at(until, session.lock())
        .await
        .map_err(|_| busy())
}

/// By the word for what keeps the other call: it mostly is a plane that does not answer it.
fn busy() -> Failure {
    Failure::new(
        code::PLANE_UNREACHABLE,
        "Another call of this process is not done yet, and this one can't go on beside it. Nothing was lost; repeat the call in \
         a moment.",
    )
}

impl App {
    /// Lets one call at a time take or make a seat in this process; others wait in their own time.
    pub(super) async fn entrance_here(&self, until: Deadline) -> Result<MutexGuard<'_, ()>, Failure> {
        tokio::time::timeout_at(until, self.entering.lock())
            .await
            .map_err(|_| busy())
    }

    /// As [`App::entrance_here`], and for every process of this home. Seats must be listed after it.
    pub(super) async fn entrance(&self, until: Deadline) -> Result<Entrance<'_>, Failure> {
        let turn = self.entrance_here(until).await?;
        let home = self.seats.lock_entering(until).await;
        Ok(Entrance {
            _home: home.map_err(|error| wording::seat(&error))?,
            _turn: turn,
        })
    }

    /// Reads on. Where that does not work but there is something to show, says so and shows it.
    pub(super) async fn sync_softly(
        &self,
        session: &mut Session,
        until: Deadline,
    ) -> Result<Vec<String>, Failure> {
        let result = session.sync(until).await;
        let has_something = !session.view().entries().is_empty() && session.is_caught_up()?;
        match result {
            Ok(()) => {
                let open = self.open_rekey(session, &*session.kept()?);
                let beside = self.joined_beside(session).await;
                Ok(beside
                    .into_iter()
                    .chain(session.take_loss())
                    .chain(open)
                    .collect())
            }
            // Said by the answer's integrity.
            Err(SessionError::Failed(_)) if has_something => Ok(Vec::new()),
            // What was read is checked and can be shown; only this machine's notes on it are missing.
            Err(SessionError::Seat(SeatError::Home(error))) if has_something => Ok(vec![format!(
                "What is shown here could not be noted on this machine and counts as unread: {error}"
            )]),
            Err(
                error @ (SessionError::Plane(_)
                | SessionError::Forgotten(_)
                | SessionError::Removed
                | SessionError::Left
                | SessionError::AdminRekeyed),
            ) if has_something => {
                let failure = wording::session(error);
                Ok(vec![format!(
                    "Only what this machine already had: {}",
                    failure.message()
                )])
            }
            Err(error) => Err(wording::session(error)),
        }
    }

    /// A re-key that a person confirmed here, whose answer was lost, and that this seat did not see take effect: whoever was
    /// to be out is in.
    fn open_rekey(&self, session: &Session, kept: &SeatState) -> Option<String> {
        kept.pending.rekey.as_ref().map(|_| {
            format!(
                "A re-key of this session was confirmed on this machine and has not taken effect: whoever it was to leave out \
                 is still in. Run by a person in their own terminal, this asks anew: {}",
                self.command(&format!("rekey --session {}", short(session.id())))
            )
        })
    }

    /// Said once.
    async fn joined_beside(&self, session: &Session) -> Option<String> {
        let untold = std::mem::take(&mut self.process.lock().await.joined_beside);
        untold.then(|| {
            format!(
                "Other agents of this machine use every seat it had in this session, so you joined it as {}, a participant of \
                 your own.",
                proposals::who(&Presenter::new(session), session.my_id())
            )
        })
    }

    /// Who is here; empty when the plane can't say.
    pub(super) async fn participants(&self, session: &mut Session, until: Deadline) -> Vec<ParticipantRow> {
        session.participants(until).await.unwrap_or_else(|error| {
            tracing::info!(%error, "the plane did not say who is here");
            Vec::new()
        })
    }

    /// The plane to share on.
    pub(super) fn share_plane(&self) -> Result<Origin, Failure> {
        self.credentials()?
            .share_plane()
            .cloned()
            .map_err(|error| credentials(&error))
    }

    /// This machine's token for a plane, for that plane alone.
    pub(super) fn machine_token(&self, plane: &Origin) -> Result<MachineToken, Failure> {
        let credentials_file = self.credentials()?;
        let token = credentials_file
            .machine_token(plane)
            .map_err(|error| credentials(&error))?;
        Ok(MachineToken::new(
            plane.clone(),
            TokenText(token.expose().to_owned()),
        ))
    }

    /// The tokens of this machine, and what the environment says.
    pub(super) fn credentials(&self) -> Result<Credentials, Failure> {
        Credentials::load(&self.home, &self.environment)
            .map(|credentials| credentials.on_moved_planes(&self.config.moved))
            .map_err(|error| credentials(&error))
    }

    /// That a guarded command was run where there is no terminal, with the command for a person's own.
    pub(crate) fn no_terminal(command: &str) -> Failure {
        super::compose::no_terminal("Nothing was changed.", command)
    }

    /// Keeps this program where commands in answers name it. Quietly: an answer is worth more than the name in it.
    pub(crate) fn keep_program(&self) {
        let kept = std::env::current_exe()
            .map_err(|source| source.to_string())
            .and_then(|program| {
                self.home
                    .keep_program(&program)
                    .map_err(|error| error.to_string())
            });
        if let Err(error) = kept {
            tracing::info!(error, "the program could not be kept in the home folder");
        }
    }
}

pub(super) fn credentials(error: &CredentialsError) -> Failure {
    let code = match error {
        CredentialsError::NoPlane => code::NO_PLANE,
        CredentialsError::NoToken { .. } | CredentialsError::NotAToken => code::NO_MACHINE_TOKEN,
        _ => code::LOCAL_FILE,
    };
    let failure = Failure::new(code, error.to_string());
    match error {
        CredentialsError::NoPlane => failure.with_command("connect https://PLANE"),
        CredentialsError::NoToken { origin } => failure.with_command(format!("connect {origin}")),
        CredentialsError::Home(HomeError::Damaged { .. }) => failure.with_command("connect https://PLANE"),
        _ => failure,
    }
}
