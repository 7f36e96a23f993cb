//! The plane is blind: after a whole story nothing that it keeps, logs, shows or holds in memory tells what was said.

use std::path::Path;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, PgPool, Row as _, SqlitePool};
use wire::encoding::{from_base64url, to_base64url};

use crate::needles::{Needles, with_hex_decoded};
use crate::outsider::{self, Outsider};
use crate::scene::{Agent, until};
use crate::stdio::Called;
use crate::stdio::plane::{Plane, Store};

const TITLE: &str = "Umzug der Heliotrop-Fuge ☂";
const CONTEXT: &str = "The heliotrope fugue fails on every third replay; suspect the metronome.";
const PATH: &str = "src/heliotrope/metronome_fugue.rs";
const TOPIC: &str = "heliotrope-topic";
const QUESTION: &str = "Wer hat das Metronom verstellt?";
const ANSWER: &str = "Nobody touched the metronome since Tuesday.";
const NAMES: [&str; 3] = ["Zephyrine Quill", "Balthasar Ængström", "Vera Lurkington"];

/// What a story leaves behind that is looked for.
struct Story {
    /// Texts and private keys: not even in the plane's memory.
    content: Needles,
    /// Proofs, tokens and rejoin secrets, and the key of a damaged link: the plane hears them, and keeps hashes at most.
    passing: Needles,
    /// Ids and ciphertext, which it must hold.
    kept: Needles,
}

/// Share, join, relay, ask, answer, who, leave.
async fn story(plane: &Plane) -> Story {
    let mut first = Agent::on(plane.owner().with("DEVPILOT_NAME", NAMES[0])).await;
    let share = json!({ "title": TITLE, "context": CONTEXT, "paths": [PATH], "with": NAMES[1] });
    first.server.call("share", share).await.structured();
    let link = first.machine.link();
    let mut second = Agent::joined(NAMES[1], &link).await;
    let vera = Outsider::join(&outsider::view_link(&link), NAMES[2]).await;
    first
        .server
        .call_agreed("mode", json!({ "set": "relay" }))
        .await
        .0
        .structured();
    second.server.call("read", json!({})).await.structured();

    let waiting = second.server.start_call("wait", json!({})).await;
    let question =
        json!({ "text": QUESTION, "kind": "question", "topic": TOPIC, "to": [NAMES[1]], "paths": [PATH] });
    first.server.call_agreed("post", question).await.0.structured();
    let woken = Called(second.server.answer(waiting).await);
    assert_eq!(woken.structured()["messages"][0]["text"], QUESTION);
    let reply_to = woken.structured()["messages"][0]["seq"].clone();
    let answer = json!({ "text": ANSWER, "kind": "answer", "reply_to": reply_to });
    second.server.call_agreed("post", answer).await.0.structured();
    first.server.call("read", json!({})).await.structured();
    first.server.call("who", json!({})).await.structured();
    // A link that some program damaged on the way, and one that is no link at all.
    let token = link.split_once('#').unwrap().1.to_owned();
    let damaged = format!("{}%23{token}", link.split_once('#').unwrap().0);
    for url in [
        damaged,
        format!("http://127.0.0.1:{}/{token}?{token}={token}", plane.port()),
    ] {
        let status = outsider::http().get(url).send().await.unwrap().status();
        assert!(status.is_client_error(), "{status}");
    }

    let ciphertext = vera.records().await;
    vera.leave().await;
    let mut story = Story {
        content: Needles::default(),
        passing: Needles::default(),
        kept: Needles::default(),
    };
    for (name, text) in [
        ("the title", TITLE),
        ("the context", CONTEXT),
        ("a path", PATH),
        ("a topic", TOPIC),
        ("a question", QUESTION),
        ("an answer", ANSWER),
        ("the first name", NAMES[0]),
        ("the second name", NAMES[1]),
        ("a viewer's name", NAMES[2]),
        ("the host program", "test-host"),
    ] {
        story.content.text(name, text);
    }
    // The last symbols hold the epoch; the first 51 are the secret alone.
    story.passing.text("the link's key", &token["dp1f".len()..][..51]);
    for agent in [&first, &second] {
        seat_secrets(&agent.machine.devpilot().join("sessions"), &mut story);
    }
    seal_secrets(&link, &mut story);
    let (agreement, signing) = vera.me.expose();
    story.content.bytes("a viewer's key", agreement);
    story.content.bytes("a viewer's seed", signing);
    story
        .passing
        .bytes("a viewer's rejoin secret", vera.me.rejoin_secret().expose());
    add_token(&mut story.passing, vera.token());
    let owner =
        std::fs::read_to_string(first.machine.devpilot().join("credentials.json")).unwrap_or_default();
    for machine_token in owner.split('"').filter(|text| text.starts_with("dpm_")) {
        add_token(&mut story.passing, machine_token);
    }

    story
        .kept
        .bytes("the session's id", vera.me.session_id().as_bytes());
    story
        .kept
        .bytes("a participant's id", vera.me.participant_id().as_bytes());
    let sealed: Vec<&Value> = ciphertext
        .iter()
        .filter(|record| record["class"] == "message")
        .collect();
    assert_eq!(sealed.len(), 3);
    for record in sealed {
        let bytes = from_base64url(record["sealed"].as_str().unwrap()).unwrap();
        story.kept.bytes("a message's ciphertext", &bytes[..64]);
    }
    story
}

/// A token as it stands in a header, and the 32 bytes of it.
fn add_token(needles: &mut Needles, token: &str) {
    let (_, symbols) = token.split_once('_').unwrap();
    needles.text("a token", token);
    needles.bytes("a token's bytes", &from_base64url(symbols).unwrap());
}

/// What each seat of a machine keeps to itself.
fn seat_secrets(sessions: &Path, story: &mut Story) {
    let mut seats = 0;
    for session in std::fs::read_dir(sessions).unwrap().flatten() {
        // Beside the sessions' folders lies the lock of who comes in.
        let Ok(files) = std::fs::read_dir(session.path()) else {
            continue;
        };
        for file in files.flatten() {
            let Ok(text) = std::fs::read_to_string(file.path()) else {
                continue;
            };
            let Ok(seat) = serde_json::from_str::<Value>(&text) else {
                continue;
            };
            let (Some(sk), Some(seed)) = (seat["identity"]["sk"].as_str(), seat["identity"]["seed"].as_str())
            else {
                continue;
            };
            seats += 1;
            story.content.bytes("a seat's key", &from_base64url(sk).unwrap());
            story
                .content
                .bytes("a seat's seed", &from_base64url(seed).unwrap());
            let bytes = |text: &str| <[u8; 32]>::try_from(from_base64url(text).unwrap()).unwrap();
            let session = seat["session"].as_str().unwrap().parse().unwrap();
            let me = seal::identity::Identity::from_bytes(session, &bytes(sk), &bytes(seed));
            story
                .passing
                .bytes("a rejoin secret", me.rejoin_secret().expose());
            add_token(&mut story.passing, seat["token"]["text"].as_str().unwrap());
        }
    }
    assert_eq!(
        seats, 1,
        "the seat's file has another form: nothing would be looked for"
    );
}

/// What the link gives.
fn seal_secrets(link: &str, story: &mut Story) {
    for link in [link.to_owned(), outsider::view_link(link)] {
        let link = seal::link::find(&link).unwrap();
        story.content.bytes("a link's secret", link.secret.expose());
        let proof = seal::keys::proof(&link.session_id, link.epoch, &link.secret);
        story.passing.bytes("a proof", proof.expose());
    }
}

/// Everything the database holds, row by row.
async fn dump(plane: &Plane) -> Vec<u8> {
    match plane.database() {
        Some(url) => dump_postgres(url).await,
        None => dump_sqlite(&plane.data()).await,
    }
}

async fn dump_postgres(url: &str) -> Vec<u8> {
    let pool = PgPool::connect(url).await.unwrap();
    let mut lines = Vec::new();
    let tables = "SELECT quote_ident(table_schema) || '.' || quote_ident(table_name) FROM information_schema.tables \
                  WHERE table_schema NOT IN ('pg_catalog', 'information_schema')";
    for table in sqlx::query(tables).fetch_all(&pool).await.unwrap() {
        let table: String = table.get(0);
        let rows = format!("SELECT t::text FROM {table} AS t");
        for row in sqlx::query(AssertSqlSafe(rows)).fetch_all(&pool).await.unwrap() {
            lines.push(row.get::<String, _>(0));
        }
    }
    // What the server shows of statements that ran.
    let activity = "SELECT coalesce(query, '') FROM pg_stat_activity";
    for row in sqlx::query(activity).fetch_all(&pool).await.unwrap() {
        lines.push(row.get::<String, _>(0));
    }
    pool.close().await;
    with_hex_decoded(&lines.join("\n"))
}

async fn dump_sqlite(data: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    let mut databases = 0;
    for file in std::fs::read_dir(data).unwrap().flatten() {
        // The pages as they lie, the write-ahead log's too: they keep what was deleted.
        let bytes = std::fs::read(file.path()).unwrap();
        if bytes.starts_with(b"SQLite format 3\0") {
            databases += 1;
            let url = format!("sqlite://{}?mode=ro", file.path().display());
            let pool = SqlitePool::connect(&url).await.unwrap();
            let tables = sqlx::query("SELECT name FROM sqlite_schema WHERE type = 'table'")
                .fetch_all(&pool)
                .await;
            for table in tables.unwrap() {
                let table: String = table.get(0);
                let columns = format!("SELECT name FROM pragma_table_info('{table}')");
                for column in sqlx::query(AssertSqlSafe(columns))
                    .fetch_all(&pool)
                    .await
                    .unwrap()
                {
                    let column: String = column.get(0);
                    let rows = format!("SELECT coalesce(hex(\"{column}\"), '') FROM \"{table}\"");
                    for row in sqlx::query(AssertSqlSafe(rows)).fetch_all(&pool).await.unwrap() {
                        all.extend(with_hex_decoded(&row.get::<String, _>(0)));
                        all.push(b'\n');
                    }
                }
            }
            pool.close().await;
        }
        all.extend(bytes);
    }
    assert_eq!(databases, 1, "the embedded database is not where it was");
    all
}

/// What a process holds in memory that it may write.
#[cfg(target_os = "linux")]
fn memory(pid: u32) -> Vec<u8> {
    use std::os::unix::fs::FileExt as _;

    let mut all = Vec::new();
    let memory = std::fs::File::open(format!("/proc/{pid}/mem")).unwrap();
    for line in std::fs::read_to_string(format!("/proc/{pid}/maps"))
        .unwrap()
        .lines()
    {
        let mut parts = line.split_whitespace();
        let (range, rights) = (parts.next().unwrap(), parts.next().unwrap());
        let (start, end) = range.split_once('-').unwrap();
        let (start, end) = (
            u64::from_str_radix(start, 16).unwrap(),
            u64::from_str_radix(end, 16).unwrap(),
        );
        if !rights.starts_with("rw") || end - start > 1 << 30 {
            continue;
        }
        let mut bytes = vec![0; usize::try_from(end - start).unwrap()];
        if memory.read_exact_at(&mut bytes, start).is_ok() {
            all.extend(bytes);
        }
    }
    all
}

#[tokio::test]
async fn nothing_the_plane_keeps_logs_or_shows_tells_what_was_said() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let story = story(&plane).await;
        let all = |place: &str, haystack: &[u8]| {
            story.content.assert_not_in(place, haystack);
            story.passing.assert_not_in(place, haystack);
        };
        // Who waits and who was there is written in a batch, some seconds later.
        let stored = dump(&plane).await;
        story.kept.assert_all_in("the database", &stored);
        all("the database", &stored);

        let metrics = plane.get("/metrics").await;
        assert!(metrics.contains("# TYPE"), "{metrics}");
        all("/metrics", metrics.as_bytes());
        let openapi = plane.get("/v1/openapi.json").await;
        assert!(openapi.contains("sealed_profile"));
        all("the API's description", openapi.as_bytes());

        until("the log has the requests", async || {
            plane.log().await.contains("/v1/sessions")
        })
        .await;
        all("the log", plane.log().await.as_bytes());

        #[cfg(target_os = "linux")]
        {
            let memory = memory(plane.pid());
            story.kept.assert_all_in("the plane's memory", &memory);
            story.content.assert_not_in("the plane's memory", &memory);
        }
    }
}

#[tokio::test]
async fn the_search_would_find_a_plane_that_keeps_a_text() {
    let plane = Plane::start(Store::Sqlite).await;
    let story = story(&plane).await;
    let pool = SqlitePool::connect(&format!("sqlite://{}", database_of(&plane.data()).display()))
        .await
        .unwrap();
    sqlx::query("CREATE TABLE remembers (what BLOB)")
        .execute(&pool)
        .await
        .unwrap();
    for stolen in [
        to_base64url(format!("x{QUESTION}").as_bytes()),
        format!("..{}..", NAMES[1]),
    ] {
        sqlx::query("INSERT INTO remembers VALUES (?)")
            .bind(stolen)
            .execute(&pool)
            .await
            .unwrap();
    }
    let found = story.content.in_bytes(&dump(&plane).await).join("; ");
    for thing in ["a question, base64url", "the second name, as it is"] {
        assert!(found.contains(thing), "{found}");
    }
    assert!(!found.contains("the title"), "{found}");
}

fn database_of(data: &Path) -> std::path::PathBuf {
    let mut files = std::fs::read_dir(data).unwrap().flatten().map(|file| file.path());
    let is_database = |path: &std::path::PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"SQLite format 3\0"))
    };
    files.find(is_database).unwrap()
}
