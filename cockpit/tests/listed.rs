//! Which files are listed as changed, and which are not: those that git ignores, and those that are too many.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use serde_json::json;
use support::{Machine, Repository, files, titles};

/// What git itself calls changed, by its own format for programs.
fn status(repository: &Repository) -> Vec<String> {
    let said = repository.git(&["status", "--porcelain", "--untracked-files=all"]);
    let mut paths: Vec<String> = said
        .lines()
        .map(|line| line.trim_start().split_once(' ').unwrap().1.trim().to_owned())
        .collect();
    paths.sort();
    paths
}

/// More files than are listed.
fn fill(repository: &Repository, folder: &str) {
    std::fs::create_dir_all(repository.top.join(folder)).unwrap();
    for number in 0..=cockpit::limits::DIRTY {
        std::fs::write(repository.top.join(format!("{folder}/{number}")), "x").unwrap();
    }
}

#[tokio::test]
async fn what_git_ignores_by_any_of_its_files_is_not_a_change_of_a_task() {
    let machine = Machine::new();
    let main = machine.repository("pay", &[("f", "0"), (".gitignore", "by-tree/\n!kept-by-tree\n")]);
    let named = machine.path().join("my ignore file");
    std::fs::write(&named, "by-name/\n!both\nkept-by-tree\n").unwrap();
    main.write(".git/info/exclude", "by-clone/\nboth\n!kept-by-clone\n");
    let linked = Repository::at(machine.path().join("linked"));
    main.git(&["worktree", "add", "--quiet", linked.top.to_str().unwrap()]);
    let cockpit = machine.start().await;
    // Relative to the top, and absolute.
    for setting in ["../my ignore file", named.to_str().unwrap()] {
        main.git(&["config", "core.excludesFile", setting]);
        for tree in [&main, &linked] {
            cockpit.begin("s", &tree.top, "T").await;
            for path in [
                "f",
                "by-tree/a",
                "by-clone/a",
                "by-name/a",
                "both",
                "kept-by-tree",
                "kept-by-clone",
                "new",
            ] {
                tree.write(path, setting);
            }
            cockpit.finish("s", &tree.top, "Done.").await;
            let history = cockpit.ask(&tree.top, &[""]).await;
            assert_eq!(
                files(&history["tasks"][0]),
                ["f", "kept-by-clone", "kept-by-tree", "new"]
            );
            assert_eq!(files(&history["tasks"][0]), status(tree), "as git says it");
            assert_eq!(history["tasks"][0]["files_unlisted"], json!(false));
        }
    }
    cockpit.stop().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_in_place_of_a_file_of_patterns_holds_nothing_up() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    let exclude = repository.top.join(".git/info/exclude");
    std::fs::remove_file(&exclude).ok();
    std::fs::create_dir_all(exclude.parent().unwrap()).unwrap();
    let named = repository.top.join(".git/pipe");
    for path in [&exclude, &named] {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }
    let cockpit = machine.start().await;
    for setting in [named.to_str().unwrap(), "/", "/dev/zero", ""] {
        repository.git(&["config", "core.excludesFile", setting]);
        cockpit.begin("s", &repository.top, setting).await;
        repository.write("f", &format!("after {setting}"));
        cockpit.finish("s", &repository.top, "Done.").await;
        let history = cockpit.ask(&repository.top, &["f"]).await;
        assert_eq!(titles(&history)[0], setting);
        assert_eq!(history["tasks"][0]["files_unlisted"], json!(false), "{setting}");
    }
    cockpit.stop().await;
}

#[tokio::test]
async fn many_files_that_git_ignores_cost_a_task_nothing() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    repository.write(".git/info/exclude", "local/\n");
    fill(&repository, "local");
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "T").await;
    repository.write("f", "1");
    cockpit.finish("s", &repository.top, "Done.").await;
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(files(&history["tasks"][0]), ["f"]);
    assert_eq!(history["tasks"][0]["files_unlisted"], json!(false));
    cockpit.stop().await;
}

#[tokio::test]
async fn of_too_many_files_a_task_keeps_its_commits_and_what_git_tracks_and_says_so() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0"), ("g", "0")]);
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "Makes many").await;
    fill(&repository, "made");
    repository.write("f", "1");
    repository.git(&["commit", "--quiet", "--message", "f", "f"]);
    repository.write("g", "1");
    cockpit.finish("s", &repository.top, "Done.").await;
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(files(&history["tasks"][0]), ["f", "g"]);
    assert_eq!(history["tasks"][0]["files_unlisted"], json!(true));
    // Nothing of this one is known, but that it was.
    cockpit.begin("s", &repository.top, "Begins with many").await;
    repository.write("made/more", "x");
    cockpit.finish("s", &repository.top, "Done.").await;
    assert_eq!(
        titles(&cockpit.ask(&repository.top, &[""]).await),
        ["Begins with many", "Makes many"]
    );
    assert_eq!(
        titles(&cockpit.ask(&repository.top, &["g"]).await),
        ["Makes many"]
    );
    cockpit.stop().await;
}

#[tokio::test]
async fn of_too_many_files_that_git_tracks_a_task_keeps_its_commits() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "T").await;
    repository.write("f", "1");
    repository.git(&["commit", "--quiet", "--message", "f", "f"]);
    fill(&repository, "made");
    repository.git(&["add", "--all"]);
    cockpit.finish("s", &repository.top, "Done.").await;
    let history = cockpit.ask(&repository.top, &[""]).await;
    assert_eq!(files(&history["tasks"][0]), ["f"]);
    assert_eq!(history["tasks"][0]["files_unlisted"], json!(true));
    cockpit.stop().await;
}
