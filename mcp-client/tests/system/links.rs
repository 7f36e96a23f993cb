//! Links as they arrive: mangled, cut, stitched, in a whole note; and what is told when one does not do.

use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

use crate::scene::{Agent, CONTEXT, Scene, TITLE};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};

/// How programs change a link on its way, and it is still one.
fn mangled(link: &str) -> Vec<String> {
    let (before, key) = link.split_once('#').unwrap();
    let (start, end) = link.split_at(link.len() - 20);
    let host = link.find("/s/").unwrap() + 10;
    vec![
        format!("{before}%23{key}"),
        format!("{before}%2523{key}"),
        format!("Look:\n> {start}\n>   {end}\nThanks"),
        format!("{start}\r\n\t{end}"),
        format!("{}\u{a0}{}", &link[..host], &link[host..]),
        format!("{start}\u{200b}{end}"),
        format!("[the session]({link}) and <{link}>, \"{link}\""),
        format!("{link}&utm_source=chat"),
        link.to_uppercase().replacen("HTTP", "http", 1),
        percent_encoded(&format!("Join this:\n{link}\nas soon as you can.")),
    ]
}

fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

#[tokio::test]
async fn a_link_opens_the_session_however_it_was_mangled() {
    let scene = Scene::new().await;
    let mut forms = mangled(scene.link()).into_iter();
    let (mut ben, joined) = Agent::join("Ben", &forms.next().unwrap()).await;
    let session = joined.structured()["session"].clone();
    for form in forms {
        let again = ben.server.call("join", json!({ "link": form })).await;
        assert!(!again.failed(), "{form:?}: {}", again.text());
        assert_eq!(again.structured()["session"], session, "{form:?}");
        assert_eq!(again.structured()["joined"], false);
    }
}

#[tokio::test]
async fn a_note_that_was_encoded_as_a_whole_still_holds_its_link_byte_for_byte() {
    let plane = Plane::start(Store::Sqlite).await;
    let mut ada = Agent::on(plane.owner().with("DEVPILOT_NAME", "Ada & Söhne <x>")).await;
    let share = json!({ "title": "100 % \"done\"? #1", "context": CONTEXT, "with": "Ben + Cleo" });
    let shared = ada.server.call("share", share).await;
    let note = std::fs::read_to_string(shared.structured()["handoff_file"].as_str().unwrap()).unwrap();
    let link = ada.machine.link();
    for text in [
        note.clone(),
        percent_encoded(&note),
        percent_encoded(&percent_encoded(&note)),
    ] {
        assert_eq!(*seal::link::find(&text).unwrap().to_text(), *link);
    }
}

#[tokio::test]
async fn what_is_no_whole_link_is_named_in_one_sentence_and_nothing_is_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = format!("http://{}", listener.local_addr().unwrap());
    let scene = Scene::new().await;
    let link = scene
        .link()
        .replace(&format!("http://127.0.0.1:{}", scene.plane.port()), &host);
    let (before, key) = link.split_once('#').unwrap();
    let other = {
        let session = seal::random::session_id().unwrap().to_string().replace('-', "");
        format!("{host}/s/{session}#{key}")
    };
    let mut ben = Agent::on(Machine::new()).await;
    for (text, code) in [
        (before.to_owned(), "link_no_key"),
        (format!("{before}#"), "link_no_key"),
        (format!("{before}/"), "link_no_key"),
        (link[..link.len() - 1].to_owned(), "link_truncated"),
        (format!("{before}#dp1f"), "link_truncated"),
        (other.clone(), "link_checksum"),
        (format!("{before}#dp2f{}", &key[4..]), "link_version"),
        (
            link.replace("http://127.0.0.1", "http://example.org"),
            "link_insecure",
        ),
        (format!("{link} {}", scene.link()), "link_ambiguous"),
        ("no link at all".to_owned(), "link_missing"),
        (format!("{link}{}", " ".repeat(65_536)), "input_too_long"),
    ] {
        let failed = ben.server.call("join", json!({ "link": text })).await;
        assert_eq!(failed.code(), code, "{}", failed.text());
        assert!(failed.text().len() < 400, "{}", failed.text());
        assert!(!failed.text().contains(&key[8..24]), "{}", failed.text());
    }
    let asked = tokio::time::timeout(std::time::Duration::from_millis(1), listener.accept()).await;
    assert!(asked.is_err(), "the host of a link that is none was asked");

    // The same host is asked for a link that is one: the listener would have seen it.
    let asking = ben.server.start_call("join", json!({ "link": link })).await;
    let (mut stream, _) = listener.accept().await.unwrap();
    stream
        .write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        .await
        .unwrap();
    drop((stream, asking));
}

#[tokio::test]
async fn home_path_and_lang_alone_are_enough_to_share_and_to_join() {
    let plane = Plane::start(Store::Sqlite).await;
    let bare = |machine: Machine| machine.without("DEVPILOT_CLIPBOARD").with("LANG", "C.UTF-8");
    let mut ada = Agent::on(bare(plane.owner())).await;
    let shared = ada
        .server
        .call("share", json!({ "title": TITLE, "context": CONTEXT }))
        .await;
    assert_eq!(
        shared.structured()["clipboard"],
        "none",
        "there is no display in this environment"
    );
    let file = shared.structured()["handoff_file"].as_str().unwrap();
    assert!(shared.text().contains(file), "the answer names the file");

    let mut ben = Agent::on(bare(Machine::new())).await;
    let joined = ben
        .server
        .call("join", json!({ "link": ada.machine.link() }))
        .await;
    assert_eq!(joined.structured()["card"]["handoff"]["text"], CONTEXT);
    assert!(!joined.structured()["me"].as_str().unwrap().is_empty());
}
