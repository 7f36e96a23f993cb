//! What a watcher sees, line by line.

use super::Show;
use super::items;
use crate::render::in_quotes;
use crate::verbs::watch::{Sight, Sights, listens};

impl Show for Sights {
    fn show(&self) -> String {
        let lines: Vec<String> = self.seen.iter().flat_map(lines).collect();
        lines.join("\n")
    }
}

fn lines(sight: &Sight) -> Vec<String> {
    match sight {
        Sight::Session {
            session,
            title,
            participants,
        } => {
            let mut lines = vec![items::heading(title, session)];
            lines.extend(participants.iter().map(items::participant));
            lines
        }
        Sight::Message(message) => items::message(message),
        Sight::Event(event) => items::transcript(&[], std::slice::from_ref(event)),
        Sight::Mode {
            mode,
            budget_left,
            auto_ends_at,
        } => vec![items::mode(mode, *budget_left, auto_ends_at.as_deref())],
        Sight::Listening {
            name,
            short_id,
            listening,
        } => vec![format!(
            "-- {} ({short_id}) {}",
            in_quotes(name),
            listens(*listening)
        )],
        Sight::Integrity(integrity) => items::integrity(integrity),
        Sight::Note { text } => items::warnings(std::slice::from_ref(text)),
    }
}
