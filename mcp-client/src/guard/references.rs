//! What HTML and Markdown write for a sign: `&#95;`, `&#x5F;`, `&lowbar;`.

/// Names of the signs that stand in credentials or beside them, and of those that nobody sees. `hyphen` and `dash` are another
/// sign in HTML; whoever means a credential by them means the one of ASCII.
const NAMES: [(&[u8], char); 48] = [
    (b"lowbar", '_'),
    (b"UnderBar", '_'),
    (b"commat", '@'),
    (b"colon", ':'),
    (b"sol", '/'),
    (b"equals", '='),
    (b"plus", '+'),
    (b"hyphen", '-'),
    (b"dash", '-'),
    (b"period", '.'),
    (b"amp", '&'),
    (b"AMP", '&'),
    (b"quot", '"'),
    (b"QUOT", '"'),
    (b"apos", '\''),
    (b"lt", '<'),
    (b"LT", '<'),
    (b"gt", '>'),
    (b"GT", '>'),
    (b"num", '#'),
    (b"percnt", '%'),
    (b"dollar", '$'),
    (b"excl", '!'),
    (b"ast", '*'),
    (b"midast", '*'),
    (b"comma", ','),
    (b"semi", ';'),
    (b"quest", '?'),
    (b"lpar", '('),
    (b"rpar", ')'),
    (b"lbrack", '['),
    (b"lsqb", '['),
    (b"rbrack", ']'),
    (b"rsqb", ']'),
    (b"lbrace", '{'),
    (b"lcub", '{'),
    (b"rbrace", '}'),
    (b"rcub", '}'),
    (b"bsol", '\\'),
    (b"Hat", '^'),
    (b"grave", '`'),
    (b"verbar", '|'),
    (b"Tab", '\t'),
    (b"NewLine", '\n'),
    (b"nbsp", '\u{A0}'),
    (b"shy", '\u{AD}'),
    (b"ZeroWidthSpace", '\u{200B}'),
    (b"NoBreak", '\u{2060}'),
];

/// The reference that begins with the `&` at `at`: its end, and what it stands for. `&amp;#95;`, as what was written for HTML
/// twice has it, is the same. A number may lack its semicolon, as browsers read it.
pub(super) fn reference(bytes: &[u8], at: usize) -> (usize, Option<char>) {
    let again = |rest: &[u8]| rest.chunks_exact(4).take_while(|part| *part == b"amp;").count() * 4;
    let start = at + 1 + again(bytes.get(at + 1..).unwrap_or_default());
    let rest = bytes.get(start..).unwrap_or_default();
    let (digits, radix) = match rest {
        [b'#', b'x' | b'X', ..] => (2, 16),
        [b'#', ..] => (1, 10),
        _ => {
            let named = NAMES.iter().find(|(name, _)| {
                rest.strip_prefix(*name)
                    .is_some_and(|after| after.first() == Some(&b';'))
            });
            return match named {
                Some((name, sign)) => (start + name.len() + 1, Some(*sign)),
                None => alone(at, start),
            };
        }
    };
    let number = rest.get(digits..).unwrap_or_default();
    let values = number.iter().map_while(|byte| char::from(*byte).to_digit(radix));
    let (length, code) = values.fold((0, 0_u32), |(length, code), value| {
        (length + 1, code.saturating_mul(radix).saturating_add(value))
    });
    if length == 0 {
        return alone(at, start);
    }
    let semicolon = usize::from(number.get(length) == Some(&b';'));
    let sign = char::from_u32(code).filter(|sign| *sign != '\0').unwrap_or(' ');
    (start + digits + length + semicolon, Some(sign))
}

/// Nothing but `&amp;`, any number of times, or a sign that stands for itself.
fn alone(at: usize, start: usize) -> (usize, Option<char>) {
    (start, (start > at + 1).then_some('&'))
}
