//! The process of the cockpit: how it starts and ends, and what a crash leaves.

use serde_json::json;

use crate::scene::{Agent, Cockpit, Repository, ask, history, server};
use crate::stdio::Machine;

#[tokio::test]
async fn what_was_told_outlives_a_crash() {
    let machine = Machine::new();
    let repository = Repository::new(&machine, "pay", &[("f", "0"), ("g", "0")]);
    let cockpit = Cockpit::start(&machine).await;
    let agent = Agent {
        cockpit: &cockpit,
        machine: &machine,
        repository: &repository,
        session: "s",
    };
    agent.prompt("Before the crash").await;
    repository.write("f", "1");
    agent.stop("Done.").await;
    agent.prompt("Across the crash").await;
    cockpit.kill().await;
    repository.write("g", "1");
    let cockpit = Cockpit::start(&machine).await;
    let agent = Agent {
        cockpit: &cockpit,
        machine: &machine,
        repository: &repository,
        session: "s",
    };
    agent.stop("Done as well.").await;
    for (path, title) in [("f", "Before the crash"), ("g", "Across the crash")] {
        let ran = history(&machine, &repository.top, &[path]).await;
        let tasks = &ran.json()["tasks"];
        assert_eq!(
            (&tasks[0]["title"], &tasks[0]["outcome"]),
            (&json!(title), &json!("done")),
            "{ran}"
        );
    }
}

#[tokio::test]
async fn many_hooks_at_once_tear_nothing() {
    const AGENTS: usize = 8;
    let machine = Machine::new();
    let repository = Repository::new(&machine, "pay", &[("f", "0")]);
    let cockpit = Cockpit::start(&machine).await;
    for event in ["UserPromptSubmit", "Stop"] {
        let reports = (0..AGENTS).map(|number| {
            let input = json!({
                "session_id": format!("s{number}"), "cwd": repository.top, "prompt": format!("Task {number}"),
                "stop_hook_active": false
            });
            cockpit.hook(&machine, event, input)
        });
        for ran in futures_util::future::join_all(reports).await {
            assert_eq!(
                (ran.code(), ran.stdout.as_str(), ran.stderr.as_str()),
                (0, "", "")
            );
        }
        history(&machine, &repository.top, &["f"]).await;
        repository.write("f", event);
    }
    // A hook gives up after 300 ms on a busy machine; what the cockpit took is whole.
    let told = history(&machine, &repository.top, &["f"]).await.json();
    let tasks = told["tasks"].as_array().unwrap();
    let mut titles: Vec<String> = tasks.iter().map(|task| task["title"].to_string()).collect();
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), tasks.len(), "none twice: {told}");
    assert!(
        !tasks.is_empty() && tasks.iter().all(|task| task["files"] == json!(["f"])),
        "{told}"
    );
}

#[tokio::test]
async fn it_says_why_it_can_t_start() {
    let machine = Machine::new();
    let cockpit = Cockpit::start(&machine).await;
    let listen = cockpit.url().strip_prefix("http://").unwrap();
    let other = Machine::new();
    for (machine, listen, says) in [
        (&other, listen, "is taken"),
        (&other, "0.0.0.0:3847", "can be reached from other machines"),
        (&other, "192.0.2.7:3847", "can be reached from other machines"),
        (
            &machine,
            "127.0.0.1:0",
            "a cockpit runs already at http://127.0.0.1:",
        ),
    ] {
        let ran = machine.run(["cockpit", "--listen", listen], b"").await;
        assert_eq!((ran.code(), ran.stdout.as_str()), (1, ""), "{listen}: {ran}");
        assert!(ran.stderr.contains(says), "{listen}: {ran}");
        assert_eq!(ran.stderr.lines().count(), 1, "{ran}");
    }
    let misspelt = other.run(["cockpit", "--listen", "nonsense"], b"").await;
    assert_eq!(misspelt.code(), 2);
}

#[cfg(unix)]
#[tokio::test]
async fn it_ends_when_it_is_told_to_and_starts_again() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    let cockpit = Cockpit::start(&machine).await;
    let folder = machine.devpilot().join("cockpit");
    assert_eq!(
        std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777,
        0o700
    );
    for file in ["address.json", "history.sqlite", "lock"] {
        let mode = std::fs::metadata(folder.join(file)).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{file}");
    }
    assert_eq!(cockpit.terminate().await, 0);
    assert_eq!(Cockpit::start(&machine).await.terminate().await, 0);
}

#[tokio::test]
async fn it_says_what_to_do_next() {
    let machine = Machine::new();
    let mut child = machine
        .command(["cockpit", "--listen", "127.0.0.1:0"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut lines = tokio::io::BufReader::new(child.stdout.take().unwrap());
    while !said.contains("Nothing of it leaves this machine.") {
        use tokio::io::AsyncBufReadExt;
        assert_ne!(lines.read_line(&mut said).await.unwrap(), 0, "{said}");
    }
    for part in [
        "http://127.0.0.1:",
        "hook session-start",
        "hook stop-failure",
        &format!("{}/bin/devpilot-session history\n", machine.devpilot().display()),
        "Ctrl-C",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    child.kill().await.unwrap();
}

/// `core.excludesFile` of the person's own configuration, and the file that git reads where nothing names one.
#[tokio::test]
async fn what_the_person_has_git_ignore_is_not_a_change_of_a_task() {
    let machine = Machine::new();
    let repository = Repository::new(&machine, "pay", &[("f", "0")]);
    let cockpit = Cockpit::start(&machine).await;
    let agent = Agent {
        cockpit: &cockpit,
        machine: &machine,
        repository: &repository,
        session: "s",
    };
    let home = machine.home();
    std::fs::create_dir_all(home.join(".config/git")).unwrap();
    std::fs::write(home.join(".config/git/ignore"), "by-default\n").unwrap();
    std::fs::write(home.join("my-ignore"), "by-name\n").unwrap();
    for (settings, expected) in [
        ("", json!(["by-name", "f"])),
        (
            "[core]\n\texcludesFile = ~/my-ignore\n",
            json!(["by-default", "f"]),
        ),
        (
            "[core]\n\texcludesFile =\n",
            json!(["by-default", "by-name", "f"]),
        ),
    ] {
        std::fs::write(home.join(".gitconfig"), settings).unwrap();
        agent.prompt(settings).await;
        for path in ["f", "by-default", "by-name"] {
            repository.write(path, &format!("after {settings}"));
        }
        agent.stop("Done.").await;
        let ran = history(&machine, &repository.top, &["."]).await;
        assert_eq!(ran.json()["tasks"][0]["files"], expected, "{settings:?}");
    }
}

#[tokio::test]
async fn a_task_with_more_changed_files_than_are_listed_says_so_in_words() {
    let machine = Machine::new();
    let repository = Repository::new(&machine, "pay", &[("f", "0")]);
    let cockpit = Cockpit::start(&machine).await;
    let agent = Agent {
        cockpit: &cockpit,
        machine: &machine,
        repository: &repository,
        session: "s",
    };
    agent.prompt("Make many").await;
    // One more than `docs/cockpit.md` says.
    (0..=5_000).for_each(|number| repository.write(&format!("made/{number}"), "x"));
    repository.write("f", "1");
    repository.git(&["commit", "--quiet", "--message", "f", "f"]);
    agent.stop("Done.").await;
    let ran = history(&machine, &repository.top, &["f"]).await;
    let task = &ran.json()["tasks"][0];
    assert_eq!(
        (&task["files"], &task["files_unlisted"]),
        (&json!(["f"]), &json!(true))
    );
    let mut server = server(&machine, &repository.top).await;
    let told = ask(&mut server, json!({ "paths": ["f"] })).await;
    assert!(
        told.text().contains("it may have changed more"),
        "{}",
        told.text()
    );
}
