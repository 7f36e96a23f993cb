//! A session of a person and another machine, and what the plane's transcript says of it.

use std::path::Path;

use serde_json::Value;

use crate::stdio::plane::Plane;
use crate::stdio::{Machine, Ran, ran};

/// Ada, a person, shared "Stale cache".
pub(crate) async fn shared(plane: &Plane) -> Machine {
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let share = ["share", "--title", "Stale cache", "--as", "human"];
    works(&ada.run(share, b"The cache is stale.").await);
    ada
}

/// Another machine, which is in by the link as these kinds.
pub(crate) async fn joined(ada: &Machine, name: &str, kinds: &[&str]) -> Machine {
    let machine = Machine::new().with("DEVPILOT_NAME", name);
    for kind in kinds {
        works(
            &machine
                .run(["join", "-", "--as", kind], ada.link().as_bytes())
                .await,
        );
    }
    machine
}

/// It did what it was told.
#[track_caller]
pub(crate) fn works(ran: &Ran) {
    assert_eq!(ran.code(), 0, "{ran}");
}

/// Runs a command given as one line of words, in the home folder.
pub(crate) async fn run(machine: &Machine, words: &str, input: &str) -> Ran {
    run_in(machine, machine.home(), words, input).await
}

/// As [`run`], in this folder.
pub(crate) async fn run_in(machine: &Machine, folder: &Path, words: &str, input: &str) -> Ran {
    let mut command = machine.command([]);
    command.args(words.split_whitespace()).current_dir(folder);
    ran(&mut command, input.as_bytes()).await
}

/// What the transcript says of who came and went, as Ada reads it.
pub(crate) async fn comings(ada: &Machine) -> Vec<String> {
    let read: Value = run(ada, "read --since 0 --as human --json", "").await.json();
    let events = read["events"].as_array().unwrap().iter();
    let said = events.map(|event| event["text"].as_str().unwrap().to_owned());
    said.filter(|text| ["left", "back", "joined"].iter().any(|word| text.contains(word)))
        .collect()
}

/// The session's id.
pub(crate) async fn session(machine: &Machine) -> String {
    let listed = run(machine, "sessions --json", "").await.json();
    listed["seats"][0]["session"].as_str().unwrap().to_owned()
}
