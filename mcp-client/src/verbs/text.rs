//! The text form of answers. Each message stands in a block of its own, whose boundary nobody could know when they wrote.
//!
//! What a participant chose (text, topic, paths) stands inside the block; outside are our own words, and names in
//! quotation marks.

use std::fmt::Write as _;

use super::counted;
use super::items::{EventItem, IntegrityItem, JoinCard, MessageItem, ParticipantItem};
use super::proposals::ProposalItem;
use crate::render::{Cleaned, Tag};

/// Collects the lines of one answer.
pub(super) struct Text {
    out: String,
    tag: Option<Tag>,
}

impl Text {
    /// An answer about a session. Titles are other people's words as well.
    pub(super) fn about(title: &str, session: &str) -> Self {
        let mut text = Self::bare();
        text.session(title, session);
        text
    }

    /// An answer that goes on with what was said before.
    pub(super) fn bare() -> Self {
        Self {
            out: String::new(),
            // Without randomness there is no safe boundary, and no text is shown.
            tag: Tag::fresh().ok(),
        }
    }

    /// Which session it is about.
    pub(super) fn session(&mut self, title: &str, session: &str) {
        let short: String = session.chars().take(8).collect();
        self.line(format_args!("Session \"{title}\" ({short})"));
    }

    /// A line in our own words.
    pub(super) fn line(&mut self, line: impl std::fmt::Display) {
        // Writing to a string can't fail.
        let _ = writeln!(self.out, "{line}");
    }

    /// The mode, and what is left of auto.
    pub(super) fn mode(&mut self, mode: &str, budget_left: Option<u32>, ends_at: Option<&str>) {
        let budget =
            budget_left.map_or_else(String::new, |left| format!(", {} left", counted(left, "message")));
        let end = ends_at.map_or_else(String::new, |end| format!(", until {end}"));
        self.line(format_args!("Mode: {mode}{budget}{end}"));
    }

    /// The open proposal, if there is one. Its goal stands in a block of its own.
    pub(super) fn proposal(&mut self, proposal: Option<&ProposalItem>) {
        let Some(proposal) = proposal else { return };
        let short: String = proposal.by_id.chars().take(8).collect();
        self.line(format_args!(
            "Auto is proposed by \"{}\" {short}{}: {}, by everybody together; to be accepted until {}.",
            proposal.by,
            if proposal.mine { " (you)" } else { "" },
            proposal.bounds(),
            proposal.lapses_at
        ));
        let Some(goal) = &proposal.goal else {
            self.line("Its goal can't be read here.");
            return;
        };
        let cut = proposal.goal_bytes.map_or_else(String::new, |bytes| {
            format!(", cut, {bytes} bytes in all: see `mode`")
        });
        self.quote(
            &format!("Its goal, by \"{}\"{cut}", proposal.by),
            goal,
            proposal.hidden_removed,
        );
    }

    /// Integrity, at length only if something is wrong.
    pub(super) fn integrity(&mut self, integrity: &IntegrityItem) {
        if integrity.state == "ok" {
            let confirmed = match (integrity.confirmed_up_to, &integrity.confirmed_by) {
                (Some(seq), Some(by)) => format!(", confirmed up to {seq} by \"{by}\""),
                _ => String::new(),
            };
            self.line(format_args!(
                "Integrity: ok from {} on{confirmed}",
                integrity.checked_from
            ));
            return;
        }
        let error = integrity.error.as_deref().unwrap_or_default();
        self.line(format_args!(
            "Integrity: {} ({error}). {}",
            integrity.state, integrity.detail
        ));
    }

    /// Messages and events in the order of the transcript.
    pub(super) fn timeline(&mut self, messages: &[MessageItem], events: &[EventItem]) {
        let mut events = events.iter().peekable();
        for message in messages {
            while let Some(event) = events.next_if(|event| event.seq < message.seq) {
                self.event(event);
            }
            self.message(message);
        }
        events.for_each(|event| self.event(event));
    }

    /// What the plane says happened.
    pub(super) fn event(&mut self, event: &EventItem) {
        self.line(format_args!("{} (by the plane) {}", event.seq, event.text));
    }

    /// One message.
    pub(super) fn message(&mut self, message: &MessageItem) {
        let mut label = format!("{} {} \"{}\"", message.seq, message.at, message.from);
        if message.mine {
            label.push_str(" (you)");
        }
        if let Some(seq) = message.reply_to {
            let _ = write!(label, ", reply to {seq}");
        }
        if message.pin {
            label.push_str(", pinned");
        }
        if let Some(signal) = &message.signal {
            let _ = write!(label, ", says {signal}");
        }
        if let (Some(offset), Some(total)) = (message.offset, message.total_bytes) {
            let _ = write!(label, ", part from byte {offset} of {total}");
        } else if let Some(total) = message.total_bytes {
            let _ = write!(label, ", cut, {total} bytes in all");
        }
        let Some(body) = &message.text else {
            let why = message.problem.as_deref().unwrap_or("unreadable");
            self.line(format_args!("{label}: can't be read ({why})"));
            return;
        };
        if let Some(problem) = &message.problem {
            let _ = write!(label, ", {problem}");
        }
        self.quote(&label, &(heading(message) + body), message.hidden_removed);
    }

    fn quote(&mut self, label: &str, body: &str, hidden_removed: u64) {
        let Some(tag) = &self.tag else {
            self.line(format_args!(
                "{label}: withheld, this machine gives no randomness to quote it safely"
            ));
            return;
        };
        let hidden = Cleaned {
            text: String::new(),
            hidden: usize::try_from(hidden_removed).unwrap_or(usize::MAX),
        };
        let quoted = tag.quote(label, body, hidden.remark().as_deref());
        self.out.push_str(&quoted);
    }

    /// Participants, one a line.
    pub(super) fn participants(&mut self, participants: &[ParticipantItem]) {
        for one in participants {
            if let Some(why) = &one.why_out {
                self.line(format_args!(
                    "- \"{}\" {} {}, {why}",
                    one.name, one.short_id, one.kind
                ));
                continue;
            }
            let mut line = format!(
                "- \"{}\" {} {}, {}",
                one.name, one.short_id, one.kind, one.capability
            );
            for (is, word) in [
                (one.me, ", you"),
                (one.owner, ", owner"),
                (!one.may_write, ", may not write"),
                (one.not_moved_over, ", kept by the re-key and not moved over yet"),
                (one.listening, ", listening"),
                (one.left_at.is_some(), ", left"),
            ] {
                if is {
                    line.push_str(word);
                }
            }
            let _ = write!(line, ", read up to {}", one.read_up_to);
            if let Some(seq) = one.confirmed_up_to {
                let _ = write!(line, ", confirmed up to {seq}");
            }
            let _ = write!(line, ", seen {}", one.last_seen_at);
            self.line(line);
        }
    }

    /// The session at a glance.
    pub(super) fn card(&mut self, card: &JoinCard) {
        let until = match card.over {
            true => "over".to_owned(),
            false => format!("open until {} unless somebody writes", card.expires_at),
        };
        self.line(format_args!(
            "{}, {}; {until}. Here:",
            counted(card.records, "record"),
            counted(card.messages, "message")
        ));
        self.participants(&card.participants);
        let more = card
            .participants_here
            .saturating_sub(card.participants.len() as u64);
        if more > 0 {
            self.line(format_args!("- and {more} more: ask `who`"));
        }
        if let Some(handoff) = &card.handoff {
            self.line("The hand-off:");
            self.message(handoff);
        }
        if let Some(closed) = &card.handoff_closed {
            self.line(closed);
        }
        for (heading, messages) in [
            ("Pinned:", &card.pinned),
            ("Questions without an answer:", &card.unanswered),
            ("The latest:", &card.latest),
        ] {
            if !messages.is_empty() {
                self.line(heading);
                messages.iter().for_each(|message| self.message(message));
            }
        }
    }

    /// How to sleep until somebody writes.
    pub(super) fn listen(&mut self, line: Option<&str>) {
        if let Some(line) = line {
            self.line(format_args!(
                "To sleep until somebody else writes, without a model turn, run this in a shell in the background; it prints no \
                 message text and marks nothing as read: {line}"
            ));
        }
    }

    /// Warnings and what to do next.
    pub(super) fn closing(&mut self, warnings: &[String], next: &str) {
        warnings.iter().for_each(|warning| self.line(warning));
        if !next.is_empty() {
            self.line(next);
        }
    }

    /// The whole text.
    pub(super) fn finish(self) -> String {
        self.out
    }
}

/// Kind, topic, addressees and paths, inside the block: their words are the author's.
fn heading(message: &MessageItem) -> String {
    let mut heading = format!("[{}]", message.kind);
    if let Some(topic) = &message.topic {
        let _ = write!(heading, " [topic: {topic}]");
    }
    if !message.addressed.is_empty() {
        let _ = write!(heading, " [to: {}]", message.addressed.join(", "));
    }
    if !message.paths.is_empty() {
        let _ = write!(heading, " [paths: {}]", message.paths.join(", "));
    }
    heading.push('\n');
    heading
}
