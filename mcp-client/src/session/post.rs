//! Writing: one message is sealed at the current head, kept before it is sent, and appended once however often it is
//! sent (`crypto.md` sections 7, Retry, and 9.2).

use std::time::Duration;

use seal::random::{self, Nonce};
use tokio::time::Instant;
use wire::api::{ExpectMode, ParticipantRow, Post, Posted, Record, Signal, State};
use wire::encoding::Blob;
use wire::problem::Code;
use wire::timestamp::Timestamp;
use wire::transcript::{Hash, RecordClass, sha256};

use super::calls::is_token_over;
use super::error::SessionError;
use super::keep::LOCK;
use super::message::Message;
use super::modes::Listeners;
use super::{Session, auto, ending, integrity};
use crate::plane::Deadline;
use crate::seat::{PendingPost, SeatLock, SeatState};

/// How often one call seals anew or comes back before it gives up.
const ROUNDS: u32 = 4;

/// A message to be posted.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What it says. Its signal is told to the plane as well.
    pub message: Message,
    /// What it was written for.
    pub written_for: WrittenFor,
}

/// What a message was written for. A late reply must never pass for a human's word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenFor {
    /// Whatever the mode is: a person wrote it, or had it written.
    AnyMode,
    /// Auto: the plane refuses it once auto is over.
    Auto,
    /// Auto, which is over by this client's own count: only what was sent before is asked for once more.
    AutoThatIsOver,
}

/// A message that is stored.
#[derive(Debug, Clone)]
pub struct Stored {
    /// Its number.
    pub seq: u64,
    /// When, by the plane's word.
    pub at: Timestamp,
    /// The session after it.
    pub state: State,
}

/// The last post of this process, so that a call repeated because its answer got lost is not a second message.
#[derive(Debug)]
pub(super) struct LastPost {
    content: Hash,
    stored: Stored,
    /// When the plane answered.
    answered: Instant,
    delivered: bool,
}

/// How far a message is before it is sent.
enum Ready {
    /// It was sent before, and is stored.
    Stored(Box<Stored>),
    /// Sealed, and kept as pending.
    Sealed,
}

/// What became of a post that was sent.
enum Sent {
    Stored(Box<Stored>),
    /// Not stored, and can't be any more: seal it under the new epoch.
    EpochMoved,
}

impl Session {
    /// Posts one message; gives everybody as they were right before it, too. The same message again, before its answer was
    /// [delivered](Session::delivered), is the same record.
    ///
    /// # Errors
    /// [`SessionError::Failed`] and [`SessionError::Differs`] before anything is sent; `too_large`;
    /// [`SessionError::ReadOnly`]; [`SessionError::AutoOver`]; what the plane or the way to it gives: then nothing is lost, and the next call sends
    /// the same bytes first.
    pub async fn post(
        &mut self,
        draft: &Draft,
        listeners: Listeners,
        until: Deadline,
    ) -> Result<(Stored, Vec<ParticipantRow>), SessionError> {
        let json = draft.message.to_json().ok_or(seal::Error::BadContent)?;
        let content = sha256(json.as_bytes());
        if let Some(last) = self
            .last_post
            .as_ref()
            .filter(|last| !last.delivered && last.content == content)
        {
            let stored = last.stored.clone();
            return Ok((stored, self.hear_listeners(listeners).await));
        }
        let mut lock = self.seat.clone().lock(LOCK).await?;
        let ready = self.make_ready(&mut lock, draft, &json, content, until).await;
        let present = match ready.is_ok() {
            true => self.hear_listeners(listeners).await,
            false => Vec::new(),
        };
        let result = match ready {
            Ok(Ready::Stored(stored)) => {
                if let Some(present) = &mut self.present {
                    present.post();
                }
                Ok(*stored)
            }
            Ok(Ready::Sealed) => self.send(&mut lock, false, until).await,
            Err(error) => Err(error),
        };
        if let Err(SessionError::Plane(error)) = &result
            && let Some(ended) = ending::told_by(error, self.clock.now())
        {
            self.end_here(&mut lock, ended)?;
        }
        // What was found on the way, good or bad, is kept with the seat.
        self.put_into(&mut lock)?;
        match &result {
            Ok(_) => lock.save_unsynced()?,
            Err(_) => lock.save()?,
        }
        let stored = result?;
        self.last_post = Some(LastPost {
            content,
            stored: stored.clone(),
            answered: Instant::now(),
            delivered: false,
        });
        Ok((stored, present))
    }

    /// How long ago the plane answered this process's last post, with the state of the session after it.
    pub fn since_post(&self) -> Option<Duration> {
        self.last_post.as_ref().map(|last| last.answered.elapsed())
    }

    /// Whether this very message was sent before without its answer reaching the caller: then it is no new one.
    ///
    /// # Errors
    /// The seat's file can't be read.
    pub fn is_under_way(&self, json: &str) -> Result<bool, SessionError> {
        let content = sha256(json.as_bytes());
        let undelivered = |last: &LastPost| !last.delivered && last.content == content;
        if self.last_post.as_ref().is_some_and(undelivered) {
            return Ok(true);
        }
        let kept = self.kept()?;
        let pending = kept
            .pending
            .post
            .as_ref()
            .filter(|pending| pending.stored.is_none());
        Ok(pending
            .and_then(|pending| self.json_of(pending))
            .is_some_and(|sent| sent == json))
    }

    /// The answer to the last post has reached its caller: the same text again is a new message.
    pub fn delivered(&mut self) {
        if let Some(last) = &mut self.last_post {
            last.delivered = true;
        }
    }

    /// What was sent before is settled, and the message is sealed and kept.
    async fn make_ready(
        &mut self,
        lock: &mut SeatLock,
        draft: &Draft,
        json: &str,
        content: Hash,
        until: Deadline,
    ) -> Result<Ready, SessionError> {
        self.refresh()?;
        integrity::may_post(self.alarm.as_ref())?;
        if let Some(stored) = self.send_pending(lock, content, until).await? {
            return Ok(Ready::Stored(Box::new(stored)));
        }
        if draft.written_for == WrittenFor::AutoThatIsOver {
            return Err(SessionError::AutoOver);
        }
        self.seal_new(lock, draft, json, until).await?;
        Ok(Ready::Sealed)
    }

    /// First what was sent and never answered. If it says the same as the new message, it is that message.
    async fn send_pending(
        &mut self,
        lock: &mut SeatLock,
        content: Hash,
        until: Deadline,
    ) -> Result<Option<Stored>, SessionError> {
        let Some(pending) = lock.pending.post.clone() else {
            return Ok(None);
        };
        self.expect_pending(lock)?;
        if pending.stored.is_some() {
            // Answered: it is read before anything is sealed after it.
            return Ok(None);
        }
        let same = self
            .json_of(&pending)
            .is_some_and(|json| sha256(json.as_bytes()) == content);
        match self.send(lock, true, until).await {
            Ok(stored) => Ok(same.then_some(stored)),
            // It was refused for good and is forgotten; if it is the new message, that one is tried afresh.
            Err(error) if lock.pending.post.is_none() && !matches!(error, SessionError::Failed(_)) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Sends the pending post until it is stored, sealing it anew if the epoch moved. `is_open`: it was sent before, and may be
    /// stored.
    async fn send(
        &mut self,
        lock: &mut SeatLock,
        mut is_open: bool,
        until: Deadline,
    ) -> Result<Stored, SessionError> {
        for _ in 0..ROUNDS {
            match self.send_once(lock, &mut is_open, until).await? {
                Sent::Stored(stored) => return Ok(*stored),
                Sent::EpochMoved => self.seal_again(lock, until).await?,
            }
        }
        Err(SessionError::Plane(crate::plane::PlaneError::TimedOut {
            origin: self.plane.origin().clone(),
        }))
    }

    async fn send_once(
        &mut self,
        lock: &mut SeatLock,
        is_open: &mut bool,
        until: Deadline,
    ) -> Result<Sent, SessionError> {
        for _ in 0..ROUNDS {
            let Some(pending) = lock.pending.post.clone() else {
                return Err(SessionError::Impossible("nothing to send"));
            };
            let token = self.token()?;
            let answer = self
                .plane
                .post(self.me.session_id(), &token, &pending.request, until)
                .await;
            let error = match answer {
                Ok(posted) => {
                    return self
                        .stored(lock, &pending, posted)
                        .map(|stored| Sent::Stored(Box::new(stored)));
                }
                Err(unsettled) => {
                    *is_open |= unsettled.is_open;
                    SessionError::Plane(unsettled.error)
                }
            };
            match &error {
                over if is_token_over(over) => {
                    // The same bytes once more under the new token: only that answer tells whether they were stored.
                    if let Some(post) = &mut lock.pending.post {
                        post.after_rekey = true;
                    }
                    let back = self.come_back(lock, until).await;
                    if matches!(back, Err(SessionError::AdminRekeyed | SessionError::Removed)) && !*is_open {
                        // Refused at the door and nothing else: whoever comes back later, by a link, did not mean to send it.
                        self.forget_pending(lock);
                    }
                    back?;
                }
                SessionError::Plane(refused) if refused.code() == Some(Code::EpochMoved) => {
                    return Ok(Sent::EpochMoved);
                }
                SessionError::Plane(refused) => {
                    if !refused.is_effect_open() && refused.code().is_some() {
                        self.forget_pending(lock);
                    }
                    return Err(error);
                }
                _ => return Err(error),
            }
        }
        Err(SessionError::Plane(crate::plane::PlaneError::TimedOut {
            origin: self.plane.origin().clone(),
        }))
    }

    /// Not stored for certain: the next post does not bring it up again.
    fn forget_pending(&mut self, lock: &mut SeatLock) {
        if let Some(pending) = lock.pending.post.take() {
            self.transcript.withdraw(&pending.request.message_id);
        }
    }

    /// Seals a new message at the head, and keeps it before its first byte is sent.
    async fn seal_new(
        &mut self,
        lock: &mut SeatLock,
        draft: &Draft,
        json: &str,
        until: Deadline,
    ) -> Result<(), SessionError> {
        self.catch_up(lock, until).await?;
        integrity::may_post(self.alarm.as_ref())?;
        // Under the lock: of calls and processes that come together, each counts what the others sent.
        if draft.written_for == WrittenFor::Auto && !auto::is_running(&lock.consents, &self.auto_facts()) {
            return Err(SessionError::AutoOver);
        }
        let id = random::message_id()?;
        let signal = draft.message.signal.as_deref().and_then(Signal::from_word);
        let expect_mode = (draft.written_for == WrittenFor::Auto).then_some(ExpectMode::Auto);
        self.seal(lock, json, |epoch, sealed| Post {
            message_id: id,
            epoch,
            sealed,
            signal,
            expect_mode,
            attachments: None,
        })
    }

    /// Seals the pending message under the epoch in force, with a fresh nonce. Its id stays.
    async fn seal_again(&mut self, lock: &mut SeatLock, until: Deadline) -> Result<(), SessionError> {
        let pending = lock
            .pending
            .post
            .clone()
            .ok_or(SessionError::Impossible("nothing to seal again"))?;
        let json = self
            .json_of(&pending)
            .ok_or(SessionError::Impossible("an own message that does not open"))?;
        // A wrong epoch with a good token: this seat has not read the re-key yet.
        self.come_back_if_behind(lock, pending.request.epoch, until)
            .await?;
        self.catch_up(lock, until).await?;
        integrity::may_post(self.alarm.as_ref())?;
        let request = pending.request;
        self.seal(lock, &json, |epoch, sealed| Post {
            epoch,
            sealed,
            ..request
        })
    }

    async fn come_back_if_behind(
        &mut self,
        lock: &mut SeatLock,
        epoch: u32,
        until: Deadline,
    ) -> Result<(), SessionError> {
        if self.keys.newest().is_some_and(|keys| keys.epoch() <= epoch) {
            self.come_back(lock, until).await?;
        }
        Ok(())
    }

    fn seal(
        &mut self,
        lock: &mut SeatLock,
        json: &str,
        request: impl FnOnce(u32, Blob) -> Post,
    ) -> Result<(), SessionError> {
        let head = self.transcript.head_for_writing()?;
        // Read on before: `catch_up` ends with this seat's own last record accepted.
        let head = head.ok_or(seal::Error::SeqGap)?;
        let epoch = self.transcript.epoch();
        let keys = self
            .keys
            .get(epoch)
            .ok_or(SessionError::Impossible("no keys of the epoch in force"))?;
        if !self.roster.may_write(self.my_id(), epoch) {
            return Err(SessionError::ReadOnly(lock.capability));
        }
        let mut request = request(epoch, Blob::default());
        let nonce = Nonce::random()?;
        let sealed = seal::record::message::seal(keys, &self.me, &request.message_id, &head, json, nonce)?;
        self.transcript.sending(request.message_id, epoch, &sealed)?;
        request.sealed = Blob(sealed);
        lock.pending.post = Some(PendingPost {
            request,
            after_rekey: false,
            stored: None,
        });
        self.put_into(lock)?;
        lock.save()?;
        Ok(())
    }

    /// Accepts everything up to this seat's own last record, which the next message's head must cover.
    async fn catch_up(&mut self, lock: &mut SeatLock, until: Deadline) -> Result<(), SessionError> {
        for _ in 0..ROUNDS {
            let head = self.transcript.head().seq;
            // A head that was forgotten must not be gone back behind either.
            let forgotten = lock.progress_lost && !self.relearning.is_done();
            let ahead = forgotten || lock.head.is_some_and(|kept| kept.seq > head);
            let fresh = head > 0 && !ahead && matches!(self.transcript.head_for_writing(), Ok(Some(_)));
            let certified = self.roster.may_write(self.my_id(), self.transcript.epoch());
            let current = self
                .keys
                .newest()
                .is_some_and(|keys| keys.epoch() == self.transcript.epoch());
            if fresh && certified && current {
                return Ok(());
            }
            match self.fetch(until).await {
                Err(error) if is_token_over(&error) => self.come_back(lock, until).await?,
                Ok(()) if fresh && current => return Ok(()),
                other => other?,
            }
        }
        Ok(())
    }

    /// The plane has it. A seq that is the head's next lets it be appended as sent; it is read back with the next read.
    fn stored(
        &mut self,
        lock: &mut SeatLock,
        pending: &PendingPost,
        posted: Posted,
    ) -> Result<Stored, SessionError> {
        let request = &pending.request;
        self.transcript
            .posted(&request.message_id, posted.seq)
            .map_err(|error| self.fail(error))?;
        if posted.seq == self.transcript.head().seq + 1 && request.epoch == self.transcript.epoch() {
            let record = Record {
                seq: posted.seq,
                at: posted.at,
                epoch: request.epoch,
                class: RecordClass::Message,
                sender: Some(*self.my_id()),
                item_id: Some(request.message_id),
                sealed: Some(request.sealed.clone()),
                signal: request.signal,
                body: None,
                epoch_record: None,
            };
            let entry = self.accept(&record, None).map_err(|error| self.fail(error))?;
            self.view.push(entry);
            self.remember(std::slice::from_ref(&record));
            self.unchecked_own.get_or_insert(posted.seq);
        }
        lock.pending.post = Some(PendingPost {
            stored: Some(posted.seq),
            ..pending.clone()
        });
        self.settle_post(lock);
        self.hear_state(posted.state.clone());
        if let Some(present) = &mut self.present {
            present.post();
        }
        Ok(Stored {
            seq: posted.seq,
            at: posted.at,
            state: posted.state,
        })
    }

    /// A post that the plane has is forgotten as pending once its record is accepted.
    pub(super) fn settle_post(&self, kept: &mut SeatState) {
        let stored = kept.pending.post.as_ref().and_then(|post| post.stored);
        if stored.is_some_and(|seq| seq <= self.transcript.head().seq) {
            kept.pending.post = None;
        }
    }

    /// What a pending post says, opened with the keys of its epoch.
    fn json_of(&self, pending: &PendingPost) -> Option<String> {
        let request = &pending.request;
        let keys = self.keys.get(request.epoch)?;
        let id = &request.message_id;
        let sealed = request.sealed.as_slice();
        let opened = seal::record::message::open(keys, self.my_id(), id, sealed, &self.roster).ok()?;
        Some(opened.json.as_str().to_owned())
    }
}
