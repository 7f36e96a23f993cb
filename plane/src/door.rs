//! The door: whether somebody with a right proof comes in, knocks or stays out (`plane-api.md`, Door).
//!
//! Pure decisions: no I/O, no clock, no store. The proof, and of a known participant the rejoin secret, have
//! been checked before; who decides at the door, and how knocks are kept, is not settled here.

use serde::{Deserialize, Serialize};
use wire::api::{DoorState, SetDoor};
use wire::event::Capability;
use wire::timestamp::Timestamp;

/// How the owner set the door, as it is stored with the session row. It outlives a re-key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DoorPolicy {
    /// How it stands while there are places and time.
    pub state: DoorState,
    /// How many may still come in; absent: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joins_left: Option<u32>,
    /// Until when somebody may come in; absent: for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
}

impl Default for DoorPolicy {
    /// Open: possession of the link is authorisation.
    fn default() -> Self {
        Self {
            state: DoorState::Open,
            joins_left: None,
            until: None,
        }
    }
}

impl From<SetDoor> for DoorPolicy {
    /// What is left out is without bound, whatever was set before.
    fn from(
        SetDoor {
            state,
            joins_left,
            until,
        }: SetDoor,
    ) -> Self {
        Self {
            state,
            joins_left,
            until,
        }
    }
}

/// Who stands at the door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicant {
    /// A participant that comes back, also after it has left.
    Returning,
    /// Somebody new, with what was decided about it in this epoch.
    New(Option<Decision>),
}

impl Applicant {
    /// A participant known from before.
    ///
    /// It is as new when a type 1 epoch record did not list it, and when it read with a view link and comes with
    /// a full one now. A refusal of such a knock does not touch its return with the view link.
    pub fn known(listed: bool, had: Capability, shows: Capability, decision: Option<Decision>) -> Self {
        match (listed, had, shows) {
            (false, _, _) | (true, Capability::View, Capability::Full) => Self::New(decision),
            (true, _, _) => Self::Returning,
        }
    }
}

/// What was decided about one knock. A re-key drops it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// The next request joins, for a while.
    Admitted {
        /// The last moment of that.
        until: Timestamp,
    },
    /// Stays out until the epoch ends.
    Refused,
}

/// What the door does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enter {
    /// In, as one who was here before: spends no place.
    Return,
    /// In, as one who is new: [`DoorPolicy::spend`] with the `joined`.
    Pass,
    /// To knock, and to ask again later.
    Knock,
    /// Not in: `door_closed`.
    Closed,
}

impl DoorPolicy {
    /// How the door stands: closed after `until` and when no place is left.
    pub fn standing(&self, now: Timestamp) -> DoorState {
        let late = self.until.is_some_and(|until| now > until);
        if late || self.joins_left == Some(0) {
            DoorState::Closed
        } else {
            self.state
        }
    }

    /// Whether somebody comes in. What was decided about one person stands above the door's state, both ways.
    pub fn enter(&self, now: Timestamp, applicant: Applicant) -> Enter {
        match applicant {
            Applicant::Returning => Enter::Return,
            Applicant::New(Some(Decision::Refused)) => Enter::Closed,
            Applicant::New(Some(Decision::Admitted { until })) if now <= until => Enter::Pass,
            Applicant::New(_) => match self.standing(now) {
                DoorState::Open => Enter::Pass,
                DoorState::Ask => Enter::Knock,
                DoorState::Closed => Enter::Closed,
            },
        }
    }

    /// Takes the place of one who passed, at the moment of its `joined`. A join that is refused after the door
    /// takes none.
    pub fn spend(&mut self) {
        self.joins_left = self.joins_left.map(|left| left.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    const NEW: Applicant = Applicant::New(None);
    const REFUSED: Applicant = Applicant::New(Some(Decision::Refused));

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn door(state: DoorState) -> DoorPolicy {
        DoorPolicy {
            state,
            ..DoorPolicy::default()
        }
    }

    fn admitted(until: i64) -> Applicant {
        Applicant::New(Some(Decision::Admitted { until: at(until) }))
    }

    #[test]
    fn it_is_open_by_default() {
        assert_eq!(DoorPolicy::default().standing(at(0)), DoorState::Open);
        assert_eq!(DoorPolicy::default().enter(at(0), NEW), Enter::Pass);
    }

    #[test]
    fn newcomers_pass_knock_or_stay_out() {
        assert_eq!(door(DoorState::Open).enter(at(0), NEW), Enter::Pass);
        assert_eq!(door(DoorState::Ask).enter(at(0), NEW), Enter::Knock);
        assert_eq!(door(DoorState::Closed).enter(at(0), NEW), Enter::Closed);
    }

    #[test]
    fn after_until_it_is_closed() {
        for state in [DoorState::Open, DoorState::Ask] {
            let policy = DoorPolicy {
                until: Some(at(1_000)),
                ..door(state)
            };
            assert_eq!(policy.standing(at(1_000)), state);
            assert_eq!(policy.standing(at(1_001)), DoorState::Closed);
            assert_eq!(policy.enter(at(1_001), NEW), Enter::Closed);
        }
    }

    #[test]
    fn at_no_place_left_it_is_closed() {
        for state in [DoorState::Open, DoorState::Ask] {
            let mut policy = DoorPolicy {
                joins_left: Some(2),
                ..door(state)
            };
            policy.spend();
            assert_eq!((policy.joins_left, policy.standing(at(0))), (Some(1), state));
            policy.spend();
            assert_eq!(
                (policy.joins_left, policy.standing(at(0))),
                (Some(0), DoorState::Closed)
            );
            policy.spend();
            assert_eq!(policy.joins_left, Some(0));
        }
        let mut unbounded = door(DoorState::Open);
        unbounded.spend();
        assert_eq!(unbounded, door(DoorState::Open));
    }

    #[test]
    fn who_was_here_returns_past_any_door() {
        for state in [DoorState::Open, DoorState::Ask, DoorState::Closed] {
            assert_eq!(door(state).enter(at(0), Applicant::Returning), Enter::Return);
        }
    }

    #[test]
    fn what_was_decided_stands_above_the_state() {
        for state in [DoorState::Open, DoorState::Ask, DoorState::Closed] {
            assert_eq!(door(state).enter(at(0), REFUSED), Enter::Closed);
            assert_eq!(door(state).enter(at(600_000), admitted(600_000)), Enter::Pass);
        }
    }

    #[test]
    fn an_admission_not_used_in_time_counts_for_nothing() {
        assert_eq!(
            door(DoorState::Ask).enter(at(600_001), admitted(600_000)),
            Enter::Knock
        );
        assert_eq!(
            door(DoorState::Closed).enter(at(600_001), admitted(600_000)),
            Enter::Closed
        );
    }

    #[test]
    fn who_is_as_new() {
        use Capability::{Full, View};

        let known = |listed, had, shows| Applicant::known(listed, had, shows, Some(Decision::Refused));
        for (had, shows) in [(Full, Full), (Full, View), (View, View)] {
            assert_eq!(known(true, had, shows), Applicant::Returning);
            assert_eq!(known(false, had, shows), REFUSED, "not listed by a type 1 record");
        }
        assert_eq!(
            known(true, View, Full),
            REFUSED,
            "a view participant with a full proof"
        );
        assert_eq!(known(false, View, Full), REFUSED);
    }

    #[test]
    fn setting_it_anew_lifts_earlier_bounds() {
        let set: SetDoor = serde_json::from_value(json!({"state": "ask"})).unwrap();
        assert_eq!(DoorPolicy::from(set), door(DoorState::Ask));
    }

    #[test]
    fn the_stored_form_is_frozen() {
        assert_eq!(
            serde_json::to_value(DoorPolicy::default()).unwrap(),
            json!({"state": "open"})
        );
        let stored = json!({"state": "ask", "joins_left": 3, "until": "2026-01-02T03:04:05.000Z"});
        let policy = DoorPolicy {
            state: DoorState::Ask,
            joins_left: Some(3),
            until: Some(at(1_767_323_045_000)),
        };
        assert_eq!(serde_json::to_value(policy).unwrap(), stored);
        assert_eq!(serde_json::from_value::<DoorPolicy>(stored).unwrap(), policy);
        assert!(serde_json::from_value::<DoorPolicy>(json!({"state": "open", "extra": 1})).is_err());
    }
}
