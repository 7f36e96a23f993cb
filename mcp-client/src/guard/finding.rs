//! What was found, and where. Never the value.

use std::fmt;
use std::ops::Range;

/// Most findings that are kept of one scan; a text with more is refused for these.
pub(super) const FINDINGS_MAX: usize = 256;

/// Most findings that a sentence names.
const NAMED_MAX: usize = 5;

/// What stands in place of a credential in text that is shown.
const WITHHELD: &str = "[credential withheld]";

/// One credential, as it seems.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id; it never changes.
    pub rule: &'static str,
    /// What it seems to be, with its article: "a GitHub personal access token".
    pub kind: &'static str,
    /// Where it stands.
    pub place: Place,
    /// It is a session link or a token of ours, which nobody may allow.
    pub ours: bool,
    /// Where its bytes are.
    pub(super) span: Range<usize>,
}

/// Where something stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// What was scanned: the name of a field or a file, as the caller gave it.
    pub name: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, line {}, column {}", self.name, self.line, self.column)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.kind, self.place)
    }
}

/// All that was found, of one scan or of several together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Finding>,
}

impl Findings {
    pub(super) fn new(list: Vec<Finding>) -> Self {
        Self { list }
    }

    /// Adds those of another scan.
    pub fn extend(&mut self, more: Self) {
        self.list.extend(more.list);
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// One by one, in the order in which they stand.
    pub fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.list.iter()
    }

    /// Whether one of them is a link or token of ours.
    pub fn hold_ours(&self) -> bool {
        self.list.iter().any(|finding| finding.ours)
    }

    /// `text`, which these are the findings of, with something else in place of each value.
    pub fn withheld_in(&self, text: &str) -> String {
        if self.list.len() >= FINDINGS_MAX {
            return WITHHELD.to_owned();
        }
        let mut shown = String::with_capacity(text.len());
        let mut at = 0;
        for finding in &self.list {
            let span = whole(text, &finding.span);
            if span.end <= at {
                continue;
            }
            shown.push_str(text.get(at..span.start).unwrap_or_default());
            shown.push_str(WITHHELD);
            at = span.end;
        }
        shown.push_str(text.get(at..).unwrap_or_default());
        shown
    }
}

/// As a list for a sentence: "a GitHub personal access token (`text`, line 3, column 9) and a private key (…)".
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = self.list.len().min(NAMED_MAX);
        let more = self.list.len() - named;
        for (at, finding) in self.list.iter().take(named).enumerate() {
            let before = match at {
                0 => "",
                at if at + 1 == named && more == 0 => " and ",
                _ => ", ",
            };
            write!(f, "{before}{finding}")?;
        }
        match more {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

/// A rule may end before its value does: to both sides whatever could belong to it, on boundaries of characters.
fn whole(text: &str, span: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+/=.~%".contains(byte) || !byte.is_ascii();
    let start = span.start.min(bytes.len());
    let end = span.end.clamp(start, bytes.len());
    let before = bytes.get(..start).unwrap_or_default().iter().rev();
    let after = bytes.get(end..).unwrap_or_default().iter();
    start - before.take_while(|byte| belongs(byte)).count()
        ..end + after.take_while(|byte| belongs(byte)).count()
}
