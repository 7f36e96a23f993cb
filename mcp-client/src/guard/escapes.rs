//! The text with its escapes undone: of JSON and of string literals, of addresses, of mail, of HTML and of Markdown.
//!
//! One round, in which an escape may itself be escaped any number of times. Where no escape is meant, as in a Windows path,
//! the text comes out wrong, which is why it is looked at as it is written too.

use std::ops::Range;

use super::references::reference;
use super::view::View;

/// What a byte or more stand for.
enum Meaning {
    Byte(u8),
    Symbol(char),
}

/// None where there is no escape.
pub(super) fn undone(view: &View) -> Option<View> {
    let bytes = &view.bytes;
    let mut undone = View::like(view);
    let (mut at, mut kept) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let (end, meaning) = match byte {
            b'\\' => backslash(bytes, at),
            b'%' => percent(bytes, at),
            b'=' => quoted(bytes, at),
            b'&' => {
                let (end, sign) = reference(bytes, at);
                (end, sign.map(Meaning::Symbol))
            }
            _ => (at + 1, None),
        };
        if let Some(meaning) = meaning {
            undone.keep(view, kept..at);
            put(&mut undone, meaning, view, at..end);
            kept = end;
        }
        at = end;
    }
    (kept > 0).then(|| {
        undone.keep(view, kept..bytes.len());
        undone
    })
}

fn put(undone: &mut View, meaning: Meaning, view: &View, part: Range<usize>) {
    match meaning {
        Meaning::Byte(byte) => undone.put(&[byte], view, &part),
        Meaning::Symbol(symbol) => {
            let mut room = [0; 4];
            undone.put(symbol.encode_utf8(&mut room).as_bytes(), view, &part);
        }
    }
}

/// `\n`, `\"`, `\_`, `\u003d`, `\u{3d}`, `\x1b`, `\033`, `\137`, behind any number of backslashes.
fn backslash(bytes: &[u8], at: usize) -> (usize, Option<Meaning>) {
    let rest = bytes.get(at..).unwrap_or_default();
    let letter = at + rest.iter().take_while(|byte| **byte == b'\\').count();
    let number = |from: usize, digits: usize, radix: u32| -> Option<u32> {
        let digits = bytes.get(from..from + digits)?;
        let known = |digit: &&u8| char::from(**digit).is_digit(radix);
        let text = std::str::from_utf8(digits).ok()?;
        (digits.iter().filter(known).count() == digits.len())
            .then(|| u32::from_str_radix(text, radix).ok())?
    };
    let symbol = |code: u32| Some(Meaning::Symbol(char::from_u32(code).unwrap_or(' ')));
    let byte = |byte: u8| (letter + 1, Some(Meaning::Byte(byte)));
    match bytes.get(letter) {
        Some(b'n') => byte(b'\n'),
        Some(b'r') => byte(b'\r'),
        Some(b't') => byte(b'\t'),
        Some(b'e') => byte(0x1B),
        Some(b'a' | b'b' | b'f' | b'v') => byte(b' '),
        Some(b'u' | b'x') if let Some((end, code)) = braced(bytes, letter + 1) => (end, symbol(code)),
        Some(b'U') if let Some(code) = number(letter + 1, 8, 16) => (letter + 9, symbol(code)),
        Some(b'u') if let Some(code) = number(letter + 1, 4, 16) => (letter + 5, symbol(code)),
        Some(b'x') if let Some(code) = number(letter + 1, 2, 16) => (letter + 3, symbol(code)),
        Some(b'0'..=b'3') if let Some(code) = number(letter, 3, 8) => (letter + 3, symbol(code)),
        Some(mark) if mark.is_ascii_punctuation() => byte(*mark),
        _ => (letter, None),
    }
}

/// `{3d}`, at most six digits: its end and what it says.
fn braced(bytes: &[u8], at: usize) -> Option<(usize, u32)> {
    let rest = bytes.get(at..)?.strip_prefix(b"{")?;
    let length = rest.iter().take(7).position(|byte| *byte == b'}')?;
    let digits = std::str::from_utf8(rest.get(..length)?).ok()?;
    let known = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let code = known.then(|| u32::from_str_radix(digits, 16).ok())??;
    Some((at + length + 2, code))
}

/// `%3D`, and `%253D` as what was encoded twice has it.
fn percent(bytes: &[u8], at: usize) -> (usize, Option<Meaning>) {
    let rest = bytes.get(at + 1..).unwrap_or_default();
    let again = 2 * rest.chunks_exact(2).take_while(|pair| *pair == b"25").count();
    let byte = |from: usize| {
        let high = char::from(*rest.get(from)?).to_digit(16)?;
        let low = char::from(*rest.get(from + 1)?).to_digit(16)?;
        u8::try_from(high * 16 + low).ok()
    };
    match (byte(again), again) {
        (Some(byte), _) => (at + again + 3, Some(Meaning::Byte(byte))),
        (None, 0) => (at + 1, None),
        (None, _) => (at + again + 1, Some(Meaning::Byte(b'%'))),
    }
}

/// `=3D` and the like of mail, no others: a value after `=` begins with two hexadecimal digits as often as not.
fn quoted(bytes: &[u8], at: usize) -> (usize, Option<Meaning>) {
    let meaning = match bytes.get(at + 1..at + 3) {
        Some(b"3D" | b"3d") => b'=',
        Some(b"0A" | b"0a") => b'\n',
        Some(b"0D" | b"0d") => b'\r',
        Some(b"20") => b' ',
        _ => return (at + 1, None),
    };
    (at + 3, Some(Meaning::Byte(meaning)))
}
