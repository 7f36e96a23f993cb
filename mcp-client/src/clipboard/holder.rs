//! A process that a command leaves behind to keep a text on the clipboard: until somebody copies something else, ten
//! minutes at most.
//!
//! It is this same program with a hidden verb. The text comes through its standard input, never as an argument, since
//! process lists show those; it has no output and belongs to no terminal's foreground.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use zeroize::Zeroizing;

use super::{Clipboard, Outcome, PATIENCE, is_elsewhere, is_on, owner, platform, same};
use crate::home::Environment;

/// The hidden verb that [`run`] is behind.
pub const VERB: &str = "hold-clipboard";

/// How long a text stays.
const HOLD: Duration = Duration::from_secs(600);
/// Between two looks of a holder at whether its text is still there.
const LOOK: Duration = Duration::from_millis(500);
/// Between two looks at whether the text has arrived.
const POLL: Duration = Duration::from_millis(20);
/// More than any note; a holder is not a way to copy files.
const TEXT_MAX: u64 = 65_536;

/// What a holder needs of the environment to find the display, and nothing else: no token, no link.
const KEPT_VARIABLES: [&str; 6] = [
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "XAUTHORITY",
    "XDG_RUNTIME_DIR",
    "HOME",
    "PATH",
];

/// How a holder is started.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl Holder {
    /// This program again, with the hidden verb.
    ///
    /// # Errors
    /// The system does not tell where this program is.
    pub fn this_program() -> io::Result<Self> {
        Ok(Self {
            program: std::env::current_exe()?,
            arguments: vec![VERB.to_owned()],
        })
    }

    /// Puts a text on the clipboard so that it outlives this process, and reads it back.
    pub async fn hand_over(&self, text: &str, environment: &Environment) -> Outcome {
        let clipboard = Clipboard::from_environment(environment);
        if platform::OUTLIVES_PROCESS || !is_on(environment) || is_elsewhere(environment) {
            return clipboard.write_confirmed(text).await;
        }
        let Ok(mut holder) = self.start(text) else {
            return Outcome::Unavailable;
        };
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Ok(Some(_)) = holder.try_wait() {
                return Outcome::Unavailable;
            }
            if clipboard.read().await.is_some_and(|there| same(&there, text)) {
                return Outcome::Confirmed;
            }
            tokio::time::sleep(POLL).await;
        }
        Outcome::NotConfirmed
    }

    fn start(&self, text: &str) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(
                KEPT_VARIABLES
                    .iter()
                    .filter_map(|name| Some((name, std::env::var_os(name)?))),
            )
            .current_dir(std::env::temp_dir())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        // A group of its own: an interrupt typed at the command does not end it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut holder = command.spawn()?;
        if let Some(mut input) = holder.stdin.take() {
            input.write_all(text.as_bytes())?;
        }
        Ok(holder)
    }
}

/// The holder itself: takes the text from `input` and keeps it on the clipboard. True once it was there.
///
/// It looks again and again whether the text is still there, since nobody tells a holder that its display went away.
pub fn run(input: impl Read) -> bool {
    let mut text = Zeroizing::new(String::new());
    if input.take(TEXT_MAX).read_to_string(&mut text).is_err() || text.is_empty() {
        return false;
    }
    let Ok(mut clipboard) = arboard::Clipboard::new() else {
        return false;
    };
    if platform::as_secret(clipboard.set()).text(text.as_str()).is_err() {
        return false;
    }
    let end = Instant::now() + HOLD;
    while Instant::now() < end && owner::read(&mut clipboard).is_some_and(|there| same(&there, &text)) {
        pause();
    }
    true
}

#[expect(
    clippy::disallowed_methods,
    reason = "a process of its own that has nothing else to do"
)]
fn pause() {
    std::thread::sleep(LOOK);
}
