//! Who is here, as event streams are told: read for all sessions that have streams in one go every few seconds, and
//! told only where something changed. Approximate by design, as presence is.

use std::collections::HashMap;
use std::sync::Arc;

use wire::api::Presence;
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use super::Answer;
use super::open::Shared;
use crate::presence::Local;
use crate::store::participants::{self, PresenceRow};

/// Everybody who is in a session, in the order of joining.
pub(crate) type Roster = Arc<[Presence]>;

/// Sessions whose participants are read in one go.
const SESSIONS_AT_A_TIME: usize = 500;

impl Shared {
    /// Who is in a session now. Tells all its streams.
    pub(super) async fn roster(&self, session: SessionId) -> Answer<Roster> {
        let mut conn = self.store.reader().await?;
        let rows = participants::present(&mut conn.on(), &[session]).await?;
        drop(conn);
        let now = self.now();
        let roster: Roster = rows.iter().map(|row| self.presence_of(row, now)).collect();
        self.rosters.tell(session, Arc::clone(&roster), differ);
        Ok(roster)
    }

    /// Reads who is in the sessions that have streams here, and tells where something changed.
    pub(crate) async fn tell_rosters(&self) -> Answer<()> {
        for part in self.rosters.waited_for().chunks(SESSIONS_AT_A_TIME) {
            let mut conn = self.store.reader().await?;
            let rows = participants::present(&mut conn.on(), part).await?;
            drop(conn);
            let now = self.now();
            let mut rosters: HashMap<SessionId, Vec<Presence>> = HashMap::with_capacity(part.len());
            for row in &rows {
                rosters.entry(row.0).or_default().push(self.presence_of(row, now));
            }
            for (session, roster) in rosters {
                self.rosters.tell(session, roster.into(), differ);
            }
        }
        Ok(())
    }

    fn presence_of(&self, (session, row): &(SessionId, PresenceRow), now: Timestamp) -> Presence {
        shown(row, self.presence.local(*session, row.participant_id), now)
    }
}

/// Presence as it is shown: what the database has, or what this process saw since.
pub(super) fn shown(row: &PresenceRow, local: Option<Local>, now: Timestamp) -> Presence {
    let stopped = local.is_some_and(|local| local.stopped);
    let listening = !stopped && row.listening_until.is_some_and(|until| now < until);
    Presence {
        participant_id: row.participant_id,
        listening: listening || local.is_some_and(|local| local.listening),
        last_seen_at: local.map_or(row.last_seen_at, |local| local.last_seen_at.max(row.last_seen_at)),
        fetched_seq: local.map_or(row.fetched_seq, |local| local.fetched_seq.max(row.fetched_seq)),
    }
}

/// Whether readers should be told. That somebody who listens was heard of again is no news.
pub(super) fn differ(before: &Roster, now: &Roster) -> bool {
    let same = |one: &Presence, other: &Presence| {
        one.participant_id == other.participant_id
            && one.listening == other.listening
            && one.fetched_seq == other.fetched_seq
            && (other.listening || one.last_seen_at == other.last_seen_at)
    };
    before.len() != now.len() || !before.iter().zip(now.iter()).all(|(one, other)| same(one, other))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]

    use wire::ids::ParticipantId;

    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn one(n: u8) -> Presence {
        Presence {
            participant_id: ParticipantId::from_bytes([n; 16]),
            listening: false,
            last_seen_at: at(1_000),
            fetched_seq: 3,
        }
    }

    fn changed(change: impl FnOnce(&mut Presence)) -> bool {
        let before = [one(1), one(2)];
        let mut now = before;
        change(&mut now[1]);
        differ(&before.into(), &now.into())
    }

    #[test]
    fn who_came_who_went_what_was_fetched_and_who_listens_is_news() {
        assert!(!changed(|_| {}));
        assert!(changed(
            |two| two.participant_id = ParticipantId::from_bytes([3; 16])
        ));
        assert!(changed(|two| two.listening = true));
        assert!(changed(|two| two.fetched_seq = 4));
        assert!(changed(|two| two.last_seen_at = at(2_000)));
        assert!(differ(&[one(1)].into(), &[one(1), one(2)].into()));
        assert!(differ(&[one(1), one(2)].into(), &[one(1)].into()));
    }

    #[test]
    fn that_a_listener_was_heard_of_again_is_none() {
        let listens = Presence {
            listening: true,
            ..one(1)
        };
        let later = Presence {
            last_seen_at: at(9_000),
            ..listens
        };
        assert!(!differ(&[listens].into(), &[later].into()));
        let stopped = Presence {
            listening: false,
            ..later
        };
        assert!(differ(&[later].into(), &[stopped].into()));
    }

    #[test]
    fn a_lease_in_the_database_counts_until_it_is_over_or_this_process_knows_better() {
        let row = PresenceRow {
            participant_id: ParticipantId::from_bytes([1; 16]),
            last_seen_at: at(5),
            listening_until: Some(at(60)),
            fetched_seq: 7,
        };
        assert!(shown(&row, None, at(59)).listening);
        assert!(!shown(&row, None, at(60)).listening);
        let local = Local {
            last_seen_at: at(4),
            fetched_seq: 9,
            listening: false,
            stopped: true,
        };
        let told = shown(&row, Some(local), at(59));
        assert_eq!(
            (told.listening, told.last_seen_at, told.fetched_seq),
            (false, at(5), 9)
        );
    }
}
