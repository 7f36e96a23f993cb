//! That every statement which ends or changes a token moves `sessions.version` in its transaction, by itself or under the lock of
//! the session, which moves it: a process takes a token that it knows for good as long as the version says so.
//!
//! Each statement that writes to these tables stands in a list here, with what moves the version. A new one is refused
//! until it stands there as well; so is a call of one from where the session is not locked.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Statement, Token, code, end_of_group, statements};
use crate::sql::written;
use crate::{folder, sources};

/// What a look-up of a token reads.
const TABLES: [&str; 3] = ["participants", "sessions", "tokens"];

/// What moves the version when a statement runs.
enum Moved {
    /// The statement.
    Itself,
    /// The row is new, and has a version that none had before.
    New,
    /// The lock of the session: this function of the store runs the statement, and its callers have locked the session.
    Locked(&'static str),
    /// Nothing, since no token ends by it: it sets these columns and no others, where this holds.
    Nothing(&'static [&'static str], &'static str),
}

use Moved::{Itself, Locked, New, Nothing};

const WRITES: [(&str, Moved); 17] = [
    ("store/dialect.rs APPEND_BATCH", Itself),
    ("store/dialect.rs APPEND_ONE", Itself),
    ("store/dialect.rs MOVE_SQLITE", Itself),
    ("store/dialect.rs LOCK_SESSION", Itself),
    ("store/session.rs INSERT", New),
    ("store/session.rs SAVE", Locked("session::save")),
    ("store/purge.rs DELETE", Locked("purge::session")),
    ("store/tokens.rs INSERT", Locked("tokens::insert")),
    ("store/tokens.rs END", Locked("tokens::end")),
    ("store/tokens.rs END_EXPIRED", Locked("tokens::end_expired")),
    (
        "store/tokens.rs RENEW",
        // Later alone.
        Nothing(
            &["expires_at = $3"],
            "session_id = $1 AND token_hash = $2 AND expires_at < $3",
        ),
    ),
    ("store/participants.rs INSERT", Locked("participants::insert")),
    ("store/participants.rs RETURNED", Locked("participants::returned")),
    ("store/participants.rs LEFT", Locked("participants::left")),
    ("store/participants.rs REMOVED", Locked("participants::removed")),
    ("store/participants.rs KEPT", Locked("participants::kept")),
    (
        "store/participants.rs SEEN",
        Nothing(
            &["last_seen_at", "fetched_seq", "listening_until"],
            "session_id = $1 AND participant_id = $2",
        ),
    ),
];

/// Calls that don't say of themselves that the session is locked: the file, the function, what it calls.
const LOCKED_OTHERWISE: [(&str, &str, &str); 4] = [
    // A `SessionWrite` stores itself.
    ("service/write.rs", "commit_quietly", "session::save"),
    // The row was inserted in this transaction, so nobody else sees it.
    ("service/create.rs", "begin", "session::save"),
    ("service/create.rs", "begin", "participants::insert"),
    // Behind `begin`, or behind `create_again`, which locks.
    ("service/create.rs", "created", "tokens::insert"),
];

/// Functions in which the session must be locked: the file, the function, what it must call.
const LOCKS: [(&str, &str, &str); 2] = [
    ("service/write.rs", "lock", "session::lock"),
    ("service/create.rs", "create_again", "session::lock"),
];

/// One file, and its functions: where each begins, by its name, and where it ends.
struct File<'a> {
    name: &'a str,
    code: Vec<Token>,
    functions: Vec<(usize, String, usize)>,
}

impl<'a> File<'a> {
    fn new(name: &'a str, text: &str) -> Self {
        let code = code(text);
        let functions = (0..code.len()).filter_map(|at| function(&code, at)).collect();
        Self {
            name,
            code,
            functions,
        }
    }

    /// The innermost function around a place.
    fn around(&self, at: usize) -> Option<(&str, &[Token])> {
        let around = self.functions.iter().rev();
        let (from, name, _) = around
            .into_iter()
            .find(|(from, _, to)| (*from..*to).contains(&at))?;
        Some((name, &self.code[*from..at]))
    }

    /// Where a `module::function` is named.
    fn named(&self, path: &str) -> Vec<usize> {
        let (module, function) = path.split_once("::").unwrap();
        let is_there = |four: &[Token]| {
            four[0].is(module) && four[1].sign(':') && four[2].sign(':') && four[3].is(function)
        };
        let all = self.code.windows(4).enumerate();
        all.filter_map(|(at, four)| is_there(four).then_some(at))
            .collect()
    }

    /// Whether it takes in a module by another name, or this function of it so that it may be called without the module.
    fn hides(&self, module: &str, function: &str) -> bool {
        let all = self.code.windows(4).enumerate();
        all.filter(|(_, four)| four[0].is(module)).any(|(at, four)| {
            let group = || &self.code[at + 3..end_of_group(&self.code, at + 3)];
            four[1].is("as")
                || (four[1].sign(':') && four[3].sign('*'))
                || (four[1].sign(':') && four[3].sign('{') && group().iter().any(|one| one.is(function)))
        })
    }
}

/// The function that begins at `at`, if one with a body does.
fn function(code: &[Token], at: usize) -> Option<(usize, String, usize)> {
    let [first, Token::Word(name), behind @ ..] = &code[at..] else {
        return None;
    };
    if !first.is("fn") {
        return None;
    }
    let opens = behind
        .iter()
        .position(|token| token.sign('{') || token.sign(';'))?;
    let body = at + 2 + opens;
    code[body]
        .sign('{')
        .then(|| (at, name.clone(), end_of_group(code, body)))
}

/// Where one of these pieces of source stands.
fn places(code: &[Token], pieces: &[&str]) -> BTreeSet<usize> {
    let pieces: Vec<Vec<Token>> = pieces.iter().map(|piece| crate::source::code(piece)).collect();
    let at = (0..code.len()).filter(|at| pieces.iter().any(|piece| code[*at..].starts_with(piece)));
    at.collect()
}

/// Whether `write` is a locked session wherever this function names it with its type or its making.
fn write_is_locked(function: &[Token]) -> bool {
    let locked = [
        "write: SessionWrite",
        "write: &mut SessionWrite",
        "write) = SessionWrite::open(",
        "write) = SessionWrite::open_soon(",
    ];
    let made = places(function, &locked);
    !made.is_empty() && made == places(function, &["write:", "write =", "write) ="])
}

/// What is wrong with the plane's source.
fn wrong(sources: &[(String, String)]) -> Vec<String> {
    let all = statements(sources);
    let files: Vec<File<'_>> = sources.iter().map(|(name, text)| File::new(name, text)).collect();
    let mut wrong = Vec::new();
    let list: BTreeMap<&str, &Moved> = WRITES.iter().map(|(place, moved)| (*place, moved)).collect();
    let mut met = BTreeSet::new();
    for statement in all.iter().filter(|one| !written(&one.sql, &TABLES).is_empty()) {
        let place = statement.place.as_str();
        met.insert(place);
        match list.get(place) {
            Some(moved) => wrong.extend(against(moved, statement, &files)),
            None => wrong.push(format!("{place} is not in the list: what moves the version?")),
        }
    }
    let gone = list.keys().filter(|place| !met.contains(*place));
    wrong.extend(gone.map(|place| format!("{place} writes to none of these tables")));
    wrong.extend(not_locked(&files));
    wrong
}

/// What is wrong with one statement, by what is said to move the version.
fn against(moved: &Moved, statement: &Statement, files: &[File<'_>]) -> Option<String> {
    let Statement { place, sql, .. } = statement;
    let holds = match moved {
        Itself => sql.matches("UPDATE sessions").count() == sql.matches("version + 1").count(),
        New => sql.contains("ON CONFLICT DO NOTHING"),
        Locked(path) => runs_in(place, path, files),
        Nothing(columns, condition) => {
            let (set, found) = sql.split_once(" SET ").unwrap().1.split_once(" WHERE ").unwrap();
            let set: Vec<&str> = set.split(", ").map(str::trim).collect();
            let pairs = set.iter().zip(*columns);
            let same = pairs.into_iter().all(|(set, column)| set.starts_with(column));
            same && set.len() == columns.len() && found == *condition
        }
    };
    (!holds).then(|| format!("{place} does not do what the list says"))
}

/// Whether a statement is run by that function of its file alone.
fn runs_in(place: &str, path: &str, files: &[File<'_>]) -> bool {
    let (name, constant) = place.split_once(' ').unwrap();
    let (module, function) = path.split_once("::").unwrap();
    let file = files.iter().find(|file| file.name == name).unwrap();
    let uses =
        (1..file.code.len()).filter(|at| file.code[*at].is(constant) && !file.code[*at - 1].is("const"));
    let functions: Vec<_> = uses.map(|at| file.around(at).map(|(name, _)| name)).collect();
    name == format!("store/{module}.rs")
        && !functions.is_empty()
        && functions.iter().all(|found| *found == Some(function))
}

/// Calls from where it is not plain that the session is locked.
fn not_locked(files: &[File<'_>]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut otherwise = BTreeSet::new();
    let on_write = code("(&mut write.on(),");
    let locked = WRITES.iter().filter_map(|(_, moved)| match moved {
        Locked(path) => Some(*path),
        _ => None,
    });
    for path in locked {
        let (module, function) = path.split_once("::").unwrap();
        let mut calls = 0;
        for file in files {
            if file.hides(module, function) {
                wrong.push(format!("{} calls {module} by another name", file.name));
            }
            for at in file.named(path) {
                calls += 1;
                let (caller, before) = file.around(at).unwrap_or(("nothing", &[]));
                let says_so = file.code[at + 4..].starts_with(&on_write) && write_is_locked(before);
                let exception = (file.name, caller, path);
                if LOCKED_OTHERWISE.contains(&exception) {
                    otherwise.insert(exception);
                } else if !says_so {
                    wrong.push(format!(
                        "{path} in {} {caller}: is the session locked?",
                        file.name
                    ));
                }
            }
            let unqualified = || places(&file.code, &[&format!("{function}(")]);
            let within = |at: usize| {
                let before = &file.code[at - 1];
                !before.is("fn") && !before.sign('.') && !before.sign(':')
            };
            if file.name == format!("store/{module}.rs") && unqualified().into_iter().any(within) {
                wrong.push(format!("{path} is called within the store"));
            }
        }
        if calls == 0 {
            wrong.push(format!("{path} is called by nobody"));
        }
    }
    let unmet = LOCKED_OTHERWISE.iter().filter(|one| !otherwise.contains(*one));
    wrong.extend(unmet.map(|one| format!("{one:?} is no more")));
    for (name, function, path) in LOCKS {
        let file = files.iter().find(|file| file.name == name).unwrap();
        let calls = file.named(path);
        if !calls
            .iter()
            .any(|at| file.around(*at).is_some_and(|(caller, _)| caller == function))
        {
            wrong.push(format!("{function} in {name} does not lock the session"));
        }
    }
    wrong.extend(made_elsewhere(files));
    wrong
}

/// Where a `SessionWrite`, which stands for a locked session, is made but behind its lock.
fn made_elsewhere(files: &[File<'_>]) -> Vec<String> {
    let mut wrong = Vec::new();
    for file in files {
        let own = file.name == "service/write.rs";
        let made: &[&str] = if own {
            &["SessionWrite {", "Self {"]
        } else {
            &["SessionWrite {"]
        };
        // Behind an arrow stands a type.
        let made = places(&file.code, made)
            .into_iter()
            .filter(|at| !file.code[at - 1].sign('>'));
        let in_lock = |at: &usize| file.around(*at).is_some_and(|(name, _)| name == "lock");
        let elsewhere = made.filter(|at| !(own && in_lock(at)));
        wrong.extend(elsewhere.map(|_| format!("a SessionWrite is made in {}", file.name)));
    }
    wrong
}

#[test]
fn whatever_ends_a_token_moves_the_version_of_its_session() {
    assert_eq!(wrong(&sources()), [""; 0]);
}

#[test]
fn no_migration_writes_to_what_stands_in_these_tables() {
    for engine in ["postgres", "sqlite"] {
        for entry in std::fs::read_dir(folder("migrations").join(engine)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            for statement in text.split(';') {
                assert!(
                    written(statement, &TABLES).is_empty(),
                    "{}: {statement}",
                    path.display()
                );
            }
        }
    }
}

/// The source as it would be after a change.
fn changed(file: &str, from: &str, to: &str) -> Vec<(String, String)> {
    let mut sources = sources();
    let (_, text) = sources.iter_mut().find(|(name, _)| name == file).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    *text = text.replacen(from, to, 1);
    sources
}

#[test]
fn what_ends_a_token_and_moves_nothing_is_found() {
    for (file, from, to, expected) in [
        (
            "store/knocks.rs",
            "use ",
            "const NEW: &str = \"DELETE FROM tokens WHERE session_id = $1\";\nuse ",
            "store/knocks.rs NEW is not in the list",
        ),
        (
            "store/participants.rs",
            "const LEFT:",
            "const GONE: &str = \"DELETE FROM participants WHERE session_id = $1\";\nconst LEFT:",
            "store/participants.rs GONE is not in the list",
        ),
        (
            "store/titles.rs",
            "const ",
            "const AND: &str = \"WITH a AS (UPDATE sessions SET epoch = $2 WHERE session_id = $1) SELECT 1\";\nconst ",
            "store/titles.rs AND is not in the list",
        ),
        (
            "store/tokens.rs",
            "AND expires_at < $3",
            "AND expires_at <> $3",
            "RENEW does not do what",
        ),
        (
            "store/participants.rs",
            "\"UPDATE participants SET \\",
            "\"UPDATE participants SET left_at = $3, \\",
            "SEEN does not do what",
        ),
        (
            "store/dialect.rs",
            "SET version = version + 1 WHERE",
            "SET version = version WHERE",
            "LOCK_SESSION does not do what",
        ),
        (
            "store/dialect.rs",
            "SET version = sessions.version + 1, head_seq",
            "SET head_seq",
            "MOVE_SQLITE does not do what",
        ),
        (
            "store/tokens.rs",
            "run!(on, END, ",
            "run!(on, END_EXPIRED, ",
            "END_EXPIRED does not do what",
        ),
        (
            "service/leave.rs",
            "tokens::end(&mut write.on(), ",
            "tokens::end(&mut tx.on(), ",
            "tokens::end in service/leave.rs leave",
        ),
        (
            "service/leave.rs",
            "let Some(mut write) = SessionWrite::open(&self.shared, by.session_id).await? else",
            "let Some(mut write) = Some(self.shared.store.begin_write().await?) else",
            "tokens::end in service/leave.rs leave",
        ),
        (
            "service/leave.rs",
            "tokens};",
            "tokens::{self, end}};",
            "service/leave.rs calls tokens by another name",
        ),
        (
            "store/tokens.rs",
            "/// Drops tokens that have expired.",
            "pub(crate) async fn both(on: &mut On<'_>) { end(on).await; }\n",
            "tokens::end is called within the store",
        ),
        (
            "service/sweep.rs",
            "tokens::renew(",
            "tokens::end_expired(",
            "tokens::end_expired in service/sweep.rs write_presence",
        ),
        (
            "service/rekey.rs",
            "write: &mut SessionWrite<'_>, record: &EpochRecord) -> Answer<()> {\n    let session",
            "write: &mut Tx, record: &EpochRecord) -> Answer<()> {\n    let session",
            "participants::removed in service/rekey.rs keep_the_listed",
        ),
        (
            "service/create.rs",
            "session::lock(&mut tx.on(), id, time)",
            "session::load(&mut tx.on(), id)",
            "create_again in service/create.rs does not lock",
        ),
        (
            "service/write.rs",
            "session::lock(",
            "session::load(",
            "lock in service/write.rs does not lock",
        ),
        (
            "service/evict.rs",
            "let Some(mut write) = SessionWrite::open(self, session).await? else",
            "let mut write = SessionWrite { row }; let Some(other) = None else",
            "a SessionWrite is made in service/evict.rs",
        ),
    ] {
        let found = wrong(&changed(file, from, to));
        assert!(
            found.iter().any(|one| one.contains(expected)),
            "{file}, {to}: {found:?}"
        );
    }
}
