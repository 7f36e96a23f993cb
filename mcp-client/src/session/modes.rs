//! Setting the mode, asking who is here, and leaving, with the seat's token and again after coming back.

use std::pin::Pin;
use std::time::Duration;

use tokio::time::Instant;
use wire::api::{ParticipantRow, Participants, SetMode, SettableMode};

use super::Session;
use super::error::SessionError;
use super::view::What;
use crate::plane::{Deadline, PlaneError};

/// How long an answer on who is here is used again: presence is no newer than that (`plane-api.md`, Presence).
const PRESENCE: Duration = Duration::from_secs(5);
/// How long an answer in which nobody listened goes on after a post of this seat, which woke nobody: about as long as one takes
/// to begin to listen. Where somebody did, it is over with the post.
const RUN: Duration = Duration::from_secs(1);

type Asked = Pin<Box<dyn Future<Output = Result<Participants, PlaneError>> + Send>>;

/// Who is here right before a post, or the question for it that is under way.
pub struct Listeners(Word);

enum Word {
    /// By an answer that is new enough.
    Known(Vec<ParticipantRow>),
    /// Asked at this time, and at this head.
    Asked(Instant, u64, Asked),
}

/// Who is here, by the plane's word.
pub(super) struct Present {
    asked: Instant,
    /// Whether somebody else listened.
    listened: bool,
    /// This seat has posted since.
    posted: bool,
    rows: Vec<ParticipantRow>,
}

impl Present {
    fn is_new(&self, now: Instant) -> bool {
        !self.posted && now.duration_since(self.asked) < PRESENCE
    }

    /// Whether it still says who listens before a post.
    fn is_new_to_post(&self, now: Instant) -> bool {
        self.is_new(now) || (!self.listened && now.duration_since(self.asked) < RUN)
    }

    /// This seat posts.
    pub(super) const fn post(&mut self) {
        self.posted = true;
    }
}

impl Session {
    /// Sets observe or relay.
    ///
    /// # Errors
    /// What the plane or the way to it gives, and what coming back gives.
    pub async fn set_mode(&mut self, mode: SettableMode, until: Deadline) -> Result<(), SessionError> {
        let set = SetMode { set: mode };
        self.for_state(until, |plane, id, token| async move {
            plane.set_mode(&id, &token, set, until).await
        })
        .await
    }

    /// Ends auto; nothing happens outside of it.
    ///
    /// # Errors
    /// As [`Session::set_mode`].
    pub async fn stop(&mut self, until: Deadline) -> Result<(), SessionError> {
        self.for_state(until, |plane, id, token| async move {
            plane.stop(&id, &token, until).await
        })
        .await
    }

    /// Everybody as the plane sees them, at most some seconds old.
    ///
    /// # Errors
    /// As [`Session::set_mode`].
    pub async fn participants(&mut self, until: Deadline) -> Result<Vec<ParticipantRow>, SessionError> {
        if let Some(present) = self
            .present
            .as_ref()
            .filter(|present| present.is_new(Instant::now()))
        {
            tracing::trace!(age = ?present.asked.elapsed(), "presence is still new");
            return Ok(present.rows.clone());
        }
        self.ask_who(until).await
    }

    /// Asks who is here before a post, unless that is known: of a run of posts that wake nobody, before the first. Does not
    /// wait for the answer, which [`Session::post`] does once the message is ready: a post wakes those who listen.
    ///
    /// # Errors
    /// The seat's file can't be read.
    pub async fn ask_listeners(&self, until: Deadline) -> Result<Listeners, SessionError> {
        let asked = Instant::now();
        if let Some(present) = self.present.as_ref().filter(|known| known.is_new_to_post(asked)) {
            return Ok(Listeners(Word::Known(present.rows.clone())));
        }
        let (plane, id, token) = (self.plane.clone(), *self.id(), self.token()?);
        let mut answer: Asked = Box::pin(async move { plane.participants(&id, &token, None, until).await });
        // Under way before this thread waits for the disk.
        let answer = tokio::select! {
            biased;
            answered = &mut answer => Box::pin(std::future::ready(answered)),
            () = tokio::task::yield_now() => answer,
        };
        Ok(Listeners(Word::Asked(asked, self.head().seq, answer)))
    }

    /// Who is here; nobody where the plane can't say.
    pub(super) async fn hear_listeners(&mut self, listeners: Listeners) -> Vec<ParticipantRow> {
        let (asked, head, answer) = match listeners.0 {
            Word::Known(rows) => return rows,
            Word::Asked(asked, head, answer) => (asked, head, answer),
        };
        match answer.await {
            Ok(answer) => {
                if !self.has_moved_since(head) {
                    self.hear_present(asked, answer.participants.clone());
                }
                answer.participants
            }
            Err(error) => {
                tracing::info!(%error, "the plane did not say who is here");
                Vec::new()
            }
        }
    }

    /// Reads on, and where [`Session::ask_listeners`] would have to ask, asks at the same time, until `by` at the latest. What
    /// was not answered is asked there.
    ///
    /// # Errors
    /// As [`Session::sync`].
    pub async fn sync_before_post(&mut self, until: Deadline, by: Deadline) -> Result<(), SessionError> {
        let (asked, head) = (Instant::now(), self.head().seq);
        if self
            .present
            .as_ref()
            .is_some_and(|present| present.is_new_to_post(asked))
        {
            return self.sync(until).await;
        }
        let (plane, id, token) = (self.plane.clone(), *self.id(), self.token()?);
        let (synced, answer) = tokio::join!(self.sync(until), plane.participants(&id, &token, None, by));
        match answer {
            Ok(answer) if !self.has_moved_since(head) => self.hear_present(asked, answer.participants),
            Ok(_) => {}
            Err(error) => tracing::info!(%error, "the plane did not say who is here"),
        }
        synced
    }

    /// Whether somebody came or went since, who may be missing in an answer that was asked for then.
    fn has_moved_since(&self, head: u64) -> bool {
        let news = self.view.after(head);
        news.iter().any(|entry| matches!(entry.what, What::Member(_)))
    }

    async fn ask_who(&mut self, until: Deadline) -> Result<Vec<ParticipantRow>, SessionError> {
        let asked = Instant::now();
        let answer = self
            .under_token(until, |plane, id, token| async move {
                plane.participants(&id, &token, None, until).await
            })
            .await?;
        self.hear_present(asked, answer.participants.clone());
        Ok(answer.participants)
    }

    fn hear_present(&mut self, asked: Instant, rows: Vec<ParticipantRow>) {
        let me = *self.my_id();
        self.present = Some(Present {
            asked,
            listened: rows.iter().any(|row| row.listening && row.participant_id != me),
            posted: false,
            rows,
        });
    }

    /// Leaves. The seat stays with its keys, as one whose session is over for it: a link brings it back.
    ///
    /// # Errors
    /// As [`Session::set_mode`]; the seat's file can't be written.
    pub async fn leave(&mut self, until: Deadline) -> Result<(), SessionError> {
        // Leaving ends the consent, and returning does not bring it back.
        self.end_own_auto(true).await?;
        let left = self
            .under_token(until, |plane, id, token| async move {
                plane.leave(&id, &token, until).await
            })
            .await;
        match left {
            // There is nobody left to tell, and the seat would stand here as one that goes on.
            Ok(_) | Err(SessionError::Forgotten(_)) => {}
            Err(error) => return Err(error),
        }
        self.mark_over(self.ended_now(crate::seat::LEFT)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At these milliseconds after the answer: whether it is new to those who look on, and to a post.
    fn new_at(listened: bool, posted: bool, after_ms: u64) -> (bool, bool) {
        let asked = Instant::now();
        let present = Present {
            asked,
            listened,
            posted,
            rows: Vec::new(),
        };
        let now = asked + Duration::from_millis(after_ms);
        (present.is_new(now), present.is_new_to_post(now))
    }

    #[test]
    fn an_answer_is_used_again_for_as_long_as_presence_is_no_newer() {
        for listened in [false, true] {
            assert_eq!(new_at(listened, false, 4_999), (true, true));
            assert_eq!(new_at(listened, false, 5_000), (false, false));
        }
    }

    #[test]
    fn a_post_ends_an_answer_in_which_somebody_listened_and_for_others_every_one() {
        assert_eq!(new_at(true, true, 0), (false, false), "it woke them");
        assert_eq!(new_at(false, true, 999), (false, true), "it woke nobody");
        assert_eq!(new_at(false, true, 1_000), (false, false));
    }
}
