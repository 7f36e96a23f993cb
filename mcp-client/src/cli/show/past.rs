//! `history` and `cockpit`, as a person reads them.

use super::Show;
use crate::verbs::{Answer as _, CockpitAnswer, HistoryAnswer};

/// Stands before every line of somebody else's text.
const GUTTER: &str = "  | ";

impl Show for HistoryAnswer {
    fn show(&self) -> String {
        let mut lines = vec![self.heading()];
        for task in &self.tasks {
            let hidden = match task.hidden_removed {
                0 => String::new(),
                hidden => format!(" [{hidden} hidden characters removed]"),
            };
            lines.push(String::new());
            lines.push(format!("{}{hidden}", task.label()));
            lines.extend(task.body().lines().map(|line| format!("{GUTTER}{line}")));
        }
        lines.extend(self.closing());
        lines.join("\n")
    }
}

impl Show for CockpitAnswer {
    fn show(&self) -> String {
        self.text()
    }
}
