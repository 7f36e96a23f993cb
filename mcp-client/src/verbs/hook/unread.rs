//! What is unread for the seat that a host's agent has, by this machine's files. No key is used: messages are counted
//! as they lie in the cache, sealed.

use std::path::PathBuf;

use wire::api::Record;
use wire::event::{Kind, ModeName, Notice};
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use super::input::{Event, HookInput};
use crate::cache::{Cache, CacheError};
use crate::folder;
use crate::render;
use crate::seat::choose::{self, Asking};
use crate::seat::{Consent, Place, Seat, SeatState, SeatSummary, Told};
use crate::session::integrity;
use crate::verbs::app::App;
use crate::verbs::failure::{Failure, code};
use crate::verbs::wording;

/// Records looked at in one step.
const PAGE: usize = 1_000;
/// Unread messages that are counted; more are "at least" so many.
pub(super) const MOST: u32 = 1_000;

/// What a hook goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Facts {
    /// The session: the first characters of its id, by which it can be named.
    pub(super) session: String,
    /// Its title, made safe to show.
    pub(super) title: String,
    /// What is unread.
    pub(super) unread: Unread,
    /// The mode this seat acts in, as far as this machine's files tell: observe where they don't.
    pub(super) mode: ModeName,
}

/// Messages by others behind the cursor.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unread {
    /// How many, at most [`MOST`].
    pub(super) messages: u32,
    /// The seq of the newest; 0 where there is none.
    pub(super) newest: u64,
}

/// The seat, and what its files say.
pub(super) struct Found {
    seat: Seat,
    pub(super) facts: Facts,
}

impl Found {
    pub(super) fn told(&self) -> Result<Told, Failure> {
        self.seat.told().map_err(|error| wording::seat(&error))
    }

    pub(super) fn keep_told(&self, told: &Told) -> Result<(), Failure> {
        self.seat.keep_told(told).map_err(|error| wording::seat(&error))
    }
}

/// The agent's seat last used where the host works; none where there is none, or its session is over.
pub(super) fn find(app: &App, event: Event, input: &HookInput) -> Result<Option<Found>, Failure> {
    let listing = app.seats.list().map_err(|error| wording::seat(&error))?;
    let seat = places(app, input)
        .iter()
        .find_map(|place| meant(&listing.seats, place, app.clock.now()));
    let Some(summary) = seat else { return Ok(None) };
    let seat = app
        .seats
        .open(&summary.session, &summary.participant)
        .map_err(|error| wording::seat(&error))?;
    let kept = seat.read().map_err(|error| wording::seat(&error))?;
    let cache = Cache::new(&app.home, &summary.session);
    let unread = count(&cache, &kept).map_err(|error| not_read(&error))?;
    let mode = match event {
        // The mode takes a look at everything, and counts here alone.
        Event::Stop if unread.messages > 0 => {
            mode(&cache, &kept, app.clock.now()).map_err(|error| not_read(&error))?
        }
        _ => ModeName::Observe,
    };
    let session = summary.session.to_string().chars().take(8).collect();
    let facts = Facts {
        session,
        title: render::title(kept.title.as_deref().unwrap_or_default()),
        unread,
        mode,
    };
    Ok(Some(Found { seat, facts }))
}

/// Where the host's server runs, then where its agent is now: an agent goes into other folders, its server does not.
fn places(app: &App, input: &HookInput) -> Vec<Place> {
    let started_in = app.environment.get("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let home = app.environment.user_home();
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    let folders = started_in.into_iter().chain(input.folder.clone());
    let mut places: Vec<Place> = Vec::new();
    for folder in folders {
        let folder = folder.canonicalize().unwrap_or(folder);
        let place = Place::of(folder::project(&folder, home.as_deref()).as_deref());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    if places.is_empty() {
        // Hosts run a hook where they work.
        places.push(Place::of(folder::of_this_process().as_deref()));
    }
    places
}

fn meant(seats: &[SeatSummary], place: &Place, now: Timestamp) -> Option<SeatSummary> {
    let asking = Asking {
        seats,
        named: None,
        current: None,
        place,
        now,
    };
    let session = choose::session(&asking).ok()?;
    choose::seat(&asking, &session, Kind::Agent, None).cloned()
}

fn count(cache: &Cache, kept: &SeatState) -> Result<Unread, CacheError> {
    let mut unread = Unread::default();
    let mut after = kept.cursor;
    loop {
        let records = cache.read(after, PAGE)?;
        let Some(last) = records.last() else {
            return Ok(unread);
        };
        after = last.seq;
        let messages = records
            .iter()
            .filter(|record| record.class == RecordClass::Message);
        for by_other in messages.filter(|record| record.sender != Some(kept.participant)) {
            unread.messages = unread.messages.saturating_add(1).min(MOST);
            unread.newest = by_other.seq;
        }
        if unread.messages == MOST {
            // Enough to say; all that is there counts as told of.
            unread.newest = cache.span()?.map_or(after, |(_, last)| last.max(after));
            return Ok(unread);
        }
    }
}

/// The mode of the seat's agent by what was fetched: the last change, and of auto this machine's own word and count.
fn mode(cache: &Cache, kept: &SeatState, now: Timestamp) -> Result<ModeName, CacheError> {
    let alarm = kept.alarm.as_ref();
    if integrity::failed(alarm).is_some() || integrity::open_warning(alarm).is_some() {
        return Ok(ModeName::Observe);
    }
    let Some((seq, to, messages_since)) = last_change(cache)? else {
        return Ok(ModeName::Observe);
    };
    let in_auto = |consent: &Consent| {
        let end = consent.started_at.map(|at| {
            at.millis()
                .saturating_add(i64::from(consent.ttl_s).saturating_mul(1_000))
        });
        consent.started_seq == Some(seq)
            && !consent.over
            && messages_since < consent.budget
            && end.is_some_and(|end| now.millis() < end)
    };
    Ok(match to {
        ModeName::Auto if !kept.consents.values().any(in_auto) => ModeName::Observe,
        other => other,
    })
}

/// The last change of mode: its seq, to which mode, and how many messages came since. From the end on back, since the file
/// may be long and the change is seldom far.
fn last_change(cache: &Cache) -> Result<Option<(u64, ModeName, u32)>, CacheError> {
    let Some((first, mut end)) = cache.span()? else {
        return Ok(None);
    };
    let before = first.max(1) - 1;
    let mut messages: u32 = 0;
    while end > before {
        let after = end.saturating_sub(PAGE as u64).max(before);
        let records = cache.read(after, PAGE)?;
        for record in records.iter().rev().filter(|record| record.seq <= end) {
            if let Some(to) = changes_to(record) {
                return Ok(Some((record.seq, to, messages)));
            }
            messages = messages.saturating_add(u32::from(record.class == RecordClass::Message));
        }
        end = after;
    }
    Ok(None)
}

fn changes_to(record: &Record) -> Option<ModeName> {
    let body = record
        .body
        .as_deref()
        .filter(|_| record.class == RecordClass::Notice)?;
    match serde_json::from_str(body) {
        Ok(Notice::ModeChanged { to, .. }) => Some(to),
        _ => None,
    }
}

fn not_read(error: &CacheError) -> Failure {
    Failure::new(code::LOCAL_FILE, error.to_string())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;
    use wire::encoding::Secret32;
    use wire::event::Capability;

    use super::*;
    use crate::home::Home;
    use crate::seat::{Alarm, ConsentRole, IdentitySecrets, LastUsed};

    const NOW: i64 = 1_700_000_000_000;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    /// A session in auto since record 1, with `messages` after that, and an agent whose human agreed to three.
    fn in_auto(messages: u64) -> (tempfile::TempDir, Cache, SeatState) {
        let folder = tempfile::tempdir().unwrap();
        let id = "6f1c1f5e-3c0f-4a51-9d6e-2a4c8b1e7f30".parse().unwrap();
        let cache = Cache::new(&Home::at(folder.path().to_owned()), &id);
        let began = json!({ "event": "mode_changed", "from": "observe", "to": "auto", "cause": "accepted" });
        let record = |seq: u64| Record {
            seq,
            at: at(NOW),
            epoch: 1,
            class: if seq == 1 {
                RecordClass::Notice
            } else {
                RecordClass::Message
            },
            sender: None,
            item_id: None,
            sealed: None,
            signal: None,
            body: (seq == 1).then(|| began.to_string()),
            epoch_record: None,
        };
        let records: Vec<Record> = (1..=messages + 1).map(record).collect();
        cache.append(&records).unwrap();
        let mut kept = SeatState::new(
            "https://plane.example".parse().unwrap(),
            id,
            wire::ids::ParticipantId::from_bytes([1; 16]),
            Kind::Agent,
            Capability::Full,
            IdentitySecrets {
                sk: Secret32::new([1; 32]),
                seed: Secret32::new([2; 32]),
            },
            LastUsed {
                at: at(NOW),
                place: "/work".to_owned(),
            },
        );
        let consent = Consent {
            role: ConsentRole::Accepted,
            at: at(NOW),
            budget: 3,
            ttl_s: 60,
            since_seq: 0,
            goal: None,
            started_at: Some(at(NOW)),
            started_seq: Some(1),
            over: false,
            told: false,
        };
        let proposal = "0d7c2d3e-94b1-4c55-8a3f-1f2e3d4c5b6a".parse().unwrap();
        kept.consents.insert(proposal, consent);
        (folder, cache, kept)
    }

    #[test]
    fn auto_is_over_with_the_budget_and_with_the_time_that_the_human_agreed_to() {
        for (messages, after_s, expected) in [
            (2, 59, ModeName::Auto),
            (3, 0, ModeName::Observe),
            (0, 60, ModeName::Observe),
        ] {
            let (_folder, cache, kept) = in_auto(messages);
            let found = mode(&cache, &kept, at(NOW + after_s * 1_000)).unwrap();
            assert_eq!(found, expected, "{messages} messages, {after_s} s");
        }
    }

    #[test]
    fn where_integrity_is_in_doubt_the_mode_is_observe() {
        for error in ["fork", "rollback", "head_ahead"] {
            let (_folder, cache, mut kept) = in_auto(0);
            kept.alarm = Some(Alarm {
                error: error.to_owned(),
                seq: 1,
                at: at(NOW),
                acknowledged: false,
            });
            assert_eq!(
                mode(&cache, &kept, at(NOW)).unwrap(),
                ModeName::Observe,
                "{error}"
            );
        }
    }
}
