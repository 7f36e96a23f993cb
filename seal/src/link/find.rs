//! Finding the one link in pasted text (`crypto.md` section 4.1).
//!
//! The text goes through two steps: undone is what mail, chat and editors do to it (wrapping, quoting, percent
//! encoding, hidden characters), then one expression finds links in what is left. Copies of the text are
//! wiped, since it may hold a secret.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex, RegexBuilder};
use wire::ids::SessionId;
use zeroize::Zeroizing;

use super::{Link, base32, check_of};
use crate::error::Error;
use crate::secret::{LinkKind, LinkSecret};

/// The longest text that is searched, in bytes of UTF-8.
const INPUT_MAX: usize = 65_536;
/// Programs on the way percent-encode again and again; more rounds than this are not undone.
const ROUNDS_MAX: usize = 4;
/// Hosts that plain HTTP may go to.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

const UUID: &str = "[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}";
/// One symbol other than `#`, of however many bytes. Counting symbols in bytes this way keeps an expression with
/// hundreds of them a tenth as large, and it stays in memory.
const NOT_HASH: &str = r"[^#\x80-\xBF][\x80-\xBF]*";
const NOT_SLASH: &str = r"[^/\x80-\xBF][\x80-\xBF]*";

/// The expressions of steps 4 and 7, on the bytes of the text. Each is compiled when it is first needed, which most
/// never are.
static LINK: Expression = LazyLock::new(|| {
    let before = before_fragment();
    compile(&format!(
        r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(:[0-9]{{1,5}})?/s/({UUID}){before}#dp1([fv])([a-z2-7]{{64}})"
    ))
});
static OTHER_VERSION: Expression = LazyLock::new(|| compile(&format!("{}(?:[02-9]|1[a-eg-uw-z2-7])", tag())));
static CUT: Expression = LazyLock::new(|| compile(&format!("{}|#dp1[fv]", tag())));
static ID_ONLY: Expression = LazyLock::new(|| compile(&format!(r"/s/{UUID}(?:[^0-9a-f\-]|\z)")));
static BEGUN: Expression = LazyLock::new(|| compile(&format!("https?://(?:{NOT_SLASH}){{1,255}}/s/")));

type Expression = LazyLock<Option<Regex>>;

fn compile(expression: &str) -> Option<Regex> {
    RegexBuilder::new(expression).unicode(false).build().ok()
}

fn before_fragment() -> String {
    format!(r"/?(?:\?(?:{NOT_HASH}){{0,512}})?")
}

fn tag() -> String {
    format!("/s/{UUID}{}#dp", before_fragment())
}

/// Whether an expression is found. They are constants that tests compile; one that would not finds nothing.
fn found(expression: &Expression, text: &str) -> bool {
    expression
        .as_ref()
        .is_some_and(|regex| regex.is_match(text.as_bytes()))
}

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
    let text = unwrap_text(text);
    let links = LINK.as_ref().ok_or(Error::LinkMissing)?;

    let mut matched = false;
    let mut link: Option<Candidate<'_>> = None;
    for captures in links.captures_iter(text.as_bytes()) {
        matched = true;
        let Some(candidate) = Candidate::read(&captures) else {
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
    } else if found(&OTHER_VERSION, &text) {
        Error::LinkVersion
    } else if found(&CUT, &text) {
        Error::LinkTruncated
    } else if found(&ID_ONLY, &text) {
        Error::LinkNoKey
    } else if found(&BEGUN, &text) {
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
    fn read(captures: &Captures<'t>) -> Option<Self> {
        // What the groups stand for is ASCII.
        let group = |at| std::str::from_utf8(captures.get(at)?.as_bytes()).ok();
        let session_id = session_id(group(4)?)?;
        let kind = if group(5)? == "f" {
            LinkKind::Full
        } else {
            LinkKind::View
        };
        let token = base32::decode(group(6)?).ok()?;
        let (secret, rest) = token.split_first_chunk::<32>()?;
        let (epoch, check) = rest.split_first_chunk::<4>()?;
        let epoch = u32::from_be_bytes(*epoch);
        (check == check_of(kind, &session_id, epoch, secret)).then(|| Self {
            scheme: group(1).unwrap_or_default(),
            host: group(2).unwrap_or_default(),
            port: group(3).unwrap_or_default(),
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

/// Steps 2 and 3: the text as it was before programs on the way changed it.
fn unwrap_text(text: &str) -> Zeroizing<String> {
    let mut text = Zeroizing::new(text.to_owned());
    for _ in 0..ROUNDS_MAX {
        text = kept(&text, |symbol| (!is_ignorable(symbol)).then_some(symbol));
        let decoded = percent_decoded(&text);
        if *decoded == *text {
            break;
        }
        text = decoded;
    }
    kept(&text, |symbol| match symbol {
        '>' | '=' | '\\' | '|' => None,
        symbol if is_ignorable(symbol) || is_space(symbol) => None,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{FE58}' | '\u{FE63}' | '\u{FF0D}' => Some('-'),
        symbol => Some(symbol.to_ascii_lowercase()),
    })
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
