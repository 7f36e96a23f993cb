//! The tables of transcripts on Postgres: in parts by the session, with what stood in them before, and one part of each
//! answers whatever is asked of one session.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plane::store::StoreUrl;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _};
use wire::api::SettableMode;
use wire::event::{Capability, Kind};

use crate::fixture::*;

/// In the order of the migration that divides them.
pub(crate) const TRANSCRIPT: [&str; 9] = [
    "titles",
    "epoch_records",
    "records",
    "message_ids",
    "participants",
    "profiles",
    "knocks",
    "tokens",
    "chunks",
];
const PARTS: i64 = 4;

async fn connect(database: &Database) -> PgConnection {
    let StoreUrl::Postgres(url) = &database.direct else {
        panic!("Postgres alone has parts")
    };
    PgConnection::connect(url).await.unwrap()
}

#[tokio::test]
async fn each_table_has_four_parts_by_the_hash_of_the_session() {
    if !postgres_is_here() {
        return;
    }
    let database = Database::new(Engine::Postgres).await;
    plane::store::migrate(&database.url).await.unwrap();
    let mut conn = connect(&database).await;
    let rows: Vec<(String, String, i64)> = sqlx::query_as(
        "SELECT c.relname::text, pg_get_partkeydef(c.oid), (SELECT COUNT(*) FROM pg_inherits i WHERE i.inhparent = c.oid) \
         FROM pg_class c WHERE c.relkind = 'p'",
    )
    .fetch_all(&mut conn)
    .await
    .unwrap();
    let found: BTreeMap<_, _> = rows
        .into_iter()
        .map(|(table, key, parts)| (table, (key, parts)))
        .collect();
    let expected: BTreeMap<_, _> = TRANSCRIPT
        .iter()
        .map(|table| ((*table).to_owned(), ("HASH (session_id)".to_owned(), PARTS)))
        .collect();
    assert_eq!(found, expected);
    // What a table was told about its storage holds in each part.
    let told: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT COUNT(*) FROM pg_class WHERE relispartition AND relname LIKE 'participants_%' \
             AND 'fillfactor=70' = ANY(reloptions)), \
         (SELECT COUNT(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relispartition \
             AND c.relname LIKE 'records_%' AND a.attname = 'body' AND a.attstorage = 'e')",
    )
    .fetch_one(&mut conn)
    .await
    .unwrap();
    assert_eq!(told, (PARTS, PARTS));
}

/// Every row of a table as text, in order.
async fn rows(conn: &mut PgConnection, table: &str) -> Vec<String> {
    let sql = AssertSqlSafe(format!("SELECT t::text FROM {table} t ORDER BY 1"));
    let rows = conn.fetch_all(sqlx::raw_sql(sql)).await.unwrap();
    rows.iter().map(|row| row.get(0)).collect()
}

/// What a query says of the keys, constraints and columns of all whole tables.
async fn described(conn: &mut PgConnection) -> BTreeSet<(String, String)> {
    sqlx::query_as(
        "SELECT c.relname::text, pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid \
             WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition \
         UNION ALL SELECT c.relname::text, concat_ws(' ', a.attname, a.atttypid::regtype, a.attnotnull, a.attnum) \
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid \
             WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition \
                 AND a.attnum > 0 \
         UNION ALL SELECT c.relname::text, regexp_replace(pg_get_indexdef(i.indexrelid), ' ON (ONLY )?', ' ON ') \
             FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
             WHERE c.relnamespace = 'public'::regnamespace AND NOT c.relispartition",
    )
    .fetch_all(conn)
    .await
    .unwrap()
    .into_iter()
    .collect()
}

/// The migrations of Postgres before the one that divides tables, as older planes ran them.
async fn migrations_before() -> Migrator {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../migrations/postgres");
    let all = Migrator::new(folder).await.unwrap();
    Migrator::with_migrations(all.iter().filter(|one| one.version < 3).cloned().collect())
}

#[tokio::test]
async fn a_plane_that_already_runs_keeps_every_row_key_and_column() {
    if !postgres_is_here() {
        return;
    }
    let database = Database::new(Engine::Postgres).await;
    let mut conn = connect(&database).await;
    migrations_before().await.run(&mut conn).await.unwrap();
    let before = described(&mut conn).await;
    for table in TRANSCRIPT {
        // Twenty sessions, so that no part is left out but by a chance of one in three hundred; rows are of the table's own
        // columns, by their type.
        let columns: Vec<(String, String)> = sqlx::query_as(
            "SELECT attname::text, atttypid::regtype::text FROM pg_attribute WHERE attrelid = to_regclass($1) \
             AND attnum > 0 ORDER BY attnum",
        )
        .bind(table)
        .fetch_all(&mut conn)
        .await
        .unwrap();
        let values: Vec<&str> = columns
            .iter()
            .map(|(_, kind)| match kind.as_str() {
                "bytea" => "int8send(n) || int8send(n)",
                "bigint" => "n",
                "text" => "'w' || n",
                other => panic!("{other}"),
            })
            .collect();
        let sql = format!(
            "INSERT INTO {table} SELECT {} FROM generate_series(1::bigint, 20) n",
            values.join(", ")
        );
        conn.execute(AssertSqlSafe(sql)).await.unwrap();
    }
    let mut kept = BTreeMap::new();
    for table in TRANSCRIPT {
        let rows = rows(&mut conn, table).await;
        assert_eq!(rows.len(), 20);
        kept.insert(table, rows);
    }

    plane::store::migrate(&database.url).await.unwrap();
    for table in TRANSCRIPT {
        assert_eq!(rows(&mut conn, table).await, kept[table], "{table}");
        for part in 0..PARTS {
            assert!(
                !rows(&mut conn, &format!("{table}_{part}")).await.is_empty(),
                "{table}_{part}"
            );
        }
    }
    assert_eq!(described(&mut conn).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_that_a_session_asks_is_answered_by_one_part_of_each_table() {
    if !postgres_is_here() {
        return;
    }
    let plane = Plane::new(Engine::Postgres).await;
    let owner = plane.create().await;
    let guest = owner.invite(Kind::Agent, Capability::Full).await;
    owner.set(SettableMode::Relay).await.unwrap();
    for _ in 0..12 {
        owner.post().await;
    }
    // Posts that queue up are one statement.
    let many = (0..30).map(|n| {
        let seat = if n % 2 == 0 { owner.clone() } else { guest.clone() };
        async move { seat.post().await }
    });
    futures_util::future::join_all(many).await;
    owner.transcript().await;
    let me = owner.me().await;
    guest.service.participants(&me, None).await.unwrap();
    let human = guest.invite(Kind::Human, Capability::Full).await;
    human.start_auto(&owner, 3, 60).await;
    human.join(Capability::Full, true).await;
    plane.advance(61);
    plane.service.sweep().await.unwrap();
    plane
        .service
        .end(&plane.machine, owner.session, true)
        .await
        .unwrap();
    plane.advance(40 * 24 * 3_600);
    plane.service.sweep().await.unwrap();
    // A connection tells what it touched when it goes.
    plane.service.drain().await;

    let mut conn = connect(&plane.database).await;
    let mut touched: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    until(async || {
        let rows: Vec<(String, i64)> = sqlx::query_as(
            "SELECT relname::text, (COALESCE(idx_scan, 0) + n_tup_ins)::bigint \
             FROM pg_stat_user_tables WHERE relname ~ '_[0-3]$'",
        )
        .fetch_all(&mut conn)
        .await
        .unwrap();
        touched.clear();
        for (part, times) in rows {
            if times > 0 {
                let (table, number) = part.rsplit_once('_').unwrap();
                touched
                    .entry(table.to_owned())
                    .or_default()
                    .insert(number.to_owned());
            }
        }
        touched.len() == TRANSCRIPT.len()
    })
    .await;
    let parts: BTreeSet<_> = touched.values().cloned().collect();
    assert_eq!(
        parts.len(),
        1,
        "each session has its rows in the same part of each table: {touched:?}"
    );
    assert_eq!(parts.first().unwrap().len(), 1, "{touched:?}");
}
