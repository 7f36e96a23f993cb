//! Commands in a folder where no session was ever used: where only one can be meant it is taken, and where several can, or an
//! option names nothing, the refusal has the whole command to copy.

use crate::scene::{joined, run, run_in, session, shared, works};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::shell::{line_in, obey};
use crate::stdio::terminal::line_at_terminal;

/// A command at a terminal in another folder.
async fn at_terminal_in(machine: &Machine, folder: &str, command: &str, typed: &str) -> crate::stdio::Ran {
    let program = machine.devpilot().join("bin/devpilot-session");
    let line = format!("cd {folder} && {} {command}", program.display());
    line_at_terminal(machine, &line, typed).await
}

/// Ada, who shared in a folder of her own, and an empty one.
async fn in_work(plane: &Plane) -> Machine {
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let work = ada.home().join("work");
    std::fs::create_dir(&work).unwrap();
    std::fs::create_dir(ada.home().join("elsewhere")).unwrap();
    let share = "share --title Cache --as human";
    works(&run_in(&ada, &work, share, "The cache is stale.").await);
    ada
}

#[tokio::test]
async fn the_only_session_is_meant_in_every_folder() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = in_work(&plane).await;
    for (command, typed) in [
        ("mode relay", "relay\n"),
        ("door ask", "ask\n"),
        ("rekey --history keep", "rekey\n"),
        ("link", "link\n"),
        ("end", "end\n"),
    ] {
        if command == "end" {
            let elsewhere = ada.home().join("elsewhere");
            let posted = run_in(&ada, &elsewhere, "post --as human", "from elsewhere").await;
            works(&posted);
            std::fs::create_dir(ada.home().join("third")).unwrap();
        }
        let folder = if command == "end" { "third" } else { "elsewhere" };
        let ran = at_terminal_in(&ada, folder, command, typed).await;
        assert_eq!(ran.code(), 0, "{command}: {ran}");
    }
}

#[tokio::test]
async fn where_several_can_be_meant_the_refusal_has_a_command_that_works() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = in_work(&plane).await;
    let elsewhere = ada.home().join("elsewhere");
    let kept = ada.home().join("kept");
    std::fs::create_dir(&kept).unwrap();
    works(&run_in(&ada, &kept, "share --title Second --as human", "two").await);
    for (command, input) in [
        ("read --as human --since 0", ""),
        ("who --as human", ""),
        ("post --as human --kind note", "a note"),
        ("door --as human", ""),
        ("leave --as human", ""),
    ] {
        let refused = run_in(&ada, &elsewhere, command, input).await;
        assert_eq!(refused.code(), 1, "{command}: {refused}");
        let line = line_in(&ada, &refused.stderr);
        assert!(line.contains(&format!(" {command} --session ")), "{line}");
        obey(&ada, &line, input.as_bytes()).await;
    }
    // One is left, and it is not left unasked; what was typed is kept as a shell needs it.
    let refused = run_in(&ada, &elsewhere, "leave --as human", "").await;
    assert_eq!(refused.code(), 1, "{refused}");
    obey(&ada, &line_in(&ada, &refused.stderr), b"").await;
}

#[tokio::test]
async fn a_seat_that_is_none_is_answered_with_those_there_are() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = shared(&plane).await;
    let jon = joined(&ada, "Jon", &["human", "agent"]).await;
    for (command, input) in [("read", ""), ("post", "text"), ("leave", "")] {
        let refused = run(&jon, &format!("{command} --seat 01234567"), input).await;
        assert_eq!(refused.code(), 1, "{refused}");
        let said = &refused.stderr;
        for part in [
            "names no participant of this machine",
            "\"Jon\"",
            "(human)",
            "(agent)",
        ] {
            assert!(said.contains(part), "{part}: {refused}");
        }
        assert!(!said.contains("somebody else"), "{refused}");
        let line = line_in(&jon, said);
        assert!(!line.contains("01234567"), "{line}");
        if command != "leave" {
            obey(&jon, &line, input.as_bytes()).await;
        }
    }
    let id = session(&ada).await;
    let none = run(
        &Machine::new(),
        &format!("read --seat 01234567 --session {id}"),
        "",
    )
    .await;
    assert!(
        none.code() == 1 && !none.stderr.contains("somebody else"),
        "{none}"
    );
}
