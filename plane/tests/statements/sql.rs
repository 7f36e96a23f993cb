//! Looks at SQL: which tables a statement touches, and of which it does not say the session.

use std::collections::BTreeSet;

/// What a statement touches.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Of the tables that were asked about.
    pub(crate) tables: BTreeSet<String>,
    /// Those whose session is not named where they are touched.
    pub(crate) unnamed: Vec<String>,
}

/// Behind these stands a table.
const BEFORE_A_TABLE: [&str; 7] = ["FROM", "INTO", "UPDATE", "JOIN", "USING", "TRUNCATE", "TABLE"];
/// These stand behind a table and are no other name for it.
const NO_ALIAS: [&str; 17] = [
    "WHERE",
    "ON",
    "JOIN",
    "SET",
    "ORDER",
    "GROUP",
    "LIMIT",
    "USING",
    "RETURNING",
    "VALUES",
    "SELECT",
    "LEFT",
    "INNER",
    "CROSS",
    "UNION",
    "FOR",
    "DEFAULT",
];

/// The statement's tables among `tables`. Each level of parentheses stands for itself: a table's session must be compared
/// for equality, and without an alternative, on the level where the table is named.
pub(crate) fn unnamed(sql: &str, tables: &BTreeSet<String>) -> Found {
    let mut found = Found::default();
    for level in levels(&words(sql)) {
        let among = touched(&level, tables);
        let is_anchored = among
            .iter()
            .any(|(word, alias)| is_compared(&level, word, *alias, &among));
        for (at, word) in level.iter().enumerate() {
            if is_spelled_otherwise(&level, at, tables) {
                found.unnamed.push(word.clone());
            }
            if !tables.contains(word.as_str()) || !is_table(&level, at) {
                continue;
            }
            found.tables.insert(word.clone());
            let named = match level.get(at.wrapping_sub(1)).map(String::as_str) {
                Some("INTO") => inserts_session(sql, word),
                Some("TRUNCATE") => false,
                _ => is_compared(
                    &level,
                    word,
                    alias(&level, at),
                    if is_anchored { &[] } else { &among },
                ),
            };
            if !named {
                found.unnamed.push(word.clone());
            }
        }
    }
    found
}

/// The tables among `tables` that a statement writes to.
pub(crate) fn written(sql: &str, tables: &[&str]) -> BTreeSet<String> {
    let words = words(sql);
    let before = |at: usize, back: usize| at.checked_sub(back).map(|n| words[n].to_uppercase());
    let mut found = BTreeSet::new();
    for (at, word) in words.iter().enumerate() {
        let name = word.rsplit('.').next().unwrap_or_default().to_lowercase();
        let writes = match before(at, 1).as_deref() {
            Some("INTO" | "UPDATE" | "TRUNCATE" | "ONLY" | "COPY") => true,
            Some("FROM") => before(at, 2).as_deref() == Some("DELETE"),
            Some("TABLE") => matches!(before(at, 2).as_deref(), Some("TRUNCATE" | "DROP")),
            _ => false,
        };
        if writes && tables.contains(&name.as_str()) {
            found.insert(name);
        }
    }
    found
}

/// Whether the word at `at` is a table that is touched: behind a word that tells, or one of a list behind it.
fn is_table(level: &[String], at: usize) -> bool {
    let mut before = at;
    while let Some(previous) = before.checked_sub(1) {
        let word = level[previous].as_str();
        if BEFORE_A_TABLE.contains(&word) {
            return true;
        }
        // Of a list such as `FROM records r, tokens t`.
        let list = word == "," || (level[before].as_str() == "," && !word.contains(['=', '$', '.']));
        let alias_before_comma = level.get(previous + 1).is_some_and(|next| next == ",");
        let table_before_alias = level.get(previous + 2).is_some_and(|next| next == ",");
        if !(list || alias_before_comma || table_before_alias) || NO_ALIAS.contains(&word) {
            return false;
        }
        before = previous;
    }
    false
}

fn alias(level: &[String], at: usize) -> Option<&str> {
    let next = match level.get(at + 1).map(String::as_str) {
        Some("AS") => level.get(at + 2),
        _ => level.get(at + 1),
    }?;
    let is_name = next
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || letter == '_');
    (is_name && !NO_ALIAS.contains(&next.as_str())).then_some(next.as_str())
}

/// A table that is touched: its name, and its other name.
type Touched<'a> = (&'a str, Option<&'a str>);

fn touched<'a>(level: &'a [String], tables: &BTreeSet<String>) -> Vec<Touched<'a>> {
    let words = level.iter().enumerate();
    words
        .filter(|(at, word)| tables.contains(*word) && is_table(level, *at))
        .map(|(at, word)| (word.as_str(), alias(level, at)))
        .collect()
}

/// Whether a table stands here in a form that is not looked for: with its schema, in other letters, behind `ONLY`.
fn is_spelled_otherwise(level: &[String], at: usize, tables: &BTreeSet<String>) -> bool {
    let word = &level[at];
    let name = word.rsplit('.').next().unwrap_or_default().to_lowercase();
    let before = at.checked_sub(1).map(|n| level[n].to_uppercase());
    let is_behind =
        before.is_some_and(|before| before == "ONLY" || BEFORE_A_TABLE.contains(&before.as_str()));
    tables.contains(&name) && is_behind && !(tables.contains(word) && is_table(level, at))
}

fn is_session_of(word: &str, table: &str, alias: Option<&str>) -> bool {
    match alias {
        Some(alias) => word == format!("{alias}.session_id"),
        None => word == "session_id" || word == format!("{table}.session_id"),
    }
}

/// Whether the table's `session_id` is compared for equality on this level, and nothing may stand in its place. A comparison with
/// that of one of `others`, itself among them, is none.
fn is_compared(level: &[String], table: &str, alias: Option<&str>, others: &[Touched<'_>]) -> bool {
    let named = |word: &str| is_session_of(word, table, alias);
    let is_other_s = |word: Option<&str>| {
        word.is_some_and(|word| {
            named(word)
                || others
                    .iter()
                    .any(|(table, alias)| is_session_of(word, table, *alias))
        })
    };
    // What `SET` gives is no comparison.
    let conditions = level.iter().position(|word| word == "SET").map_or(0, |set| {
        set + level[set..]
            .iter()
            .position(|word| word == "WHERE")
            .unwrap_or(level.len() - set)
    });
    let level = &level[conditions.min(level.len())..];
    let has_choice = level.iter().any(|word| word == "OR");
    level.iter().enumerate().any(|(at, word)| {
        let next = level.get(at + 1).map(String::as_str);
        let before = at.checked_sub(1).map(|n| level[n].as_str());
        let compared = match (before, next) {
            (_, Some("=")) => level.get(at + 2).map(String::as_str),
            (Some("="), _) => at.checked_sub(2).map(|n| level[n].as_str()),
            _ => return false,
        };
        named(word) && before != Some("NOT") && !is_other_s(compared)
    }) && !has_choice
}

/// Whether an insertion gives a `session_id`: it stands in the list of columns behind the table.
fn inserts_session(sql: &str, table: &str) -> bool {
    let Some((_, behind)) = sql.split_once(&format!("INTO {table} (")) else {
        return false;
    };
    let columns = behind.split(')').next().unwrap_or_default();
    columns.split(',').any(|column| column.trim() == "session_id")
}

/// Words and signs; `a.b` is one word.
fn words(sql: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for letter in sql.chars() {
        if letter.is_alphanumeric() || "_.$".contains(letter) {
            word.push(letter);
            continue;
        }
        if !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if !letter.is_whitespace() {
            words.push(letter.to_string());
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// The words of each level of parentheses, without those of the levels inside it.
fn levels(words: &[String]) -> Vec<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![Vec::new()];
    for word in words {
        match word.as_str() {
            "(" => open.push(Vec::new()),
            ")" if open.len() > 1 => done.extend(open.pop()),
            _ => {
                if let Some(level) = open.last_mut() {
                    level.push(word.clone());
                }
            }
        }
    }
    done.extend(open);
    done
}
