//! Opening a seat: its keys, and its view rebuilt from the cache, checked up to the stored head.

use seal::history;
use seal::identity::Identity;
use seal::keys::{EpochKeys, Keyring};
use seal::roster::Roster;
use seal::transcript::{Ahead, Start, Transcript};
use wire::api::Record;
use wire::epoch_record::EpochRecord;
use wire::transcript::RecordClass;

use super::error::SessionError;
use super::meter::{Meter, Step};
use super::view::View;
use super::{Clock, Session, ahead};
use crate::cache::Cache;
use crate::plane::{Http, Plane};
use crate::seat::{Seat, SeatState};

impl Session {
    /// Opens a seat of this machine. No network: what the cache holds is verified again, the rest comes with the first
    /// [`Session::sync`].
    ///
    /// # Errors
    /// The seat's file can't be read, or its keys and records don't belong together.
    pub fn open(http: &Http, seat: Seat, clock: Clock, meter: Meter) -> Result<Self, SessionError> {
        let kept = seat.read()?;
        let identity = &kept.identity;
        let me = Identity::from_bytes(kept.session, identity.sk.expose(), identity.seed.expose());
        if *me.participant_id() != kept.participant {
            return Err(SessionError::Impossible("keys of another participant"));
        }
        let mut keys = Keyring::new();
        add_keys(&mut keys, &kept)?;
        let roster = Roster::from_state(kept.session, kept.people.clone())?;
        let cache = Cache::new(seat.home(), &kept.session);
        let mut session = Self {
            plane: Plane::new(http.clone(), kept.plane.clone()),
            transcript: start(&kept, &keys)?,
            seat,
            clock,
            meter,
            me,
            keys,
            roster,
            view: View::default(),
            cache,
            started_at: None,
            state: None,
            present: None,
            run_ends: None,
            title: None,
            title_kept: 0,
            alarm: kept.alarm.clone(),
            unchecked_own: None,
            last_post: None,
            relearning: super::relearn::Relearning::default(),
            knocks_told: 0,
            lease: None,
        };
        session.replay(&kept)?;
        Ok(session)
    }

    /// Accepts what the cache holds. A cache that does not lead to the stored head is worth nothing: the plane is then
    /// asked from the beginning, and must lead there.
    fn replay(&mut self, kept: &SeatState) -> Result<(), SessionError> {
        self.expect_pending(kept)?;
        let Some(stored) = kept.head else { return Ok(()) };
        let whole = self.replay_cache(stored.seq);
        // What a file of this machine holds says nothing of the plane: what was found wrong in it is not kept, and what
        // was found wrong in these records when the plane served them is in the seat already.
        self.alarm.clone_from(&kept.alarm);
        let reached = self.transcript.head().seq >= stored.seq;
        if reached && self.transcript.hash_at(stored.seq) == Some(&stored.hash.0) {
            return Ok(());
        }
        tracing::info!("the cache does not lead to the stored head and is read again");
        if reached || !whole {
            self.distrust_cache();
        }
        self.learn_from_seat(kept)?;
        self.restart(kept)
    }

    /// Accepts what the cache holds up to a seq: what lies after it nothing here can vouch for. False where a record
    /// does not hold.
    fn replay_cache(&mut self, up_to: u64) -> bool {
        loop {
            let after = self.transcript.head().seq;
            if after >= up_to {
                return true;
            }
            let records = match self.cache.read(after, CACHE_PAGE) {
                Ok(records) if records.is_empty() => return true,
                Ok(records) => records,
                Err(error) => {
                    tracing::info!(%error, "the cache is not used");
                    return true;
                }
            };
            let looked = ahead::look(&records, after, &self.keys, &self.roster);
            let known = records.iter().zip(looked);
            for (record, looked) in known.take_while(|(record, _)| record.seq <= up_to) {
                if let Err(error) = self.replay_one(record, looked) {
                    tracing::info!(seq = record.seq, %error, "the cache does not hold from here on");
                    return false;
                }
            }
            let reached = self.transcript.head().seq;
            if reached == after {
                return true;
            }
            self.meter.tell(Step::Opening, reached, up_to);
        }
    }

    fn replay_one(&mut self, record: &Record, looked: Option<Ahead<'_>>) -> Result<(), SessionError> {
        // Up to the stored head everything was accepted before, own messages included: reaching that head's hash
        // proves that these are the same bytes.
        self.expect_own(record)?;
        let entry = self.accept(record, looked)?;
        self.view.push(entry);
        Ok(())
    }

    /// Before an own record of a history known by its head: it was sent from here.
    pub(super) fn expect_own(&mut self, record: &Record) -> Result<(), SessionError> {
        let mine = record.class == RecordClass::Message && record.sender == Some(*self.my_id());
        if let (true, Some(id), Some(sealed)) = (mine, record.item_id, &record.sealed)
            && !self.transcript.has_seen(&id)
        {
            self.transcript.sending(id, record.epoch, sealed.as_slice())?;
        }
        Ok(())
    }

    /// The post that was sent and not read back may be in the transcript already. Where the plane has named its seq, the
    /// next message's head must cover it.
    pub(super) fn expect_pending(&mut self, kept: &SeatState) -> Result<(), SessionError> {
        if let Some(pending) = &kept.pending.post {
            let request = &pending.request;
            if !self.transcript.has_seen(&request.message_id) {
                self.transcript
                    .sending(request.message_id, request.epoch, request.sealed.as_slice())?;
                let head = self.transcript.head().seq;
                if let Some(seq) = pending.stored.filter(|seq| *seq > head) {
                    self.transcript.posted(&request.message_id, seq)?;
                }
            }
        }
        Ok(())
    }

    fn distrust_cache(&self) {
        if let Err(error) = self.cache.set_aside() {
            tracing::info!(%error, "the cache can't be set aside");
        }
    }

    /// Keys and people as the seat's file holds them, and nothing that was learnt since.
    pub(super) fn learn_from_seat(&mut self, kept: &SeatState) -> Result<(), SessionError> {
        self.keys = Keyring::new();
        add_keys(&mut self.keys, kept)?;
        self.roster = Roster::from_state(kept.session, kept.people.clone())?;
        Ok(())
    }

    /// Forgets the view and begins again at the beginning, or at the checkpoint this seat began at.
    pub(super) fn restart(&mut self, kept: &SeatState) -> Result<(), SessionError> {
        self.transcript = start(kept, &self.keys)?;
        self.view = View::default();
        self.unchecked_own = None;
        self.forget_cache();
        self.expect_pending(kept)
    }
}

/// Records read from the cache at a time.
const CACHE_PAGE: usize = 1_000;

/// Where a seat's history begins.
fn start(kept: &SeatState, keys: &Keyring) -> Result<Transcript, SessionError> {
    let Some(checkpoint) = &kept.checkpoint else {
        return Ok(Transcript::new(kept.session));
    };
    let start = Start {
        seq: checkpoint.seq,
        hash: checkpoint.hash.0,
        epoch_record: checkpoint.epoch_record.as_slice(),
    };
    Ok(Transcript::from_checkpoint(kept.session, &start, keys)?)
}

/// The keys of every epoch whose secret and record the seat holds, checked together, and on back through history.
pub(super) fn add_keys(keys: &mut Keyring, kept: &SeatState) -> Result<(), SessionError> {
    let mut records = Vec::new();
    for (epoch, bytes) in &kept.epoch_records {
        let record = EpochRecord::parse(bytes.as_slice()).map_err(seal::Error::from)?;
        if let (Some(secret), None) = (kept.secrets.get(epoch), keys.get(*epoch)) {
            keys.insert(EpochKeys::check(&record, secret.to_link_secret())?);
        }
        records.push(record);
    }
    history::open_all(keys, &records)?;
    Ok(())
}
