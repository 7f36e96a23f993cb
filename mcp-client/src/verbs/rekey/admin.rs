//! `rekey --admin`: an administrator's re-key, without a link, a seat or any state of this machine
//! (`crypto.md` section 10.4).
//!
//! The new secret is drawn here and kept before it is sent; the same bytes are sent until the plane has answered; only
//! then is there a link, which the face shows once, to a person alone.

use schemars::JsonSchema;
use seal::rekey;
use seal::secret::FullSecret;
use serde::{Deserialize, Serialize};
use wire::api::Rekey;
use wire::ids::SessionId;
use wire::problem::Code;
use zeroize::Zeroizing;

use crate::admin_rekeys::{AdminRekey, Desk};
use crate::plane::{MachineToken, Origin, Plane, PlaneError, within};
use crate::verbs::app::App;
use crate::verbs::choose::CALL_S;
use crate::verbs::delivered::{Answer, Delivered};
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::{Ask, Host, Purpose, Question};
use crate::verbs::{compose, wording};

/// Re-keys that may come in between while this one is made.
const ROUNDS: u32 = 4;
/// The epoch tried first where this machine knows nothing of the session: the plane names the right one.
const FIRST: u32 = 2;

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
    ask(app, &session, &plane, left.is_some(), host).await?;
    let plane = Plane::new(app.http.clone(), plane);
    let rekey = in_force(
        &plane,
        &machine,
        session,
        left,
        known.epoch.unwrap_or(FIRST - 1),
        &desk,
    )
    .await?;
    let mut next = "Give the new link to those who go on; it opens nothing of what came before, which stays with those who \
                    were here. Earlier links and session tokens are dead."
        .to_owned();
    if known.seats > 0 {
        next.push_str(
            " This machine has seats in that session: they go on once you join by the new link (devpilot-session join -).",
        );
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

/// Sends until one record of this machine's making is in force. An earlier one comes first: it may be already.
async fn in_force(
    plane: &Plane,
    machine: &MachineToken,
    session: SessionId,
    mut left: Option<AdminRekey>,
    mut old_epoch: u32,
    desk: &Desk,
) -> Result<AdminRekey, Failure> {
    let until = within(CALL_S);
    for _ in 0..ROUNDS {
        let resumed = left.is_some();
        let rekey = match left.take() {
            Some(left) => left,
            None => draw(plane.origin(), session, old_epoch, desk)?,
        };
        tracing::info!(%session, epoch = rekey.epoch, resumed, "an administrator's re-key is sent");
        let request = Rekey {
            epoch_record: rekey.record.clone(),
            rejoin_secret: None,
        };
        let refused = match plane.rekey(machine, &session, &request, until).await {
            Ok(answer) if answer.epoch == rekey.epoch => return Ok(rekey),
            Ok(_) => PlaneError::BadAnswer {
                origin: plane.origin().clone(),
            },
            Err(error) => error,
        };
        match (&refused, refused.code()) {
            (PlaneError::Problem { extras, .. }, Some(Code::EpochMoved)) => {
                // Not in force, now or ever: its link must never be taken for one that works.
                desk.clear().map_err(wording::home)?;
                old_epoch = extras.epoch.ok_or_else(|| {
                    wording::plane(&PlaneError::BadAnswer {
                        origin: plane.origin().clone(),
                    })
                })?;
            }
            (_, Some(refusal)) if is_final(refusal, resumed) => {
                desk.clear().map_err(wording::home)?;
                return Err(wording::keeping(&refused));
            }
            _ => return Err(still_open(&wording::keeping(&refused))),
        }
    }
    Err(Failure::new(
        "epoch_moved",
        "The session was re-keyed again and again while this one was made, so none of it took effect. Try again.",
    ))
}

/// Whether a refusal says that the record is not in force. Of one that may have been taken earlier only what the plane
/// checks after the record in force does (`plane-api.md`, rekey); who asks, it checks before.
fn is_final(refusal: Code, resumed: bool) -> bool {
    match refusal {
        Code::SessionEnded | Code::QuotaExceeded => true,
        Code::Unauthorized | Code::Forbidden | Code::NotFound | Code::BadRequest | Code::TooLarge => !resumed,
        _ => false,
    }
}

fn still_open(why: &Failure) -> Failure {
    Failure::new(
        why.code(),
        format!(
            "It is not known yet whether the re-key took effect: {} The new link is kept on this machine until it is; run \
             the same command again.",
            why.message()
        ),
    )
}

fn draw(plane: &Origin, session: SessionId, old_epoch: u32, desk: &Desk) -> Result<AdminRekey, Failure> {
    let secret = FullSecret::random()
        .map_err(|error| wording::session(crate::session::SessionError::Random(error)))?;
    let new = rekey::by_admin(&session, old_epoch, secret)
        .map_err(|error| Failure::new(error.name(), wording::sentence(error)))?;
    let rekey = AdminRekey::new(plane.clone(), session, &new)
        .ok_or_else(|| Failure::new(code::INTERNAL, "A new epoch came without its secret."))?;
    desk.keep(&rekey).map_err(wording::home)?;
    Ok(rekey)
}

async fn ask(
    app: &App,
    session: &SessionId,
    plane: &Origin,
    resumed: bool,
    host: &dyn Host,
) -> Result<(), Failure> {
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
    let question = Question {
        purpose: Purpose::Rekey,
        session: session.to_string(),
        subject: format!("rekey --admin {session} {plane}"),
        text,
    };
    match host.ask(&question).await {
        Ask::Yes => Ok(()),
        Ask::CannotAsk => Err(compose::no_terminal(
            "Nothing was changed.",
            app.command(&format!("rekey --admin {session}")),
        )),
        other => Err(compose::refused(other, "Nothing was changed.")),
    }
}

/// Only a whole id can name a session that this machine knows nothing of.
pub(super) fn whole_id(text: &str) -> Result<SessionId, Failure> {
    text.trim().parse().map_err(|_| {
        Failure::new(
            code::BAD_ARGUMENT,
            "That is no session id. Give the whole id: `devpilot-session sessions --json` shows it to who takes part, and the \
             console to the organisation. With a token alone, ask a participant, or the plane's operator (`devpilot-plane \
             admin session list --org ORG`).",
        )
    })
}
