//! The line with which a person does in their own terminal what was refused here: in the same session, for the same participant.
//!
//! At a terminal a command counts as a person's, so a line for an agent's seat says that it is one.

use wire::event::Kind;
use wire::ids::{ParticipantId, SessionId};

use super::app::App;
use super::command;
use super::host::Host;
use super::present::short;
use crate::guard;
use crate::seat::{Place, choose};
use crate::session::message::Message;
use crate::session::{Session, SessionError};

/// For whom a line is run, each part as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Acting {
    /// The session.
    pub(crate) session: Option<String>,
    /// Who is meant to run it; only an agent has to be named.
    pub(crate) kind: Option<Kind>,
    /// The seat.
    pub(crate) seat: Option<String>,
}

impl Acting {
    fn of(session: &SessionId, seat: &ParticipantId, kind: Kind) -> Self {
        Self {
            session: Some(short(session)),
            kind: Some(kind),
            seat: Some(short(seat)),
        }
    }

    /// For the seat of a session in use.
    ///
    /// # Errors
    /// The seat's file can't be read.
    pub(super) fn by(session: &Session) -> Result<Self, SessionError> {
        let kind = session.kept()?.kind;
        Ok(Self::of(session.id(), session.my_id(), kind))
    }

    /// The options of a command, a space before each.
    pub(crate) fn options(&self) -> String {
        let mut line = String::new();
        let acting = self.kind.filter(|kind| *kind == Kind::Agent).map(|_| "agent");
        for (option, value) in [
            ("session", self.session.as_deref()),
            ("as", acting),
            ("seat", self.seat.as_deref()),
        ] {
            if let Some(value) = value {
                line.push_str(&format!(" --{option} {value}"));
            }
        }
        line
    }
}

impl App {
    /// For the seat that a call means, before it is looked at: by this machine's list alone.
    pub(crate) async fn acting(&self, host: &dyn Host, named: Option<&str>) -> Acting {
        let unknown = Acting {
            kind: Some(host.kind()),
            ..Acting::default()
        };
        let process = self.process.lock().await;
        let Ok(listing) = self.list() else { return unknown };
        let place = Place::of(host.folder());
        let asking = self.asking(&listing, &place, named, process.current);
        let Ok(id) = choose::or_the_only_one(&asking, choose::session(&asking)) else {
            return unknown;
        };
        // One that another call uses just now is found in the list.
        let in_use = process.held.get(&id).and_then(|held| {
            let session = held.session.try_lock().ok()?;
            Acting::by(&session).ok()
        });
        let listed = || {
            let seat = choose::seat(&asking, &id, host.kind(), host.seat())?;
            Some(Acting::of(&id, &seat.participant, seat.kind))
        };
        in_use.or_else(listed).unwrap_or(Acting {
            session: Some(short(&id)),
            ..unknown
        })
    }
}

/// One option of a line: its value as one word of a shell. In the place of what looks like a credential stands `blank`, and what
/// no terminal shows is left out with its option.
pub(super) fn option(line: &mut String, name: &str, value: &str, blank: &str) {
    if value.contains(char::is_control) {
        return;
    }
    let is_clean = guard::scan(name, value.as_bytes()).is_ok_and(|found| found.is_empty());
    line.push_str(&command::option(name, if is_clean { value } else { blank }));
}

/// What a message is beside its text, as options of `post`.
pub(super) fn options_of(message: &Message) -> String {
    let mut line = String::new();
    if message.kind != "chat" {
        option(&mut line, "kind", &message.kind, "KIND");
    }
    if let Some(signal) = &message.signal {
        option(&mut line, "signal", signal, "SIGNAL");
    }
    if let Some(seq) = message.reply_to {
        option(&mut line, "reply-to", &seq.to_string(), "SEQ");
    }
    for id in &message.to {
        option(&mut line, "to", id, "ID");
    }
    if let Some(topic) = &message.topic {
        option(&mut line, "topic", topic, "TOPIC");
    }
    for path in &message.paths {
        option(&mut line, "path", path, "PATH");
    }
    if message.pin {
        line.push_str(" --pin");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_for_an_agent_s_seat_says_that_it_is_one() {
        let acting = |kind| Acting {
            session: Some("5ae1a0b2".to_owned()),
            kind: Some(kind),
            seat: Some("1f2e3d4c".to_owned()),
        };
        assert_eq!(
            acting(Kind::Agent).options(),
            " --session 5ae1a0b2 --as agent --seat 1f2e3d4c"
        );
        assert_eq!(
            acting(Kind::Human).options(),
            " --session 5ae1a0b2 --seat 1f2e3d4c"
        );
        assert_eq!(Acting::default().options(), "");
    }

    #[cfg(unix)]
    #[test]
    fn what_a_message_is_beside_its_text_is_in_the_line_and_a_shell_runs_none_of_it() {
        let message = Message {
            kind: "question".to_owned(),
            text: "the text".to_owned(),
            topic: Some("$(id) it's".to_owned()),
            to: vec!["0b9cca47-9c6e-89de-b8d6-34e7a1a85a39".to_owned()],
            reply_to: Some(7),
            paths: vec!["a.rs".to_owned(), "b\nrm".to_owned()],
            pin: true,
            signal: Some("done".to_owned()),
        };
        assert_eq!(
            options_of(&message),
            r" --kind question --signal done --reply-to 7 --to 0b9cca47-9c6e-89de-b8d6-34e7a1a85a39 --topic '$(id) it'\''s' --path a.rs --pin"
        );
        let key = format!("AKIA{}", "QYLPMN5HHHFPZAM2");
        let hidden = Message {
            topic: Some(key.clone()),
            paths: vec!["-a b".to_owned(), format!("keys/{key}.txt")],
            ..Message {
                kind: "chat".to_owned(),
                ..Message::default()
            }
        };
        assert_eq!(
            options_of(&hidden),
            " --topic TOPIC --path='-a b' --path PATH",
            "no credential is repeated, and its option is kept"
        );
        assert_eq!(
            options_of(&Message {
                kind: "chat".to_owned(),
                ..Message::default()
            }),
            ""
        );
    }
}
