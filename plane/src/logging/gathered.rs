//! The way of log lines out: gathered in memory, and written by a thread of their own, all that came in a few
//! milliseconds in one go. So a request neither pays for a write nor waits for whoever reads the log.
//!
//! Killed outright, the process loses the lines of the last [`GATHER`]; on every other way out, a panic among them, they
//! are written ([`Gathered::flush`]). Of lines that come faster than they can be written [`MOST_BYTES`] wait; more are
//! lost, which is counted, told in the log once it moves again, and a figure of its own.

use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tracing::{Level, Metadata};
use tracing_subscriber::fmt::MakeWriter;

use crate::metrics;

/// For so long lines are gathered.
const GATHER: Duration = Duration::from_millis(10);
/// Bytes that may wait to be written.
const MOST_BYTES: usize = 1 << 20;
/// From so many on they are written at once.
const MANY_BYTES: usize = MOST_BYTES / 4;
/// What a buffer keeps when nothing is in it.
const KEPT_BYTES: usize = 1 << 16;
/// So long [`Gathered::flush`] waits for a log that nobody reads.
const FLUSH_TIME: Duration = Duration::from_secs(1);

/// Lines on their way out. A clone has the same way.
#[derive(Debug, Clone, Default)]
pub(super) struct Gathered(Arc<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    state: Mutex<State>,
    /// Wakes the thread that writes.
    came: Condvar,
    /// Wakes those who flush.
    written: Condvar,
}

#[derive(Debug, Default)]
struct State {
    lines: Vec<u8>,
    /// Lines that found no room, or were refused by what they are written to, and were not told of yet.
    lost: u64,
    /// The thread sleeps until it is woken.
    asleep: bool,
    /// What there is shall be written at once.
    urgent: bool,
    /// Lines are being written.
    writing: bool,
}

impl Gathered {
    /// Starts the thread that writes.
    ///
    /// # Errors
    /// The system has no thread left.
    pub(super) fn to(out: impl Write + Send + 'static) -> io::Result<Self> {
        let this = Self::default();
        let waiting = Arc::clone(&this.0);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || waiting.write_to(out))?;
        Ok(this)
    }

    /// Returns once all lines that came before are written, or after a second.
    pub(super) fn flush(&self) {
        let until = Instant::now() + FLUSH_TIME;
        let mut state = self.0.state();
        while !state.lines.is_empty() || state.writing {
            state.urgent = true;
            self.0.came.notify_one();
            let left = until.saturating_duration_since(Instant::now());
            let (next, time) = self
                .0
                .written
                .wait_timeout(state, left)
                .unwrap_or_else(PoisonError::into_inner);
            state = next;
            if time.timed_out() {
                return;
            }
        }
    }
}

impl Waiting {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, line: &[u8], urgent: bool) {
        let mut state = self.state();
        if state.lines.len().saturating_add(line.len()) > MOST_BYTES {
            state.lost += 1;
            drop(state);
            metrics::lost_lines(1);
            return;
        }
        state.lines.extend_from_slice(line);
        let hurry = !state.urgent && (urgent || state.lines.len() > MANY_BYTES);
        state.urgent |= hurry;
        let wake = hurry || state.asleep;
        state.asleep = false;
        drop(state);
        if wake {
            self.came.notify_one();
        }
    }

    fn write_to(&self, mut out: impl Write) {
        let mut batch = Vec::new();
        loop {
            self.gather(&mut batch);
            let refused = match out.write_all(&batch).and_then(|()| out.flush()) {
                Ok(()) => 0,
                // Which of them were written is not known.
                Err(_) => batch.iter().map(|symbol| u64::from(*symbol == b'\n')).sum(),
            };
            batch.clear();
            batch.shrink_to(KEPT_BYTES);
            let mut state = self.state();
            state.writing = false;
            state.lost += refused;
            // Told only where lines go out again: else telling would be one more line to lose, without end.
            let lost = match refused {
                0 => std::mem::take(&mut state.lost),
                _ => 0,
            };
            drop(state);
            self.written.notify_all();
            if refused > 0 {
                metrics::lost_lines(refused);
            }
            if lost > 0 {
                tracing::warn!(
                    lines = lost,
                    "the log could not be written as fast as lines came; some are lost"
                );
            }
        }
    }

    /// Waits for lines and takes them.
    fn gather(&self, batch: &mut Vec<u8>) {
        let mut state = self.state();
        loop {
            // While lines come, it looks once in a while; nobody has to wake it then.
            if !state.urgent {
                (state, _) = self
                    .came
                    .wait_timeout_while(state, GATHER, |state| !state.urgent)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            state.urgent = false;
            if !state.lines.is_empty() {
                break;
            }
            state.asleep = true;
            state = self
                .came
                .wait_while(state, |state| state.asleep && !state.urgent)
                .unwrap_or_else(PoisonError::into_inner);
            state.asleep = false;
        }
        state.writing = true;
        std::mem::swap(&mut state.lines, batch);
    }
}

/// Takes one line: the formatter hands over a whole one at once.
pub(super) struct Line<'a> {
    to: &'a Waiting,
    urgent: bool,
}

impl Write for Line<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.to.add(line, self.urgent);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for Gathered {
    type Writer = Line<'a>;

    fn make_writer(&'a self) -> Self::Writer {
        Line {
            to: &self.0,
            urgent: false,
        }
    }

    /// A fault's line is written at once.
    fn make_writer_for(&'a self, about: &Metadata<'_>) -> Self::Writer {
        Line {
            to: &self.0,
            urgent: *about.level() <= Level::WARN,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::mpsc;

    use super::*;

    /// Hands over what is written, once it is let.
    struct Out {
        let_in: mpsc::Receiver<io::Result<()>>,
        written: mpsc::Sender<Vec<u8>>,
    }

    impl Write for Out {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.let_in.recv().unwrap_or(Ok(()))?;
            self.written.send(bytes.to_vec()).unwrap();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gathered() -> (Gathered, mpsc::Sender<io::Result<()>>, mpsc::Receiver<Vec<u8>>) {
        let (let_in, may) = mpsc::channel();
        let (tell, written) = mpsc::channel();
        let out = Out {
            let_in: may,
            written: tell,
        };
        (Gathered::to(out).unwrap(), let_in, written)
    }

    fn say(to: &Gathered, line: &str) {
        to.make_writer().write_all(line.as_bytes()).unwrap();
    }

    #[test]
    fn lines_come_out_whole_and_in_order_and_a_flush_waits_for_all_of_them() {
        let (to, let_in, written) = gathered();
        drop(let_in);
        let said: Vec<String> = (0..1_000).map(|number| format!("line {number}\n")).collect();
        said.iter().for_each(|line| say(&to, line));
        to.flush();
        let out: Vec<u8> = written.try_iter().flatten().collect();
        assert_eq!(String::from_utf8(out).unwrap(), said.concat());
    }

    #[test]
    fn nobody_waits_for_a_log_that_is_not_read_and_what_is_lost_is_counted() {
        let (to, let_in, written) = gathered();
        say(&to, "first\n");
        // It is in the hands of the one who writes, and not let in.
        while !to.0.state().writing {
            thread::yield_now();
        }
        let line = format!("{}\n", "x".repeat(1_023));
        for _ in 0..MOST_BYTES / line.len() + 3 {
            say(&to, &line);
        }
        assert_eq!(to.0.state().lost, 3);
        assert_eq!(to.0.state().lines.len(), MOST_BYTES);
        drop(let_in);
        to.flush();
        assert_eq!(
            written.try_iter().map(|part| part.len()).sum::<usize>(),
            6 + MOST_BYTES
        );
        say(&to, "goes on\n");
        to.flush();
        assert_eq!(to.0.state().lost, 0, "it was told of");
    }

    #[test]
    fn lines_that_are_refused_count_as_lost() {
        let (to, let_in, written) = gathered();
        let_in.send(Err(io::ErrorKind::StorageFull.into())).unwrap();
        say(&to, "one\n");
        to.flush();
        assert_eq!(to.0.state().lost, 1);
        drop(let_in);
        say(&to, "two\n");
        to.flush();
        assert_eq!(written.try_iter().flatten().collect::<Vec<u8>>(), b"two\n");
    }
}
