//! Repositories that somebody else prepared: what they configure is not run, and what is not theirs is not taken for theirs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use serde_json::{Value, json};
use support::{Machine, files, titles};

#[tokio::test]
async fn nothing_that_a_repository_configures_is_run() {
    let machine = Machine::new();
    let repository = machine.repository(
        "pay",
        &[
            ("f", "0\n"),
            (".gitattributes", "* filter=evil merge=evil diff=evil\n"),
        ],
    );
    let ran = machine.path().join("ran");
    let evil = format!("touch '{}'; cat", ran.display());
    for name in [
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver",
        "diff.evil.command",
        "diff.evil.textconv",
        "diff.external",
        "core.fsmonitor",
        "gpg.program",
        "core.sshCommand",
        "core.pager",
    ] {
        repository.git(&["config", name, &evil]);
    }
    repository.git(&["config", "log.showSignature", "true"]);
    let hooks = repository.top.join(".git/hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-index-change",
        "reference-transaction",
        "pre-auto-gc",
        "post-checkout",
    ] {
        std::fs::write(hooks.join(hook), format!("#!/bin/sh\n{evil}\n")).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(hooks.join(hook), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
    let plain = |arguments: &[&str]| {
        let mut all = vec![
            "-c",
            "core.hooksPath=/dev/null",
            "-c",
            "core.fsmonitor=false",
            "-c",
            "filter.evil.clean=",
            "-c",
        ];
        all.extend(["filter.evil.smudge=", "-c", "filter.evil.process="]);
        all.extend(arguments);
        repository.git(&all)
    };
    plain(&["switch", "--quiet", "--create", "agent"]);
    std::fs::remove_file(&ran).ok();
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "T").await;
    repository.write("f", "agent\n");
    plain(&["commit", "--quiet", "--all", "--message", "agent"]);
    cockpit.finish("s", &repository.top, "Done.").await;
    cockpit.ask(&repository.top, &["f"]).await;
    plain(&["switch", "--quiet", "main"]);
    repository.write("f", "main\n");
    plain(&["commit", "--quiet", "--all", "--message", "main"]);
    let tree = plain(&["rev-parse", "HEAD^{tree}"]);
    let merge = plain(&["commit-tree", &tree, "-p", "main", "-p", "agent", "-m", "Merge"]);
    plain(&["update-ref", "refs/heads/main", &merge]);
    std::fs::remove_file(&ran).ok();
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(
        history["tasks"][0]["collisions"][0]["merge"],
        json!(merge),
        "{history}"
    );
    assert!(!ran.exists(), "a program that the repository names was run");
    cockpit.stop().await;
}

#[tokio::test]
async fn nothing_that_a_repository_inside_of_another_configures_is_run() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0\n")]);
    let inner = machine.repository("pay/vendor", &[("g", "0\n")]);
    repository.commit("Take it in");
    let ran = machine.path().join("ran");
    let evil = format!("touch '{}'; cat", ran.display());
    for name in ["filter.evil.clean", "core.fsmonitor", "diff.external"] {
        inner.git(&["config", name, &evil]);
    }
    inner.write(".git/info/attributes", "* filter=evil\n");
    // Of the size that its index knows and not of the time: only its content can tell, and the filter says what that is.
    let file = std::fs::File::options()
        .write(true)
        .open(inner.top.join("g"))
        .unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "T").await;
    repository.write("f", "1\n");
    cockpit.finish("s", &repository.top, "Done.").await;
    let history = cockpit.ask(&repository.top, &[""]).await;
    assert_eq!(files(&history["tasks"][0]), ["f"]);
    assert!(!ran.exists(), "a program that the inner repository names was run");
    repository.git(&["status"]);
    assert!(ran.exists(), "git itself runs it");
    cockpit.stop().await;
}

#[tokio::test]
async fn a_repository_that_names_another_folder_as_its_working_tree_is_none() {
    let machine = Machine::new();
    let elsewhere = machine.repository("elsewhere", &[("diary", "0")]);
    let hostile = machine.repository("downloads/hostile", &[("f", "0")]);
    let inner = hostile.top.join("src");
    std::fs::create_dir(&inner).unwrap();
    let above = machine.path();
    for named in [&elsewhere.top, &above, &machine.path().join("downloads"), &inner] {
        hostile.git(&["config", "core.worktree", named.to_str().unwrap()]);
        for asked in [&hostile.top, &inner] {
            let found = cockpit::identify(asked).await.unwrap();
            assert_eq!(found, None, "{asked:?} with {named:?} as its working tree");
        }
    }
    let cockpit = machine.start().await;
    hostile.git(&["config", "core.worktree", elsewhere.top.to_str().unwrap()]);
    let taken = cockpit
        .tell("s", &hostile.top, "task_started", json!({ "title": "T" }))
        .await;
    assert_eq!(taken["task"], Value::Null);
    cockpit.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_where_git_keeps_a_file_holds_nothing_up() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    for name in ["logs/HEAD", "MERGE_HEAD"] {
        let path = repository.top.join(".git").join(name);
        std::fs::remove_file(&path).ok();
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
    }
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "T").await;
    repository.write("f", "1");
    cockpit.finish("s", &repository.top, "Done.").await;
    assert_eq!(titles(&cockpit.ask(&repository.top, &["f"]).await), ["T"]);
    cockpit.stop().await;
}
