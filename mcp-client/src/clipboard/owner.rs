//! The one thread that owns the clipboard of this process. The library's calls block on other programs; here alone.

use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};

use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};
use zeroize::Zeroizing;

use super::platform;
use super::{Outcome, same};

/// Requests that may wait for the thread; more means that it hangs.
const QUEUE: usize = 4;

type Text = Zeroizing<String>;

enum Request {
    Look(oneshot::Sender<bool>),
    Read(oneshot::Sender<Option<Text>>),
    Write(Text, oneshot::Sender<Outcome>),
}

/// The thread, started at the first use. One that hangs is left alone and replaced; it ends when it gets free.
#[derive(Default)]
pub(super) struct Owner {
    thread: Mutex<Option<SyncSender<Request>>>,
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Owner")
    }
}

impl Owner {
    pub(super) async fn is_here(&self, deadline: Instant) -> bool {
        let (answer, here) = oneshot::channel();
        match self.send(Request::Look(answer)) {
            Some(()) => self.answer(here, deadline).await.unwrap_or(false),
            None => false,
        }
    }

    pub(super) async fn read(&self, deadline: Instant) -> Option<Text> {
        let (answer, text) = oneshot::channel();
        self.send(Request::Read(answer))?;
        self.answer(text, deadline).await.flatten()
    }

    pub(super) async fn write(&self, text: &str, deadline: Instant) -> Outcome {
        let (answer, outcome) = oneshot::channel();
        let request = Request::Write(Zeroizing::new(text.to_owned()), answer);
        match self.send(request) {
            Some(()) => self
                .answer(outcome, deadline)
                .await
                .unwrap_or(Outcome::NotConfirmed),
            None => Outcome::Unavailable,
        }
    }

    fn send(&self, request: Request) -> Option<()> {
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        if thread.is_none() {
            *thread = Some(start()?);
        }
        let sent = thread.as_ref()?.try_send(request);
        sent.inspect_err(|_| *thread = None).ok()
    }

    /// The thread's answer; a thread that does not answer in time is given up.
    async fn answer<T>(&self, answer: oneshot::Receiver<T>, deadline: Instant) -> Option<T> {
        match timeout_at(deadline, answer).await {
            Ok(Ok(value)) => Some(value),
            _ => {
                *self.thread.lock().unwrap_or_else(PoisonError::into_inner) = None;
                None
            }
        }
    }
}

fn start() -> Option<SyncSender<Request>> {
    let (sender, requests) = sync_channel(QUEUE);
    let thread = std::thread::Builder::new().name("clipboard".to_owned());
    thread.spawn(move || serve(&requests)).ok()?;
    Some(sender)
}

/// Serves until nobody can ask any more. The clipboard stays open between requests: on X11 and Wayland the text is gone
/// with it.
fn serve(requests: &Receiver<Request>) {
    let mut open = None;
    while let Ok(request) = requests.recv() {
        if open.is_none() {
            open = arboard::Clipboard::new().ok();
        }
        // Whoever asked may have given up; there is nobody to tell then.
        match request {
            Request::Look(answer) => drop(answer.send(open.is_some())),
            Request::Read(answer) => drop(answer.send(open.as_mut().and_then(read))),
            Request::Write(text, answer) => drop(answer.send(write(open.as_mut(), &text))),
        }
    }
}

/// The text on a clipboard.
pub(super) fn read(clipboard: &mut arboard::Clipboard) -> Option<Text> {
    let text = clipboard.get_text().ok().map(Zeroizing::new)?;
    Some(text).filter(|text| !text.is_empty())
}

fn write(clipboard: Option<&mut arboard::Clipboard>, text: &str) -> Outcome {
    let Some(clipboard) = clipboard else {
        return Outcome::Unavailable;
    };
    if platform::as_secret(clipboard.set()).text(text).is_err() {
        return Outcome::Unavailable;
    }
    judge(read(clipboard).as_deref().map(String::as_str), text)
}

/// What reading back tells: another program may have been faster, or the clipboard may drop what it takes.
fn judge(there: Option<&str>, written: &str) -> Outcome {
    match there {
        Some(there) if same(there, written) => Outcome::Confirmed,
        _ => Outcome::NotConfirmed,
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, judge};

    #[test]
    fn what_reads_back_differently_is_not_confirmed() {
        assert_eq!(
            judge(Some("the note\nin lines"), "the note\nin lines"),
            Outcome::Confirmed
        );
        assert_eq!(
            judge(Some("the note\r\nin lines"), "the note\nin lines"),
            Outcome::Confirmed
        );
        for other in [Some("somebody else's copy"), Some("the note"), Some(""), None] {
            assert_eq!(
                judge(other, "the note\nin lines"),
                Outcome::NotConfirmed,
                "{other:?}"
            );
        }
    }
}
