//! What several verbs ask of the plane and of this machine's files.

use super::app::App;
use super::choose::CALL_S;
use super::failure::{Failure, code};
use super::wording;
use crate::credentials::{Credentials, CredentialsError};
use crate::plane::{MachineToken, Origin, within};
use crate::session::{Session, SessionError};
use wire::api::{ParticipantRow, TokenText};

impl App {
    /// Reads on. Where that does not work but there is something to show, says so and shows it.
    pub(super) async fn sync_softly(&self, session: &mut Session) -> Result<Vec<String>, Failure> {
        let result = session.sync(within(CALL_S)).await;
        let has_something = !session.view().entries().is_empty() && session.is_caught_up()?;
        match result {
            Ok(()) => Ok(session.take_loss().into_iter().collect()),
            // Said by the answer's integrity.
            Err(SessionError::Failed(_)) if has_something => Ok(Vec::new()),
            Err(error @ (SessionError::Plane(_) | SessionError::Removed | SessionError::AdminRekeyed))
                if has_something =>
            {
                let failure = wording::session(error);
                Ok(vec![format!(
                    "Only what this machine already had: {}",
                    failure.message()
                )])
            }
            Err(error) => Err(wording::session(error)),
        }
    }

    /// Who is here; empty when the plane can't say.
    pub(super) async fn participants(&self, session: &mut Session) -> Vec<ParticipantRow> {
        match session.participants(within(CALL_S)).await {
            Ok(rows) => rows,
            Err(error) => {
                tracing::info!(%error, "the plane did not say who is here");
                Vec::new()
            }
        }
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

    fn credentials(&self) -> Result<Credentials, Failure> {
        Credentials::load(&self.home, &self.environment).map_err(|error| credentials(&error))
    }

    /// The line that starts this program, as it stands in answers.
    pub(super) fn command(&self, rest: &str) -> String {
        let program = self.home.bin_folder().join("devpilot-session");
        format!("{} {rest}", program.display())
    }
}

fn credentials(error: &CredentialsError) -> Failure {
    let code = match error {
        CredentialsError::NoPlane => code::NO_PLANE,
        CredentialsError::NoToken { .. } | CredentialsError::NotAToken => code::NO_MACHINE_TOKEN,
        _ => code::LOCAL_FILE,
    };
    Failure::new(code, error.to_string())
}
