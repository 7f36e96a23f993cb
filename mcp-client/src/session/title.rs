//! The title, which a re-key leaves sealed under the old epoch.

use wire::api::{SealedTitle, SetTitle};
use wire::encoding::Blob;

use super::Session;
use super::error::SessionError;
use crate::plane::Deadline;

impl Session {
    /// Sees to it, once an epoch, that those who come by the link in force can read the title: it is sealed anew by the
    /// owner, or where there is none, by whoever with a full link comes first. Who could not read it looks whether
    /// somebody has. All of it can be done later, so a failure is none.
    pub(super) async fn keep_title(&mut self, until: Deadline) {
        let epoch = self.transcript.epoch();
        let unread = self.title().is_none() && !self.seat.read().is_ok_and(|kept| kept.title.is_some());
        let mine = epoch > 1 && self.title_kept < epoch && self.keeps_title();
        if !(mine || unread) {
            return;
        }
        match self.see_to_title(epoch, mine, until).await {
            Ok(()) => self.title_kept = epoch,
            Err(error) => tracing::info!(%error, "the title was not seen to"),
        }
    }

    fn keeps_title(&self) -> bool {
        match self.transcript.owner() {
            Some(owner) => owner == self.my_id(),
            None => self.may_write(),
        }
    }

    async fn see_to_title(&mut self, epoch: u32, mine: bool, until: Deadline) -> Result<(), SessionError> {
        let token = self.token()?;
        let view = self.plane.session(self.me.session_id(), &token, until).await?;
        self.title = Some(view.title);
        let old = self.title.as_ref().is_some_and(|title| title.epoch < epoch);
        if mine && old {
            self.send_title(epoch, until).await?;
        }
        Ok(())
    }

    async fn send_title(&mut self, epoch: u32, until: Deadline) -> Result<(), SessionError> {
        let (Some(text), Some(keys)) = (self.title(), self.keys.get(epoch)) else {
            return Ok(());
        };
        let sealed = seal::record::title::seal(keys, &self.me, &text, seal::random::Nonce::random()?)?;
        let title = SealedTitle {
            participant_id: *self.my_id(),
            epoch,
            sealed: Blob(sealed),
        };
        let set = SetTitle { title: title.clone() };
        let token = self.token()?;
        self.plane
            .set_title(self.me.session_id(), &token, &set, until)
            .await?;
        self.title = Some(title);
        Ok(())
    }
}
