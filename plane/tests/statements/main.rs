//! That every statement on a transcript's table names the session: then the tables can be divided by it, among parts of one
//! Postgres or among many. And that whatever ends a token moves the version of its session ([`versions`]).
//!
//! Read from the store's source: each constant's text is put together as the compiler does, and then each place where such
//! a table is named must have its `session_id` compared, or be given one.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod source;
mod sql;
mod versions;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use source::{Statement, statements};
use sql::unnamed;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

/// The tables that the migration divides.
fn transcript() -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder("migrations/postgres/0003_partitions.sql")).unwrap();
    let start = text.find("ARRAY[").unwrap() + "ARRAY[".len();
    let list = &text[start..start + text[start..].find(']').unwrap()];
    list.split(',')
        .map(|name| name.trim().trim_matches('\'').to_owned())
        .collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The plane's source, by the path of each file.
fn sources() -> Vec<(String, String)> {
    rust_files(&folder("plane/src"))
        .into_iter()
        .map(|path| {
            let name = path
                .strip_prefix(folder("plane/src"))
                .unwrap()
                .display()
                .to_string();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// Every piece of SQL in the plane's source.
fn all() -> Vec<Statement> {
    statements(&sources())
}

#[test]
fn every_statement_on_a_transcript_table_names_the_session() {
    let tables = transcript();
    assert_eq!(tables.len(), 9, "{tables:?}");
    let mut touched = BTreeSet::new();
    for statement in all() {
        let found = unnamed(&statement.sql, &tables);
        assert_eq!(found.unnamed, [""; 0], "{}: {}", statement.place, statement.sql);
        touched.extend(found.tables);
    }
    assert_eq!(
        touched, tables,
        "a table that no statement touches was not looked for"
    );
}

#[test]
fn sql_stands_in_the_store_alone_and_in_constants() {
    for statement in all() {
        assert!(
            statement.place.starts_with("store/"),
            "{}: {}",
            statement.place,
            statement.sql
        );
        assert!(statement.is_constant, "{}: {}", statement.place, statement.sql);
    }
}

/// The reader finds what the compiler makes of the source: these were compared by hand.
#[test]
fn texts_are_put_together_as_the_compiler_does() {
    let all = all();
    let text = |place: &str| {
        let found: Vec<&str> = all
            .iter()
            .filter(|one| one.place == place)
            .map(|one| one.sql.as_str())
            .collect();
        assert!(!found.is_empty(), "{place} is not found");
        found.join(" | ")
    };
    assert_eq!(
        text("store/dialect.rs PRESENT_SQLITE"),
        "SELECT session_id, participant_id, last_seen_at, listening_until, fetched_seq FROM participants \
         WHERE session_id = $1 AND left_at IS NULL AND removed_epoch IS NULL \
         ORDER BY session_id, joined_seq, participant_id"
    );
    assert!(
        text("store/knocks.rs FIND")
            .ends_with("refused_at FROM knocks WHERE session_id = $1 AND participant_id = $2")
    );
    assert_eq!(text("store/purge.rs DELETE").matches("DELETE FROM").count(), 10);
    assert_eq!(
        text("store/dialect.rs LOCK_SESSION")
            .matches("UPDATE sessions")
            .count(),
        2
    );
}

#[test]
fn statements_that_do_not_name_the_session_are_found() {
    let tables = transcript();
    for (bad, expected) in [
        ("SELECT seq FROM records WHERE seq > $1", "records"),
        // Named in what is selected, not in what is looked for.
        (
            "SELECT session_id, seq FROM records WHERE seq > $1 ORDER BY session_id",
            "records",
        ),
        ("SELECT session_id FROM participants", "participants"),
        (
            "SELECT seq FROM records WHERE session_id = session_id AND seq > $1",
            "records",
        ),
        (
            "SELECT seq FROM records WHERE session_id IN (SELECT session_id FROM sessions)",
            "records",
        ),
        (
            "SELECT seq FROM public.records WHERE session_id = $1",
            "public.records",
        ),
        ("SELECT seq FROM ONLY records WHERE session_id = $1", "records"),
        ("select seq from records where session_id = $1", "records"),
        ("DELETE FROM tokens WHERE expires_at <= $1", "tokens"),
        ("UPDATE records SET session_id = $1 WHERE seq = $2", "records"),
        (
            "INSERT INTO titles (participant_id, epoch) VALUES ($1, $2)",
            "titles",
        ),
        // One table's does not stand for another's.
        (
            "SELECT p.kind FROM tokens t JOIN participants p ON p.participant_id = t.participant_id \
             WHERE t.session_id = $1",
            "participants",
        ),
        // Nor does one around it.
        (
            "DELETE FROM profiles WHERE session_id = $1 AND participant_id NOT IN (SELECT author FROM message_ids)",
            "message_ids",
        ),
        (
            "WITH gone AS (DELETE FROM chunks WHERE seq = $1 RETURNING session_id) SELECT session_id FROM gone",
            "chunks",
        ),
        ("SELECT seq FROM records WHERE session_id > $1", "records"),
        (
            "SELECT seq FROM records WHERE session_id = $1 OR seq = $2",
            "records",
        ),
        ("SELECT seq FROM records WHERE NOT session_id = $1", "records"),
        (
            "SELECT seq FROM records r, tokens t WHERE r.session_id = $1",
            "tokens",
        ),
        ("TRUNCATE knocks", "knocks"),
    ] {
        assert_eq!(unnamed(bad, &tables).unnamed, [expected], "{bad}");
    }
    // A join says that two are the same, and not which.
    let joined = "SELECT r.seq FROM records r JOIN tokens t ON t.session_id = r.session_id WHERE r.seq > $1";
    assert_eq!(unnamed(joined, &tables).unnamed, ["records", "tokens"]);
    let good = "SELECT r.seq FROM records r JOIN tokens t ON t.session_id = r.session_id \
         WHERE r.session_id = ANY($1) AND EXISTS (SELECT 1 FROM knocks WHERE session_id = $2)";
    assert_eq!(unnamed(good, &tables).unnamed, [""; 0]);
}
