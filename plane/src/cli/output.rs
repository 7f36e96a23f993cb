//! The one place that writes for the operator: answers on standard output, remarks and failures on standard error.
//! With `--json` answers and failures are JSON, one document a call.

use std::io::{self, IsTerminal as _, Write};

use serde::Serialize;

/// Where answers go, and how they look.
#[derive(Debug)]
pub(super) struct Output {
    json: bool,
}

impl Output {
    pub(super) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether somebody reads standard error.
    pub(super) fn on_terminal() -> bool {
        io::stderr().is_terminal()
    }

    /// Whether people read the answers, and not a program.
    pub(super) fn is_for_people(&self) -> bool {
        !self.json
    }

    /// A question, on standard error; the answer comes on the same line.
    pub(super) fn ask(&self, text: &str) {
        let mut err = io::stderr().lock();
        let _ = write!(err, "{text}").and_then(|()| err.flush());
    }

    /// An answer: the document for programs, or lines for people.
    pub(super) fn answer<T: Serialize>(&self, value: &T, lines: impl FnOnce(&T) -> String) {
        let text = if self.json {
            serde_json::to_string_pretty(value).unwrap_or_default()
        } else {
            lines(value)
        };
        write(&mut io::stdout().lock(), &text);
    }

    /// A remark for people.
    pub(super) fn remark(&self, text: &str) {
        if !self.json {
            write(&mut io::stderr().lock(), text);
        }
    }

    /// A failure, on standard error.
    pub(super) fn failure(&self, text: &str) {
        let text = if self.json {
            serde_json::json!({ "error": text }).to_string()
        } else {
            format!("error: {text}")
        };
        write(&mut io::stderr().lock(), &text);
    }
}

/// A reader that went away early is no failure of ours.
fn write(out: &mut impl Write, text: &str) {
    let _ = writeln!(out, "{text}").and_then(|()| out.flush());
}

/// Rows under headings, in columns as wide as they need to be.
pub(super) fn table<const N: usize>(headings: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return "none".to_owned();
    }
    let headings = headings.map(str::to_owned);
    let all = || std::iter::once(&headings).chain(rows);
    let mut widths = [0; N];
    for row in all() {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells: Vec<String> = row
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned()
    };
    all().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn columns_line_up() {
        let rows = [
            ["ada".to_owned(), "admin".to_owned()],
            ["bartholomew".to_owned(), "member".to_owned()],
        ];
        assert_eq!(
            table(["NAME", "ROLE"], &rows),
            "NAME         ROLE\nada          admin\nbartholomew  member"
        );
        assert_eq!(table(["NAME"], &[]), "none");
    }
}
