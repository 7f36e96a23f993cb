//! Characters that show nothing, or change how others show: removed and counted.

use unicode_normalization::char::is_combining_mark;

use crate::redact;

/// Marks on one character that any writing system needs; a pile of more runs over the lines around it.
const MARKS_MAX: usize = 8;

/// Text made safe to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    /// What is left, links and tokens withheld.
    pub text: String,
    /// How many hidden characters were removed.
    pub hidden: usize,
}

impl Cleaned {
    /// "3 hidden characters removed"; none if there were none.
    pub fn remark(&self) -> Option<String> {
        match self.hidden {
            0 => None,
            1 => Some("1 hidden character removed".to_owned()),
            more => Some(format!("{more} hidden characters removed")),
        }
    }
}

/// Makes somebody else's text safe to show: removes and counts hidden characters, then withholds links and tokens.
///
/// In this order, since a hidden character inside a link would keep it from being found. Escape sequences lose the
/// escape character alone, so that the rest is seen. Line breaks become `\n`, whatever they were.
pub fn text(raw: &str) -> Cleaned {
    let (shown, hidden) = strip(raw);
    Cleaned {
        text: redact::text(&shown).into_owned(),
        hidden,
    }
}

/// What can be seen of somebody else's text, to compare by. Not to show: links and tokens still stand in it.
pub fn visible(raw: &str) -> String {
    strip(raw).0
}

/// Whether nothing of a text can be seen.
pub fn is_blank(raw: &str) -> bool {
    visible(raw).trim().is_empty()
}

/// Removes hidden characters; gives how many.
pub(super) fn strip(raw: &str) -> (String, usize) {
    let mut shown = String::with_capacity(raw.len());
    let mut hidden = 0;
    let mut marks = MARKS_MAX;
    let mut last = None;
    let mut characters = raw.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            // One per visible character chooses between text and emoji style, in ordinary writing: gone, not counted.
            '\u{FE0E}' | '\u{FE0F}' if last.is_some_and(|before: char| !is_hidden(before)) => {}
            other if is_hidden(other) => hidden += 1,
            mark if !mark.is_ascii() && is_combining_mark(mark) => {
                marks += 1;
                if marks > MARKS_MAX {
                    hidden += 1;
                } else {
                    shown.push(mark);
                }
            }
            other => {
                let visible = plain(other);
                // At the start of a line there is nothing of its own for a mark to stand on.
                marks = if visible == '\n' { MARKS_MAX } else { 0 };
                shown.push(visible);
            }
        }
        last = Some(character);
    }
    (shown, hidden)
}

/// The plain form of line ends and of a blank that counts as a symbol.
fn plain(character: char) -> char {
    match character {
        '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        '\u{2800}' => ' ',
        other => other,
    }
}

/// Whether a character is removed: controls other than line feed and tab, what Unicode says is ignored when shown
/// (property `Default_Ignorable_Code_Point`), bidirectional controls, interlinear annotation marks.
pub(crate) fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        // ASCII first: it is most of what passes here.
        ' '..='~' => false,
        // Of the other controls one is a line end.
        '\u{85}' => false,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' => true,
        '\u{AD}' | '\u{34F}' | '\u{61C}' => true,
        // Hangul fillers: blanks that count as letters.
        '\u{115F}'..='\u{1160}' | '\u{3164}' | '\u{FFA0}' => true,
        '\u{17B4}'..='\u{17B5}' => true,
        '\u{180B}'..='\u{180F}' => true,
        // Zero-width space and joiners, marks and overrides of direction.
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFC}' => true,
        '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}' => true,
        // Tags and variation selectors: whole alphabets that show nothing.
        '\u{E0000}'..='\u{E0FFF}' => true,
        // No characters, by definition: the last two of each plane, and 32 in between.
        '\u{FDD0}'..='\u{FDEF}' => true,
        other => u32::from(other) & 0xFFFE == 0xFFFE,
    }
}
