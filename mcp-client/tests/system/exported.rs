//! The export of a session in which somebody without our client wrote secrets wherever words can stand.

use serde_json::json;

use crate::outsider::{Outsider, start_of};
use crate::scene::Scene;
use crate::stdio::plane::{Plane, Store};

/// A token as the plane makes them, that our guard never let pass.
const TOKEN: &str = "dps_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG";

/// Links, keys and tokens are in no export (README): neither of this session nor what a member wrote past the guard.
#[tokio::test]
async fn neither_format_has_a_link_or_a_token_that_a_member_wrote_past_the_guard() {
    let scene = Scene::on(Plane::start(Store::Sqlite).await).await;
    let (_, key) = scene.link().split_once('#').unwrap();
    let key = key.to_owned();
    let by_token = Outsider::join(scene.link(), TOKEN).await;
    let by_key = Outsider::join(scene.link(), &format!("B {key}")).await;
    for (outsider, secret) in [(&by_token, TOKEN), (&by_key, scene.link())] {
        let message = json!({
            "kind": "note", "text": format!("use {secret} now"), "topic": secret, "paths": [format!("a/{secret}")],
        });
        let head = start_of(outsider.me.session_id());
        let (status, answer) = outsider.post(&outsider.sealed(&message, head)).await;
        assert_eq!(status.as_u16(), 201, "{answer}");
        outsider.set_title(&format!("T {secret}")).await;
        for arguments in [
            ["export", "--format=md", "--as=agent"],
            ["export", "--format=json", "--as=agent"],
        ] {
            let exported = scene.ada.machine.run(arguments, b"").await;
            assert_eq!(exported.code(), 0, "{exported}");
            assert!(exported.stdout.contains("withheld"), "{exported}");
            assert!(
                exported.stdout.contains("use "),
                "the message is there: {exported}"
            );
            // As it is read: Markdown's escapes are not seen.
            let shown = exported.stdout.replace('\\', "");
            for part in [&TOKEN[4..], &key[4..]] {
                // A part that is cut off by a limit must not show either.
                assert!(!shown.contains(&part[..16]), "{exported}");
            }
        }
    }
}
