//! A credential where none belongs: no answer repeats it, whoever asked and whatever is logged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::json;
use stdio::Machine;
use stdio::pair::Pair;
use stdio::plane::{Plane, Store};
use stdio::secret::{mute, secret, silent};

#[tokio::test]
async fn a_credential_in_a_wrong_tool_call_is_not_repeated() {
    let plane = Plane::start(Store::Sqlite).await;
    let Pair {
        ada,
        ben,
        ben_machine,
        ada_machine: _machine,
    } = Pair::new(&plane).await;
    drop((ada.close().await, ben.close().await));
    let key = secret();
    for later_era in [false, true] {
        let mut ben = mute(&ben_machine, later_era).await;
        for (tool, arguments, said) in [
            (
                "post",
                json!({ "text": "x", "to": [&key] }),
                "Nobody here is called",
            ),
            ("read", json!({ "from": &key }), "Nobody here is called"),
            ("who", json!({ "session": &key }), "session"),
            ("read", json!({ &key: 1 }), "There is no argument"),
            ("mode", json!({ "set": &key }), "`set` must be one of"),
            ("read", json!({ "limit": &key }), "`limit`"),
        ] {
            let refused = ben.call(tool, arguments).await;
            assert!(refused.failed(), "{tool}");
            assert!(refused.text().contains(said), "{tool}: {}", refused.text());
        }
        for (method, params) in [
            ("tools/call", json!({ "name": &key })),
            (
                "tools/call",
                json!({ "name": "devpilot_session_read", "arguments": &key }),
            ),
            ("prompts/get", json!({ "name": &key })),
            ("resources/read", json!({ "uri": &key })),
            ("resources/read", json!({ "uri": { &key: 1 } })),
            (key.as_str(), json!({})),
        ] {
            let refused = ben.request(method, params).await;
            assert!(refused["error"]["code"].is_i64(), "{refused}");
            assert_ne!(refused["error"]["message"], "", "{refused}");
        }
        let closed = ben.close().await;
        silent(&closed.lines.concat());
        silent(&closed.stderr);
    }
}

#[tokio::test]
async fn a_credential_in_a_wrong_command_line_is_not_repeated() {
    let machine = Machine::new();
    let key = secret();
    for words in [
        ["post", &key, "--as=human"],
        ["post", "--reply-to", &key],
        ["post", "--json", &key],
    ] {
        let ran = machine.run(words, b"x").await;
        assert_eq!(ran.code(), 2, "{words:?}");
        silent(&ran.to_string());
    }
}
