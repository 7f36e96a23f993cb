//! Who came, went and stayed over, as the accepted records tell it in order.
//!
//! Member events are the plane's word; whom an owner's re-key lists is the owner's. A view that begins at a checkpoint
//! knows only of those it has seen. No I/O.

use std::collections::{BTreeMap, BTreeSet};

use seal::transcript::MemberKind;
use wire::epoch_record::EpochType;
use wire::ids::ParticipantId;

use super::view::{Entry, NewEpoch, What};

/// What a join is to those who were here before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// Somebody new.
    New,
    /// Somebody who had left or was out.
    Back,
    /// Somebody whom the owner's re-key kept, and who never left.
    GoesOn,
    /// Somebody who was here when an administrator re-keyed, by the new link.
    MovedOver,
}

/// Comings and goings by the record that tells of them.
#[derive(Debug, Default)]
pub struct Presence {
    arrivals: BTreeMap<u64, Arrival>,
    put_out: BTreeMap<u64, Vec<ParticipantId>>,
    walk: Walk,
}

/// Where everybody is, one record after the other.
#[derive(Debug, Default)]
struct Walk {
    ever: BTreeSet<ParticipantId>,
    here: BTreeSet<ParticipantId>,
    /// Kept by the newest re-key, and not heard of since.
    kept: BTreeSet<ParticipantId>,
    /// Here when an administrator re-keyed, and not back yet.
    stranded: BTreeSet<ParticipantId>,
}

impl Presence {
    /// Of records in order.
    pub fn of(entries: &[Entry]) -> Self {
        let mut presence = Self::default();
        for entry in entries {
            match &entry.what {
                What::Member(Some(member)) => {
                    presence.member(entry.seq, member.participant_id, &member.kind);
                }
                What::Epoch(epoch) => presence.epoch(entry.seq, epoch),
                What::Member(None) | What::Message(_) | What::Notice(_) => {}
            }
        }
        presence
    }

    /// What the join at a seq was.
    pub fn arrival(&self, seq: u64) -> Arrival {
        self.arrivals.get(&seq).copied().unwrap_or(Arrival::New)
    }

    /// Whom the owner's re-key at a seq put out, in the order of ids.
    pub fn put_out(&self, seq: u64) -> &[ParticipantId] {
        self.put_out.get(&seq).map(Vec::as_slice).unwrap_or_default()
    }

    fn member(&mut self, seq: u64, who: ParticipantId, kind: &MemberKind) {
        let walk = &mut self.walk;
        match kind {
            MemberKind::Joined { .. } => {
                let kept = walk.kept.remove(&who);
                let stranded = walk.stranded.remove(&who);
                let known = !walk.ever.insert(who);
                walk.here.insert(who);
                let arrival = match (kept, stranded, known) {
                    (true, _, _) => Arrival::GoesOn,
                    (_, true, _) => Arrival::MovedOver,
                    (_, _, true) => Arrival::Back,
                    (_, _, false) => Arrival::New,
                };
                self.arrivals.insert(seq, arrival);
            }
            MemberKind::Left => {
                walk.here.remove(&who);
                walk.kept.remove(&who);
                walk.stranded.remove(&who);
            }
            MemberKind::Refused | MemberKind::Unknown => {}
        }
    }

    fn epoch(&mut self, seq: u64, epoch: &NewEpoch) {
        let walk = &mut self.walk;
        match epoch.change.epoch_type {
            EpochType::Creation => {}
            EpochType::OwnerRekey => {
                let stays = |who: &ParticipantId| epoch.stays.contains(who);
                let out = walk.here.iter().filter(|who| !stays(who)).copied().collect();
                walk.here.retain(stays);
                walk.kept = walk.here.clone();
                self.put_out.insert(seq, out);
            }
            EpochType::AdminRekey => {
                walk.stranded.append(&mut walk.here);
                walk.kept.clear();
            }
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use seal::transcript::{Access, EpochChange, Member};
    use wire::event::Capability;
    use wire::timestamp::Timestamp;

    use super::*;

    fn who(number: u8) -> ParticipantId {
        ParticipantId::from_bytes([number; 16])
    }

    fn told(whats: Vec<What>) -> Presence {
        let entry = |(index, what): (usize, What)| Entry {
            seq: index as u64 + 1,
            at: Timestamp::from_millis(0),
            epoch: 1,
            what,
        };
        Presence::of(&whats.into_iter().enumerate().map(entry).collect::<Vec<_>>())
    }

    fn joined(number: u8) -> What {
        member(
            number,
            MemberKind::Joined {
                kind: None,
                capability: Some(Capability::Full),
                learned: Err(seal::Error::AuthFailed),
            },
        )
    }

    fn member(number: u8, kind: MemberKind) -> What {
        What::Member(Some(Member {
            participant_id: who(number),
            kind,
        }))
    }

    fn rekeyed(epoch_type: EpochType, stays: &[u8]) -> What {
        What::Epoch(NewEpoch {
            change: EpochChange {
                epoch: 2,
                epoch_type,
                owner: None,
                access: Access::Held,
            },
            stays: stays.iter().map(|number| who(*number)).collect(),
            opens_before: true,
        })
    }

    #[test]
    fn who_was_kept_goes_on_and_who_was_not_is_out_and_comes_back() {
        let told = told(vec![
            joined(1),
            joined(2),
            joined(3),
            member(3, MemberKind::Left),
            joined(4),
            rekeyed(EpochType::OwnerRekey, &[1, 2, 3]),
            joined(2),
            joined(4),
            joined(3),
            joined(5),
        ]);
        assert_eq!(told.put_out(6), [who(4)]);
        let arrivals = [1, 7, 8, 9, 10].map(|seq| told.arrival(seq));
        use Arrival::{Back, GoesOn, New};
        assert_eq!(arrivals, [New, GoesOn, Back, Back, New]);
    }

    #[test]
    fn after_an_administrators_re_key_those_who_were_here_move_over() {
        let told = told(vec![
            joined(1),
            joined(2),
            member(2, MemberKind::Left),
            rekeyed(EpochType::AdminRekey, &[]),
            joined(1),
            joined(2),
            joined(1),
        ]);
        assert!(told.put_out(4).is_empty(), "everybody, so nobody by name");
        let arrivals = [5, 6, 7].map(|seq| told.arrival(seq));
        assert_eq!(arrivals, [Arrival::MovedOver, Arrival::Back, Arrival::Back]);
    }
}
