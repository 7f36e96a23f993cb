//! The schema: the same on both engines, keyed by session, and refused when it is newer than the binary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use plane::clock::Clock;
use plane::limits::Limits;
use plane::service::{Service, ServiceConfig, WakeTimes};
use plane::store::{StoreError, StoreUrl};
use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::fixture::*;

/// Tables whose rows belong to a transcript.
const TRANSCRIPT: [&str; 9] = [
    "records",
    "message_ids",
    "participants",
    "profiles",
    "tokens",
    "epoch_records",
    "chunks",
    "knocks",
    "titles",
];

/// Postgres alone divides tables.
const PARTITIONS: &str = "0003_partitions.sql";

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn migrations(engine: &str) -> BTreeMap<String, String> {
    std::fs::read_dir(folder("migrations").join(engine))
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

#[test]
fn both_engines_have_the_same_files_and_differ_in_words_of_type_alone() {
    let (postgres, sqlite) = (migrations("postgres"), migrations("sqlite"));
    assert_eq!(
        postgres.keys().collect::<Vec<_>>(),
        sqlite.keys().collect::<Vec<_>>()
    );
    let lines = |text: &str, from: &[(&str, &str)]| {
        let mut text = text.to_owned();
        for (word, other) in from {
            text = text.replace(word, other);
        }
        let kept = |line: &&str| !line.trim_start().starts_with("--") && !line.contains("SET STORAGE");
        text.lines().filter(kept).map(str::to_owned).collect::<Vec<_>>()
    };
    for (name, text) in &postgres {
        if name == PARTITIONS {
            let statements = lines(&sqlite[name], &[]);
            assert!(
                statements.is_empty(),
                "one file divides no tables: {statements:?}"
            );
            continue;
        }
        let expected = lines(
            text,
            &[
                ("BIGINT", "INTEGER"),
                ("BYTEA", "BLOB"),
                (" WITH (fillfactor = 70)", ""),
            ],
        );
        let found = lines(&sqlite[name], &[(" STRICT, WITHOUT ROWID", ""), (" STRICT", "")]);
        assert_eq!(expected, found, "{name}");
    }
}

#[test]
fn keys_of_transcript_tables_start_with_the_session() {
    let text: String = migrations("postgres").into_values().collect();
    for table in TRANSCRIPT {
        let start = text.find(&format!("CREATE TABLE {table} (")).unwrap();
        let body = &text[start..start + text[start..].find("\n)").unwrap()];
        let keyed = body.contains("session_id BYTEA NOT NULL PRIMARY KEY")
            || body.contains("PRIMARY KEY (session_id, ");
        assert!(keyed, "{table}");
    }
}

#[tokio::test]
async fn both_engines_end_up_with_the_same_tables_and_columns() {
    if !postgres_is_here() {
        return;
    }
    let (postgres, sqlite) = (
        Database::new(Engine::Postgres).await,
        Database::new(Engine::Sqlite).await,
    );
    for database in [&postgres, &sqlite] {
        plane::store::migrate(&database.url).await.unwrap();
    }
    let (StoreUrl::Postgres(url), StoreUrl::Sqlite(path)) = (&postgres.direct, &sqlite.direct) else {
        panic!("one of each")
    };
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
             AND a.attnum > 0 AND NOT a.attisdropped",
    )
    .fetch_all(&mut PgConnection::connect(url).await.unwrap())
    .await
    .unwrap();
    let in_postgres: BTreeSet<_> = columns
        .into_iter()
        .filter(|(table, _)| !table.starts_with('_'))
        .collect();
    let columns: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'",
    )
    .fetch_all(&mut SqliteConnection::connect(path.to_str().unwrap()).await.unwrap())
    .await
    .unwrap();
    let in_sqlite: BTreeSet<_> = columns
        .into_iter()
        .filter(|(table, _)| !table.starts_with('_'))
        .collect();
    assert_eq!(in_postgres, in_sqlite);
    assert!(in_sqlite.len() > 100);
}

on_both! {
    async fn a_newer_schema_is_refused(engine: Engine) {
        let database = Database::new(engine).await;
        plane::store::migrate(&database.url).await.unwrap();
        let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'from the future', true, '', 0)";
        match &database.direct {
            StoreUrl::Postgres(url) => {
                let mut conn = PgConnection::connect(url).await.unwrap();
                sqlx::query(newer).execute(&mut conn).await.unwrap();
            }
            StoreUrl::Sqlite(path) => {
                let mut conn = SqliteConnection::connect(path.to_str().unwrap()).await.unwrap();
                sqlx::query(newer).execute(&mut conn).await.unwrap();
            }
        }
        let opened = Service::open(ServiceConfig {
            store: database.url.clone(),
            limits: Limits::default(),
            clock: Clock::System,
            wakes: WakeTimes::default(),
        })
        .await;
        assert!(matches!(opened, Err(StoreError::NewerSchema)));
    }
}
