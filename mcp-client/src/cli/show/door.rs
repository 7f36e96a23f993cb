//! `door`, as a person reads it.

use super::items::heading;
use super::{Show, Unwritten};
use crate::verbs::{DoorAnswer, door};

impl Show for DoorAnswer {
    fn show(&self) -> String {
        let mut lines = vec![heading(&self.title, &self.session)];
        lines.extend(self.done().map(str::to_owned));
        lines.push(format!("Door: {}", self.stands()));
        lines.extend(self.knocking.iter().map(door::line));
        lines.push(self.next.clone());
        lines.join("\n")
    }

    fn unwritten(&self) -> Unwritten {
        match self.done() {
            None => Unwritten::Looked,
            Some(done) => Unwritten::done(
                done.trim_end_matches('.'),
                "it need not be done again; `door` shows how it stands.",
            ),
        }
    }
}
