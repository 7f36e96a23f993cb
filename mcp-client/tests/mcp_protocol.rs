//! The MCP server as a process: both handshakes, a clean standard output, a clean end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use std::time::Duration;

use serde_json::{Value, json};
use stdio::{Machine, Server};

/// Made up, with the form of a real one.
const LINK: &str = "https://plane.example/s/00112233445566778899aabbccddeeff#dp1faaaabbbbccccddddeeeeffffgggghhhhiiii\
                    jjjjkkkkllllmmmmnnnnoooopppp";

#[tokio::test]
async fn every_version_with_a_handshake_is_agreed_on() {
    let machine = Machine::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut server = machine.server();
        let info = server.initialize(version, json!({})).await;
        assert_eq!(info["protocolVersion"], version);
        assert_eq!(info["serverInfo"]["name"], "devpilot-session");
        let capabilities = json!({ "tools": {}, "prompts": {}, "resources": { "subscribe": true } });
        assert_eq!(info["capabilities"], capabilities);
        assert!(server.close().await.status.success());
    }
    let mut server = machine.server();
    let info = server.initialize("2030-01-01", json!({})).await;
    assert_eq!(info["protocolVersion"], "2025-11-25");
}

#[tokio::test]
async fn the_instructions_are_short_and_name_the_way_back() {
    let mut server = Machine::new().server();
    let info = server.initialize("2025-11-25", json!({})).await;
    let instructions = info["instructions"].as_str().unwrap();
    assert!(
        instructions.chars().count() <= 1_500,
        "{}",
        instructions.chars().count()
    );
    assert!(instructions.contains("devpilot_session_read with since: 0"));
    assert!(instructions.contains("compacted"));
    assert!(instructions.contains("untrusted"));
}

#[tokio::test]
async fn without_a_handshake_each_request_stands_for_itself() {
    let mut server = Machine::new().server();
    server.without_initialize(json!({}));
    let found = server.request("server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2026-07-28")), "{found}");
    let listed = server.request("tools/list", json!({})).await;
    assert_eq!(listed["result"]["tools"].as_array().unwrap().len(), 8);
    let called = server.call("who", json!({ "nobody": 1 })).await;
    assert_eq!(called.code(), "bad_argument");
    assert!(server.close().await.status.success());
}

#[tokio::test]
async fn discovering_first_does_not_rule_the_handshake_out() {
    let mut server = Machine::new().server();
    server.without_initialize(json!({}));
    server.request("server/discover", json!({})).await;
    let info = server.initialize("2025-06-18", json!({})).await;
    assert_eq!(info["protocolVersion"], "2025-06-18");
}

#[tokio::test]
async fn everything_between_initialize_and_initialized_is_answered() {
    let mut server = Machine::new().server();
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
    });
    server.request("initialize", params).await;
    let level = server
        .request("logging/setLevel", json!({ "level": "debug" }))
        .await;
    assert_eq!(level["result"], json!({}));
    assert_eq!(server.request("ping", json!({})).await["result"], json!({}));
    let unknown = server.request("devpilot/unheard-of", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601);
    server.notify("notifications/initialized", json!({})).await;
    assert!(server.request("tools/list", json!({})).await["result"]["tools"].is_array());
}

#[tokio::test]
async fn what_comes_before_the_handshake_does_not_end_it() {
    let mut server = Machine::new().server();
    server.notify("notifications/initialized", json!({})).await;
    server
        .send(&json!({ "jsonrpc": "2.0", "id": 77, "method": "ping" }))
        .await;
    assert_eq!(server.next().await.unwrap()["id"], 77);
    server
        .send(&json!({ "jsonrpc": "2.0", "id": 78, "method": "tools/list" }))
        .await;
    assert!(server.next().await.unwrap()["error"]["code"].is_i64());
    let info = server.initialize("2025-06-18", json!({})).await;
    assert_eq!(info["protocolVersion"], "2025-06-18");
}

/// MCP 2025-03-26, base protocol: implementations "MUST support receiving JSON-RPC batches". JSON-RPC 2.0, section 6: what is
/// no request in it has an error of its own, an empty one is a single error, and notifications have no answer.
#[tokio::test]
async fn every_request_of_a_batch_is_answered() {
    let mut server = Machine::new().server();
    server.initialize("2025-03-26", json!({})).await;
    let batch = json!([
        { "jsonrpc": "2.0", "id": "a", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        1,
        [],
        { "jsonrpc": "2.0", "id": 12, "method": "tools/list" },
        { "jsonrpc": "2.0", "id": 13, "method": "ping" },
    ]);
    server.send_bytes(format!("{batch}\n").as_bytes()).await;
    let (mut answered, mut refused) = (Vec::new(), 0);
    for _ in 0..5 {
        let answer = server.next().await.unwrap();
        match answer["error"]["code"].as_i64() {
            Some(code) => {
                assert_eq!(
                    (code, answer.get("id")),
                    (-32_600, Some(&Value::Null)),
                    "{answer}"
                );
                refused += 1;
            }
            None => answered.push(answer["id"].to_string()),
        }
    }
    answered.sort();
    assert_eq!(
        (answered, refused),
        (vec!["\"a\"".to_owned(), "12".to_owned(), "13".to_owned()], 2)
    );
    assert_eq!(server.request("ping", json!({})).await["result"], json!({}));
}

/// JSON-RPC 2.0, section 5.1: -32700 "Invalid JSON was received by the server", -32600 "The JSON sent is not a valid Request
/// object"; section 5: the id "MUST be Null" where that of the request can't be told.
#[tokio::test]
async fn a_line_that_is_no_message_is_answered_and_the_server_goes_on() {
    let secret = "Zq8xT2mW";
    let ping = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping" });
    for handshake in [false, true] {
        let mut server = Machine::new().server();
        if handshake {
            server.initialize("2025-11-25", json!({})).await;
        }
        for (line, code) in [
            (secret.as_bytes(), -32_700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", -32_700),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xFF\"}", -32_700),
            ("[".repeat(200_000).as_bytes(), -32_700),
            (format!("{{\"a\":\"{secret}\"}}").as_bytes(), -32_600),
            (format!("\"{secret}\"").as_bytes(), -32_600),
            (b"[]", -32_600),
            (b"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32_600),
        ] {
            // What follows in the same write is not overlooked.
            server
                .send_bytes(&[line, format!("\n \r\n{ping}\n").as_bytes()].concat())
                .await;
            let shown = String::from_utf8_lossy(&line[..line.len().min(40)]).into_owned();
            let refused = server.next().await.unwrap();
            assert_eq!(refused["error"]["code"], code, "{shown}: {refused}");
            assert!(
                refused.as_object().unwrap().get("id").is_some_and(Value::is_null),
                "{refused}"
            );
            assert!(!refused.to_string().contains(secret), "{refused}");
            assert_eq!(server.next().await.unwrap()["id"], 7, "after {shown}");
        }
        assert!(server.close().await.status.success());
    }
}

#[tokio::test]
async fn a_line_of_60_megabytes_is_refused_and_not_kept() {
    let mut server = Machine::new().server();
    server.initialize("2025-11-25", json!({})).await;
    let before = most_memory(&server);
    let post = json!({ "name": "devpilot_session_post", "arguments": { "text": "x".repeat(60_000_000) } });
    let large = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": post });
    server.send_bytes(format!("{large}\n").as_bytes()).await;
    let refused = server.next().await.unwrap();
    assert_eq!(refused["error"]["code"], -32_700, "{refused}");
    let said = refused["error"]["message"].as_str().unwrap();
    assert!(said.contains("4194304 bytes"), "{said}");
    assert!(server.request("ping", json!({})).await["result"].is_object());
    let grown = most_memory(&server) - before;
    assert!(grown < 20_000, "{grown} KiB more");
    assert!(server.close().await.status.success());
}

/// The most memory that it has had at once, in KiB; 0 where the system does not tell.
fn most_memory(server: &Server) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid())).unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    most.map_or(0, |most| most.trim().trim_end_matches(" kB").parse().unwrap())
}

#[tokio::test]
async fn the_end_of_input_is_a_clean_exit_at_any_time() {
    let machine = Machine::new();
    let closed = machine.server().close().await;
    assert!(closed.status.success(), "{}", closed.stderr);
    assert!(closed.took < Duration::from_secs(2), "{:?}", closed.took);
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    let closed = server.close().await;
    assert!(closed.status.success(), "{}", closed.stderr);
    assert!(closed.took < Duration::from_secs(2), "{:?}", closed.took);
}

#[tokio::test]
async fn a_batch_piped_in_is_answered_to_the_last_line() {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" }
    });
    let mut batch = String::new();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call",
            "params": { "name": "devpilot_session_read", "arguments": { "limit": 0 } } }),
        json!({ "jsonrpc": "2.0", "id": 4, "method": "ping" }),
    ] {
        batch.push_str(&format!("{message}\n"));
    }
    let ran = Machine::new().run([], batch.trim_end().as_bytes()).await;
    assert_eq!(ran.code(), 0, "{ran}");
    let mut ids: Vec<u64> = ran
        .stdout
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap()["id"]
                .as_u64()
                .unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_signal_ends_it_within_two_seconds() {
    for signal in ["TERM", "INT", "HUP"] {
        let mut server = Machine::new().server();
        server.initialize("2025-06-18", json!({})).await;
        let started = std::time::Instant::now();
        let killed = std::process::Command::new("kill")
            .args(["-s", signal, &server.pid().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        assert!(server.next().await.is_none());
        let closed = server.close().await;
        assert!(closed.status.success(), "{signal}: {:?}", closed.status);
        assert!(
            started.elapsed() < Duration::from_secs(2),
            "{signal}: {:?}",
            started.elapsed()
        );
    }
}

#[tokio::test]
async fn standard_output_is_json_rpc_alone_even_when_everything_is_logged() {
    let machine = Machine::new()
        .with("RUST_LOG", "trace")
        .with("RUST_BACKTRACE", "full");
    let mut server = machine.server();
    server
        .initialize("2025-06-18", json!({ "elicitation": {} }))
        .await;
    server.request("tools/list", json!({})).await;
    server.call("read", json!({})).await;
    server.call("join", json!({ "link": LINK })).await;
    server.send(&json!(["not", "a", "request"])).await;
    server
        .send(&json!({ "jsonrpc": "2.0", "id": 99, "method": "tools/call", "params": 7 }))
        .await;
    server.request("ping", json!({})).await;
    let closed = server.close().await;
    assert!(closed.status.success(), "{}", closed.stderr);
    let everything = closed.lines.concat() + &closed.stderr;
    assert!(!everything.contains("aaaabbbbccccdddd"), "the link got out");
}

#[tokio::test]
async fn wrong_arguments_are_tool_errors_that_say_what_is_allowed() {
    let mut server = Machine::new().server();
    server.initialize("2025-06-18", json!({})).await;
    let called = server.call("read", json!({ "sinse": 0 })).await;
    assert!(
        called.text().starts_with("There is no argument `sinse`."),
        "{}",
        called.text()
    );
    assert!(called.text().contains("`since`"));
    let called = server.call("mode", json!({ "set": "chaos" })).await;
    assert!(
        called.text().contains("`set` must be one of"),
        "{}",
        called.text()
    );
    assert!(called.text().contains("\"relay\"") && !called.text().contains("chaos"));
    let called = server.call("post", json!({})).await;
    assert!(called.text().contains("`text` is missing"), "{}", called.text());
    let unknown = server
        .request("tools/call", json!({ "name": "no_such_tool" }))
        .await;
    assert_eq!(unknown["error"]["code"], -32602);
}

#[tokio::test]
async fn parameters_that_are_not_those_of_the_method_are_refused_with_what_they_have_to_be() {
    for later_era in [false, true] {
        let mut server = Machine::new().server();
        match later_era {
            true => server.without_initialize(json!({})),
            false => drop(server.initialize("2025-11-25", json!({})).await),
        }
        for (method, params, needed) in [
            (
                "resources/read",
                json!({}),
                "resources/read needs `uri`, a string",
            ),
            (
                "resources/read",
                json!({ "uri": 7 }),
                "resources/read needs `uri`, a string",
            ),
            ("tools/call", json!({}), "tools/call needs `name`, a string"),
            (
                "tools/call",
                json!({ "name": "devpilot_session_who", "arguments": [] }),
                "`arguments`, an object",
            ),
            ("prompts/get", json!({}), "prompts/get needs `name`, a string"),
        ] {
            let refused = server.request(method, params).await;
            assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
            let said = refused["error"]["message"].as_str().unwrap();
            assert!(said.contains(needed), "{said}");
        }
        let unknown = server.request("devpilot/unheard-of", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
        let nowhere = json!({ "uri": "devpilot://sessions/00000000-0000-0000-0000-000000000000/transcript" });
        let unknown = server.request("resources/read", nowhere).await;
        // 2026-07-28 gives its own number up for the common one.
        let code = if later_era { -32602 } else { -32002 };
        assert_eq!(unknown["error"]["code"], code, "{unknown}");
    }
    let mut server = Machine::new().server();
    server.initialize("2025-06-18", json!({})).await;
    server
        .send(&json!({ "jsonrpc": "2.0", "id": 91, "method": "tools/call" }))
        .await;
    assert_eq!(server.answer(91).await["error"]["code"], -32602);
    let mut alone = Machine::new().with("DEVPILOT_MCP_TOOLS", "history").server();
    alone.initialize("2025-06-18", json!({})).await;
    let absent = alone.request("resources/read", json!({})).await;
    assert_eq!(absent["error"]["code"], -32601, "{absent}");
}

#[tokio::test]
async fn nothing_but_home_and_path_is_needed_and_the_handshake_writes_nothing() {
    let machine = Machine::new().without("DEVPILOT_CLIPBOARD");
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    server.request("ping", json!({})).await;
    assert!(!machine.devpilot().exists());
    assert!(server.request("tools/list", json!({})).await["result"]["tools"].is_array());
    assert!(server.close().await.status.success());
}

#[tokio::test]
async fn the_program_is_kept_where_its_answers_name_it() {
    let machine = Machine::new();
    let mut server = machine.server();
    server.initialize("2025-06-18", json!({})).await;
    server.request("tools/list", json!({})).await;
    let kept = machine
        .devpilot()
        .join("bin")
        .join(stdio::binary().file_name().unwrap());
    let started = std::time::Instant::now();
    while !kept.exists() {
        assert!(started.elapsed() < Duration::from_secs(5), "it was not kept");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let version = tokio::process::Command::new(kept)
        .arg("--version")
        .output()
        .await
        .unwrap();
    assert!(version.status.success());
}

#[tokio::test]
async fn a_link_as_an_argument_is_refused_and_not_repeated() {
    let machine = Machine::new();
    for arguments in [
        [LINK, "--help"],
        ["join", LINK],
        ["--seat", LINK],
        [&LINK.replace('#', "%23"), "-q"],
    ] {
        let ran = machine.run(arguments, b"").await;
        assert_ne!(ran.code(), 0, "{ran}");
        assert!(
            !ran.stdout.contains("aaaabbbb") && !ran.stderr.contains("aaaabbbb"),
            "{ran}"
        );
        assert!(ran.stderr.contains("process list"), "{ran}");
    }
}

/// Slow machines and unoptimised builds get room; `make bench` has the exact figure.
#[tokio::test]
async fn the_first_answers_come_at_once() {
    let machine = Machine::new();
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let started = std::time::Instant::now();
        let mut server: Server = machine.server();
        server.initialize("2025-06-18", json!({})).await;
        server.request("tools/list", json!({})).await;
        best = best.min(started.elapsed());
    }
    assert!(best < Duration::from_millis(500), "{best:?}");
}
