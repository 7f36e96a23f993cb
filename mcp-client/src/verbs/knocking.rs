//! Before a door that asks: the same knock again and again, until somebody answers or the call's time is up.

use std::time::Duration;

use wire::event::Kind;

use super::choose::CALL_S;
use super::failure::{Failure, code};
use super::host::Host;
use crate::plane::{Deadline, within};

/// What one try may take beyond the time a host may wait.
const GRACE: Duration = Duration::from_secs(4);
/// The pauses taken from a plane, in seconds.
const PAUSE_S: std::ops::RangeInclusive<u64> = 1..=30;
/// Who has waited so long knocks less often: joins of a session are counted together, and others come and go as well.
const PATIENT_AFTER: Duration = Duration::from_secs(60);
/// Between two knocks from then on, in seconds.
const PATIENT_PAUSE_S: u64 = 10;

/// A join that may have to knock.
pub(super) struct Knocking {
    started: Deadline,
    end: Option<Deadline>,
}

impl Knocking {
    /// From now on, as long as the host may wait.
    pub(super) fn begin(host: &dyn Host) -> Self {
        let started = Deadline::now();
        Self {
            started,
            end: host.waits_at_door().map(|time| started + time),
        }
    }

    /// How long the next try may take.
    pub(super) fn until(&self) -> Deadline {
        let until = within(CALL_S);
        self.end.map_or(until, |end| until.min(end + GRACE))
    }

    /// After a try that was answered with a knock: takes the pause, or says that there is no time left for one. Any other
    /// failure stands.
    pub(super) async fn pause(&self, host: &dyn Host, failure: Failure) -> Result<(), Failure> {
        let Some(knock) = failure.knock() else {
            return Err(failure);
        };
        let waited = self.started.elapsed();
        let pause = Duration::from_secs(pause_s(knock.retry_after_s, waited));
        if self.end.is_some_and(|end| Deadline::now() + pause >= end) {
            return Err(failure.with_advice(&advice(host)));
        }
        let total = self.end.map_or(Duration::ZERO, |end| end - self.started);
        let said = format!("knocking as {}: the owner has been asked", knock.me);
        host.progress(waited.as_secs(), total.as_secs(), &said).await;
        tokio::select! {
            () = tokio::time::sleep(pause) => Ok(()),
            () = host.cancelled().cancelled() => Err(Failure::new(
                code::CANCELLED,
                "The call was given up. The knock stands for ten minutes; join again to go on with it.",
            )),
        }
    }
}

/// What goes on with the knock, for whoever made this call.
fn advice(host: &dyn Host) -> String {
    let join = host.face().call("join");
    match host.kind() {
        Kind::Agent => format!(
            "Tell your human that you wait at the door, and call {join} again: it goes on with the same knock, which stands for ten \
             minutes."
        ),
        Kind::Human => {
            format!("Run {join} again: it goes on with the same knock, which stands for ten minutes.")
        }
    }
}

fn pause_s(asked: u64, waited: Duration) -> u64 {
    let asked = asked.clamp(*PAUSE_S.start(), *PAUSE_S.end());
    if waited < PATIENT_AFTER {
        asked
    } else {
        asked.max(PATIENT_PAUSE_S)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::pause_s;

    #[test]
    fn a_plane_s_pause_is_kept_within_reason() {
        let soon = Duration::from_secs(59);
        assert_eq!(pause_s(3, soon), 3);
        assert_eq!(pause_s(0, soon), 1);
        assert_eq!(pause_s(u64::MAX, soon), 30);
    }

    #[test]
    fn who_waits_long_knocks_less_often() {
        let late = Duration::from_secs(60);
        assert_eq!(pause_s(3, late), 10);
        assert_eq!(pause_s(20, late), 20);
    }
}
