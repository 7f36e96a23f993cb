//! Processes that are killed at any moment, and two at once.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;

use crate::scene::{self, CONTEXT};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};

/// The longest that what a killed process left behind may hold up the next one (`field-cases.md`, lock files).
const HELD_UP: Duration = Duration::from_secs(1);

/// Posts; how long that took.
async fn timed(machine: &Machine, text: &str) -> Duration {
    let started = Instant::now();
    scene::post(machine, text).await;
    started.elapsed()
}

#[tokio::test]
async fn a_post_killed_at_any_moment_tears_no_file_holds_nobody_up_and_is_there_at_most_once() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    // How long a whole one takes here, so that the moments are spread over all of it.
    let whole = timed(&ben, "a whole one").await;
    let rounds = 24;
    let mut sent = Vec::new();
    for round in 0..rounds {
        let text = format!("killed in round {round}");
        let mut child = ben
            .command(["post"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(text.as_bytes()).await.unwrap();
        drop(stdin);
        tokio::time::sleep(whole * round / rounds).await;
        child.kill().await.unwrap();
        sent.push(text);
        if round % 6 == 5 {
            let held = timed(&ben, &format!("after round {round}")).await;
            // One that nobody was killed before, on a machine as busy as that.
            let free = timed(&ben, &format!("beside round {round}")).await;
            assert!(
                held < free.max(whole) + HELD_UP,
                "a killed process held this one up: {held:?} against {free:?}"
            );
        }
    }
    let read = ada
        .run(["read", "--since", "0", "--limit", "200", "--json"], b"")
        .await
        .json();
    let texts = scene::texts(&read);
    assert_eq!(read["integrity"]["state"], "ok", "{}", read["integrity"]);
    assert_eq!(&texts[..2], [CONTEXT, "a whole one"]);
    for text in &sent {
        assert!(
            texts.iter().filter(|found| *found == text).count() <= 1,
            "{text}: {texts:?}"
        );
    }
    for round in (5..rounds).step_by(6) {
        assert!(texts.contains(&format!("after round {round}")), "{texts:?}");
    }
    let own = scene::read_all(&ben).await;
    assert_eq!(own["integrity"]["state"], "ok", "{}", own["integrity"]);
    let torn: Vec<_> = scene::files(&ben.devpilot())
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(".damaged-"))
        .collect();
    assert!(torn.is_empty(), "{torn:?}");
}

#[tokio::test]
async fn commands_at_once_wait_for_each_other_and_lose_nothing() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let texts: Vec<String> = (0..6).map(|n| format!("at once {n}")).collect();
    let posts = texts.iter().map(|text| scene::post(&ben, text));
    let seqs = futures_util::future::join_all(posts).await;
    let mut distinct = seqs.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), texts.len(), "{seqs:?}");
    for machine in [&ada, &ben] {
        let read = scene::read_all(machine).await;
        let mut found = scene::texts(&read);
        found.sort();
        let mut expected = texts.clone();
        expected.push(CONTEXT.to_owned());
        expected.sort();
        assert_eq!(found, expected);
        assert_eq!(read["integrity"]["state"], "ok");
    }
}
