//! What a face (MCP server, command line) provides to a verb: progress, cancellation, the human's word.
//!
//! A verb never talks to a terminal or an MCP client itself.

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use wire::api::DoorState;
use wire::event::Kind;

/// A boxed future, so that a face is a trait object.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How whoever uses a face calls a verb: advice in an answer must be something they can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// By a tool of the MCP server.
    Tools,
    /// By a command.
    CommandLine,
}

impl Face {
    /// The verb of this name, as it is called here.
    pub fn call(self, verb: &str) -> String {
        match self {
            Self::Tools => format!("`devpilot_session_{verb}`"),
            Self::CommandLine => format!("`{verb}`"),
        }
    }

    /// What a call's main text is called, which a command takes on standard input.
    pub fn input(self, argument: &'static str) -> &'static str {
        match self {
            Self::Tools => argument,
            Self::CommandLine => "standard input",
        }
    }

    /// The argument of this name, as a verb's arguments call it; not of what a command takes in another way than as an
    /// option.
    pub fn argument(self, name: &str) -> String {
        match self {
            Self::Tools => format!("`{name}`"),
            Self::CommandLine => format!("`--{}`", name.replace('_', "-")),
        }
    }
}

/// One call's surroundings.
pub trait Host: Send + Sync {
    /// For whom the verb runs: an agent, or a person in a terminal.
    fn kind(&self) -> Kind;

    /// Who reads the answer, and is spoken to in it. A person may decide something for their agent: then it is not whom the
    /// verb runs for.
    fn reader(&self) -> Kind {
        self.kind()
    }

    /// Whether this process lives on and is one agent: it then leases a seat, and keeps a note on the clipboard itself.
    fn lives_on(&self) -> bool {
        false
    }

    /// How its user calls verbs.
    fn face(&self) -> Face {
        if self.lives_on() {
            Face::Tools
        } else {
            Face::CommandLine
        }
    }

    /// The seat that a command acts for, by participant id or its first 8 characters; the default is the one last used
    /// here.
    fn seat(&self) -> Option<&str> {
        None
    }

    /// The host program's name, such as an MCP client's; it goes into the sealed profile.
    fn program(&self) -> Option<String> {
        None
    }

    /// The repository's top folder, or else the folder the call runs in. None in `/` or the home folder.
    fn folder(&self) -> Option<&Path>;

    /// Fires when the caller gave up.
    fn cancelled(&self) -> &CancellationToken;

    /// Tells how far a long call is. `elapsed_s` of `total_s`, 0 where that is not known; a face without a progress token drops it.
    fn progress<'a>(&'a self, elapsed_s: u64, total_s: u64, message: &'a str) -> BoxFuture<'a, ()>;

    /// How long a call may wait at a door that asks; none: until somebody answers or the caller gives up. Hosts give a
    /// call about 60 s.
    fn waits_at_door(&self) -> Option<Duration> {
        Some(Duration::from_secs(40))
    }

    /// Whether whoever runs this face asks its human before each call by a permission prompt of its own, which then stands
    /// in for a question that can't be put. A shell has none.
    fn prompts_for_calls(&self) -> bool {
        false
    }

    /// Whether this call's human can be asked to let through what looks like a credential. Where not, it is refused before
    /// anything else happens. It is never an argument of a verb's, so that no agent can say it.
    fn may_allow_secrets(&self) -> bool {
        false
    }

    /// Asks this machine's human and waits for the answer, at most 45 s.
    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Ask>;
}

/// What a question is about: faces word their prompts by it, verbs their refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Send this text, in relay.
    Post,
    /// Let agents wait and post after a yes to each text.
    Relay,
    /// Put a new secret in place of the old: those left out are out.
    Rekey,
    /// End the session for everybody.
    End,
    /// Propose that agents wait and post freely, within a budget and a time.
    Propose,
    /// Accept such a proposal for this seat.
    Accept,
    /// Set who may still come in, to this.
    Door(DoorState),
    /// Let in somebody who knocks.
    Admit,
    /// Turn away somebody who knocks.
    Refuse,
    /// Send what looks like a credential.
    Secrets,
    /// Go on although a sender and this reader saw different histories.
    Acknowledge,
}

/// A question to the human. A yes counts for exactly this text and nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What it is about.
    pub purpose: Purpose,
    /// The session's title, made safe for display.
    pub session: String,
    /// The full question as shown, made safe for display; of a post it contains the whole text.
    pub text: String,
    /// What the answer is bound to, byte for byte; of a post the text as it will be sealed.
    pub subject: String,
}

impl Question {
    /// Names this very question: base64url of SHA-256 over purpose, session, shown text and subject. A face that
    /// asks in a later round compares it before it passes a yes on.
    pub fn id(&self) -> String {
        let purpose = match self.purpose {
            Purpose::Post => "post",
            Purpose::Relay => "relay",
            Purpose::Rekey => "rekey",
            Purpose::End => "end",
            Purpose::Propose => "propose",
            Purpose::Accept => "accept",
            Purpose::Door(_) => "door",
            Purpose::Admit => "admit",
            Purpose::Refuse => "refuse",
            Purpose::Secrets => "secrets",
            Purpose::Acknowledge => "acknowledge",
        };
        let mut bytes = Vec::new();
        for part in [purpose, &self.session, &self.text, &self.subject] {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        wire::encoding::to_base64url(&wire::transcript::sha256(&bytes))
    }
}

/// The human's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The prompt was closed without a choice.
    Dismissed,
    /// The prompt came back as accepted with nothing in it; never a yes.
    Empty,
    /// Nobody answered in time.
    TimedOut,
    /// This host has no way to ask.
    CannotAsk,
    /// The face ends this call with the question and runs the verb again with the answer.
    Deferred,
}
