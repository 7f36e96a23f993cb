//! Between a verb and what it seals stands the guard: what looks like a credential is not sent unless this machine's
//! human says so, and a session link or token of ours is not sent at all.
//!
//! A message can reach [`compose`](super::compose) only as [`Guarded`], which is made by scanning it. No argument of a
//! verb lets anything through: the question is the host's, and a command's is put at the controlling terminal alone.

use wire::event::Kind;

use super::compose::{no_terminal, refused};
use super::failure::{Failure, code};
use super::host::{Ask, Face, Host, Purpose, Question};
use crate::guard::{self, Findings};
use crate::redact;
use crate::render;
use crate::session::message::Message;

/// A message whose every field was scanned.
pub(super) struct Guarded {
    message: Message,
    text_is: &'static str,
    findings: Findings,
    allowed: bool,
}

/// About what the human is asked.
pub(super) struct About<'a> {
    /// The session's title.
    pub(super) title: &'a str,
    /// What looks like a credential.
    pub(super) findings: &'a Findings,
    /// Everything that is to be sent: the yes is for these bytes alone.
    pub(super) content: &'a str,
    /// That nothing was done.
    pub(super) nothing: &'static str,
    /// What a person runs instead, after the program's name.
    pub(super) command: &'a str,
}

impl Guarded {
    /// Scans a message. `text_is` is what the caller calls its text.
    ///
    /// # Errors
    /// It holds a link or token of ours, or nothing can be said of it.
    pub(super) fn new(message: Message, text_is: &'static str) -> Result<Self, Failure> {
        let mut findings = scan(text_is, &message.text)?;
        if let Some(topic) = &message.topic {
            findings.extend(scan("topic", topic)?);
        }
        for (at, path) in message.paths.iter().enumerate() {
            findings.extend(scan(&format!("path {}", at + 1), path)?);
        }
        refuse_ours(&findings, "Nothing was sent")?;
        Ok(Self {
            message,
            text_is,
            findings,
            allowed: false,
        })
    }

    /// Whom it is for: ids that this client chose, not text.
    pub(super) fn addressed_to(&mut self, to: Vec<String>) {
        self.message.to = to;
    }

    /// The message.
    pub(super) fn message(&self) -> &Message {
        &self.message
    }

    /// The message, to be sealed.
    pub(super) fn into_message(self) -> Message {
        self.message
    }

    /// What looks like a credential and was not allowed.
    pub(super) fn open(&self) -> Option<&Findings> {
        (!self.allowed && !self.findings.is_empty()).then_some(&self.findings)
    }

    /// Refuses at once, before anything else is looked at, what nobody can be asked about.
    ///
    /// # Errors
    /// There are findings, and this host's human can't allow them.
    pub(super) fn may_be_allowed(&self, host: &dyn Host, command: &str) -> Result<(), Failure> {
        match self.open() {
            Some(findings) => may_be_allowed(host, findings, "Nothing was sent.", command),
            None => Ok(()),
        }
    }

    /// Asks the human, if there is anything to ask.
    ///
    /// # Errors
    /// It was not allowed.
    pub(super) async fn allow(&mut self, host: &dyn Host, title: &str, command: &str) -> Result<(), Failure> {
        let Some(findings) = self.open() else {
            return Ok(());
        };
        let content = self.message.to_json().unwrap_or_default();
        let about = About {
            title,
            findings,
            content: &content,
            nothing: "Nothing was sent.",
            command,
        };
        ask(host, &about).await?;
        self.allowed = true;
        Ok(())
    }

    /// As it may be shown in another question: the human knows of the credential, and it stays out of what a host keeps.
    pub(super) fn shown(&self) -> Result<Message, Failure> {
        if self.findings.is_empty() {
            return Ok(self.message.clone());
        }
        let mut message = self.message.clone();
        message.text = shown(self.text_is, &message.text)?;
        message.topic = message.topic.map(|topic| shown("topic", &topic)).transpose()?;
        message.paths = message
            .paths
            .iter()
            .map(|path| shown("path", path))
            .collect::<Result<_, _>>()?;
        Ok(message)
    }
}

/// Scans one text.
///
/// # Errors
/// Nothing can be said of it, so it is not sent.
pub(super) fn scan(name: &str, text: &str) -> Result<Findings, Failure> {
    guard::scan(name, text.as_bytes()).map_err(|error| {
        Failure::new(
            code::INTERNAL,
            format!("Nothing was sent: {error}. Reinstall devpilot-session."),
        )
    })
}

/// A text without what looks like a credential in it.
pub(super) fn shown(name: &str, text: &str) -> Result<String, Failure> {
    Ok(scan(name, text)?.withheld_in(text))
}

/// Somebody's text as it may be repeated or kept: without links, tokens and what looks like a credential. Of what can't be
/// scanned, nothing.
pub(crate) fn repeated(text: &str) -> String {
    shown("text", &redact::text(text)).unwrap_or_else(|_| "(not shown)".to_owned())
}

/// Refuses a credential where nobody can want one: in a name or title, which stand in notes and on join cards.
///
/// # Errors
/// `text` looks like it holds one.
pub(super) fn refuse(name: &str, text: &str, nothing: &str) -> Result<(), Failure> {
    let findings = scan(name, text)?;
    refuse_ours(&findings, nothing)?;
    match findings.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(
            code::SECRET_FOUND,
            format!("This looks like {findings}. {nothing}; choose another `{name}`."),
        )),
    }
}

/// A link or token would give the session away to everybody who reads it, and to their models' providers.
///
/// # Errors
/// There is one.
pub(super) fn refuse_ours(findings: &Findings, nothing: &str) -> Result<(), Failure> {
    if !findings.hold_ours() {
        return Ok(());
    }
    Err(Failure::new(
        code::SECRET_FOUND,
        format!(
            "This holds a session link or one of its tokens: {findings}. {nothing}; take it out. To hand the link on, use share \
             with `session` (on the command line `link`), which puts a note on the user's clipboard."
        ),
    ))
}

/// Refuses what nobody can be asked about here.
///
/// # Errors
/// This host's human can't allow it.
pub(super) fn may_be_allowed(
    host: &dyn Host,
    findings: &Findings,
    nothing: &str,
    command: &str,
) -> Result<(), Failure> {
    if findings.is_empty() || host.may_allow_secrets() {
        return Ok(());
    }
    let how = match (host.reader(), host.face()) {
        (Kind::Human, _) => {
            "If it has to be sent, run this in your own terminal with the text as its input: it asks you for a word."
        }
        (Kind::Agent, Face::Tools) => {
            "Your human can allow it, and this host can't ask them. If it has to be sent, ask your human to run this in their \
             own terminal with the text as its input; do not run it yourself."
        }
        (Kind::Agent, Face::CommandLine) => {
            "A person can allow it. If it has to be sent, ask your human to run this in their own terminal with the text as its \
             input; do not run it yourself."
        }
    };
    Err(Failure::new(
        code::SECRET_FOUND,
        format!(
            "This looks like it holds {findings}. {nothing} Take it out, and say where it is kept instead of what it is. {how}"
        ),
    )
    .with_command(command))
}

/// Asks this machine's human whether what looks like a credential may be sent. The question says what and where, never the
/// value.
///
/// # Errors
/// The answer was anything but yes.
pub(super) async fn ask(host: &dyn Host, about: &About<'_>) -> Result<(), Failure> {
    let About {
        findings, nothing, ..
    } = about;
    may_be_allowed(host, findings, nothing, about.command)?;
    let title = render::title(about.title);
    let question = Question {
        purpose: Purpose::Secrets,
        text: format!(
            "What is to be sent to everybody in the session \"{title}\" looks like it holds {findings}.\n\nWhoever holds the \
             link reads it, now and later, and so do the providers of their models. Send it all the same?"
        ),
        session: title.to_string(),
        // A digest: a question is kept for a while, and no credential should be.
        subject: wire::encoding::to_base64url(&wire::transcript::sha256(about.content.as_bytes())),
    };
    match host.ask(&question).await {
        Ask::Yes => Ok(()),
        Ask::Deferred => Err(refused(Ask::Deferred, "")),
        Ask::CannotAsk => Err(no_terminal(nothing, about.command)),
        other => Err(refused(
            other,
            &format!("{nothing} It looks like it holds {findings}: take it out."),
        )),
    }
}
