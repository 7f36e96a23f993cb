//! Who left is out until a link brings them back: looking does not, and nobody is told that they came back.

use crate::scene::{comings, joined, run, run_in, session, shared, works};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::terminal::at_terminal;

#[tokio::test]
async fn a_seat_that_was_left_is_brought_back_by_no_look() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let ada = shared(&plane).await;
        let jon = joined(&ada, "Jon", &["human", "agent"]).await;
        works(&run(&jon, "leave --as agent", "").await);
        let before = comings(&ada).await;
        assert!(before.last().unwrap().contains("left"), "{before:?}");
        let id = session(&jon).await;
        for (command, reads) in [
            ("read", true),
            ("read --since 0", true),
            ("who", true),
            ("mode", false),
            ("wait --timeout 1", false),
            ("post", false),
            ("post --kind note", false),
            ("export -o -", true),
            ("listen --timeout 1", false),
        ] {
            let ran = run(&jon, &format!("{command} --as agent --session {id}"), "text").await;
            let said = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                said.contains("left this session") && said.contains("join with the link"),
                "{command}: {ran}"
            );
            assert_eq!(ran.code() == 0, reads, "{command}: {ran}");
            assert!(!ran.stdout.contains("send"), "{command}: {ran}");
        }
        let again = run(&jon, &format!("leave --as agent --session {id}"), "").await;
        assert!(again.stdout.contains("You left this session already"), "{again}");
        works(&again);
        assert_eq!(comings(&ada).await, before, "nobody was told of anybody");

        works(&run(&jon, "join - --as agent", &ada.link()).await);
        let after = comings(&ada).await;
        assert!(
            after.len() == before.len() + 1 && after.last().unwrap().contains("came back"),
            "{after:?}"
        );
        works(&run(&jon, "post --as agent", "back").await);
    }
}

#[tokio::test]
async fn with_one_seat_as_well_and_the_second_leave_says_so() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let jon = joined(&ada, "Jon", &["human"]).await;
    works(&run(&jon, "leave --as human", "").await);
    let before = comings(&ada).await;
    let id = session(&jon).await;
    for command in ["who", "mode", "read", "post"] {
        let ran = run(&jon, &format!("{command} --as human"), "text").await;
        assert!(
            ran.code() == 1
                && ran.stderr.contains("left the session")
                && ran.stderr.contains("join with the link"),
            "{command}: {ran}"
        );
    }
    // Neither by the folder nor by name, and a person at a terminal is asked for no word.
    for again in [
        "leave --as human".to_owned(),
        format!("leave --as human --session {id}"),
    ] {
        let ran = run(&jon, &again, "").await;
        works(&ran);
        assert!(ran.stdout.contains("You left this session already"), "{ran}");
    }
    let relay = at_terminal(&jon, &format!("mode relay --session {id}"), "").await;
    assert!(
        relay.code() == 1 && relay.stdout.contains("left this session"),
        "{relay}"
    );
    assert_eq!(comings(&ada).await, before);
}

/// Somebody who leaves twice in a folder must not leave another session for it.
#[tokio::test]
async fn a_second_leave_leaves_no_other_session() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, other) = (shared(&plane).await, shared(&plane).await);
    let jon = joined(&ada, "Jon", &[]).await;
    let [work, elsewhere] = ["work", "elsewhere"].map(|name| jon.home().join(name));
    for (folder, link) in [(&work, ada.link()), (&elsewhere, other.link())] {
        std::fs::create_dir(folder).unwrap();
        works(&run_in(&jon, folder, "join - --as human", &link).await);
    }
    let left = run_in(&jon, &work, "leave --as human", "").await;
    assert!(left.code() == 1, "which of two: {left}");
    let id = session(&ada).await;
    works(&run_in(&jon, &work, &format!("leave --as human --session {id}"), "").await);
    let again = run_in(&jon, &work, "leave --as human", "").await;
    works(&again);
    assert!(
        again.stdout.contains(&id[..8]) && again.stdout.contains("already"),
        "{again}"
    );
}
