//! Errors of the inner layers in one sentence each, with what to do next. Nothing a plane or participant wrote is in it.

use wire::api::SessionEnd;
use wire::problem::{Code, EndCause, Extras};
use wire::timestamp::Timestamp;

use super::failure::{Failure, Knock, code};
use crate::home::HomeError;
use crate::plane::{Distrust, Origin, PlaneError, ProxyName, ProxyTrouble, Unsettled};
use crate::render;
use crate::seat::SeatError;
use crate::session::SessionError;

/// A session's error.
pub(super) fn session(error: SessionError) -> Failure {
    match error {
        SessionError::Plane(error) => plane(&error),
        SessionError::Failed(error) => Failure::new(error.name(), sentence(error)),
        SessionError::Differs { error, seq } => Failure::new(
            error.name(),
            format!(
                "{} It shows at message {seq}. Nothing was posted; who has a person's word may post again.",
                sentence(error)
            ),
        ),
        SessionError::Seal(error) => Failure::new(error.name(), sentence(error)),
        SessionError::Forgotten(origin) => Failure::new(
            name(Code::BadProof),
            format!(
                "The plane at {origin} does not know this session, though this machine was in it: it was purged, or another \
                 plane, or one without its data, is at that address now. Nothing was lost here: what was read stays readable. To go \
                 on, share a new session, or join with a new link."
            ),
        ),
        SessionError::Removed => Failure::new(
            seal::Error::RekeyRemoved.name(),
            "The owner re-keyed this session without this participant, so it can't go on here. What was read stays \
             readable; to come back, ask the owner for a new link and join with it.",
        ),
        SessionError::Left => Failure::new(code::LEFT, left("This machine's participant", "this session")),
        SessionError::AdminRekeyed => Failure::new(
            code::NEW_LINK_NEEDED,
            "An administrator re-keyed this session, and its old links are dead. Ask the person who shared it for the \
             new link and join with it; never take a link from the session itself.",
        ),
        SessionError::RekeyOpen(error) => {
            let why = last_answer(&error);
            Failure::new(
                why.code(),
                format!(
                    "It is not known yet whether the re-key took effect: {} Run `rekey` again: before \
                     anything else it finds out, and asks anew if it did not.",
                    why.message()
                ),
            )
        }
        SessionError::ListChanged(_) => Failure::new(
            code::LIST_CHANGED,
            "Who takes part has changed since the list was shown, so nothing was done. Look at the list again.",
        ),
        SessionError::NotOwner => Failure::new(
            code::NOT_OWNER,
            "This machine's seat is not the owner participant of that session, and only the owner re-keys without a new \
             link for those who stay. Ask the owner; the user whose token made the session, or an administrator, can run \
             `rekey --admin` with the session's whole id, after which everybody needs the new link.",
        ),
        SessionError::NoOwner => Failure::new(
            code::NO_OWNER,
            "This session has no owner participant any more: an administrator re-keyed it. The user whose token made it, \
             or an administrator, can run `rekey --admin` with the session's whole id, after which everybody needs the new \
             link.",
        ),
        SessionError::CantBeKept(who) => Failure::new(
            code::BAD_ARGUMENT,
            format!(
                "{who} can't be kept: there is no valid profile of it in this epoch to seal the new secret to. Drop it, \
                 and give its person the new link afterwards."
            ),
        ),
        SessionError::Knocking { me, retry_after_s } => {
            let me: String = me.to_string().chars().take(8).collect();
            let text = format!(
                "The session's owner keeps the door and has been asked to let you in, as the participant whose id begins with \
                 {me}; there is no answer yet."
            );
            Failure::new(code::KNOCKING, text).at_the_door(Knock { me, retry_after_s })
        }
        SessionError::TurnedAway => Failure::new(
            name(Code::DoorClosed),
            "You knocked and were not let in: the session's owner refused you, or nobody new comes in any more; the plane does \
             not say which. Ask the owner. Joining again helps once the door is open to you.",
        ),
        SessionError::ReadOnly(_) => Failure::new(
            "view_only",
            "This seat may read only: it came by a view link, or its owner let it stay as a reader. Nothing was posted; to write, \
             join with a full link.",
        ),
        SessionError::AutoOver => problem(Code::AutoOver, &Extras::default()),
        SessionError::Seat(error) => seat(&error),
        SessionError::Home(error) => home(error),
        SessionError::Random(error) => {
            Failure::new(code::INTERNAL, format!("{}.", capital(&error.to_string())))
        }
        SessionError::Impossible(what) => Failure::new(
            code::INTERNAL,
            format!("The seat's file holds what can't be ({what}). Join the session again with its link."),
        ),
    }
}

/// A seat's error.
pub(super) fn seat(error: &SeatError) -> Failure {
    Failure::new(code::LOCAL_FILE, error.to_string())
}

/// An error of the home folder.
pub(super) fn home(error: HomeError) -> Failure {
    Failure::new(code::LOCAL_FILE, error.to_string())
}

/// A link that was not found.
pub(super) fn link(error: seal::Error, source: &str) -> Failure {
    Failure::new(error.name(), format!("{source}: {}.", error.advice()))
}

/// A plane's error.
pub(super) fn plane(error: &PlaneError) -> Failure {
    match error {
        PlaneError::Unreachable {
            origin,
            refused: true,
            ..
        } if origin.is_loopback() => Failure::new(
            code::PLANE_UNREACHABLE,
            format!(
                "Nothing listens at {origin} on this machine. Start the plane again (`{}`, or `make run` in a checkout) and \
                 repeat the call; nothing was lost. {MOVED}",
                serve_command(origin)
            ),
        ),
        PlaneError::Unreachable { origin, reason, .. } => Failure::new(
            code::PLANE_UNREACHABLE,
            format!(
                "{origin} can't be reached ({reason}). Nothing was lost; repeat the call in a moment. {MOVED}"
            ),
        ),
        PlaneError::Untrusted { origin, why, issuer } => Failure::new(
            code::PLANE_UNREACHABLE,
            format!(
                "{origin} can't prove that it is that host: {} Nothing was sent.",
                distrust(*why, issuer.as_deref())
            ),
        ),
        PlaneError::Proxy {
            origin,
            proxy,
            trouble,
            reason,
            ..
        } => Failure::new(
            code::PLANE_UNREACHABLE,
            proxy_trouble(origin, proxy, *trouble, reason),
        ),
        PlaneError::TimedOut { origin } => Failure::new(
            code::PLANE_UNREACHABLE,
            format!("{origin} did not answer in time. Nothing was lost; repeat the call in a moment."),
        ),
        PlaneError::NotApi { origin, status: 413 } => Failure::new(
            seal::Error::TooLarge.name(),
            format!(
                "{origin}, or a proxy before it, takes no message of this size (HTTP 413). Send it in parts."
            ),
        ),
        PlaneError::NotApi { origin, status } => Failure::new(
            code::PLANE_ANSWER,
            format!(
                "{origin} answered HTTP {status} with something that is not the plane's API; a proxy may be in between. \
                 Nothing was lost; try again, and tell its operator if it stays so."
            ),
        ),
        PlaneError::BadAnswer { origin } => Failure::new(
            code::PLANE_ANSWER,
            format!(
                "{origin} sent an answer this version does not understand. Update this program, or tell its operator."
            ),
        ),
        PlaneError::TooLarge { size, limit } => Failure::new(
            seal::Error::TooLarge.name(),
            format!(
                "The request has {size} bytes and the plane takes {limit}. Nothing was sent; make it shorter or split it."
            ),
        ),
        PlaneError::ForeignToken { origin } => Failure::new(
            code::NO_MACHINE_TOKEN,
            format!(
                "This machine's token is for another plane than {origin}. Connect it there as well, in a terminal."
            ),
        )
        .with_command(format!("connect {origin}")),
        PlaneError::Setup { reason } => Failure::new(
            code::LOCAL_FILE,
            format!("The way to the plane can't be set up: {reason}. Correct that; nothing was sent."),
        ),
        PlaneError::Problem { code, extras, .. } => problem(*code, extras),
    }
}

/// Where a plane that can't be reached may be.
const MOVED: &str =
    "If the plane has a new address, name it under `[moved]` in config.toml, or join with a new link.";

/// What starts the plane of this machine at an address. Behind TLS it listens at another port than its address says.
pub(super) fn serve_command(origin: &Origin) -> String {
    if origin.is_https() {
        return "devpilot-plane serve".to_owned();
    }
    let host = match origin.host() {
        "localhost" => "127.0.0.1",
        host => host,
    };
    format!(
        "devpilot-plane serve --listen {host}:{}",
        origin.port().unwrap_or(80)
    )
}

/// What is wrong with a certificate, and what a person can do about it. The issuer's name is a stranger's text.
fn distrust(why: Distrust, issuer: Option<&str>) -> String {
    let issuer = issuer.map_or_else(
        || "somebody it does not name".to_owned(),
        |issuer| format!("\"{}\"", render::title(issuer)),
    );
    let issued = format!("its certificate was issued by {issuer}");
    match why {
        Distrust::UnknownIssuer => format!(
            "{issued}, whom this machine does not trust. If that is your own or your company's authority, put its certificate \
             (PEM) into a file and name the file in config.toml: certificate_authorities = [\"/path/to/authority.pem\"]; else \
             something stands between you and the plane, so don't go on from this network."
        ),
        Distrust::OutOfDate => format!(
            "{issued}, and is not valid at this time. Check this machine's date and clock; if they are right, tell the plane's \
             operator."
        ),
        Distrust::OtherHost => format!(
            "{issued}, for another host. Check the address; if it is right, something stands between you and the plane, so \
             don't go on from this network."
        ),
        Distrust::Other => format!("{issued}, and can't be checked. Tell the plane's operator."),
    }
}

fn proxy_trouble(origin: &Origin, proxy: &ProxyName, trouble: ProxyTrouble, reason: &str) -> String {
    let from = proxy.from();
    match trouble {
        ProxyTrouble::NotReached => format!(
            "The proxy {proxy} ({from}) can't be reached ({reason}), so nothing was sent to {origin}. Nothing was lost. Correct the \
             proxy, or name the plane's host under `no_proxy` in config.toml, and repeat the call."
        ),
        ProxyTrouble::WantsLogin => format!(
            "The proxy {proxy} ({from}) wants a name and a password, so nothing was sent to {origin}. Write them into the proxy's \
             address in config.toml: proxy = \"http://NAME:PASSWORD@HOST:PORT\"."
        ),
        ProxyTrouble::Refuses => format!(
            "The proxy {proxy} ({from}) does not open the way to {origin}, or is no proxy. Nothing was lost. Ask whoever runs it to \
             allow that host, or name the host under `no_proxy` in config.toml."
        ),
    }
}

/// What only a session's owner and administrators do, with a machine token: of a machine that has neither the owner's seat nor
/// a token. To connect it would not help.
pub(super) fn owner_s_alone(what: &str, origin: &Origin) -> Failure {
    Failure::new(
        code::NO_MACHINE_TOKEN,
        format!(
            "Only the session's owner and administrators of its organisation can {what}. No seat of this machine is the owner, and \
             it has no machine token for {origin}. Ask the owner, who is named by `who`."
        ),
    )
}

/// What the plane answers to who re-keys or ends a session with a machine token. That nothing was changed is said only where
/// no attempt can have changed anything.
pub(super) fn keeping(unsettled: &Unsettled) -> Failure {
    let Unsettled { error, is_open } = unsettled;
    let failure = last_answer(error);
    if *is_open {
        return failure;
    }
    match error.code() {
        Some(Code::Forbidden | Code::NotFound | Code::BadProof | Code::QuotaExceeded) => Failure::new(
            failure.code(),
            format!("{} Nothing was changed.", failure.message()),
        ),
        _ => plane(error),
    }
}

/// What the last attempt of a re-key or an end was answered, and what to do about that; not what it means for those before.
pub(super) fn last_answer(error: &PlaneError) -> Failure {
    let (code, extras) = match error {
        PlaneError::Problem { code, extras, .. } => (*code, extras),
        other => return plane(other),
    };
    let text = match code {
        Code::Forbidden => {
            "This machine's token does not allow that. It takes a token with scope `rekey` of the user whose token made the \
             session, or one with scope `admin` of an administrator: ask the plane's operator for one \
             (`devpilot-plane admin token create --org ORG --member NAME --scopes share,rekey`) and set DEVPILOT_BRIDGE_TOKEN to it."
        }
        Code::NotFound => {
            "The plane has no session of that id for this machine's token: the id is wrong, the session is gone, or it is \
             another user's."
        }
        Code::BadProof => {
            "The plane does not take this seat for the session's owner; whoever is administrator can run `rekey --admin` \
             with the session's whole id."
        }
        Code::QuotaExceeded if extras.limit.as_deref() == Some("rekeys_per_hour") => {
            "That session was re-keyed too often within an hour; try again later."
        }
        Code::QuotaExceeded if extras.limit.as_deref() == Some("epochs") => {
            "That session was re-keyed as often as the plane allows; end it and share a new one."
        }
        Code::BadRequest | Code::EpochMoved => {
            return Failure::new(
                name(code),
                format!("The plane refused: {}.", code.title().to_lowercase()),
            );
        }
        _ => return plane(error),
    };
    Failure::new(name(code), text)
}

fn problem(code: Code, extras: &Extras) -> Failure {
    let later = extras.retry_after_s.unwrap_or(1);
    let text = match code {
        Code::Unauthorized => "The plane does not know this machine's token, or no longer. Connect the machine again, \
                               in a terminal; a token in DEVPILOT_BRIDGE_TOKEN counts before the stored one."
            .to_owned(),
        Code::Rekeyed => "This link was ended by a re-key. Ask for the new one; trying again does not help.".to_owned(),
        Code::BadProof => "The plane knows no session that this link opens: it was ended, purged or re-keyed, or the link is \
                           for another plane. Ask the sender for a new link."
            .to_owned(),
        Code::Forbidden => "The plane does not allow this here. Ask the session's owner.".to_owned(),
        Code::ViewOnly => "This seat came by a view link and may read only. To write, join with a full link.".to_owned(),
        Code::DoorClosed => "The session's door is closed: nobody new comes in. Ask its owner to open it, then join again.".to_owned(),
        Code::QuotaExceeded => "The session or the organisation has no room for more. Ask the session's owner.".to_owned(),
        Code::NotFound => "The plane has nothing under that name. Check the session.".to_owned(),
        Code::ModeObserve => "The session is in observe: a human is relaying, and agents don't wait. Ask your human whether to \
                              go to relay."
            .to_owned(),
        Code::AutoOver => "Auto is over, so this was not posted. Tell your human where the work stands.".to_owned(),
        Code::SessionEnded => ended(extras),
        Code::TooLarge => "The plane takes nothing of this size. Make it shorter or split it.".to_owned(),
        Code::RateLimited => format!("That was too often. Nothing was lost; try again in {later} s."),
        Code::StoreUnavailable => {
            format!("The plane can't reach its database; the fault is on its side. Nothing was lost; try again in {later} s.")
        }
        Code::Draining => format!("The plane is being restarted. Nothing was lost; try again in {later} s."),
        Code::TimeOut => "The plane did not get the whole request in time. Nothing was lost; try again.".to_owned(),
        Code::Internal => "The plane had a fault of its own. Nothing was lost; try again, and tell its operator.".to_owned(),
        Code::InAuto => "Auto is on, and nothing was changed. Stop it first (`mode`: stop), which counts at once.".to_owned(),
        Code::ProposalGone => "That proposal is gone: it was replaced, declined or used, or it lapsed. Nothing was accepted and nothing \
                               was changed; look at the mode, and ask your human about the proposal there is now."
            .to_owned(),
        Code::BadRequest if extras.limit.as_deref() == Some("max_budget") => {
            "This plane allows fewer messages in one auto: 200, unless its operator or the organisation set another number. Nothing was \
             changed; propose less, by a smaller budget."
                .to_owned()
        }
        Code::BadRequest if extras.limit.as_deref() == Some("max_ttl_s") => {
            "This plane allows less time for one auto: 480 minutes, unless its operator or the organisation set another limit. \
             Nothing was changed; propose less, by fewer minutes."
                .to_owned()
        }
        Code::ExpiredToken => "The code's time is up, or its token was fetched already. Run `connect` again for a new one."
            .to_owned(),
        Code::AccessDenied => "The plane's operator refused this machine. Ask them, then run `connect` again."
            .to_owned(),
        Code::BadRequest
        | Code::LinkDamaged
        | Code::AuthorizationPending
        | Code::SlowDown
        | Code::SessionExists
        | Code::ParticipantExists
        | Code::MessageIdReused
        | Code::ChunkConflict
        | Code::EpochMoved => format!("The plane refused: {}. Nothing was changed.", code.title().to_lowercase()),
    };
    let failure = Failure::new(name(code), text);
    match code {
        Code::Unauthorized => failure.with_command("connect https://PLANE"),
        _ => failure,
    }
}

fn ended(extras: &Extras) -> String {
    let at = extras.at.as_deref().and_then(Timestamp::parse);
    said_over(at, extras.cause.unwrap_or(EndCause::Ended))
}

/// That a session is over for everybody, and what can still be done.
pub(super) fn over(end: SessionEnd) -> String {
    said_over(Some(end.at), end.cause)
}

/// As a failure: of what can't be done any more, before anybody is asked about it.
pub(super) fn is_over(end: SessionEnd) -> Failure {
    Failure::new(name(Code::SessionEnded), over(end))
}

/// That somebody left, what they still have, and the one way back.
pub(super) fn left(who: &str, session: &str) -> String {
    format!(
        "{who} left {session}, so nothing new of it is fetched and nothing is sent. What was read stays readable here; to come \
         back, join with the link."
    )
}

fn said_over(at: Option<Timestamp>, cause: EndCause) -> String {
    let what = match cause {
        EndCause::Expired => "expired",
        EndCause::Purged => "was deleted",
        EndCause::Ended => "was ended",
    };
    let date = at.map(|at| at.to_string().chars().take(10).collect::<String>());
    let when = date.map_or_else(String::new, |date| format!(" on {date}"));
    let still = match cause {
        EndCause::Purged => "what was read stays readable here",
        EndCause::Ended | EndCause::Expired => {
            "what was said can be read until the plane deletes it, and what was read stays readable here"
        }
    };
    format!("The session {what}{when}: nothing more is posted in it; {still}. To go on, share a new one.")
}

/// A problem code's word.
fn name(code: Code) -> &'static str {
    match code {
        Code::BadRequest => "bad_request",
        Code::LinkDamaged => "link_damaged",
        Code::Unauthorized => "unauthorized",
        Code::Rekeyed => "rekeyed",
        Code::BadProof => "bad_proof",
        Code::Forbidden => "forbidden",
        Code::ViewOnly => "view_only",
        Code::DoorClosed => "door_closed",
        Code::QuotaExceeded => "quota_exceeded",
        Code::NotFound => "not_found",
        Code::AuthorizationPending => "authorization_pending",
        Code::SlowDown => "slow_down",
        Code::ExpiredToken => "expired_token",
        Code::AccessDenied => "access_denied",
        Code::TimeOut => "time_out",
        Code::SessionExists => "session_exists",
        Code::ParticipantExists => "participant_exists",
        Code::MessageIdReused => "message_id_reused",
        Code::ChunkConflict => "chunk_conflict",
        Code::EpochMoved => "epoch_moved",
        Code::ModeObserve => "mode_observe",
        Code::AutoOver => "auto_over",
        Code::InAuto => "in_auto",
        Code::ProposalGone => "proposal_gone",
        Code::SessionEnded => "session_ended",
        Code::TooLarge => "too_large",
        Code::RateLimited => "rate_limited",
        Code::StoreUnavailable => "store_unavailable",
        Code::Draining => "draining",
        Code::Internal => "internal",
    }
}

/// An error's advice as a sentence.
pub(super) fn sentence(error: seal::Error) -> String {
    format!("{}.", capital(error.advice()))
}

fn capital(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + characters.as_str()
}
