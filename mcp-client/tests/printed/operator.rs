//! What a message gives the plane's operator to run.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

use crate::scene::{CONTEXT, filled, names, operators, works};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};

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
    let listed = filled(plane, command, &[("ORG", org)]).await;
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
    let made = filled(
        &plane,
        &operators(&message)[0],
        &[("ORG", &org), ("NAME", &member)],
    )
    .await;
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
    let before = tokens(&plane, "devpilot-plane admin token list --org ORG", &org).await;

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
    let told = operators(message);
    assert_eq!(told.len(), 2, "{message}");
    let mut new = tokens(&plane, &told[0], &org).await;
    new.retain(|id| !before.contains(id));
    assert_eq!(new.len(), 1, "the one that got lost is listed");
    filled(&plane, &told[1], &[("ID", &new[0])]).await;
    let before = tokens(&plane, &told[0], &org).await;

    std::fs::remove_file(&home).unwrap();
    let (status, first) = connect(&machine, &plane, &[], || {}).await;
    assert_eq!(status, 0, "{first}");
    let mut first = tokens(&plane, &told[0], &org).await;
    first.retain(|id| !before.contains(id));
    let (status, replaced) = connect(&machine, &plane, &["--replace"], || {}).await;
    assert_eq!(status, 0, "{replaced}");
    let warning = replaced["warnings"][0].as_str().unwrap();
    let told = operators(warning);
    assert_eq!(told.len(), 2, "{warning}");
    assert!(
        tokens(&plane, &told[1], &org).await.contains(&first[0]),
        "its id is shown"
    );
    filled(&plane, &told[0], &[("ID", &first[0])]).await;
    let url = format!("http://127.0.0.1:{}", plane.port());
    works(&machine.run(["connect", &url], b"").await);
}
