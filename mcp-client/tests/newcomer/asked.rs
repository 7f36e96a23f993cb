//! What was asked for and is not there: a topic that nobody wrote under, a message that there is none of, a folder; and who was
//! kept by a re-key and has not come yet.

use serde_json::{Value, json};

use crate::scene::{joined, run, session, shared, works};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::terminal::at_terminal;

#[tokio::test]
async fn a_filter_shows_no_card_and_says_what_there_is_none_of() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    works(&run(&ada, "post --as human --topic cache", "under a topic").await);
    for command in [
        "read --topic nothere --since 0 --as human",
        "read --topic nothere --as human",
    ] {
        for seen in [run(&ada, command, "").await, at_terminal(&ada, command, "").await] {
            works(&seen);
            let said = &seen.stdout;
            assert!(
                said.contains("No message with topic nothere") && !said.contains("Nothing new"),
                "{command}: {said}"
            );
            assert!(
                !said.contains("Hand-off") && !said.contains("hand-off") && !said.contains("records,"),
                "{said}"
            );
        }
    }
    let found = run(&ada, "read --topic cache --since 0 --as human", "").await;
    assert!(
        found.stdout.contains("under a topic") && !found.stdout.contains("hand-off"),
        "{found}"
    );
    let whole = run(&ada, "read --since 0 --as human", "").await;
    assert!(whole.stdout.contains("2 messages"), "the card as before: {whole}");
}

#[tokio::test]
async fn an_answer_to_no_message_is_refused_before_it_is_sealed() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let ada = shared(&plane).await;
        let ben = joined(&ada, "Ben", &["agent"]).await;
        // Ben's own coming in is an event.
        let events = run(&ada, "read --since 0 --as human --json", "").await.json();
        let newest = events["messages"].as_array().unwrap().last().unwrap()["seq"].clone();
        let refused = run(&ben, "post --reply-to 999", "to nobody").await;
        assert_eq!(refused.code(), 2, "{refused}");
        let said = format!("There is no message 999 here; the newest is {newest}.");
        assert!(refused.stderr.contains(&said), "{refused}");
        let event = events["events"][0]["seq"].as_u64().unwrap();
        let refused = run(&ben, &format!("post --reply-to {event}"), "to an event").await;
        assert!(
            refused.code() == 2 && refused.stderr.contains("no message but something that happened"),
            "{refused}"
        );
        // At a terminal before anybody writes a text.
        let typed = at_terminal(&ben, "post --as agent --reply-to 999", "").await;
        assert!(
            typed.stdout.contains("no message 999") && !typed.stdout.contains("Ctrl-D"),
            "{typed}"
        );
        // One that this seat has not fetched is looked for.
        let posted = run(&ada, "post --as human --json", "a question").await.json();
        let seq = posted["seq"].as_u64().unwrap();
        works(&run(&ben, &format!("post --reply-to {seq}"), "an answer").await);
        let texts = run(&ada, "read --since 0 --as human --json", "").await.json();
        assert_eq!(texts["messages"].as_array().unwrap().len(), 3, "{texts}");
    }
}

/// Of the two who take part the one who does not ask.
fn other(who: &Value) -> &Value {
    let mut all = who["participants"].as_array().unwrap().iter();
    all.find(|one| one["me"] == false).unwrap()
}

#[tokio::test]
async fn who_was_kept_and_has_not_moved_over_is_no_reader() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let ada = shared(&plane).await;
        let ben = joined(&ada, "Ben", &["agent"]).await;
        works(&run(&ben, "post", "here").await);
        let rekeyed = at_terminal(&ada, "rekey", "k\nkeep\nrekey\n").await;
        works(&rekeyed);
        let who = run(&ada, "who --as human --json", "").await.json();
        let bens = other(&who);
        assert_eq!(
            (&bens["may_write"], &bens["not_moved_over"], &bens["in_epoch"]),
            (&json!(true), &json!(true), &json!(true)),
            "{who}"
        );
        let seen = at_terminal(&ada, "who", "").await;
        assert!(
            seen.stdout.contains("kept, not moved over yet") && !seen.stdout.contains("reads only"),
            "{seen}"
        );
        let piped = run(&ada, "who --as human", "").await;
        assert!(
            piped.stdout.contains("not moved over yet") && !piped.stdout.contains("may not write"),
            "{piped}"
        );
        works(&run(&ben, "read", "").await);
        let who = run(&ada, "who --as human --json", "").await.json();
        let bens = other(&who);
        assert!(
            bens["may_write"] == true && bens.get("not_moved_over").is_none(),
            "{who}"
        );
    }
}

#[tokio::test]
async fn small_mistakes_are_answered_with_what_to_do() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let id = session(&ada).await;
    let word = run(&ada, "post hello --as human", "").await;
    assert!(
        word.code() == 2
            && word.stderr.contains("comes on standard input")
            && word.stderr.contains("echo 'Your text' | "),
        "{word}"
    );
    let nowhere = run(&ada, "export -o nonexist/x.md --as human", "").await;
    assert!(
        nowhere.code() == 1 && nowhere.stderr.contains("There is no folder nonexist"),
        "{nowhere}"
    );
    let ben = joined(&ada, "Ben", &["human"]).await;
    works(&run(&ada, "post --as human", "hello").await);
    let cut = at_terminal(&ben, "wait --timeout 100", "").await;
    let (told, message) = (cut.stdout.find("at most 50 s"), cut.stdout.find("hello"));
    assert!(told.is_some() && told < message, "before it waits: {cut}");
    let once = at_terminal(&ada, "mode auto --as human --budget 1", "Mend it.\n\u{4}no\n").await;
    assert!(once.stdout.contains("at most 1 message by everybody"), "{once}");
    // Over what the plane allows.
    let much = at_terminal(&ada, "mode auto --as human --budget 201", "Mend it.\n\u{4}auto\n").await;
    assert!(
        much.code() == 1
            && much.stdout.contains("fewer messages in one auto")
            && much.stdout.contains("smaller budget"),
        "{much}"
    );
    let link = run(&ada, "link --as human --json", "").await.json();
    let line = link["command"].as_str().unwrap();
    assert!(line.ends_with(&format!("link --session {}", &id[..8])), "{line}");
    works(&at_terminal(&ada, "end", "end\n").await);
    let late = run(&ada, "post --as human", "too late").await;
    assert!(
        late.code() == 1 && late.stderr.contains("is over") && !late.stderr.contains("Name one"),
        "{late}"
    );
    let history = run(&ada, "history src --repo acme/pay", "").await;
    assert!(history.stderr.contains("have your user start one"), "{history}");
    let typed = at_terminal(&ada, "history src --repo acme/pay", "").await;
    assert!(
        typed.stdout.contains("or start one") && !typed.stdout.contains("your user"),
        "{typed}"
    );
}

/// Of people it is spoken as of people.
#[tokio::test]
async fn a_person_at_the_door_is_no_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    works(&at_terminal(&ada, "door ask", "ask\n").await);
    let cleo = joined(&ada, "Cleo", &[]).await;
    let link = ada.link();
    let knocking = run(&cleo, "join - --as human", &link);
    let answering = async {
        let started = std::time::Instant::now();
        let id = loop {
            let door = run(&ada, "door --as human --json", "").await.json();
            if let Some(id) = door["knocking"][0]["id"].as_str() {
                break id.to_owned();
            }
            assert!(started.elapsed() < std::time::Duration::from_secs(30), "{door}");
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        };
        at_terminal(&ada, &format!("door admit {id}"), "admit\n").await
    };
    let (joined, admitted) = tokio::join!(knocking, answering);
    works(&joined);
    works(&admitted);
    assert!(
        admitted.stdout.contains("who calls themselves \"Cleo\"")
            && admitted.stdout.contains("They can then read"),
        "{admitted}"
    );
}
