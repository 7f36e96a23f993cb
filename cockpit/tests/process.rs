//! Who may use it, how it starts and ends, and what survives.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use cockpit::{Cockpit, StartError, StoreError, address};
use serde_json::json;
use support::Machine;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

#[tokio::test]
async fn only_who_has_the_token_and_is_no_page_is_answered() {
    let machine = Machine::new();
    let cockpit = machine.start().await;
    let token = &cockpit.address.token;
    let body = json!({ "repo": { "name": "x" }, "paths": ["f"] }).to_string();
    let length = body.len();
    let good = [
        ("Host", "127.0.0.1:3847".to_owned()),
        ("Content-Type", "application/json".to_owned()),
        ("Authorization", format!("Bearer {token}")),
        ("Content-Length", length.to_string()),
        ("Connection", "close".to_owned()),
    ];
    let send = async |changes: &[(&str, Option<&str>)]| {
        let mut request = "POST /v1/history HTTP/1.1\r\n".to_owned();
        for (name, value) in &good {
            match changes.iter().find(|(changed, _)| changed == name) {
                Some((_, None)) => {}
                Some((_, Some(other))) => request.push_str(&format!("{name}: {other}\r\n")),
                None => request.push_str(&format!("{name}: {value}\r\n")),
            }
        }
        for (name, value) in changes
            .iter()
            .filter(|(name, _)| !good.iter().any(|(known, _)| known == name))
        {
            request.push_str(&format!("{name}: {}\r\n", value.unwrap()));
        }
        cockpit.raw(&format!("{request}\r\n{body}")).await
    };
    assert_eq!(send(&[]).await.status, 200);
    assert_eq!(send(&[("Host", Some("localhost"))]).await.status, 200);
    for (changes, status) in [
        ([("Authorization", None)], 401),
        ([("Authorization", Some("Bearer 0"))], 401),
        ([("Authorization", Some("Basic x"))], 401),
        ([("Authorization", Some(token))], 401),
        (
            [("Authorization", Some(&format!("Bearer {}", &token[..32])))],
            401,
        ),
        ([("Authorization", Some(&format!("Bearer {token}0")))], 401),
        ([("Host", Some("evil.localhost"))], 403),
        ([("Host", Some("127.0.0.1\r\nHost: evil.example"))], 403),
        ([("Host", Some("evil.example"))], 403),
        ([("Host", Some("127.0.0.1.evil.example:3847"))], 403),
        ([("Host", Some("localhost@evil.example"))], 403),
        ([("Origin", Some("http://127.0.0.1:3847"))], 403),
        ([("Origin", Some("null"))], 403),
        ([("Content-Type", None)], 415),
        ([("Content-Type", Some("text/plain"))], 415),
        ([("Content-Type", Some("application/x-www-form-urlencoded"))], 415),
    ] {
        let answer = send(&changes).await;
        assert_eq!(answer.status, status, "{changes:?}");
        assert!(!answer.head.contains("access-control"), "{}", answer.head);
        assert!(answer.body["message"].is_string(), "{}", answer.body);
    }
    let health = cockpit
        .raw("GET /v1/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await;
    assert_eq!((health.status, &health.body["version"]), (200, &json!(1)));
    // What anybody may ask, a page may not.
    for stranger in [
        "Host: evil.example",
        "Host: localhost\r\nOrigin: http://localhost",
    ] {
        let refused = cockpit
            .raw(&format!(
                "GET /v1/health HTTP/1.1\r\n{stranger}\r\nConnection: close\r\n\r\n"
            ))
            .await;
        assert_eq!(refused.status, 403, "{stranger}");
    }
    let earlier = token.clone();
    cockpit.stop().await;
    let again = machine.start().await;
    assert_ne!(again.address.token, earlier, "each start has a token of its own");
    again.stop().await;
}

#[tokio::test]
async fn connections_that_ask_nothing_shut_nobody_out() {
    let machine = Machine::new();
    let cockpit = machine.start().await;
    let address = cockpit.address.url.strip_prefix("http://").unwrap().to_owned();
    let mut held = Vec::new();
    for _ in 0..3 * cockpit::limits::CONNECTIONS {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream
            .write_all(b"POST /v1/history HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Half: ")
            .await
            .unwrap();
        held.push(stream);
    }
    let question = json!({ "repo": { "name": "x" }, "paths": ["f"] });
    let answer = tokio::time::timeout(
        cockpit::limits::HEAD_TIME / 2,
        cockpit.post("/v1/history", &question),
    );
    assert_eq!(answer.await.expect("it is answered meanwhile").status, 200);
    let mut first = held.remove(0);
    let mut rest = Vec::new();
    // A connection that was cut with something unread may be reset.
    let ended = first.read_to_end(&mut rest).await;
    assert!(ended.is_err() || rest.is_empty(), "the oldest made room");
    drop(held);
    cockpit.stop().await;
}

#[tokio::test]
async fn what_is_no_question_is_refused_with_a_sentence() {
    let machine = Machine::new();
    let cockpit = machine.start().await;
    let name = json!({ "name": "x" });
    for body in [
        json!({}),
        json!([]),
        json!({ "repo": {}, "paths": ["f"] }),
        json!({ "repo": name, "paths": [] }),
        json!({ "repo": name, "paths": ["../f"] }),
        json!({ "repo": name, "paths": ["a/../f"] }),
        json!({ "repo": name, "paths": ["/etc/passwd"] }),
        json!({ "repo": name, "paths": ["a\u{0}b"] }),
        json!({ "repo": name, "paths": vec!["f"; 101] }),
        json!({ "repo": name, "paths": ["f"], "limit": 0 }),
        json!({ "repo": name, "paths": ["f"], "limit": 51 }),
        json!({ "repo": { "folder": "relative" }, "paths": ["f"] }),
        json!({ "repo": name, "paths": ["x".repeat(5_000)] }),
    ] {
        let answer = cockpit.post("/v1/history", &body).await;
        assert_eq!(answer.status, 400, "{body}");
        assert_eq!(answer.body["error"], "bad_request");
    }
    for body in [
        json!({ "event": "task_started", "host": "", "session": "s", "folder": "/tmp" }),
        json!({ "event": "task_started", "host": "h", "session": "s", "folder": "tmp" }),
        json!({ "event": "task_ended", "host": "h", "session": "s", "folder": "/tmp" }),
        json!({ "event": "nothing", "host": "h", "session": "s", "folder": "/tmp" }),
    ] {
        assert_eq!(cockpit.post("/v1/events", &body).await.status, 400, "{body}");
    }
    let large = json!({ "repo": name, "paths": ["f"], "more": "x".repeat(70_000) });
    let refused = cockpit.post("/v1/history", &large).await;
    assert_eq!(
        (refused.status, &refused.body["error"]),
        (413, &json!("too_large"))
    );
    assert!(refused.body["message"].is_string(), "{}", refused.body);
    assert_eq!(cockpit.post("/v2/history", &json!({})).await.status, 404);
    cockpit.stop().await;
}

#[tokio::test]
async fn it_listens_on_this_machine_alone_and_says_whose_port_or_folder_it_is() {
    let machine = Machine::new();
    let mut settings = machine.settings();
    for listen in ["0.0.0.0:0", "192.0.2.1:0", "[::]:0"] {
        settings.listen = listen.parse().unwrap();
        assert!(
            matches!(Cockpit::start(&settings).await, Err(StartError::NotLoopback(_))),
            "{listen}"
        );
    }
    assert!(!settings.folder.exists(), "nothing was made");
    let cockpit = machine.start().await;
    let error = Cockpit::start(&machine.settings()).await.unwrap_err();
    assert!(
        matches!(&error, StartError::Running(Some(url)) if *url == cockpit.address.url),
        "{error}"
    );
    let other = Machine::new();
    let mut settings = other.settings();
    settings.listen = cockpit
        .address
        .url
        .strip_prefix("http://")
        .unwrap()
        .parse()
        .unwrap();
    let error = Cockpit::start(&settings).await.unwrap_err();
    assert!(
        matches!(error, StartError::Taken(_)) && error.to_string().contains("--listen"),
        "{error}"
    );
    assert_eq!(address::find(&settings.folder), None);
    cockpit.stop().await;
    machine.start().await.stop().await;
}

#[tokio::test]
async fn what_was_answered_outlives_the_process_and_what_git_was_not_asked_is_asked_later() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "Outlives").await;
    cockpit.stop().await;
    repository.write("f", "1");
    let cockpit = machine.start().await;
    cockpit.finish("s", &repository.top, "Done.").await;
    cockpit.stop().await;
    let cockpit = machine.start().await;
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(history["tasks"][0]["title"], "Outlives");
    assert_eq!(history["tasks"][0]["outcome"], "done");
    cockpit.stop().await;
}

#[tokio::test]
async fn many_sessions_report_at_once_and_nothing_is_lost() {
    const SESSIONS: u64 = 24;
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    let cockpit = std::sync::Arc::new(machine.start().await);
    for event in ["task_started", "task_ended"] {
        let mut reports = tokio::task::JoinSet::new();
        for number in 0..SESSIONS {
            let (cockpit, top) = (cockpit.clone(), repository.top.clone());
            reports.spawn(async move {
                let session = format!("s{number}");
                let more = json!({ "title": session, "end": "finished" });
                cockpit.tell(&session, &top, event, more).await;
            });
        }
        reports.join_all().await;
        cockpit.ask(&repository.top, &["f"]).await;
        for number in 0..SESSIONS {
            repository.write(&format!("file-{number}"), event);
        }
    }
    let answer = cockpit
        .post(
            "/v1/history",
            &json!({ "repo": { "folder": repository.top }, "paths": [""], "limit": 50 }),
        )
        .await;
    let tasks = answer.body["tasks"].as_array().unwrap();
    let mut titles: Vec<_> = tasks.iter().map(|task| task["title"].to_string()).collect();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len() as u64, SESSIONS);
    for task in tasks {
        assert_eq!(
            (&task["outcome"], &task["files_total"]),
            (&json!("done"), &json!(SESSIONS))
        );
    }
    std::sync::Arc::into_inner(cockpit).unwrap().stop().await;
}

#[tokio::test]
async fn a_newer_schema_is_refused_and_left_alone() {
    use sqlx::Connection;
    let machine = Machine::new();
    machine.start().await.stop().await;
    let file = machine.settings().data.join("history.sqlite");
    let url = format!("sqlite://{}", file.display());
    let mut connection = sqlx::SqliteConnection::connect(&url).await.unwrap();
    sqlx::query("INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (9999, 'later', 1, x'00', 0)")
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let error = Cockpit::start(&machine.settings()).await.unwrap_err();
    assert!(
        matches!(error, StartError::Store(StoreError::Newer { .. })),
        "{error}"
    );
    assert!(error.to_string().contains("newer version"), "{error}");
    assert_eq!(address::find(&machine.settings().folder), None);
}

#[cfg(unix)]
#[tokio::test]
async fn the_history_is_for_its_user_alone() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let cockpit = machine.start().await;
    let mode = |path: std::path::PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let data = machine.settings().data;
    assert_eq!(mode(data.clone()), 0o700);
    for entry in std::fs::read_dir(&data).unwrap().flatten() {
        if entry.path().is_file() {
            assert_eq!(mode(entry.path()), 0o600, "{:?}", entry.path());
        }
    }
    cockpit.stop().await;
}
