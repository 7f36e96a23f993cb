//! `rekey --admin`: an administrator's re-key, without a link, a seat or any state of this machine
//! (`crypto.md` section 10.4).
//!
//! The new secret is drawn here and kept before it is sent; the same bytes are sent until the plane has answered; only
//! then is there a link, which the face shows once, to a person alone.

use schemars::JsonSchema;
use seal::rekey::{self, NewEpoch};
use seal::secret::FullSecret;
use serde::{Deserialize, Serialize};
use wire::api::Rekey;
use wire::encoding::Blob;
use wire::ids::SessionId;
use wire::problem::Code;
use zeroize::Zeroizing;

use crate::admin_rekeys::{AdminRekey, Desk};
use crate::plane::{MachineToken, Plane, PlaneError, Unsettled, within};
use crate::verbs::app::App;
use crate::verbs::choose::CALL_S;
use crate::verbs::delivered::{Answer, Delivered};
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::{Ask, Host, Purpose, Question};
use crate::verbs::{compose, wording};

/// Re-keys that may come in between while this one is made.
const ROUNDS: u32 = 4;
/// The epoch taken for the one in force where nobody says.
const FIRST: u32 = 1;
/// An epoch that no session comes to.
const NEVER: u32 = u32::MAX;

/// The session has a new secret, and nobody else has it yet.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct AdminRekeyAnswer {
    /// The session's id.
    pub session: String,
    /// The plane.
    pub plane: String,
    /// The epoch that began.
    pub epoch: u32,
    /// How many seats of this machine are in that session; they need the new link like everybody.
    pub seats_here: u64,
    /// What to do now.
    pub next: String,
}

impl Answer for AdminRekeyAnswer {
    fn text(&self) -> String {
        format!(
            "Session {} on {} was re-keyed: epoch {} began.\n{}\n",
            self.session, self.plane, self.epoch, self.next
        )
    }
}

/// A re-key in force whose link has not been shown. It stays on disk until [`AdminRekeyed::shown`].
#[must_use = "the link is kept on disk until it was shown"]
pub struct AdminRekeyed {
    answer: AdminRekeyAnswer,
    rekey: AdminRekey,
    desk: Desk,
}

impl AdminRekeyed {
    /// The new full link, for a person's eyes on the controlling terminal and nothing else.
    pub fn link(&self) -> Zeroizing<String> {
        self.rekey.link()
    }

    /// The person has seen the link: it is forgotten here.
    ///
    /// # Errors
    /// Its file can't be removed.
    pub fn shown(self) -> Result<Delivered<AdminRekeyAnswer>, Failure> {
        self.desk.clear().map_err(wording::home)?;
        Ok(Delivered::plain(self.answer))
    }
}

impl std::fmt::Debug for AdminRekeyed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "AdminRekeyed({:?})", self.answer)
    }
}

/// Re-keys as an administrator, once the person has typed the word.
///
/// # Errors
/// Not a whole id; no machine token; the word was not typed; the plane refuses, and does not know the session among other
/// reasons. When no answer comes the next call goes on with the same bytes.
pub async fn run(app: &App, session: &str, host: &dyn Host) -> Result<AdminRekeyed, Failure> {
    let session = whole_id(session)?;
    let Some(desk) = Desk::take(&app.home, &session).map_err(wording::home)? else {
        return Err(Failure::new(
            code::LOCAL_FILE,
            "Another process on this machine is re-keying that session just now. Let it end, then try again.",
        ));
    };
    let left = desk.left().map_err(wording::home)?;
    let known = app.known_of(&session)?;
    let plane = match (&left, &known.plane) {
        (Some(left), _) => left.plane.clone(),
        (None, Some(plane)) => plane.clone(),
        (None, None) => app.share_plane()?,
    };
    let machine = app.machine_token(&plane)?;
    let plane = Plane::new(app.http.clone(), plane);
    let epoch = match &left {
        Some(left) => left.epoch.saturating_sub(1),
        None => {
            let told = epoch_in_force(&plane, &machine, &session).await?;
            told.or(known.epoch).unwrap_or(FIRST)
        }
    };
    ask(&session, &plane, left.is_some(), host).await?;
    let by = ByAdmin {
        plane: &plane,
        machine: &machine,
        session,
        desk: &desk,
        host,
    };
    let rekey = by.in_force(left, epoch).await?;
    let mut next = "Give the new link to those who go on; it opens nothing of what came before, which stays with those who \
                    were here. Earlier links and session tokens are dead."
        .to_owned();
    if known.seats > 0 {
        next.push_str(&format!(
            " This machine has seats in that session: they go on once you join by the new link: {}",
            app.command("join -")
        ));
    }
    Ok(AdminRekeyed {
        answer: AdminRekeyAnswer {
            session: session.to_string(),
            plane: plane.origin().to_string(),
            epoch: rekey.epoch,
            seats_here: known.seats,
            next,
        },
        rekey,
        desk,
    })
}

/// The epoch in force, asked before the question, so that a re-key which happens after it is told from one before. None
/// where no answer helps; a plane that knows no such session or refuses the token ends it here.
async fn epoch_in_force(
    plane: &Plane,
    machine: &MachineToken,
    session: &SessionId,
) -> Result<Option<u32>, Failure> {
    let impossible = Rekey {
        epoch_record: Blob(drawn(session, NEVER - 1)?.record),
        rejoin_secret: None,
    };
    let told = plane
        .epoch_in_force(machine, session, &impossible, within(CALL_S))
        .await;
    match told {
        Ok(epoch) => Ok(Some(epoch)),
        Err(error) if error.code().is_some_and(|refusal| is_final(refusal, false)) => {
            Err(wording::keeping(&error.into()))
        }
        Err(error @ PlaneError::ForeignToken { .. }) => Err(wording::plane(&error)),
        Err(error) => {
            tracing::debug!(%error, "the epoch in force is not known");
            Ok(None)
        }
    }
}

/// One re-key: with what it is made, and who is asked.
struct ByAdmin<'a> {
    plane: &'a Plane,
    machine: &'a MachineToken,
    session: SessionId,
    desk: &'a Desk,
    host: &'a dyn Host,
}

impl ByAdmin<'_> {
    /// Sends until one record of this machine's making is in force. An earlier one comes first: it may be already.
    async fn in_force(
        &self,
        mut left: Option<AdminRekey>,
        mut old_epoch: u32,
    ) -> Result<AdminRekey, Failure> {
        for _ in 0..ROUNDS {
            let resumed = left.is_some();
            let rekey = match left.take() {
                Some(left) => left,
                None => self.draw(old_epoch)?,
            };
            tracing::info!(session = %self.session, epoch = rekey.epoch, resumed, "an administrator's re-key is sent");
            let request = Rekey {
                epoch_record: rekey.record.clone(),
                rejoin_secret: None,
            };
            // The time a person took to answer does not count.
            let sent = self
                .plane
                .rekey(self.machine, &self.session, &request, within(CALL_S));
            let mut refused = match sent.await {
                Ok(answer) if answer.epoch == rekey.epoch => return Ok(rekey),
                Ok(_) => self.bad_answer(),
                Err(refused) => refused,
            };
            refused.is_open |= resumed;
            match (&refused.error, refused.error.code()) {
                (PlaneError::Problem { extras, .. }, Some(Code::EpochMoved)) => {
                    // Not in force, now or ever: its link must never be taken for one that works.
                    self.desk.clear().map_err(wording::home)?;
                    old_epoch = extras.epoch.ok_or_else(|| wording::keeping(&self.bad_answer()))?;
                    self.ask_again(old_epoch).await?;
                }
                (_, Some(refusal)) if is_final(refusal, refused.is_open) => {
                    self.desk.clear().map_err(wording::home)?;
                    refused.is_open = false;
                    return Err(wording::keeping(&refused));
                }
                _ => return Err(still_open(&refused)),
            }
        }
        Err(Failure::new(
            "epoch_moved",
            "The session was re-keyed again and again while this one was made, so none of it took effect. Try again.",
        ))
    }

    /// Another re-key came first. What the person said was not about that one.
    async fn ask_again(&self, epoch: u32) -> Result<(), Failure> {
        let session = &self.session;
        let text = format!(
            "The session {session} is in epoch {epoch} by another re-key, so this one did not take effect. Re-key once \
             more?\n\nWhoever got the link of epoch {epoch} is put out again. If somebody else keeps this session with \
             you, ask them first."
        );
        put(
            session,
            format!("rekey --admin {session} after epoch {epoch}"),
            text,
            self.host,
        )
        .await
    }

    fn draw(&self, old_epoch: u32) -> Result<AdminRekey, Failure> {
        let new = drawn(&self.session, old_epoch)?;
        let rekey = AdminRekey::new(self.plane.origin().clone(), self.session, &new)
            .ok_or_else(|| Failure::new(code::INTERNAL, "A new epoch came without its secret."))?;
        self.desk.keep(&rekey).map_err(wording::home)?;
        Ok(rekey)
    }

    fn bad_answer(&self) -> Unsettled {
        let origin = self.plane.origin().clone();
        PlaneError::BadAnswer { origin }.into()
    }
}

/// Whether a refusal says that the record is not in force. Where an attempt before it may have come through, only what the
/// plane checks after the record in force says so (`plane-api.md`, rekey); who asks, it checks before.
fn is_final(refusal: Code, is_open: bool) -> bool {
    match refusal {
        Code::SessionEnded | Code::QuotaExceeded => true,
        Code::Unauthorized | Code::Forbidden | Code::NotFound | Code::BadRequest | Code::TooLarge => !is_open,
        _ => false,
    }
}

fn still_open(refused: &Unsettled) -> Failure {
    let why = wording::last_answer(&refused.error);
    Failure::new(
        why.code(),
        format!(
            "It is not known yet whether the re-key took effect: {} The new link is kept on this machine until it is; run \
             the same command again.",
            why.message()
        ),
    )
}

fn drawn(session: &SessionId, old_epoch: u32) -> Result<NewEpoch, Failure> {
    let secret = FullSecret::random()
        .map_err(|error| wording::session(crate::session::SessionError::Random(error)))?;
    rekey::by_admin(session, old_epoch, secret)
        .map_err(|error| Failure::new(error.name(), wording::sentence(error)))
}

async fn ask(session: &SessionId, plane: &Plane, resumed: bool, host: &dyn Host) -> Result<(), Failure> {
    let plane = plane.origin();
    let mut text = format!(
        "Re-key the session {session} on {plane} as its administrator?\n\nEverybody is put out: all links and session tokens end \
         at once, and whoever goes on needs the new link, which is shown here, once, to you alone. The new link opens nothing \
         of what came before. From then on nobody owns the session: further re-keys are an administrator's.\n\nWhat was \
         read can't be taken back."
    );
    if resumed {
        text.push_str(
            "\n\nAn earlier re-key of this machine was not finished. If it is in force, its link is shown and nothing else \
             is done.",
        );
    }
    put(session, format!("rekey --admin {session} {plane}"), text, host).await
}

async fn put(session: &SessionId, subject: String, text: String, host: &dyn Host) -> Result<(), Failure> {
    let question = Question {
        purpose: Purpose::Rekey,
        session: session.to_string(),
        subject,
        text,
    };
    match host.ask(&question).await {
        Ask::Yes => Ok(()),
        Ask::CannotAsk => Err(compose::no_terminal(
            "Nothing was changed.",
            format!("rekey --admin {session}"),
        )),
        other => Err(compose::refused(other, "Nothing was changed.")),
    }
}

/// Only a whole id can name a session that this machine knows nothing of.
pub(super) fn whole_id(text: &str) -> Result<SessionId, Failure> {
    text.trim().parse().map_err(|_| {
        Failure::new(
            code::BAD_ARGUMENT,
            "That is no session id. Give the whole id: `sessions --json` shows it to who takes part. With a token alone, ask a \
             participant, or the plane's operator (`devpilot-plane admin session list --org ORG`).",
        )
        .with_command("sessions --json")
    })
}
