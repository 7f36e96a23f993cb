//! What hosts are shown of the tools: every schema walked, every budget kept (`mcp-client.md`, Budgets for every host).
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod stdio;

use serde_json::{Value, json};
use stdio::{Called, Machine};

const TOOLS: [&str; 7] = ["share", "join", "read", "wait", "post", "who", "mode"];

async fn tools() -> Vec<Value> {
    let mut server = Machine::new().server();
    server.initialize("2025-11-25", json!({})).await;
    let listed = server.request("tools/list", json!({})).await;
    listed["result"]["tools"].as_array().unwrap().clone()
}

/// Calls `look` with every schema below `schema`, itself included.
fn walk(schema: &Value, path: &str, look: &mut dyn FnMut(&Value, &str)) {
    look(schema, path);
    if let Some(properties) = schema["properties"].as_object() {
        for (name, property) in properties {
            walk(property, &format!("{path}.{name}"), look);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            walk(&schema[keyword], &format!("{path}.{keyword}"), look);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        for choice in schema[keyword].as_array().into_iter().flatten() {
            walk(choice, &format!("{path}.{keyword}"), look);
        }
    }
}

#[tokio::test]
async fn the_tools_are_there_under_their_names() {
    let names: Vec<String> = tools()
        .await
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    let expected = TOOLS.map(|name| format!("devpilot_session_{name}"));
    assert_eq!(names, [&expected[..], &["devpilot_history".to_owned()]].concat());
    // As hosts write it: plugin `devpilot`, server `session`.
    for name in names {
        assert!(
            format!("mcp__plugin_devpilot_session__{name}").len() < 64,
            "{name}"
        );
    }
}

#[tokio::test]
async fn every_schema_is_plain() {
    for tool in tools().await {
        for (which, closed) in [("inputSchema", true), ("outputSchema", false)] {
            let schema = &tool[which];
            let root = format!("{}.{which}", tool["name"]);
            assert_eq!(schema["type"], "object", "{root}");
            walk(schema, &root, &mut |schema, path| {
                let kind = schema["type"]
                    .as_str()
                    .unwrap_or_else(|| panic!("{path}: {schema}"));
                assert!(
                    ["string", "integer", "number", "boolean", "array", "object"].contains(&kind),
                    "{path}: {kind}"
                );
                for keyword in [
                    "$ref", "$defs", "format", "anyOf", "oneOf", "allOf", "nullable", "default",
                ] {
                    assert!(schema.get(keyword).is_none(), "{path} has {keyword}");
                }
                if kind == "object" && closed {
                    assert_eq!(schema["additionalProperties"], false, "{path}");
                }
                if kind == "array" {
                    assert!(schema["items"].is_object(), "{path}");
                }
                for name in schema["required"].as_array().into_iter().flatten() {
                    assert!(
                        schema["properties"].get(name.as_str().unwrap()).is_some(),
                        "{path}: {name}"
                    );
                }
            });
        }
    }
}

#[tokio::test]
async fn every_argument_is_described() {
    for tool in tools().await {
        walk(
            &tool["inputSchema"],
            tool["name"].as_str().unwrap(),
            &mut |schema, path| {
                if path.contains('.') && !path.ends_with(".items") {
                    assert!(schema["description"].is_string(), "{path}");
                }
            },
        );
    }
}

#[tokio::test]
async fn descriptions_titles_and_annotations_are_there_and_short() {
    for tool in tools().await {
        let name = tool["name"].as_str().unwrap();
        let description = tool["description"].as_str().unwrap();
        assert!(description.chars().count() <= 1_500, "{name}");
        assert!(!tool["title"].as_str().unwrap().is_empty(), "{name}");
        for hint in [
            "readOnlyHint",
            "destructiveHint",
            "idempotentHint",
            "openWorldHint",
        ] {
            assert!(tool["annotations"][hint].is_boolean(), "{name} {hint}");
        }
    }
}

#[tokio::test]
async fn annotations_are_honest() {
    for tool in tools().await {
        let annotations = &tool["annotations"];
        let reads = matches!(
            tool["name"].as_str().unwrap(),
            "devpilot_session_read" | "devpilot_session_wait" | "devpilot_session_who" | "devpilot_history"
        );
        assert_eq!(annotations["readOnlyHint"], reads, "{}", tool["name"]);
        assert_eq!(annotations["destructiveHint"], false, "{}", tool["name"]);
        assert_eq!(annotations["openWorldHint"], true, "{}", tool["name"]);
    }
}

#[tokio::test]
async fn what_hosts_put_into_every_conversation_is_small() {
    let mut total = 0;
    for tool in tools().await {
        let shown = json!({
            "name": tool["name"], "title": tool["title"], "description": tool["description"],
            "inputSchema": tool["inputSchema"]
        });
        let size = shown.to_string().len();
        println!("{:28} {size:5} bytes", tool["name"].as_str().unwrap());
        total += size;
    }
    println!("{:28} {total:5} bytes of 9000", "all tools");
    assert!(total <= 9_000, "{total}");
}

/// What a server that starts with this setting says of itself and shows.
async fn shown_with(setting: &str) -> (String, Vec<Value>) {
    let mut server = Machine::new().with("DEVPILOT_MCP_TOOLS", setting).server();
    let info = server.initialize("2025-11-25", json!({})).await;
    let listed = server.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    (info["instructions"].as_str().unwrap().to_owned(), tools)
}

#[tokio::test]
async fn a_group_limits_what_is_listed_and_an_empty_setting_does_not() {
    let all = tools().await.len();
    assert_eq!(shown_with("").await.1.len(), all);
    let (instructions, session) = shown_with(" session ").await;
    assert!(instructions.contains("devpilot_session_read"));
    assert_eq!(session.len(), 7);
    for tool in session {
        assert!(tool["name"].as_str().unwrap().starts_with("devpilot_session_"));
    }
    let (instructions, history) = shown_with("history").await;
    assert!(!instructions.contains("devpilot_session"), "{instructions}");
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["name"], "devpilot_history");
}

#[tokio::test]
async fn a_tool_that_a_setting_leaves_out_is_a_sentence_and_one_that_never_was_an_error() {
    for (setting, left_out, arguments) in [
        ("session", "devpilot_history", json!({ "paths": ["src"] })),
        ("history", "devpilot_session_read", json!({})),
    ] {
        let machine = Machine::new().with("DEVPILOT_MCP_TOOLS", setting);
        let mut server = machine.server();
        server.initialize("2025-11-25", json!({})).await;
        let call = json!({ "name": left_out, "arguments": arguments });
        let refused = Called(server.request("tools/call", call).await);
        assert_eq!(refused.code(), "tool_left_out");
        for part in [
            left_out,
            "DEVPILOT_MCP_TOOLS",
            "Nothing was done",
            "tell your user",
        ] {
            assert!(refused.text().contains(part), "{part}: {}", refused.text());
        }
        let call = json!({ "name": "devpilot_session_delete", "arguments": {} });
        let unknown = server.request("tools/call", call).await;
        assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    }
}

/// Of a server without sessions nothing leads to one: no prompt, no resource, nobody is told of news.
#[tokio::test]
async fn without_the_sessions_group_there_are_no_prompts_and_no_resources() {
    let machine = Machine::new().with("DEVPILOT_MCP_TOOLS", "history");
    let mut server = machine.server();
    let info = server.initialize("2025-11-25", json!({})).await;
    assert_eq!(info["capabilities"], json!({ "tools": {} }));
    let uri = "devpilot://sessions/00000000-0000-0000-0000-000000000000/transcript";
    for (method, params) in [
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "share" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": uri })),
        ("resources/subscribe", json!({ "uri": uri })),
        ("resources/unsubscribe", json!({ "uri": uri })),
    ] {
        let answer = server.request(method, params).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}: {answer}");
    }
    let mut later = machine.server();
    later.without_initialize(json!({}));
    let filter = json!({ "notifications": { "resourceSubscriptions": [uri] } });
    let listening = later.post("subscriptions/listen", filter).await;
    let said = later.next().await.unwrap();
    assert!(
        said["id"] == listening && said["error"].is_object()
            || said["params"]["notifications"]
                .get("resourceSubscriptions")
                .is_none(),
        "{said}"
    );
}

#[tokio::test]
async fn a_setting_that_can_t_be_kept_to_ends_the_server_before_it_speaks() {
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" }
        }
    });
    for (setting, says) in [
        (
            "sesion",
            "does not exist: \"sesion\". Choose from session, history, or",
        ),
        ("session,Claims", "does not exist: \"Claims\""),
        ("claims", "the group `claims`, which has no tools in this version"),
        (
            "session, claims",
            "the group `claims`, which has no tools in this version",
        ),
    ] {
        let machine = Machine::new().with("DEVPILOT_MCP_TOOLS", setting);
        let ran = machine.run([], format!("{hello}\n").as_bytes()).await;
        assert_ne!(ran.code(), 0, "{setting}: {ran}");
        assert_eq!(ran.stdout, "", "{setting}");
        assert!(ran.stderr.contains(says), "{setting}: {ran}");
        assert_eq!(ran.stderr.lines().count(), 1, "{setting}: {ran}");
        assert!(!machine.devpilot().exists(), "{setting}");
    }
}
