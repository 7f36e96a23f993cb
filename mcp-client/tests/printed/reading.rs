//! Answers that go on elsewhere: more of a transcript, listening, which session, a document.

use serde_json::{Value, json};

use crate::scene::{CONTEXT, by_hand, pair, texts, works};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::room::{Listener, said};
use crate::stdio::shell::{line_in, obey, shell};
use crate::stdio::terminal::at_terminal;

/// Ada writes some notes on a topic, and something else after each.
async fn notes(ada: &Machine, count: usize) {
    for n in 1..=count {
        let note = ["post", "--as", "human", "--kind", "note", "--topic", "the cache"];
        works(&ada.run(note, format!("note {n}").as_bytes()).await);
        works(
            &ada.run(["post", "--as", "human"], format!("aside {n}").as_bytes())
                .await,
        );
    }
}

/// The texts that an answer shows, of those that [`notes`] wrote.
fn shown(text: &str) -> Vec<String> {
    let words = text.lines().map(|line| line.trim_start_matches("  | ").trim());
    words
        .filter(|line| {
            ["note ", "aside "].iter().any(|word| {
                line.strip_prefix(word).is_some_and(|number| {
                    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
                })
            })
        })
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn more_of_a_transcript_comes_by_the_line_that_carries_every_option() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _ben) = pair(&plane).await;
    notes(&ada, 5).await;
    let first = ada.run(["sessions", "--json"], b"").await.json();
    let (session, seat) = (&first["seats"][0]["session"], &first["seats"][0]["seat"]);
    let (session, seat) = (session.as_str().unwrap(), seat.as_str().unwrap());
    // Another session is the one that a bare command means from here on.
    let other = ["share", "--title", "Another", "--as", "human"];
    works(&ada.run(other, CONTEXT.as_bytes()).await);

    let read = [
        "read",
        "--session",
        session,
        "--seat",
        seat,
        "--as",
        "human",
        "--kind",
        "note",
        "--topic",
        "the cache",
        "--from",
        "Ada",
        "--limit",
        "2",
        "--since",
        "1",
    ];
    let mut page = ada.run(read, b"").await;
    let mut seen = Vec::new();
    for expected in [2, 2, 1] {
        works(&page);
        let some = shown(&page.stdout);
        assert_eq!(some.len(), expected, "{page}");
        seen.extend(some);
        if expected == 1 {
            break;
        }
        let line = line_in(&ada, &page.stdout);
        for option in [
            format!(" --session {}", &session[..8]),
            format!(" --seat {seat}"),
            " --as human".to_owned(),
            " --kind note".to_owned(),
            " --topic 'the cache'".to_owned(),
            " --from Ada".to_owned(),
            " --limit 2".to_owned(),
            " --since ".to_owned(),
        ] {
            assert!(line.contains(&option), "{option}: {line}");
        }
        page = obey(&ada, &line, b"").await;
    }
    assert_eq!(seen, ["note 1", "note 2", "note 3", "note 4", "note 5"]);
    assert!(!page.stdout.contains("There is more"), "{page}");
}

#[tokio::test]
async fn the_line_after_a_part_of_a_long_message_goes_on_in_it_and_all_counts_as_read() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, ben) = pair(&plane).await;
    works(&ben.run(["read"], b"").await);
    let long = "b".repeat(70_000);
    for text in [long.as_str(), "note 1"] {
        works(&ada.run(["post", "--as", "human"], text.as_bytes()).await);
    }
    let mut page = ben.run(["read"], b"").await;
    let mut bytes = 0;
    let text = loop {
        works(&page);
        bytes += page.stdout.matches("bbbbbbbbbb").count() * 10;
        if !shown(&page.stdout).is_empty() {
            break shown(&page.stdout);
        }
        let line = line_in(&ben, &page.stdout);
        assert!(
            !line.contains("--since"),
            "what was shown would stay unread: {line}"
        );
        page = obey(&ben, &line, b"").await;
    };
    assert_eq!(text, ["note 1"]);
    assert!((69_900..=70_000).contains(&bytes), "{bytes}");
    assert!(!page.stdout.contains("There is more"), "{page}");
    let unread = ben.run(["read", "--json"], b"").await.json();
    assert_eq!(unread["messages"], json!([]));
}

#[tokio::test]
async fn what_was_not_typed_is_in_the_line_as_well_and_a_query_comes_from_its_input_again() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, ben) = pair(&plane).await;
    notes(&ada, 2).await;
    let page = ben.run(["read", "--limit", "1"], b"").await;
    let line = line_in(&ben, &page.stdout);
    // Ben's agent comes into another session; its line means the first all the same.
    let other = ["share", "--title", "Another", "--as", "human"];
    works(&ada.run(other, CONTEXT.as_bytes()).await);
    works(
        &ben.run(["join", "-"], ada.link_of_the_newest_note().as_bytes())
            .await,
    );
    assert!(line.contains(" --as agent --seat "), "{line}");
    let rest = obey(&ben, &line.replace("--limit 1", "--limit 50"), b"").await;
    assert_eq!(
        shown(&rest.stdout).len() + shown(&page.stdout).len(),
        4,
        "{page}{rest}"
    );

    let session = ada.run(["sessions", "--json"], b"").await.json()["seats"][1]["session"].clone();
    let session = session.as_str().unwrap();
    let query = [
        "read",
        "--session",
        session,
        "--as",
        "human",
        "--query",
        "-",
        "--limit",
        "1",
    ];
    let page = ada.run(query, b"note").await;
    assert!(page.stdout.contains("with the same on standard input"), "{page}");
    let rest = obey(&ada, &line_in(&ada, &page.stdout), b"note").await;
    assert_eq!(
        [shown(&page.stdout), shown(&rest.stdout)].concat(),
        ["note 1", "note 2"],
        "{page}{rest}"
    );
    // At a terminal too.
    let seen = at_terminal(&ada, &format!("read --session {session} --since 1 --limit 1"), "").await;
    let line = line_in(&ada, &seen.stdout.replace('\r', ""));
    assert!(
        !line.contains("--as"),
        "a person is one at their terminal: {line}"
    );
    by_hand(&ada, &line, "").await;
}

#[tokio::test]
async fn the_line_that_listens_wakes_and_so_does_the_one_it_gives() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, ben) = pair(&plane).await;
    let set = at_terminal(&ada, "mode relay --as human", "relay\n").await;
    works(&set);
    works(&ben.run(["read"], b"").await);
    let mode: Value = ben.run(["mode", "--json"], b"").await.json();
    let mut line = mode["listen"].as_str().unwrap().to_owned();
    for text in ["one", "two"] {
        let listener = Listener::start(&mut shell(&ben, &line));
        works(&ada.run(["post", "--as", "human"], text.as_bytes()).await);
        let ran = listener.end().await;
        works(&ran);
        line = said(&ran)["rearm"].as_str().unwrap().to_owned();
        works(&ben.run(["read"], b"").await);
    }
    // The same one in the answers to whoever comes in or shares in relay.
    let cleo = Machine::new().with("DEVPILOT_SESSION_LINK", &ada.link());
    let joined: Value = cleo.run(["join", "--json"], b"").await.json();
    let listener = Listener::start(&mut shell(&cleo, joined["listen"].as_str().unwrap()));
    works(&ada.run(["post", "--as", "human"], b"three").await);
    works(&listener.end().await);
}

#[tokio::test]
async fn which_session_is_answered_by_an_id_that_the_question_names() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner();
    for context in ["one", "two"] {
        let share = ["share", "--title", "Twice", "--as", "human", "--json"];
        let shared = ada.run(share, context.as_bytes()).await;
        works(&shared);
    }
    let asked = ada.run(["leave", "--as", "human"], b"").await;
    assert_ne!(asked.code(), 0, "{asked}");
    let ids: Vec<&str> = asked
        .stderr
        .split('(')
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|id| id.len() == 8)
        .collect();
    assert_eq!(ids.len(), 2, "{asked}");
    for id in ids {
        let kept = ada.devpilot().join("bin/devpilot-session");
        let line = format!("{} leave --as human --session {id}", kept.display());
        obey(&ada, &line, b"").await;
    }
}

#[tokio::test]
async fn a_document_goes_where_the_refusal_says() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _) = pair(&plane).await;
    std::fs::create_dir(ada.home().join("notes")).unwrap();
    let export = async |words: &str| {
        let kept = ada.devpilot().join("bin/devpilot-session");
        crate::stdio::shell::obeyed(&ada, &format!("{} export {words}", kept.display()), b"").await
    };
    let refused = export("-o notes --as human").await;
    assert_ne!(refused.code(), 0, "{refused}");
    let (_, such_as) = refused.stderr.split_once("such as ").unwrap();
    let file = such_as.trim().trim_end_matches('.').to_owned();
    works(&export(&format!("-o {file} --as human")).await);
    let again = export(&format!("-o {file} --as human")).await;
    assert!(
        again.code() != 0 && again.stderr.contains("add --force"),
        "{again}"
    );
    works(&export(&format!("-o {file} --as human --force")).await);
    let fifo = export("-o /dev/full --as human").await;
    assert!(fifo.stderr.contains("-o - for standard output"), "{fifo}");
    let out = export("-o - --as human").await;
    assert!(out.stdout.contains(CONTEXT), "{out}");
    assert_eq!(texts(&ada).await, [json!(CONTEXT)]);
}
