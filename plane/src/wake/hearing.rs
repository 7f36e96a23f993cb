//! Whether this process hears at once what others commit, kept where all who need it look.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::metrics;

/// How a process learns of what others commit over the same database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hearing {
    /// There are no others: an embedded database has one process.
    Alone,
    /// It is told at once.
    Listening,
    /// It is not told, or not at this time, and looks by itself.
    Polling,
}

/// When what is done about wake-ups between processes.
#[derive(Debug, Clone, Copy)]
pub struct WakeTimes {
    /// How long after one notification the next is sent, with what was committed meanwhile.
    pub apart: Duration,
    /// A listener that hears nothing for so long asks whether it is still connected.
    pub silence: Duration,
    /// How long the answer to that may take, and how long it may take to hear a word of one's own.
    pub answer: Duration,
    /// How long to wait before connecting again.
    pub pause: Duration,
    /// How long to wait before listening again where that does not work.
    pub deaf: Duration,
    /// How often sessions that are waited for are read again while all seems well: a wake-up may be lost all the same. With
    /// the reading itself within five seconds.
    pub read_again: Duration,
    /// The same while this process does not hear.
    pub poll: Duration,
}

impl Default for WakeTimes {
    fn default() -> Self {
        Self {
            apart: Duration::from_millis(8),
            silence: Duration::from_secs(10),
            answer: Duration::from_secs(3),
            pause: Duration::from_millis(500),
            deaf: Duration::from_secs(60),
            read_again: Duration::from_secs(4),
            poll: Duration::from_secs(1),
        }
    }
}

/// Holds the [`Hearing`] of a process, and shows it among the figures.
#[derive(Debug, Clone)]
pub(crate) struct Ear(Arc<watch::Sender<Hearing>>);

impl Ear {
    pub(crate) fn new(hearing: Hearing) -> Self {
        let ear = Self(Arc::new(watch::Sender::new(hearing)));
        ear.show();
        ear
    }

    pub(crate) fn get(&self) -> Hearing {
        *self.0.borrow()
    }

    pub(crate) fn set(&self, hearing: Hearing) {
        self.0.send_replace(hearing);
        self.show();
    }

    /// Returns once the hearing is another one.
    pub(crate) async fn changed(&self) {
        let before = self.get();
        let mut changes = self.0.subscribe();
        // The sender is this one, so there is always an answer.
        let _told = changes.wait_for(|now| *now != before).await;
    }

    fn show(&self) {
        match self.get() {
            Hearing::Alone => {}
            Hearing::Listening => metrics::listening(true),
            Hearing::Polling => metrics::listening(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_shows_whether_this_process_hears() {
        let recorder = metrics_exporter_prometheus::PrometheusBuilder::new().build_recorder();
        let shown = || recorder.handle().render();
        let value = |text: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix("devpilot_plane_listening ")?.parse().ok())
        };
        ::metrics::with_local_recorder(&recorder, || {
            let _alone = Ear::new(Hearing::Alone);
            assert_eq!(value(&shown()), None::<f64>, "there is nobody to hear");
            let ear = Ear::new(Hearing::Polling);
            assert_eq!(value(&shown()), Some(0.0));
            ear.set(Hearing::Listening);
            assert_eq!(value(&shown()), Some(1.0));
            ear.set(Hearing::Polling);
            assert_eq!(value(&shown()), Some(0.0));
        });
    }

    #[test]
    fn a_listener_cut_for_a_minute_is_noticed_in_it_and_waits_wake_within_five_seconds() {
        let times = WakeTimes::default();
        let noticed = times.silence + times.answer;
        assert!(noticed + times.pause < Duration::from_secs(60) / 2);
        assert!(times.read_again < Duration::from_secs(5));
        assert!(times.poll < times.read_again);
    }
}
