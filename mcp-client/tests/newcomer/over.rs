//! Of a session that is over no note is made and nobody is asked for a word.

use serde_json::json;

use crate::scene::{joined, session, shared, works};
use crate::stdio::pair::agent;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::terminal::at_terminal;

#[tokio::test]
async fn nothing_is_asked_for_in_a_session_that_is_over() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let ben = joined(&ada, "Ben", &["human", "agent"]).await;
    let id = session(&ada).await;
    works(&at_terminal(&ada, "end", "end\n").await);
    let link = format!("link --session {id}");
    let view = format!("link --view --session {id}");
    for machine in [&ada, &ben] {
        for command in [&link, &view] {
            let refused = at_terminal(machine, command, "link\n").await;
            let said = &refused.stdout;
            assert!(
                refused.code() == 1 && said.contains("was ended") && !said.contains("Type link"),
                "{command}: {refused}"
            );
        }
        for mode in ["relay", "auto", "accept"] {
            let refused = at_terminal(machine, &format!("mode {mode} --session {id}"), "").await;
            let said = &refused.stdout;
            assert!(
                refused.code() == 1 && said.contains("was ended") && !said.contains("Type "),
                "{mode}: {refused}"
            );
        }
        assert!(
            !machine.devpilot().join("handoffs").exists()
                || std::fs::read_dir(machine.devpilot().join("handoffs"))
                    .unwrap()
                    .count()
                    == 0
        );
    }
    let again = at_terminal(&ada, &format!("end --session {id}"), "").await;
    assert!(
        again.code() == 1 && again.stdout.contains("was ended") && !again.stdout.contains("Type end"),
        "{again}"
    );
    // Its records can still be deleted, once.
    works(&at_terminal(&ada, &format!("end --purge --session {id}"), "end\n").await);
}

/// The same by the tool that makes a note without showing it.
#[tokio::test]
async fn the_tool_makes_no_note_of_a_session_that_is_over() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let ben = joined(&ada, "Ben", &["agent"]).await;
    let mut server = agent(&ben).await;
    let id = session(&ben).await;
    assert!(!server.call("read", json!({ "session": id })).await.failed());
    works(&at_terminal(&ada, "end", "end\n").await);
    for more in [
        json!({ "session": id }),
        json!({ "session": id, "context": "more" }),
    ] {
        let refused = server.call("share", more).await;
        assert!(
            refused.failed() && refused.text().contains("was ended"),
            "{}",
            refused.text()
        );
    }
    assert!(!ben.devpilot().join("handoffs").exists());
}

/// As `rekey` and `door` say it: to connect the machine would not help who is not the owner.
#[tokio::test]
async fn a_participant_who_is_not_the_owner_is_told_who_can_end_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let ben = joined(&ada, "Ben", &["human"]).await;
    for command in ["end", "door closed", "rekey"] {
        let refused = at_terminal(&ben, command, "").await;
        let said = refused.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            refused.code() == 1 && said.contains("owner") && said.contains("Ask the owner"),
            "{command}: {refused}"
        );
        assert!(
            said.contains("administrator") && !said.contains("onnect it"),
            "{command}: {refused}"
        );
        assert!(!said.contains("Type "), "{command}: {refused}");
    }
}
