//! The session engine: one seat's verified view of a transcript, and writing to it.
//!
//! It loads the seat, rebuilds the view from the cache and the plane, follows re-keys, learns who may write, and
//! appends each message once. It decides by `seal` alone what is believed, keeps what must not be lost in the seat's
//! file, and never words anything for a person: that is `verbs`.
//!
//! Source: `crypto.md` sections 5, 6, 7 (Retry), 8, 9, 10.2–10.4.

mod accept;
mod ahead;
pub mod auto;
mod calls;
pub mod clock;
mod door;
mod ending;
mod enter;
mod epochs;
mod error;
pub mod integrity;
mod keep;
mod load;
mod members;
pub mod message;
mod meter;
mod modes;
mod post;
pub mod presence;
mod proposals;
mod rekey;
mod relearn;
mod sync;
mod title;
mod upgrade;
pub mod view;

use std::time::Duration;

use seal::identity::Identity;
use seal::keys::Keyring;
use seal::roster::Roster;
use seal::transcript::{Head, Transcript};
use tokio::time::Instant;
use wire::api::{Checkpoint, SealedTitle, State, TokenText};
use wire::ids::{ParticipantId, ProposalId, SessionId};

pub use clock::Clock;
pub use enter::{Entering, Newcomer};
pub use error::SessionError;
pub use members::{Keepable, Membership, Reach};
pub use meter::{Meter, Reading, Step};
pub use modes::Listeners;
pub use post::{Draft, Stored, WrittenFor};
pub use proposals::{Agreed, goal_hash};
pub use rekey::{EarlierRekey, RekeyDone, RekeyPlan};
pub use sync::{Heard, Waiting};

use crate::cache::Cache;
use crate::plane::Plane;
use crate::seat::{Alarm, Lease, Seat, SeatState};
use view::View;

/// One seat of one session, as this process sees it.
pub struct Session {
    plane: Plane,
    seat: Seat,
    clock: Clock,
    meter: Meter,
    me: Identity,
    keys: Keyring,
    roster: Roster,
    transcript: Transcript,
    view: View,
    cache: Cache,
    /// Where the view began anew, after records that are gone.
    started_at: Option<Checkpoint>,
    /// The plane's newest word on the session, and when it came.
    state: Option<(Instant, State)>,
    present: Option<modes::Present>,
    /// When the run this seat is in is over, by a clock that nobody can set.
    run_ends: Option<(ProposalId, Instant)>,
    title: Option<SealedTitle>,
    /// The epoch whose title this process has seen to.
    title_kept: u32,
    alarm: Option<Alarm>,
    /// The earliest own record that was appended as sent and not read back yet (`crypto.md` section 9.2).
    unchecked_own: Option<u64>,
    last_post: Option<post::LastPost>,
    /// What this seat may have sent and forgotten: until when, and whether, messages are taken back as its own.
    relearning: relearn::Relearning,
    /// Of how many at the door this process's reader has been told.
    knocks_told: u32,
    /// Where this process is the seat since it was made.
    lease: Option<Lease>,
}

impl Session {
    /// The session's id.
    pub fn id(&self) -> &SessionId {
        self.me.session_id()
    }

    /// This seat's participant id.
    pub fn my_id(&self) -> &ParticipantId {
        self.me.participant_id()
    }

    /// The seat on disk.
    pub fn seat(&self) -> &Seat {
        &self.seat
    }

    /// The lease of a seat that was made with one, to be kept as long as the process lives.
    pub fn take_lease(&mut self) -> Option<Lease> {
        self.lease.take()
    }

    /// The plane it is on.
    pub fn plane(&self) -> &Plane {
        &self.plane
    }

    /// What was accepted.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Who is known.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The last record accepted.
    pub fn head(&self) -> Head {
        self.transcript.head()
    }

    /// The seq this view starts after: 0, or that of a checkpoint.
    pub fn base(&self) -> u64 {
        self.transcript.base()
    }

    /// Whether this view reaches the head that the seat had accepted before. Until it does, nothing shows that it is the
    /// same history.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn is_caught_up(&self) -> Result<bool, SessionError> {
        let stored = self.seat.read()?.head;
        Ok(stored.is_none_or(|head| head.seq <= self.transcript.head().seq))
    }

    /// The epoch in force.
    pub fn epoch(&self) -> u32 {
        self.transcript.epoch()
    }

    /// The owner in force.
    pub fn owner(&self) -> Option<&ParticipantId> {
        self.transcript.owner()
    }

    /// Up to which seq each participant's messages confirm this history.
    pub fn confirmed(&self) -> impl Iterator<Item = (&ParticipantId, u64)> {
        self.transcript.confirmed()
    }

    /// Whether this seat may write in the epoch in force, by its own certificate.
    pub fn may_write(&self) -> bool {
        self.roster.may_write(self.my_id(), self.epoch())
    }

    /// The plane's newest word on the session; none before the first answer in this process.
    pub fn plane_state(&self) -> Option<&State> {
        self.state.as_ref().map(|(_, state)| state)
    }

    /// How old the plane's newest word is; none before the first answer in this process.
    pub fn state_age(&self) -> Option<Duration> {
        self.state.as_ref().map(|(at, _)| at.elapsed())
    }

    fn hear_state(&mut self, state: State) {
        self.state = Some((Instant::now(), state));
    }

    /// What was found wrong, if anything.
    pub fn alarm(&self) -> Option<&Alarm> {
        self.alarm.as_ref()
    }

    /// The keys of a known epoch can make links of it.
    pub fn keys(&self) -> &Keyring {
        &self.keys
    }

    /// The seat's state as it is on disk now, whichever process wrote it.
    ///
    /// # Errors
    /// The file can't be read.
    pub fn kept(&self) -> Result<std::sync::Arc<SeatState>, SessionError> {
        Ok(self.seat.read()?)
    }

    /// The session's title as its author sealed it, if it opens. Somebody else's text.
    pub fn title(&self) -> Option<String> {
        let title = self.title.as_ref()?;
        let keys = self.keys.get(title.epoch)?;
        seal::record::title::open(keys, &title.participant_id, title.sealed.as_slice(), &self.roster).ok()
    }

    fn token(&self) -> Result<TokenText, SessionError> {
        let kept = self.seat.read()?;
        let token = kept.token.as_ref();
        Ok(TokenText(
            token
                .map(|token| token.text.expose().to_owned())
                .unwrap_or_default(),
        ))
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Session({} as {})", self.id(), self.my_id())
    }
}
