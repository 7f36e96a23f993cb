//! Each verb's answer, as a person reads it.

use super::items::{
    card, each_in_quotes, heading, integrity, mode, moment, participant, proposal, short, transcript,
    warnings,
};
use super::{Show, Unwritten};
use crate::render::in_quotes;
use crate::verbs::rekey::admin::AdminRekeyAnswer;
use crate::verbs::{
    Answer, ConnectAnswer, EndAnswer, ExportAnswer, JoinAnswer, LeaveAnswer, ModeAnswer, PostAnswer,
    ReadAnswer, RekeyAnswer, SessionsAnswer, ShareAnswer, WaitAnswer, WhoAnswer,
};

impl Show for ShareAnswer {
    fn show(&self) -> String {
        let made = if self.created {
            "Shared"
        } else {
            "The note again for"
        };
        let clipboard = match self.clipboard.as_str() {
            "confirmed" => "The note is on the clipboard, and a copy is here:",
            "not_confirmed" => "The note may be on the clipboard; the sure copy is here:",
            _ => "There is no clipboard here. The note is in this file:",
        };
        let mut lines = vec![
            format!("{made} {}.", heading(&self.title, &self.session)),
            format!("Its link lets others {}.", allows(&self.link_allows)),
            format!("Open until {} unless somebody writes.", moment(&self.expires_at)),
            String::new(),
            clipboard.to_owned(),
            format!("  {}", self.handoff_file),
            "Send it as you would send a password: whoever has the link can open the session.".to_owned(),
        ];
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        let what = match self.created {
            true => format!(
                "The session {} was shared; its note is in {}",
                short(&self.session),
                self.handoff_file
            ),
            false => format!("The note was made again, in {}", self.handoff_file),
        };
        Unwritten::done(what, "do not share it again.")
    }
}

fn allows(link: &str) -> &str {
    if link == "view" {
        "read, not write"
    } else {
        "read and write"
    }
}

impl Show for JoinAnswer {
    fn show(&self) -> String {
        let came = if self.joined {
            "You are in"
        } else {
            "You were already in"
        };
        let mut lines = vec![
            format!(
                "{came} {} as {}.",
                heading(&self.title, &self.session),
                in_quotes(&self.me)
            ),
            mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref()),
        ];
        lines.extend(proposal(self.proposal.as_ref()));
        if !self.may_write {
            lines.push("You can read here, not write.".to_owned());
        }
        lines.extend(card(&self.card));
        lines.extend(integrity(&self.integrity));
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(
            format!("This machine is in the session {}", short(&self.session)),
            "do not join it again; `read` shows it.",
        )
    }
}

impl Show for ReadAnswer {
    fn quoted(&self) -> String {
        Self {
            more: false,
            ..self.clone()
        }
        .text()
    }

    fn show(&self) -> String {
        let mut lines = vec![heading(&self.title, &self.session)];
        if let Some(joined) = &self.card {
            lines.extend(card(joined));
            lines.push(String::new());
        }
        match self.found {
            Some(0) => lines.push("No message here has all of these words.".to_owned()),
            Some(1) => lines.push("1 message found:".to_owned()),
            Some(found) => lines.push(format!("{found} messages found:")),
            None if self.messages.is_empty() && self.events.is_empty() => {
                lines.push(self.nothing());
            }
            None => {}
        }
        lines.extend(transcript(&self.messages, &self.events));
        lines.push(mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref()));
        lines.extend(proposal(self.proposal.as_ref()));
        lines.extend(integrity(&self.integrity));
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::Unread
    }
}

impl Show for WaitAnswer {
    fn quoted(&self) -> String {
        let next = if self.more {
            String::new()
        } else {
            self.next.clone()
        };
        Self { next, ..self.clone() }.text()
    }

    fn show(&self) -> String {
        let woke = (self.woke_by != "messages").then(|| self.why());
        let mut lines = vec![heading(&self.title, &self.session)];
        lines.extend(transcript(&self.messages, &self.events));
        lines.extend(woke);
        lines.push(mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref()));
        lines.extend(proposal(self.proposal.as_ref()));
        lines.extend(integrity(&self.integrity));
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::Unread
    }
}

impl Show for PostAnswer {
    fn show(&self) -> String {
        let mut lines = vec![format!(
            "Posted as #{} in {}.",
            self.seq,
            heading(&self.title, &self.session)
        )];
        if !self.listening.is_empty() {
            lines.push(format!(
                "Listening a moment ago: {}",
                each_in_quotes(&self.listening)
            ));
        }
        if !self.not_listening.is_empty() {
            lines.push(format!(
                "Will see it when they next read: {}",
                each_in_quotes(&self.not_listening)
            ));
        }
        lines.push(mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref()));
        lines.extend(integrity(&self.integrity));
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(format!("Posted as #{}", self.seq), "do not post it again.")
    }
}

impl Show for WhoAnswer {
    fn show(&self) -> String {
        let mut lines = vec![heading(&self.title, &self.session)];
        lines.extend(self.participants.iter().map(participant));
        lines.push(mode(&self.mode, None, None));
        lines.push(format!("Head #{}: {}", self.head_seq, self.head_hash));
        lines.push("Read the head to each other: equal numbers mean the same history.".to_owned());
        lines.extend(integrity(&self.integrity));
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }
}

impl Show for ModeAnswer {
    fn show(&self) -> String {
        let mut lines = vec![
            heading(&self.title, &self.session),
            mode(&self.mode, self.budget_left, self.auto_ends_at.as_deref()),
        ];
        if self.session_mode != self.mode {
            lines.push(format!("The session is in {}.", self.session_mode));
        }
        lines.push(format!("This counts for {}.", self.seat));
        lines.extend(self.unchanged.clone());
        lines.extend(proposal(self.proposal.as_ref()));
        lines.push(self.next.clone());
        if let Some(line) = &self.listen {
            lines.push(format!(
                "To sleep until somebody writes, in the shell of the agent: {line}"
            ));
        }
        lines.extend(integrity(&self.integrity));
        lines.extend(warnings(&self.warnings));
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        match self.changed {
            false => Unwritten::Looked,
            true => Unwritten::done(
                format!("What was decided counts, and the mode is {}", self.mode),
                "`mode` shows how it stands.",
            ),
        }
    }
}

impl Show for RekeyAnswer {
    fn show(&self) -> String {
        let mut lines = vec![format!(
            "Re-keyed {}: epoch {} began.",
            heading(&self.title, &self.session),
            self.epoch
        )];
        lines.push(self.opens.clone());
        for (heading, some) in [("Stay:", &self.stays), ("Out:", &self.out)] {
            if !some.is_empty() {
                lines.push(heading.to_owned());
                lines.extend(some.iter().map(|one| format!("  {}", one.line())));
            }
        }
        lines.extend(warnings(&self.warnings));
        lines.push(self.next.clone());
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(
            format!("Re-keyed: epoch {} began", self.epoch),
            "do not re-key again; `link` makes the note with the new link.",
        )
    }
}

impl Show for AdminRekeyAnswer {
    fn show(&self) -> String {
        self.text()
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(
            format!("Re-keyed: epoch {} began", self.epoch),
            "do not re-key again; the new link was shown above.",
        )
    }
}

impl Show for EndAnswer {
    fn show(&self) -> String {
        self.text()
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(
            format!("The session {} is over", short(&self.session)),
            "it need not be ended again.",
        )
    }
}

impl Show for LeaveAnswer {
    fn show(&self) -> String {
        format!("{}\n{}", heading(&self.title, &self.session), self.next)
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(
            format!("The session {} was left", short(&self.session)),
            "it need not be left again.",
        )
    }
}

impl Show for ConnectAnswer {
    fn show(&self) -> String {
        self.text()
    }

    fn unwritten(&self) -> Unwritten {
        Unwritten::done(
            format!("This machine is connected to {}", self.plane),
            "it need not be connected again.",
        )
    }
}

impl Show for SessionsAnswer {
    fn show(&self) -> String {
        self.text()
    }
}

impl Show for ExportAnswer {
    fn show(&self) -> String {
        self.text()
    }
}
