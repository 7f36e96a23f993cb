//! Next to nothing in the environment, as hosts and containers clear it.

use serde_json::json;

use crate::scene::{self, CONTEXT, NOBODYS_UID, TITLE, assert_said};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Machine, Server, binary};

#[tokio::test]
async fn home_and_path_alone_are_enough_to_share_join_and_post() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada_machine = plane.owner().without("DEVPILOT_CLIPBOARD");
    let mut ada = ada_machine.server();
    ada.initialize("2025-06-18", json!({})).await;
    let shared = ada
        .call("share", json!({ "title": TITLE, "context": CONTEXT }))
        .await;
    assert_eq!(
        shared.structured()["clipboard"],
        "none",
        "there is no display here"
    );
    let ben = Machine::new().without("DEVPILOT_CLIPBOARD");
    let joined = scene::join(&ben, &ada_machine.link()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    scene::post(&ben, "from a bare shell").await;
    let read = ada.call("read", json!({})).await;
    assert_eq!(read.structured()["messages"][0]["text"], "from a bare shell");
    // The name comes from the home folder where nothing else says it.
    let name = ben.home().file_name().unwrap().to_string_lossy();
    let from = read.structured()["messages"][0]["from"].to_string();
    let git_knows_a_name = !from.contains(name.get(..8).unwrap_or(&name));
    assert!(!from.contains("unnamed") || git_knows_a_name, "{from}");
}

#[tokio::test]
async fn without_home_the_systems_record_of_the_user_counts() {
    if !scene::may_mount() {
        return;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let root = users.lines().find(|line| line.starts_with("root:")).unwrap();
    let home = root.split(':').nth(5).unwrap();
    // An empty folder in the place of root's real home, for this process alone; the program may lie below that.
    let machine = Machine::new();
    let program = machine.home().join("program");
    std::fs::copy(binary(), &program).unwrap();
    let mut command = tokio::process::Command::new("unshare");
    command
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .args(["--mount", "sh", "-c"])
        .arg("mount -t tmpfs none \"$1\" && \"$2\" sessions --json && ls -A \"$1\"")
        .args(["sh", home])
        .arg(&program)
        .current_dir("/");
    let ran = scene::finish(command, b"").await;
    assert_eq!(
        (ran.code(), ran.stdout.lines().last()),
        (0, Some(".devpilot")),
        "{ran}"
    );
}

#[tokio::test]
async fn without_a_home_and_a_record_of_the_user_both_faces_say_what_to_set() {
    if !scene::is_root() {
        return;
    }
    let nobody = || {
        let mut command = tokio::process::Command::new("setpriv");
        command
            .env_clear()
            .args([
                &format!("--reuid={NOBODYS_UID}"),
                &format!("--regid={NOBODYS_UID}"),
                "--clear-groups",
            ])
            .arg(binary())
            .current_dir("/")
            .kill_on_drop(true);
        command
    };
    let mut command = nobody();
    command.arg("read");
    let ran = scene::finish(command, b"").await;
    assert_said(&ran, &["home folder", "Set DEVPILOT_HOME"]);
    let mut server = Server::start(&mut nobody());
    server.initialize("2025-06-18", json!({})).await;
    let read = server.call("read", json!({})).await;
    assert!(read.text().contains("Set DEVPILOT_HOME"), "{}", read.text());
    assert_eq!(read.code(), "local_file");
    // A home that is set and can't be made is named.
    let mut command = nobody();
    command.env("HOME", "/nonexistent").args(["join", "-"]);
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ran = scene::finish(command, link.as_bytes()).await;
    assert_said(&ran, &["/nonexistent/.devpilot", "can't be used"]);
}

#[tokio::test]
async fn a_home_that_depends_on_where_one_is_is_refused_by_both_faces() {
    let machine = Machine::new();
    for (variable, value, said) in [
        ("HOME", "rel", "Set DEVPILOT_HOME to the absolute path"),
        ("DEVPILOT_HOME", "rel/state", "Set it to the absolute path"),
        ("DEVPILOT_HOME", ".", "Set it to the absolute path"),
        ("DEVPILOT_HOME", "~", "Set it to the absolute path"),
    ] {
        for verb in ["sessions", "read", "share --title x", "doctor"] {
            let mut command = machine.command([]);
            command.args(verb.split(' '));
            command.env(variable, value);
            let ran = scene::finish(command, b"context").await;
            assert_eq!(ran.code(), 1, "{verb}: {ran}");
            let told = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                told.contains(&format!("{variable} is \"{value}\"")) && told.contains(said),
                "{verb}: {ran}"
            );
        }
        let mut server = Server::start(machine.command([]).env(variable, value));
        server.initialize("2025-06-18", json!({})).await;
        let read = server.call("read", json!({})).await;
        assert!(read.text().contains(said), "{}", read.text());
        server.close().await;
    }
    // Where the folder is named whole, the home is not asked.
    let state = machine.home().join("state");
    let mut command = machine.command(["sessions"]);
    command.env("HOME", "rel").env("DEVPILOT_HOME", &state);
    assert_eq!(scene::finish(command, b"").await.code(), 0);
    let left: Vec<_> = std::fs::read_dir(machine.home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert!(
        left.iter().all(|name| name == "state"),
        "nothing is written elsewhere: {left:?}"
    );
}

#[tokio::test]
async fn a_home_that_is_no_folder_is_named_with_what_to_set() {
    let machine = Machine::new();
    let file = machine.home().join("file");
    std::fs::write(&file, "kept").unwrap();
    for (home, named) in [
        ("/dev/full".into(), "/dev/full".into()),
        (file.clone(), file.display().to_string()),
        (file.join("below/it"), file.display().to_string()),
    ] {
        for verb in ["sessions", "read", "share --title x", "doctor", "cockpit"] {
            let mut command = machine.command([]);
            command.args(verb.split(' '));
            command.env("DEVPILOT_HOME", &home);
            let ran = scene::finish(command, b"context").await;
            assert_ne!(ran.code(), 0, "{verb}: {ran}");
            let told = format!("{}{}", ran.stdout, ran.stderr);
            assert!(
                told.contains(&format!("{named} should be a folder and is none")),
                "{verb}: {ran}"
            );
            assert!(
                told.contains("set DEVPILOT_HOME to") && !told.contains("chmod"),
                "{verb}: {ran}"
            );
        }
    }
    assert_eq!(std::fs::read(&file).unwrap(), b"kept");
}
