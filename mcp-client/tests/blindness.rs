//! What a plane holds after a conversation: nothing of what was said, of who said it, or of what opens it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::json;
use stdio::Machine;
use stdio::plane::{Plane, Store};

const TITLE: &str = "Flaky login test of the blue team";
const CONTEXT: &str = "It fails every third run; suspect the clock.";
const PATH: &str = "src/session/wall_clock.rs";
const QUESTION: &str = "Is the clock mocked in continuous integration?";
const TOPIC: &str = "clock-topic";
const ADA: &str = "Ada Lovelace";
const BEN: &str = "Ben Franklin";

/// Whether `needle` stands in `held`, as it is or as hex, the form of bytes in a dump.
fn holds(held: &[u8], needle: &[u8]) -> bool {
    let hex: String = needle.iter().map(|byte| format!("{byte:02x}")).collect();
    let contains = |part: &[u8]| held.windows(part.len()).any(|window| window == part);
    contains(needle) || contains(hex.as_bytes())
}

/// A secret as it stands in a file or link, and the bytes it stands for.
fn forms(secret: &str) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.as_bytes().to_vec()];
    let token = ["dpm_", "dps_"]
        .iter()
        .find_map(|prefix| secret.strip_prefix(prefix));
    forms.extend(wire::encoding::from_base64url(token.unwrap_or(secret)).ok());
    forms
}

#[tokio::test]
async fn a_plane_holds_nothing_of_what_was_said() {
    for store in Store::here() {
        let plane = Plane::start(store).await;
        let ada_machine = plane.owner().with("DEVPILOT_NAME", ADA);
        let mut ada = ada_machine.server();
        ada.initialize("2025-11-25", json!({ "elicitation": {} })).await;
        let share = json!({ "title": TITLE, "context": CONTEXT, "with": BEN, "paths": [PATH] });
        let shared = ada.call("share", share).await;
        assert!(!shared.failed(), "{}", shared.text());
        let session = shared.structured()["session"].as_str().unwrap().replace('-', "");

        let link = ada_machine.link();
        let ben_machine = Machine::new()
            .with("DEVPILOT_NAME", BEN)
            .with("DEVPILOT_SESSION_LINK", &link);
        let mut ben = ben_machine.server();
        ben.initialize("2025-11-25", json!({ "elicitation": {} })).await;
        assert!(!ben.call("join", json!({})).await.failed());
        ada.call_agreed("mode", json!({ "set": "relay" })).await;
        let question =
            json!({ "text": QUESTION, "kind": "question", "topic": TOPIC, "paths": [PATH], "pin": true });
        let (posted, _) = ben.call_agreed("post", question).await;
        assert!(!posted.failed(), "{}", posted.text());
        assert!(ada.call("wait", json!({})).await.text().contains(QUESTION));
        assert!(!ben.call("who", json!({})).await.failed());

        let secrets: Vec<String> = [ada_machine.secrets(), ben_machine.secrets()].concat();
        assert!(
            secrets.len() >= 6,
            "a link, a token and keys on each machine: {}",
            secrets.len()
        );
        let said = [TITLE, CONTEXT, PATH, QUESTION, TOPIC, ADA, BEN].map(|text| text.as_bytes().to_vec());
        let needles = || {
            said.iter()
                .cloned()
                .chain(secrets.iter().flat_map(|secret| forms(secret)))
        };

        let stored = plane.stored().await;
        let told = [plane.log(), plane.get("/metrics").await].concat();
        for needle in needles() {
            let shown = String::from_utf8_lossy(&needle);
            assert!(!holds(&stored, &needle), "{store:?} stores {shown}");
            assert!(
                !holds(told.as_bytes(), &needle),
                "{store:?} tells in log or metrics {shown}"
            );
        }
        // The same search finds what a plane does know, so that finding nothing means something.
        let id: Vec<u8> = (0..16)
            .map(|at| u8::from_str_radix(&session[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        assert!(holds(&stored, &id), "the session's id");
        assert!(holds(&stored, b"mode_changed"), "the notice");
        assert!(told.contains("/v1/sessions/"), "the log of requests");
    }
}
