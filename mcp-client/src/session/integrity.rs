//! Whether what the plane shows holds together, as this seat has found it so far (`crypto.md` section 9.3).
//!
//! Pure. It only ever gets worse by itself; a warning is set aside by a person alone, a failure by nobody.
//! Only what a fault of this machine can have raised may end with a check of everything anew, which `join` makes.

use seal::Error;
use wire::timestamp::Timestamp;

use super::error::SessionError;
use crate::seat::Alarm;

/// Two histories differ, or a sender lies: named, and reading goes on.
pub fn is_warning(error: Error) -> bool {
    matches!(error, Error::Fork | Error::HeadAhead | Error::HeadRegressed)
}

/// Notes what was found at `seq`. The first failure stays, since what comes after may follow from it; a warning
/// gives way to a failure and to a newer warning.
pub(super) fn raise(alarm: &mut Option<Alarm>, error: Error, seq: u64, at: Timestamp) {
    if failed(alarm.as_ref()).is_none() {
        *alarm = Some(Alarm {
            error: error.name().to_owned(),
            seq,
            at,
            acknowledged: false,
        });
    }
}

/// Joins what this process and the seat's file know: the worse of the two.
pub(super) fn merge(kept: &mut Option<Alarm>, found: Option<&Alarm>) {
    let Some(found) = found else { return };
    let take = match kept.as_ref() {
        None => true,
        Some(old) => {
            let newer = old.seq < found.seq || (old.seq == found.seq && found.acknowledged);
            failed(Some(old)).is_none() && (failed(Some(found)).is_some() || newer)
        }
    };
    if take {
        *kept = Some(found.clone());
    }
}

/// The failure, if there is one. A name this version does not know is one.
pub fn failed(alarm: Option<&Alarm>) -> Option<Error> {
    let error = Error::from_name(&alarm?.error).unwrap_or(Error::Rollback);
    (!is_warning(error)).then_some(error)
}

/// The warning that no person has set aside, if there is one.
pub fn open_warning(alarm: Option<&Alarm>) -> Option<(Error, u64)> {
    let alarm = alarm.filter(|alarm| !alarm.acknowledged)?;
    let error = Error::from_name(&alarm.error).filter(|error| is_warning(*error))?;
    Some((error, alarm.seq))
}

/// Refuses to accept anything further after a failure.
pub(super) fn may_accept(alarm: Option<&Alarm>) -> Result<(), SessionError> {
    failed(alarm).map_or(Ok(()), |error| Err(SessionError::Failed(error)))
}

/// Refuses to post after a failure, or while a warning stands.
pub(super) fn may_post(alarm: Option<&Alarm>) -> Result<(), SessionError> {
    may_accept(alarm)?;
    open_warning(alarm).map_or(Ok(()), |(error, seq)| Err(SessionError::Differs { error, seq }))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);

    #[test]
    fn a_failure_stays_the_first_one() {
        let mut alarm = None;
        raise(&mut alarm, Error::Fork, 3, NOW);
        raise(&mut alarm, Error::SeqGap, 5, NOW);
        raise(&mut alarm, Error::Replay, 6, NOW);
        assert_eq!(failed(alarm.as_ref()), Some(Error::SeqGap));
        assert!(may_accept(alarm.as_ref()).is_err() && may_post(alarm.as_ref()).is_err());
    }

    #[test]
    fn a_warning_blocks_posting_until_it_is_set_aside() {
        let mut alarm = None;
        raise(&mut alarm, Error::Fork, 7, NOW);
        assert!(may_accept(alarm.as_ref()).is_ok() && may_post(alarm.as_ref()).is_err());
        alarm.as_mut().unwrap().acknowledged = true;
        assert!(may_post(alarm.as_ref()).is_ok());
        raise(&mut alarm, Error::HeadAhead, 9, NOW);
        assert!(may_post(alarm.as_ref()).is_err());
    }

    #[test]
    fn of_two_processes_the_worse_word_counts() {
        let alarm = |error: Error, seq, acknowledged| {
            Some(Alarm {
                error: error.name().to_owned(),
                seq,
                at: NOW,
                acknowledged,
            })
        };
        let mut kept = alarm(Error::Fork, 7, true);
        merge(&mut kept, alarm(Error::Fork, 7, false).as_ref());
        assert!(kept.as_ref().unwrap().acknowledged);
        merge(&mut kept, alarm(Error::Fork, 8, false).as_ref());
        assert!(!kept.as_ref().unwrap().acknowledged);
        merge(&mut kept, alarm(Error::Rollback, 2, false).as_ref());
        merge(&mut kept, alarm(Error::Fork, 99, false).as_ref());
        assert_eq!(failed(kept.as_ref()), Some(Error::Rollback));
    }

    #[test]
    fn an_unknown_name_is_a_failure() {
        let alarm = Alarm {
            error: "of_a_later_version".to_owned(),
            seq: 1,
            at: NOW,
            acknowledged: true,
        };
        assert!(may_accept(Some(&alarm)).is_err());
    }
}
