//! The text as a reader sees it: what a terminal takes as an order and what nobody sees would keep a credential from being
//! found, before it and inside it.

use super::view::View;
use crate::render;

/// The longest order to a terminal that is looked for, in bytes.
const ORDER_MAX: usize = 512;

/// None where nothing is hidden, which is often.
pub(super) fn removed(view: &View) -> Option<View> {
    let bytes = &view.bytes;
    let mut seen = View::like(view);
    let (mut at, mut kept) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        let mut before = at;
        for symbol in chunk.valid().chars() {
            let (start, end) = (before, before + symbol.len_utf8());
            before = end;
            // Inside what is left out.
            if start < kept {
                continue;
            }
            let order = order(bytes.get(start..).unwrap_or_default());
            if order > 0 || is_hidden(symbol) {
                seen.keep(view, kept..start);
                kept = end.max(start + order);
            }
        }
        at += chunk.valid().len() + chunk.invalid().len();
    }
    (kept > 0).then(|| {
        seen.keep(view, kept..bytes.len());
        seen
    })
}

/// What is not seen, or only as an empty place or as a mark on the letter before it.
fn is_hidden(symbol: char) -> bool {
    match symbol {
        '\n' | '\t' | ' '..='~' => false,
        '\r' | '\u{2800}' => true,
        // Marks that combine with what stands before them.
        '\u{300}'..='\u{36F}'
        | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{FE20}'..='\u{FE2F}' => true,
        _ => symbol.is_whitespace() || render::is_hidden(symbol),
    }
}

/// How long the order to a terminal is that `rest` begins with: 0 where it begins with none.
fn order(rest: &[u8]) -> usize {
    match rest {
        [0x1B, b'[', ..] => 2 + sequence(rest.get(2..).unwrap_or_default()),
        [b'^', b'[', b'[', ..] => 3 + sequence(rest.get(3..).unwrap_or_default()),
        [0xC2, 0x9B, ..] => 2 + sequence(rest.get(2..).unwrap_or_default()),
        [0x1B, b']', ..] => 2 + command(rest.get(2..).unwrap_or_default()),
        [0x1B, b'(' | b')', _, ..] => 3,
        // Something has already dropped what announces a colour.
        [b'[', ..] => colour(rest),
        _ => 0,
    }
}

/// ECMA-48 section 5.4: parameters, intermediate bytes, a final byte.
fn sequence(rest: &[u8]) -> usize {
    let run = |from: usize, of: std::ops::RangeInclusive<u8>| {
        let rest = rest.get(from..).unwrap_or_default().iter();
        rest.take(ORDER_MAX).take_while(|byte| of.contains(byte)).count()
    };
    let parameters = run(0, 0x30..=0x3F);
    let end = parameters + run(parameters, 0x20..=0x2F);
    end + rest
        .get(end)
        .filter(|last| (0x40..=0x7E).contains(*last))
        .map_or(0, |_| 1)
}

/// An operating system command, up to what ends it, within its line.
fn command(rest: &[u8]) -> usize {
    let text = rest.iter().take(ORDER_MAX);
    let length = text
        .take_while(|byte| !matches!(byte, 0x07 | 0x1B | b'\n'))
        .count();
    match rest.get(length..) {
        Some([0x07, ..]) => length + 1,
        Some([0x1B, b'\\', ..]) => length + 2,
        _ => 0,
    }
}

/// `[01;31m`, and the `[K` that grep puts behind it.
fn colour(rest: &[u8]) -> usize {
    let after = rest.iter().skip(1).take(ORDER_MAX);
    let length = 1 + after
        .take_while(|byte| matches!(byte, b'0'..=b'9' | b';'))
        .count();
    match rest.get(length..) {
        Some([b'm', b'[', b'K', ..]) if length > 1 => length + 3,
        Some([b'm', ..]) if length > 1 => length + 1,
        _ => 0,
    }
}
