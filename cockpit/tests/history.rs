//! What is answered about real repositories.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use serde_json::{Value, json};
use support::{Machine, Repository, files, titles};

#[tokio::test]
async fn a_task_has_what_changed_while_it_ran_committed_or_not_and_nothing_else() {
    let machine = Machine::new();
    let repository = machine.repository(
        "pay",
        &[("a.rs", "1"), ("b.rs", "1"), ("c.rs", "1"), ("old", "1")],
    );
    repository.write("b.rs", "a person's own, before");
    repository.write("notes.txt", "a person's own, before");
    let cockpit = machine.start().await;
    cockpit
        .begin("s1", &repository.top, "Change things\nin several ways")
        .await;
    repository.write("a.rs", "2");
    repository.git(&["commit", "--quiet", "--message", "Change a", "a.rs"]);
    repository.write("with space/ü ñ.rs", "new");
    repository.git(&["rm", "--quiet", "old"]);
    repository.git(&["add", "--all", "with space"]);
    repository.write("c.rs", "1");
    cockpit.finish("s1", &repository.top, "I changed things.").await;
    let history = cockpit.ask(&repository.top, &["a.rs", "nothing here"]).await;
    let task = &history["tasks"][0];
    assert_eq!(files(task), ["a.rs", "old", "with space/ü ñ.rs"]);
    assert_eq!(task["files_total"], 3);
    assert_eq!(task["title"], "Change things");
    assert_eq!(
        (&task["outcome"], &task["why"]),
        (&json!("done"), &json!("finished"))
    );
    assert_eq!(task["report"], "I changed things.");
    assert_eq!(history["repository"], "pay");
    for path in ["with space", "with space/ü ñ.rs", "old", ""] {
        assert_eq!(
            titles(&cockpit.ask(&repository.top, &[path]).await),
            ["Change things"],
            "{path}"
        );
    }
    // What was different already, what was only touched, and namesakes.
    for path in ["b.rs", "notes.txt", "c.rs", "with", "a.r", "A.RS"] {
        assert_eq!(
            titles(&cockpit.ask(&repository.top, &[path]).await),
            [""; 0],
            "{path}"
        );
    }
    cockpit.stop().await;
}

#[tokio::test]
async fn the_outcome_says_what_could_be_observed() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    let cockpit = machine.start().await;
    let folder = repository.top.as_path();
    let check = |failed| json!({ "end": "finished", "check": { "command": "cargo test", "failed": failed } });
    for (session, event, more) in [
        ("checked", "task_ended", check(false)),
        ("failed", "task_ended", check(true)),
        ("broken", "task_ended", json!({ "end": "error" })),
        ("closed", "session_ended", json!({})),
        ("anew", "session_started", json!({})),
    ] {
        cockpit.begin(session, folder, session).await;
        repository.write("f", session);
        cockpit.tell(session, folder, event, more).await;
    }
    cockpit.begin("goes on", folder, "goes on").await;
    let history = cockpit.ask(folder, &["f"]).await;
    let told: Vec<_> = history["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| [&task["title"], &task["outcome"], &task["why"]].map(|text| text.as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ["anew", "unknown", "interrupted"],
            ["closed", "failed", "session_ended"],
            ["broken", "failed", "host_error"],
            ["failed", "failed", "check_failed"],
            ["checked", "done", "finished"],
        ]
    );
    assert_eq!(
        history["tasks"][3]["check"],
        json!({ "command": "cargo test", "failed": true })
    );
    cockpit.stop().await;
}

#[tokio::test]
async fn an_agent_that_was_made_to_go_on_has_one_task() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0"), ("g", "0")]);
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "Do it").await;
    repository.write("f", "1");
    cockpit.finish("s", &repository.top, "Half of it.").await;
    cockpit.ask(&repository.top, &["f"]).await;
    repository.write("g", "1");
    cockpit.finish("s", &repository.top, "All of it.").await;
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(titles(&history), ["Do it"]);
    assert_eq!(files(&history["tasks"][0]), ["f", "g"]);
    assert_eq!(history["tasks"][0]["report"], "All of it.");
    cockpit.stop().await;
}

#[tokio::test]
async fn a_collision_on_merge_names_the_file_the_other_side_and_the_merge() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("shared.rs", "0\n"), ("own.rs", "0\n")]);
    let cockpit = machine.start().await;
    repository.git(&["switch", "--quiet", "--create", "agent"]);
    cockpit.begin("s", &repository.top, "Retry payments").await;
    repository.write("shared.rs", "agent\n");
    repository.write("own.rs", "agent\n");
    repository.commit("Retry");
    cockpit.finish("s", &repository.top, "Done.").await;
    cockpit.ask(&repository.top, &["shared.rs"]).await;
    repository.git(&["switch", "--quiet", "main"]);
    repository.write("shared.rs", "person\n");
    let person = repository.commit("Round amounts");
    let (merged, _) = repository.try_git(&["merge", "agent"]);
    assert!(!merged, "it is meant to conflict");

    let history = cockpit.ask(&repository.top, &["shared.rs"]).await;
    let collision = &history["tasks"][0]["collisions"][0];
    assert_eq!(collision["path"], "shared.rs");
    assert_eq!(collision["merge"], Value::Null, "the merge is unfinished");
    assert_eq!(collision["with_commit"], json!(person));
    assert_eq!(collision["with_title"], "Round amounts");

    repository.write("shared.rs", "both\n");
    let merge = repository.commit("Merge agent");
    let before = repository.git(&["count-objects", "-v"]);
    for _ in 0..2 {
        let history = cockpit.ask(&repository.top, &["shared.rs"]).await;
        let collisions = history["tasks"][0]["collisions"].as_array().unwrap();
        assert_eq!(collisions.len(), 1);
        assert_eq!(collisions[0]["merge"], json!(merge));
        assert_eq!(collisions[0]["with_title"], "Round amounts");
        assert_eq!(history["unexamined_merges"], false);
    }
    assert_eq!(
        repository.git(&["count-objects", "-v"]),
        before,
        "nothing was written into the repository"
    );
    cockpit.stop().await;
}

#[tokio::test]
async fn a_merge_without_conflict_is_no_collision() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("a", "0\n"), ("b", "0\n")]);
    let cockpit = machine.start().await;
    repository.git(&["switch", "--quiet", "--create", "agent"]);
    cockpit.begin("s", &repository.top, "Change a").await;
    repository.write("a", "1\n");
    repository.commit("a");
    cockpit.finish("s", &repository.top, "Done.").await;
    cockpit.ask(&repository.top, &["a"]).await;
    repository.git(&["switch", "--quiet", "main"]);
    repository.write("b", "1\n");
    repository.commit("b");
    repository.git(&["merge", "--quiet", "--message", "Merge", "agent"]);
    let history = cockpit.ask(&repository.top, &["a"]).await;
    assert_eq!(titles(&history), ["Change a"]);
    assert_eq!(history["tasks"][0]["collisions"], json!([]));
    cockpit.stop().await;
}

#[tokio::test]
async fn worktrees_and_clones_are_one_repository_and_namesakes_are_not() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0"), ("g", "0")]);
    let beside = machine.path().join("pay-fix");
    repository.git(&["worktree", "add", "--quiet", beside.to_str().unwrap()]);
    let worktree = Repository::at(beside);
    let clone = Repository::at(machine.path().join("copy of pay"));
    repository.git(&["clone", "--quiet", ".", clone.top.to_str().unwrap()]);
    let other = machine.repository("elsewhere/pay", &[("f", "other")]);
    let cockpit = machine.start().await;
    // Both at once, in working trees of one repository: each has its own.
    cockpit.begin("one", &repository.top, "In the first").await;
    cockpit.begin("two", &worktree.top, "In the worktree").await;
    cockpit.begin("three", &clone.top, "In the clone").await;
    repository.write("f", "1");
    worktree.write("g", "1");
    worktree.commit("g");
    clone.write("f", "2");
    for (session, tree) in [("one", &repository), ("two", &worktree), ("three", &clone)] {
        cockpit.finish(session, &tree.top, "Done.").await;
    }
    for tree in [&repository, &worktree, &clone] {
        assert_eq!(
            titles(&cockpit.ask(&tree.top, &["f"]).await),
            ["In the clone", "In the first"]
        );
        assert_eq!(titles(&cockpit.ask(&tree.top, &["g"]).await), ["In the worktree"]);
    }
    let unknown = cockpit.ask(&other.top, &["f"]).await;
    assert_eq!((&unknown["repository"], titles(&unknown)), (&Value::Null, vec![]));
    cockpit.stop().await;
}

#[tokio::test]
async fn a_repository_is_found_by_marks_and_by_name() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    repository.git(&[
        "remote",
        "add",
        "origin",
        "https://ada:hunter2@example.org/acme/pay.git",
    ]);
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "T").await;
    repository.write("f", "1");
    cockpit.finish("s", &repository.top, "Done.").await;
    let marks = cockpit::identify(&repository.top).await.unwrap().unwrap().marks;
    assert_eq!(marks.origin, cockpit::origin_mark("git@example.org:acme/pay.git"));
    for (repo, found) in [
        (json!({ "origin": marks.origin }), true),
        (json!({ "root": marks.root }), true),
        (json!({ "origin": "0".repeat(64), "root": marks.root }), true),
        (json!({ "name": "pay" }), true),
        (json!({ "name": "acme/pay" }), true),
        (json!({ "name": "ay" }), false),
        (json!({ "name": "%" }), false),
        (json!({ "origin": "0".repeat(64) }), false),
    ] {
        let answer = cockpit
            .post("/v1/history", &json!({ "repo": repo, "paths": ["f"] }))
            .await;
        assert_eq!(answer.status, 200);
        assert_eq!(titles(&answer.body).len(), usize::from(found), "{repo}");
        assert!(!answer.body.to_string().contains("hunter2"));
    }
    cockpit.stop().await;
}

#[tokio::test]
async fn outside_of_a_repository_nothing_is_recorded_and_nobody_s_end_is_taken_for_another_s() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("f", "0")]);
    let outside = machine.path().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "Inside").await;
    repository.write("f", "1");
    cockpit.finish("s", &repository.top, "Inside.").await;
    let taken = cockpit
        .tell("s", &outside, "task_started", json!({ "title": "Outside" }))
        .await;
    assert_eq!(taken["task"], Value::Null);
    cockpit.finish("s", &outside, "Outside.").await;
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(titles(&history), ["Inside"]);
    assert_eq!(history["tasks"][0]["report"], "Inside.");
    cockpit.stop().await;
}

#[tokio::test]
async fn a_repository_without_a_commit_works_too() {
    let machine = Machine::new();
    let top = machine.path().join("fresh");
    std::fs::create_dir(&top).unwrap();
    let repository = Repository::at(top);
    repository.git(&["init", "--quiet", "--initial-branch=main"]);
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "First").await;
    repository.write("f", "1");
    cockpit.finish("s", &repository.top, "Done.").await;
    cockpit.ask(&repository.top, &["f"]).await;
    cockpit.begin("s", &repository.top, "Second").await;
    repository.write("g", "1");
    repository.commit("Begin");
    cockpit.finish("s", &repository.top, "Done.").await;
    assert_eq!(titles(&cockpit.ask(&repository.top, &["g"]).await), ["Second"]);
    assert_eq!(
        titles(&cockpit.ask(&repository.top, &["f"]).await),
        ["Second", "First"]
    );
    cockpit.stop().await;
}

#[tokio::test]
async fn a_repository_whose_objects_are_named_by_sha_256_has_the_same_history() {
    let machine = Machine::new();
    let repository = machine.repository_of("sha256", "pay", &[("shared.rs", "0\n"), ("own.rs", "0\n")]);
    let folder = repository.top.as_path();
    let cockpit = machine.start().await;
    repository.git(&["switch", "--quiet", "--create", "agent"]);
    cockpit.begin("s", folder, "Retry payments").await;
    repository.write("shared.rs", "agent\n");
    let agent = repository.commit("Retry");
    assert_eq!(agent.len(), 64);
    repository.write("own.rs", "not committed\n");
    let failed = json!({ "end": "finished", "check": { "command": "cargo test", "failed": true } });
    cockpit.tell("s", folder, "task_ended", failed).await;
    cockpit.ask(folder, &["own.rs"]).await;
    repository.git(&["restore", "own.rs"]);
    repository.git(&["switch", "--quiet", "main"]);
    repository.write("shared.rs", "person\n");
    let person = repository.commit("Round amounts");
    let (merged, _) = repository.try_git(&["merge", "agent"]);
    assert!(!merged, "it is meant to conflict");
    let with = |history: &Value| {
        let collisions = history["tasks"][0]["collisions"].as_array().unwrap();
        assert_eq!(collisions.len(), 1, "{history}");
        (
            collisions[0]["merge"].clone(),
            collisions[0]["with_commit"].clone(),
        )
    };
    let unfinished = cockpit.ask(folder, &["shared.rs"]).await;
    assert_eq!(with(&unfinished), (Value::Null, json!(person)));
    repository.write("shared.rs", "both\n");
    let merge = repository.commit("Merge agent");
    cockpit.stop().await;

    let cockpit = machine.start().await;
    let history = cockpit.ask(folder, &["shared.rs"]).await;
    let task = &history["tasks"][0];
    assert_eq!(files(task), ["shared.rs", "own.rs"]);
    assert_eq!(
        (&task["outcome"], &task["why"]),
        (&json!("failed"), &json!("check_failed"))
    );
    assert_eq!(with(&history), (json!(merge), json!(person)));
    cockpit.stop().await;
}

#[tokio::test]
async fn the_first_commit_of_a_sha_256_repository_is_seen() {
    let machine = Machine::new();
    let top = machine.path().join("fresh");
    std::fs::create_dir(&top).unwrap();
    let repository = Repository::at(top);
    repository.git(&[
        "init",
        "--quiet",
        "--initial-branch=main",
        "--object-format=sha256",
    ]);
    repository.write("before", "a person's own");
    let cockpit = machine.start().await;
    cockpit.begin("s", &repository.top, "First").await;
    repository.write("f", "1");
    repository.git(&["add", "f"]);
    cockpit.finish("s", &repository.top, "Done.").await;
    let history = cockpit.ask(&repository.top, &["f"]).await;
    assert_eq!(files(&history["tasks"][0]), ["f"]);
    cockpit.stop().await;
}

#[tokio::test]
async fn every_way_in_which_git_lays_out_a_working_tree_is_known() {
    let machine = Machine::new();
    let repository = machine.repository("pay", &[("src/f", "0")]);
    let apart = machine.path().join("apart.git");
    let worktree = machine.path().join("worktree");
    repository.git(&["worktree", "add", "--quiet", worktree.to_str().unwrap()]);
    let library = machine.repository("library", &[("src/l", "0")]);
    let submodule = ["-c", "protocol.file.allow=always", "submodule", "add", "--quiet"];
    repository.git(&[&submodule[..], &[library.top.to_str().unwrap(), "library"]].concat());
    library.git(&["init", "--quiet", "--separate-git-dir", apart.to_str().unwrap()]);
    // As sandboxes leave one where none was.
    std::fs::create_dir(repository.top.join("src/.git")).unwrap();
    for top in [
        repository.top.clone(),
        worktree,
        repository.top.join("library"),
        library.top,
    ] {
        for folder in [top.clone(), top.join("src")] {
            let found = cockpit::identify(&folder).await.unwrap().map(|found| found.top);
            assert_eq!(found.as_ref(), Some(&top), "{folder:?}");
        }
    }
}
