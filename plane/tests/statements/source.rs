//! Reads string constants from Rust source: literals, `concat!`, and macros of one arm that stand for text.

use std::collections::HashMap;

/// A text that holds SQL.
#[derive(Debug)]
pub(crate) struct Statement {
    /// The file, and the name of the constant if it is one.
    pub(crate) place: String,
    pub(crate) is_constant: bool,
    pub(crate) sql: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Text(String),
    Word(String),
    Sign(char),
}

impl Token {
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(found) if found == word)
    }

    pub(crate) fn sign(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }
}

/// A macro that stands for text: its parameters and what it becomes.
#[derive(Debug, Clone)]
struct Macro {
    parameters: Vec<String>,
    body: Vec<Token>,
}

/// The SQL of all files: of each constant, and of each literal elsewhere.
pub(crate) fn statements(sources: &[(String, String)]) -> Vec<Statement> {
    let files: Vec<(&str, Vec<Token>)> = sources
        .iter()
        .map(|(name, text)| (name.as_str(), code(text)))
        .collect();
    let macros: HashMap<String, Macro> = files.iter().flat_map(|(_, tokens)| macros(tokens)).collect();
    let mut found = Vec::new();
    for (file, tokens) in &files {
        let mut at = 0;
        while at < tokens.len() {
            let token = &tokens[at];
            if token.is("macro_rules") {
                at = end_of_group(tokens, at + 3);
            } else if (token.is("const") || token.is("static"))
                && let Some(Token::Word(name)) = tokens.get(at + 1)
                && tokens.get(at + 2).is_some_and(|next| next.sign(':'))
            {
                let end = end_of_item(tokens, at);
                let from = at
                    + tokens[at..end]
                        .iter()
                        .position(|token| token.sign('='))
                        .map_or(end - at, |n| n + 1);
                for text in texts(&tokens[from..end], &macros) {
                    push(&mut found, format!("{file} {name}"), true, text);
                }
                at = end;
            } else {
                if let Token::Text(text) = token {
                    push(&mut found, (*file).to_owned(), false, text.clone());
                }
                at += 1;
            }
        }
    }
    found
}

fn push(found: &mut Vec<Statement>, place: String, is_constant: bool, text: String) {
    let begins = [
        "SELECT ",
        "INSERT INTO ",
        "UPDATE ",
        "DELETE FROM ",
        "WITH ",
        "TRUNCATE ",
        "MERGE ",
        "COPY ",
    ];
    if begins.iter().any(|word| text.trim_start().starts_with(word)) {
        found.push(Statement {
            place,
            is_constant,
            sql: text,
        });
    }
}

/// The texts that a constant's value holds: one, or one for each element or field.
fn texts(value: &[Token], macros: &HashMap<String, Macro>) -> Vec<String> {
    let opens = value.iter().position(|token| token.sign('[') || token.sign('{'));
    let parted = match opens {
        // `concat!(…)` and a reference to one are not parted.
        Some(0 | 1) if !value[0].sign('&') => true,
        _ => false,
    };
    if !parted {
        return vec![joined(value, macros)];
    }
    let inside = &value[opens.unwrap() + 1..];
    let mut texts = Vec::new();
    let mut part = Vec::new();
    let mut depth = 0_usize;
    for token in inside {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Sign(',') if depth == 0 => {
                texts.push(joined(&part, macros));
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(token.clone());
    }
    texts.push(joined(&part, macros));
    texts
}

/// All text of these tokens, macros replaced by what they become.
fn joined(tokens: &[Token], macros: &HashMap<String, Macro>) -> String {
    let mut text = String::new();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            Token::Text(part) => text += part,
            Token::Word(name)
                if tokens.get(at + 1).is_some_and(|next| next.sign('!')) && macros.contains_key(name) =>
            {
                let end = end_of_group(tokens, at + 2);
                text += &joined(&expanded(&macros[name], &tokens[at + 3..end - 1]), macros);
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    text
}

fn expanded(found: &Macro, argument: &[Token]) -> Vec<Token> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < found.body.len() {
        let named = found.body[at].sign('$')
            && matches!(found.body.get(at + 1), Some(Token::Word(name)) if found.parameters.contains(name));
        if named {
            assert_eq!(
                found.parameters.len(),
                1,
                "a macro of several parameters is not understood"
            );
            out.extend_from_slice(argument);
            at += 2;
        } else {
            out.push(found.body[at].clone());
            at += 1;
        }
    }
    out
}

/// Macros of one arm, by their name.
fn macros(tokens: &[Token]) -> Vec<(String, Macro)> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let [first, bang, Token::Word(name), rest @ ..] = &tokens[at..] else {
            continue;
        };
        if !first.is("macro_rules") || !bang.sign('!') {
            continue;
        }
        let body = &rest[..end_of_group(rest, 0)];
        let pattern_end = end_of_group(body, 1);
        let parameters = body[1..pattern_end]
            .windows(2)
            .filter_map(|pair| match pair {
                [dollar, Token::Word(name)] if dollar.sign('$') => Some(name.clone()),
                _ => None,
            })
            .collect();
        // Behind the pattern comes the arrow.
        let arm = pattern_end + 2;
        let arm_end = end_of_group(body, arm);
        found.push((
            name.clone(),
            Macro {
                parameters,
                body: body[arm + 1..arm_end - 1].to_vec(),
            },
        ));
    }
    found
}

/// Behind the group that opens at `at`.
pub(crate) fn end_of_group(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (n, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    return n + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// At the semicolon that ends an item.
fn end_of_item(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (n, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            Token::Sign(';') if depth == 0 => return n,
            _ => {}
        }
    }
    tokens.len()
}

/// What a file is made of, without its tests.
pub(crate) fn code(text: &str) -> Vec<Token> {
    without_tests(tokens(text))
}

/// Without modules of tests.
fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let marks = tokens
        .windows(4)
        .position(|four| four[0].is("cfg") && four[1].sign('(') && four[2].is("test") && four[3].sign(')'));
    match marks {
        Some(at) if tokens.get(at + 5).is_some_and(|next| next.is("mod")) => {
            let mut kept = tokens[..at].to_vec();
            let open = at + 7;
            if tokens.get(open).is_some_and(|next| next.sign('{')) {
                kept.extend(without_tests(tokens[end_of_group(&tokens, open)..].to_vec()));
            } else {
                kept.extend(without_tests(tokens[open..].to_vec()));
            }
            kept
        }
        _ => tokens,
    }
}

/// Words, signs and texts; comments, numbers' insides and characters are of no concern.
fn tokens(source: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if rest.starts_with("/*") {
            rest = rest.find("*/").map_or("", |end| &rest[end + 2..]);
        } else if first == '"' {
            let (text, behind) = literal(&rest[1..]);
            found.push(Token::Text(text));
            rest = behind;
        } else if let Some((text, behind)) = raw_literal(rest) {
            found.push(Token::Text(text.to_owned()));
            rest = behind;
        } else if first == '\'' {
            rest = behind_character(rest);
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest
                .find(|c: char| !c.is_alphanumeric() && c != '_')
                .unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            if !first.is_whitespace() {
                found.push(Token::Sign(first));
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    found
}

/// The text of a literal from behind its first quote, and what follows it.
fn literal(rest: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (text, &rest[at + 1..]),
            '\\' => match letters.next() {
                // An escaped end of line takes the indent of the next with it.
                Some((at, '\n')) => {
                    let (own, behind) = literal(rest[at..].trim_start());
                    return (text + &own, behind);
                }
                Some((_, other)) => text.push(other),
                None => break,
            },
            other => text.push(other),
        }
    }
    (text, "")
}

fn raw_literal(rest: &str) -> Option<(&str, &str)> {
    let behind = rest.strip_prefix('r')?;
    let hashes = behind.len() - behind.trim_start_matches('#').len();
    let text = behind[hashes..].strip_prefix('"')?;
    let mark = format!("\"{}", "#".repeat(hashes));
    let end = text.find(&mark)?;
    Some((&text[..end], &text[end + mark.len()..]))
}

/// What follows a character, or the quote of a lifetime.
fn behind_character(rest: &str) -> &str {
    let inside = &rest[1..];
    let mut letters = inside.char_indices();
    match (letters.next(), letters.next()) {
        (Some((_, '\\')), Some((at, escaped))) => {
            let from = at + escaped.len_utf8();
            inside[from..]
                .find('\'')
                .map_or("", |end| &inside[from + end + 1..])
        }
        (Some(_), Some((at, '\''))) => &inside[at + 1..],
        _ => inside,
    }
}
