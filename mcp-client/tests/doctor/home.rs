//! The home folder, `config.toml`, the kept program, damaged files.

use serde_json::json;

use crate::scene::{command, connect, failed, fails, is_well, look, url};
use crate::stdio::plane::{Plane, Store, private};
use crate::stdio::shell::obey;
use crate::stdio::{Machine, binary};

#[tokio::test]
async fn a_config_toml_that_can_not_be_used() {
    let machine = Machine::new();
    std::fs::create_dir_all(machine.devpilot()).unwrap();
    private(&machine.devpilot());
    let file = machine.devpilot().join("config.toml");
    for (text, says) in [
        ("name = \"Ada\"\nproxi = \"http://u:hunter2@p\"\n", "line 2"),
        ("certificate_authorities = [\"corp.pem\"]\n", "corp.pem"),
        ("proxy = \"::hunter2::\"\n", "no proxy's address"),
        (
            "[moved]\n\"https://a.example\" = \"https://b.example\"\n\"https://b.example\" = \"https://a.example\"\n",
            "in a circle",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let wrong = fails(&machine, "config", says).await;
        assert!(!wrong.to_string().contains("hunter2"), "{wrong}");
        assert!(wrong["remedy"].as_str().unwrap().contains(file.to_str().unwrap()));
    }
    std::fs::write(machine.devpilot().join("corp.pem"), "no certificate").unwrap();
    std::fs::write(&file, "certificate_authorities = [\"corp.pem\"]\n").unwrap();
    fails(&machine, "config", "no whole certificate").await;
    // Corrected: its keys are those that the remedy names.
    std::fs::write(
        &file,
        "name = \"Ada\"\nproxy = \"http://u:hunter2@127.0.0.1:9\"\n",
    )
    .unwrap();
    let answer = is_well(&machine).await;
    assert!(answer.to_string().contains("a proxy") && !answer.to_string().contains("hunter2"));
}

#[tokio::test]
async fn a_home_folder_that_others_may_look_into() {
    use std::os::unix::fs::PermissionsExt;
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let shared = machine.run(["share", "--title", "x"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
    is_well(&machine).await;
    let open = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let program = machine.devpilot().join("bin/devpilot-session");
    let mode = std::fs::metadata(&program).unwrap().permissions().mode();
    open(&machine.devpilot(), 0o755);
    let loose = fails(&machine, "home", "may look into").await;
    obey(&machine, &command(&loose), b"").await;
    is_well(&machine).await;
    open(&machine.devpilot().join("credentials.json"), 0o644);
    let loose = fails(&machine, "home", "credentials.json").await;
    obey(&machine, &command(&loose), b"").await;
    is_well(&machine).await;
    assert_eq!(
        std::fs::metadata(&program).unwrap().permissions().mode(),
        mode,
        "the program must stay runnable"
    );
}

#[tokio::test]
async fn a_home_folder_that_can_not_be_one() {
    use std::os::unix::fs::PermissionsExt;
    let machine = Machine::new();
    std::fs::write(machine.home().join("file"), "").unwrap();
    let blocked = machine.home().join("file").join("home");
    let machine = machine.with("DEVPILOT_HOME", blocked.to_str().unwrap());
    let answer = look(&machine).await;
    assert!(
        failed(&answer)
            .iter()
            .any(|check| check["remedy"].as_str().unwrap().contains("set DEVPILOT_HOME")),
        "{answer}"
    );
    // A folder for everybody, as /tmp is one: the machine's own is not this test's to write to.
    let shared = machine.home().join("tmp");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
    let machine = machine.with("DEVPILOT_HOME", shared.to_str().unwrap());
    fails(&machine, "home", "unset it").await;
    is_well(&machine.without("DEVPILOT_HOME")).await;
}

#[tokio::test]
async fn a_kept_program_that_does_not_run() {
    let machine = Machine::new();
    obey(&machine, &format!("{} sessions", binary().display()), b"").await;
    is_well(&machine).await;
    let kept = machine.devpilot().join("bin/devpilot-session");
    std::fs::remove_file(&kept).unwrap();
    for (content, says) in [
        ("not a program", "does not run"),
        ("#!/bin/sh\necho devpilot-session 0.0.9\n", "0.0.9"),
        (
            "#!/bin/sh\necho 'devpilot-session \u{1b}[2Jhello'\n",
            "does not run",
        ),
    ] {
        use std::os::unix::fs::PermissionsExt;
        std::fs::write(&kept, content).unwrap();
        std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o755)).unwrap();
        let broken = fails(&machine, "program", says).await;
        obey(&machine, &command(&broken), b"").await;
        is_well(&machine).await;
        std::fs::remove_file(&kept).unwrap();
    }
}

#[tokio::test]
async fn damaged_files_are_named_until_a_person_has_looked() {
    let plane = Plane::start(Store::Sqlite).await;
    let machine = plane.owner();
    let shared = machine.run(["share", "--title", "x", "--json"], b"context").await;
    assert_eq!(shared.code(), 0, "{shared}");
    let link = machine.link();
    let sessions = machine.devpilot().join("sessions");
    let folder = std::fs::read_dir(&sessions)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir())
        .unwrap();
    let seat = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "json"))
        .unwrap();
    std::fs::write(&seat, "{\"version\":1, torn").unwrap();
    let answer = look(&machine).await;
    assert_eq!(failed(&answer).len(), 2, "{answer}");
    assert!(
        answer.to_string().contains("Join such a session again"),
        "{answer}"
    );
    let joined = machine.run(["join", "-"], link.as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    let aside = fails(&machine, "files", "kept aside").await;
    obey(&machine, &command(&aside), b"").await;
    is_well(&machine).await;

    std::fs::write(
        machine.devpilot().join("credentials.json"),
        "{\"version\":1, \"planes\": {\"dpm_torn",
    )
    .unwrap();
    let answer = look(&machine).await;
    let torn = failed(&answer);
    let torn = torn.iter().find(|check| check["check"] == "token");
    assert!(!answer.to_string().contains("dpm_torn"));
    // Which plane it was is not known any more.
    let line = command(torn.expect("the token is missed")).replace("https://PLANE", &url(&plane));
    connect(&machine, &plane, &line).await;
    let aside = fails(&machine, "files", "credentials.json.damaged-").await;
    obey(&machine, &command(&aside), b"").await;
    is_well(&machine).await;
}

/// The printed line goes to a shell: what a folder is called must not make two words of it, or end it.
#[tokio::test]
async fn damaged_files_below_a_folder_with_a_blank_and_quotes_are_removed_by_the_printed_line() {
    for name in ["my stuff", "it's \"mine\" $HOME `x`; y"] {
        let machine = Machine::new();
        let home = machine.home().join(name);
        let machine = machine.with("DEVPILOT_HOME", home.to_str().unwrap());
        let started = machine.run(["sessions"], b"").await;
        assert_eq!(started.code(), 0, "{started}");
        let torn = home.join("credentials.json");
        std::fs::write(&torn, "{\"version\":1, torn").unwrap();
        private(&torn);
        look(&machine).await;
        let beside = machine.home().join("my");
        std::fs::write(&beside, "not to be removed").unwrap();
        let aside = fails(&machine, "files", "credentials.json.damaged-").await;
        obey(&machine, &command(&aside), b"").await;
        is_well(&machine).await;
        let left = std::fs::read_dir(&home).unwrap().flatten();
        let left: Vec<_> = left
            .filter(|entry| entry.file_name().to_string_lossy().contains("damaged"))
            .collect();
        assert!(left.is_empty() && beside.exists(), "{left:?}");
    }
}

#[tokio::test]
async fn where_there_is_no_clipboard_the_file_that_share_names_goes_to_join() {
    let plane = Plane::start(Store::Sqlite).await;
    for ada in [plane.owner(), plane.owner().without("DEVPILOT_CLIPBOARD")] {
        let shared = ada.run(["share", "--title", "x", "--json"], b"context").await;
        let answer = is_well(&ada).await;
        let checks = answer["checks"].as_array().unwrap();
        let clipboard = checks.iter().find(|check| check["check"] == "clipboard").unwrap();
        assert_eq!(
            (&clipboard["health"], &clipboard["remedy"]),
            (
                &json!("note"),
                &json!("Notes go into a file that the answer names; `join -` takes one on standard input.")
            ),
        );
        let note = std::fs::read(shared.json()["handoff_file"].as_str().unwrap()).unwrap();
        let joined = Machine::new().run(["join", "-", "--json"], &note).await;
        assert_eq!(joined.json()["title"], "x", "{joined}");
    }
}
