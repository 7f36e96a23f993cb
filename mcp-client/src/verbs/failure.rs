//! What a verb answers when it does not succeed: a stable code and one sentence on what to do next.
//!
//! This is the outermost error of the library. Inner layers have their own enums; what reaches a face is
//! made here, and carries no secret, no stack and no text of a participant.

use std::fmt;

/// A verb that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    code: &'static str,
    message: String,
    command: Option<String>,
    /// Boxed: every answer carries the size of its failure.
    option: Option<Box<(&'static str, String)>>,
    knock: Option<Knock>,
}

/// Waiting at a door that nobody has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Knock {
    /// How the id of who knocks begins: 8 characters, by which the owner tells it from others.
    pub me: String,
    /// After how many seconds to knock again.
    pub retry_after_s: u64,
}

impl Failure {
    /// A failure with its stable code and the sentence shown to the model or person.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            command: None,
            option: None,
            knock: None,
        }
    }

    /// The same failure, of a call that waits at a door.
    #[must_use]
    pub fn at_the_door(mut self, knock: Knock) -> Self {
        self.knock = Some(knock);
        self
    }

    /// The same failure with one more sentence on what to do.
    #[must_use]
    pub fn with_advice(mut self, advice: &str) -> Self {
        self.message.push(' ');
        self.message.push_str(advice);
        self
    }

    /// The same failure with a command of this program that a person may run in a terminal of this machine: its words
    /// after the program, which whoever prints it puts before them.
    #[must_use]
    pub fn with_command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    /// The same failure, of a command that works once it has this option, in place of what it says for it. Whoever knows the
    /// command's other words prints it as a whole.
    #[must_use]
    pub fn with_option(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.option = Some(Box::new((name, value.into())));
        self
    }

    /// The stable, machine-readable name: one of `crypto.md` section 14, of `plane-api.md` Errors, or of
    /// the [`code`] module.
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// The sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The knock of a call that waits at a door.
    pub fn knock(&self) -> Option<&Knock> {
        self.knock.as_ref()
    }

    /// The option, without its dashes, and the value with which the same command works.
    pub fn option(&self) -> Option<(&'static str, &str)> {
        self.option
            .as_deref()
            .map(|(name, value)| (*name, value.as_str()))
    }

    /// A command for a person's own terminal, where one helps: its words after the program.
    pub fn command(&self) -> Option<&str> {
        self.command.as_deref()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.command {
            Some(command) => write!(f, " Command: {command}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// Codes that neither the cryptography nor the plane's API has: the client's own.
pub mod code {
    /// An argument is missing, out of range or contradicts another.
    pub const BAD_ARGUMENT: &str = "bad_argument";
    /// No session is joined here, or none of that name.
    pub const NO_SESSION: &str = "no_session";
    /// The participant left; only a link brings it back.
    pub const LEFT: &str = "left";
    /// Several sessions could be meant.
    pub const WHICH_SESSION: &str = "which_session";
    /// No plane is known to share on.
    pub const NO_PLANE: &str = "no_plane";
    /// No machine token is known for the plane.
    pub const NO_MACHINE_TOKEN: &str = "no_machine_token";
    /// The plane's operator refused this machine, or nobody said yes in time.
    pub const NOT_CONNECTED: &str = "not_connected";
    /// Clipboard and environment hold different links.
    pub const LINK_CONFLICT: &str = "link_conflict";
    /// The plane could not be reached in the call's time.
    pub const PLANE_UNREACHABLE: &str = "plane_unreachable";
    /// The plane answered something that is not its API.
    pub const PLANE_ANSWER: &str = "plane_answer";
    /// The link leads to the sender's own machine.
    pub const LOOPBACK: &str = "loopback_link";
    /// The human said no.
    pub const DECLINED: &str = "declined";
    /// The human closed the question without a choice.
    pub const DISMISSED: &str = "dismissed";
    /// The human answered nothing.
    pub const EMPTY: &str = "empty_answer";
    /// The human did not answer in time.
    pub const TIMED_OUT: &str = "unanswered";
    /// Nobody can be asked through this host.
    pub const CANNOT_ASK: &str = "cannot_ask";
    /// The face asks its human in a later round of the same call.
    pub const ASK_DEFERRED: &str = "ask_deferred";
    /// The call was cancelled.
    pub const CANCELLED: &str = "cancelled";
    /// Somebody keeps the door and has not answered yet.
    pub const KNOCKING: &str = "knocking";
    /// Who knocks is no longer what the person was shown.
    pub const KNOCK_CHANGED: &str = "knock_changed";
    /// Nobody of that id waits at the door.
    pub const NOT_KNOCKING: &str = "not_knocking";
    /// Who stays or posts needs a person's word first: histories differ.
    pub const NOT_ACKNOWLEDGED: &str = "not_acknowledged";
    /// There is no proposal of auto to accept or decline, or it can't be read.
    pub const NO_PROPOSAL: &str = "no_proposal";
    /// History was asked of a folder that is in no git repository, and none was named.
    pub const NO_REPOSITORY: &str = "no_repository";
    /// No cockpit answers.
    pub const NO_COCKPIT: &str = "no_cockpit";
    /// What answers is no cockpit of this user, or its answer can't be used.
    pub const COCKPIT_ANSWER: &str = "cockpit_answer";
    /// A cockpit can't be started.
    pub const COCKPIT_START: &str = "cockpit_start";
    /// A file of this machine, or standard input, could not be read or written.
    pub const LOCAL_FILE: &str = "local_file";
    /// The epoch moved to a secret this seat was not given.
    pub const NEW_LINK_NEEDED: &str = "new_link_needed";
    /// What was to be sent looks like it holds a credential.
    pub const SECRET_FOUND: &str = "secret_found";
    /// Who takes part is no longer as it was shown.
    pub const LIST_CHANGED: &str = "list_changed";
    /// This machine holds no seat of the session's owner.
    pub const NOT_OWNER: &str = "not_owner";
    /// Nobody owns the session since an administrator re-keyed it.
    pub const NO_OWNER: &str = "no_owner";
    /// The tool belongs to a group that a setting leaves out.
    pub const TOOL_LEFT_OUT: &str = "tool_left_out";
    /// A fault of this program's own.
    pub const INTERNAL: &str = "internal";
}
