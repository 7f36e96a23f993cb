//! What a message gives the plane's operator to run.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use crate::scene::{CONTEXT, works};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};

/// The command between backticks in a message.
fn operators(message: &str) -> String {
    message
        .split('`')
        .find(|part| part.starts_with("devpilot-plane "))
        .unwrap_or_else(|| panic!("no command for the operator: {message}"))
        .to_owned()
}

/// The plane's org and member.
async fn names(plane: &Plane) -> (String, String) {
    let name = |listed: &str| {
        let listed: Vec<Value> = serde_json::from_str(listed).unwrap();
        listed[0]["name"].as_str().unwrap().to_owned()
    };
    let org = name(&plane.admin(&["org", "list", "--json"]).await);
    let member = name(&plane.admin(&["member", "list", "--org", &org, "--json"]).await);
    (org, member)
}

/// Runs a command that is named without its options: what it says lacks is what is put behind it.
async fn completed(plane: &Plane, command: &str, options: &str) -> String {
    let bare = plane.operator(command).await;
    assert_eq!(bare.code(), 2, "{bare}");
    assert!(
        bare.stderr.contains(&format!("Usage: {command} ")),
        "it is this command that misses something: {bare}"
    );
    for option in options.split(' ').filter(|word| word.starts_with("--")) {
        assert!(bare.stderr.contains(option), "{option}: {bare}");
    }
    let ran = plane.operator(&format!("{command} {options}")).await;
    works(&ran);
    ran.stdout
}

/// `connect --json` with the operator's yes; what `between` does comes before it. Exit code and last line.
async fn connect(machine: &Machine, plane: &Plane, more: &[&str], between: impl FnOnce()) -> (i32, Value) {
    let url = format!("http://127.0.0.1:{}", plane.port());
    let mut child = machine
        .command(["connect", &url, "--json"])
        .args(more)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).await.unwrap();
    let code: Value = serde_json::from_str(&line).unwrap();
    between();
    let approve = code["operator_command"].as_str().unwrap();
    // Nobody sits at a terminal here: what the operator would type there is said by the option.
    works(&plane.operator(&format!("{approve} --yes")).await);
    let mut last = String::new();
    output.read_to_string(&mut last).await.unwrap();
    let status = child.wait().await.unwrap().code().unwrap();
    (status, serde_json::from_str(&last).unwrap())
}

/// The tokens of the plane's org.
async fn tokens(plane: &Plane, command: &str, org: &str) -> Vec<String> {
    let listed = completed(plane, command, &format!("--org {org}")).await;
    let listed = listed.lines();
    listed
        .flat_map(|line| line.split_whitespace())
        .filter(|word| word.len() == 36 && word.matches('-').count() == 4)
        .map(str::to_owned)
        .collect()
}

#[tokio::test]
async fn where_no_machine_is_connected_the_operator_makes_a_token_by_the_command_of_the_refusal() {
    let routes = axum::Router::new().fallback(async || {
        let problem = json!({
            "type": "about:blank", "title": "Not Found", "status": 404, "detail": "No such page.", "code": "not_found"
        });
        (
            axum::http::StatusCode::NOT_FOUND,
            [("content-type", "application/problem+json")],
            problem.to_string(),
        )
    });
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await });
    let machine = Machine::new();
    let refused = machine.run(["connect", &url, "--json"], b"").await;
    assert_eq!(refused.json()["error"], "not_connected", "{refused}");
    let message = refused.json()["message"].as_str().unwrap().to_owned();

    let plane = Plane::start(Store::Sqlite).await;
    let (org, member) = names(&plane).await;
    let options = format!("--org {org} --member {member} --scopes share");
    let made = completed(&plane, &operators(&message), &options).await;
    let token = made.split_whitespace().find(|word| word.starts_with("dpm_"));
    // The variables that it names, with the address of a plane that is there.
    assert!(message.contains(&format!("DEVPILOT_PLANE={url}")), "{message}");
    assert!(message.contains("DEVPILOT_BRIDGE_TOKEN"), "{message}");
    let machine = machine
        .with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{}", plane.port()))
        .with("DEVPILOT_BRIDGE_TOKEN", token.unwrap());
    works(&machine.run(["share", "--title", "x"], CONTEXT.as_bytes()).await);
}

#[tokio::test]
async fn a_token_that_could_not_be_stored_and_one_that_is_replaced_are_ended_by_the_commands_of_the_answer() {
    let plane = Plane::start(Store::Sqlite).await;
    let (org, _) = names(&plane).await;
    let list = "devpilot-plane admin token list";
    let before = tokens(&plane, list, &org).await;

    let machine = Machine::new();
    let home = machine.devpilot();
    let (status, lost) = connect(&machine, &plane, &[], || {
        // Neither a folder nor anything that may be put aside.
        std::fs::remove_dir_all(&home).unwrap();
        std::fs::write(&home, "in the way").unwrap();
    })
    .await;
    let message = lost["message"].as_str().unwrap_or_else(|| panic!("{lost}"));
    assert_eq!(status, 1, "{lost}");
    assert!(message.contains("could not be stored"), "{message}");
    let mut new = tokens(&plane, &operators(message), &org).await;
    new.retain(|id| !before.contains(id));
    assert_eq!(new.len(), 1, "the one that got lost is listed");

    std::fs::remove_file(&home).unwrap();
    let (status, first) = connect(&machine, &plane, &[], || {}).await;
    assert_eq!(status, 0, "{first}");
    let (status, replaced) = connect(&machine, &plane, &["--replace"], || {}).await;
    assert_eq!(status, 0, "{replaced}");
    let warning = replaced["warnings"][0].as_str().unwrap();
    let revoke = operators(warning);
    let bare = plane.operator(&revoke).await;
    assert!(
        bare.code() == 2 && bare.stderr.contains(&format!("Usage: {revoke} ")),
        "{bare}"
    );
    works(&plane.operator(&format!("{revoke} {}", new[0])).await);
    let url = format!("http://127.0.0.1:{}", plane.port());
    works(&machine.run(["connect", &url], b"").await);
}
