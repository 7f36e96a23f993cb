//! Finding the one link in pasted text (`crypto.md` section 4.1).
//!
//! The text goes through two steps: undone is what mail, chat and editors do to it (wrapping, quoting, percent
//! encoding, hidden characters), then links are looked for in what is left by their shape. Copies of the text are
//! wiped, since it may hold a secret.

use wire::ids::SessionId;
use zeroize::Zeroizing;

use super::shape::{self, Shape};
use super::{Link, base32, check_of};
use crate::error::Error;
use crate::secret::{LinkKind, LinkSecret};

/// The longest text that is searched, in bytes of UTF-8.
const INPUT_MAX: usize = 65_536;
/// Programs on the way percent-encode again and again; more rounds than this are not undone.
const ROUNDS_MAX: usize = 4;
/// Hosts that plain HTTP may go to.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Finds the one link in pasted text, however it was wrapped, quoted or encoded on the way.
///
/// The same function serves a tool argument, the clipboard and the environment.
///
/// # Errors
/// `input_too_long`, `link_missing`, `link_no_key`, `link_version`, `link_truncated`, `link_checksum`,
/// `link_ambiguous`, `link_insecure`, `link_epoch`.
pub fn find(text: &str) -> Result<Link, Error> {
    if text.len() > INPUT_MAX {
        return Err(Error::InputTooLong);
    }
    let text = undone(text);

    let mut matched = false;
    let mut link: Option<Candidate<'_>> = None;
    for shape in shape::links(&text) {
        matched = true;
        let Some(candidate) = Candidate::read(&shape) else {
            continue;
        };
        match &link {
            Some(other) if !other.same(&candidate) => return Err(Error::LinkAmbiguous),
            Some(_) => {}
            None => link = Some(candidate),
        }
    }
    if let Some(link) = link {
        return link.into_link();
    }
    Err(if matched {
        Error::LinkChecksum
    } else if shape::has_other_version(&text) {
        Error::LinkVersion
    } else if shape::has_cut(&text) {
        Error::LinkTruncated
    } else if shape::has_id_only(&text) {
        Error::LinkNoKey
    } else if shape::has_begun(&text) {
        Error::LinkTruncated
    } else {
        Error::LinkMissing
    })
}

/// A match whose check is right.
struct Candidate<'t> {
    scheme: &'t str,
    host: &'t str,
    port: &'t str,
    session_id: SessionId,
    epoch: u32,
    secret: LinkSecret,
}

impl<'t> Candidate<'t> {
    fn read(shape: &Shape<'t>) -> Option<Self> {
        let session_id = session_id(shape.session)?;
        let kind = if shape.kind == "f" {
            LinkKind::Full
        } else {
            LinkKind::View
        };
        let token = base32::decode(shape.token).ok()?;
        let (secret, rest) = token.split_first_chunk::<32>()?;
        let (epoch, check) = rest.split_first_chunk::<4>()?;
        let epoch = u32::from_be_bytes(*epoch);
        (check == check_of(kind, &session_id, epoch, secret)).then(|| Self {
            scheme: shape.scheme,
            host: shape.host,
            port: shape.port,
            session_id,
            epoch,
            secret: LinkSecret::from_bytes(kind, *secret),
        })
    }

    fn same(&self, other: &Self) -> bool {
        (self.scheme, self.host, self.port) == (other.scheme, other.host, other.port)
            && (self.session_id, self.epoch) == (other.session_id, other.epoch)
            && self.secret.same(&other.secret)
    }

    fn into_link(self) -> Result<Link, Error> {
        if self.scheme == "http" && !LOOPBACK.contains(&self.host) {
            return Err(Error::LinkInsecure);
        }
        if self.epoch == 0 {
            return Err(Error::LinkEpoch);
        }
        Ok(Link {
            origin: format!("{}://{}{}", self.scheme, self.host, self.port),
            session_id: self.session_id,
            epoch: self.epoch,
            secret: self.secret,
        })
    }
}

/// A session id of 32 hex digits, with or without hyphens between them.
fn session_id(text: &str) -> Option<SessionId> {
    let mut digits = text.chars().filter_map(|digit| digit.to_digit(16));
    let mut bytes = [0; 16];
    for byte in &mut bytes {
        *byte = u8::try_from(digits.next()? << 4 | digits.next()?).ok()?;
    }
    Some(SessionId::from_bytes(bytes))
}

/// Steps 2 and 3 of `crypto.md` section 4.1: the text as it was before programs on the way changed it, in lower case.
/// Without white space, so for looking into, not for reading.
pub fn undone(text: &str) -> Zeroizing<String> {
    kept(&decoded(text), |symbol| match symbol {
        '>' | '=' | '\\' | '|' => None,
        symbol if is_ignorable(symbol) || is_space(symbol) => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => Some('-'),
        symbol => Some(symbol.to_ascii_lowercase()),
    })
}

/// Step 2 alone: without hidden characters and percent encoding, however often it was put on.
pub fn decoded(text: &str) -> Zeroizing<String> {
    let mut text = Zeroizing::new(text.to_owned());
    for _ in 0..ROUNDS_MAX {
        text = kept(&text, |symbol| (!is_ignorable(symbol)).then_some(symbol));
        let decoded = percent_decoded(&text);
        if *decoded == *text {
            break;
        }
        text = decoded;
    }
    text
}

/// The symbols that `keep` gives. No symbol gets longer, so the copy never grows beyond its first room.
fn kept(text: &str, keep: impl Fn(char) -> Option<char>) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(text.len()));
    for symbol in text.chars().filter_map(keep) {
        out.push(symbol);
    }
    out
}

/// Decodes each longest run of `%HH` as UTF-8; invalid bytes become U+FFFD.
fn percent_decoded(text: &str) -> Zeroizing<String> {
    let mut out = Zeroizing::new(String::with_capacity(text.len()));
    let mut run = Zeroizing::new(Vec::with_capacity(text.len() / 3));
    let mut rest = text;
    while let Some(symbol) = rest.chars().next() {
        if let Some((byte, after)) = percent_pair(rest) {
            run.push(byte);
            rest = after;
            continue;
        }
        push_lossy(&mut out, &mut run);
        out.push(symbol);
        rest = rest.get(symbol.len_utf8()..).unwrap_or_default();
    }
    push_lossy(&mut out, &mut run);
    out
}

fn percent_pair(text: &str) -> Option<(u8, &str)> {
    let (pair, after) = text.strip_prefix('%')?.split_at_checked(2)?;
    let mut digits = pair.chars().map(|digit| digit.to_digit(16));
    let value = digits.next()?? << 4 | digits.next()??;
    Some((u8::try_from(value).ok()?, after))
}

fn push_lossy(out: &mut String, run: &mut Vec<u8>) {
    for chunk in run.utf8_chunks() {
        out.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            out.push(char::REPLACEMENT_CHARACTER);
        }
    }
    run.clear();
}

const fn is_ignorable(symbol: char) -> bool {
    matches!(
        symbol,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{FEFF}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0F}'
    )
}

const fn is_space(symbol: char) -> bool {
    matches!(
        symbol,
        '\u{0009}'..='\u{000D}' | ' ' | '\u{0085}' | '\u{00A0}' | '\u{1680}'
            | '\u{2000}'..='\u{200A}'
            | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}'
    )
}
