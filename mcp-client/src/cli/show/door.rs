//! `door`, as a person reads it.

use super::Show;
use crate::verbs::{DoorAnswer, door};

impl Show for DoorAnswer {
    fn show(&self) -> String {
        let short = self.session.get(..8).unwrap_or(&self.session);
        let mut lines = vec![format!("{} ({short})", self.title)];
        lines.extend(self.done().map(str::to_owned));
        lines.push(format!("Door: {}", self.stands()));
        lines.extend(self.knocking.iter().map(door::line));
        lines.push(self.next.clone());
        lines.join("\n")
    }
}
