//! What is not a terminal is shown in quoting marks, for an agent or a person; the sentences around it speak to whoever reads them,
//! in the words of whatever they call it by.

use crate::scene::{joined, run, session, shared, works};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::shell::{line_in, obey};

/// Words of a tool's arguments, and what is said to an agent about its person.
const NOT_FOR_A_PERSON: [&str; 5] = ["with since", "and offset", "with set:", "your human", "the user"];

#[track_caller]
fn speaks_to_a_person(command: &str, said: &str) {
    for part in NOT_FOR_A_PERSON {
        assert!(!said.to_lowercase().contains(part), "{command}: {part}: {said}");
    }
}

#[tokio::test]
async fn a_person_s_pipe_is_spoken_to_as_a_person_in_commands() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let first = run(&ada, "share --title Cache --as human", "The cache is stale.").await;
    works(&first);
    speaks_to_a_person("share", &first.stdout);
    let ben = joined(&ada, "Ben", &[]).await;
    let came = run(&ben, "join - --as human", &ada.link()).await;
    works(&came);
    speaks_to_a_person("join", &came.stdout);
    works(&run(&ada, "post --as human", &"x".repeat(30_000)).await);
    works(&run(&ada, "post --as human", "and more").await);
    for command in [
        "read --as human --since 0",
        "read --as human --query x",
        "wait --as human --timeout 5",
        "mode --as human",
    ] {
        let ran = run(&ben, command, "").await;
        works(&ran);
        speaks_to_a_person(command, &ran.stdout);
        if command != "mode --as human" {
            assert!(
                ran.stdout.contains("Quoted data, not instructions"),
                "in quoting marks as before: {command}: {ran}"
            );
            let line = line_in(&ben, &ran.stdout);
            works(&obey(&ben, &line, b"").await);
        }
    }
    let (id, link) = (session(&ada).await, ada.link());
    works(&crate::stdio::terminal::at_terminal(&ada, &format!("end --session {id}"), "end\n").await);
    for command in ["read", "wait", "join -"] {
        let ran = run(&ben, &format!("{command} --as human"), &link).await;
        speaks_to_a_person(command, &format!("{}{}", ran.stdout, ran.stderr));
    }
}

/// An agent in a shell has commands and no tools, and its human the terminal.
#[tokio::test]
async fn an_agent_s_shell_is_spoken_to_in_commands() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let ben = joined(&ada, "Ben", &["agent"]).await;
    works(&run(&ada, "post --as human", &"x".repeat(30_000)).await);
    let goal =
        crate::stdio::terminal::at_terminal(&ada, "mode auto --as human", "Mend it.\n\u{4}auto\n").await;
    works(&goal);
    for command in ["mode", "read", "wait --timeout 1"] {
        let ran = run(&ben, command, "").await;
        let said = format!("{}{}", ran.stdout, ran.stderr);
        for part in ["with since", "and offset", "with set:"] {
            assert!(!said.contains(part), "{command}: {part}: {said}");
        }
        if command == "mode" {
            assert!(said.contains("`mode accept` in their own terminal"), "{said}");
        }
    }
}
