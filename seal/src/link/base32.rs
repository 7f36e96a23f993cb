//! Base32 of a link's token: 40 bytes are 64 symbols, with no bits to spare (`crypto.md` section 2).

use zeroize::Zeroizing;

use super::TOKEN_LEN;
use crate::error::Error;

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// The 64 symbols of a token.
pub(crate) fn encode(token: &[u8; TOKEN_LEN]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(TOKEN_LEN / 5 * 8));
    for group in token.as_chunks::<5>().0 {
        let [a, b, c, d, e] = *group;
        let bits = u64::from_be_bytes([0, 0, 0, a, b, c, d, e]);
        for place in (0..8).rev() {
            let symbol = ALPHABET.get((bits >> (5 * place) & 31) as usize);
            text.extend(symbol.map(|symbol| char::from(*symbol)));
        }
    }
    text
}

/// The token of exactly 64 lower-case symbols.
///
/// # Errors
/// `bad_encoding`.
pub(crate) fn decode(text: &str) -> Result<Zeroizing<[u8; TOKEN_LEN]>, Error> {
    let mut token = Zeroizing::new([0; TOKEN_LEN]);
    if text.len() != TOKEN_LEN / 5 * 8 {
        return Err(Error::BadEncoding);
    }
    for (group, symbols) in token
        .as_chunks_mut::<5>()
        .0
        .iter_mut()
        .zip(text.as_bytes().as_chunks::<8>().0)
    {
        let mut bits = 0;
        for symbol in symbols {
            let value = match symbol {
                b'a'..=b'z' => symbol - b'a',
                b'2'..=b'7' => symbol - b'2' + 26,
                _ => return Err(Error::BadEncoding),
            };
            bits = bits << 5 | u64::from(value);
        }
        let [_, _, _, tail @ ..] = bits.to_be_bytes();
        *group = tail;
    }
    Ok(token)
}
