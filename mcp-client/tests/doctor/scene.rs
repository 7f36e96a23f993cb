//! What doctor finds, and doing what it says.

use std::process::Stdio;

use serde_json::Value;

use crate::stdio::Machine;
use crate::stdio::plane::Plane;
use crate::stdio::shell::shell;

/// What doctor says, as a program reads it; and that it shows no secret of this machine.
pub(crate) async fn look(machine: &Machine) -> Value {
    let ran = machine.run(["doctor", "--json"], b"").await;
    let answer = ran.json();
    assert_eq!(ran.code(), i32::from(answer["well"] != true), "{ran}");
    for secret in machine.secrets() {
        assert!(
            !ran.stdout.contains(&secret) && !ran.stderr.contains(&secret),
            "a secret was shown"
        );
    }
    for check in answer["checks"].as_array().unwrap() {
        assert!(
            check["health"] != "failed" || check["remedy"].is_string(),
            "no remedy: {check}"
        );
    }
    answer
}

/// The checks that failed.
pub(crate) fn failed(answer: &Value) -> Vec<&Value> {
    let checks = answer["checks"].as_array().unwrap().iter();
    checks.filter(|check| check["health"] == "failed").collect()
}

/// Looks; exactly this fails, and this is said.
pub(crate) async fn fails(machine: &Machine, check: &str, says: &str) -> Value {
    let answer = look(machine).await;
    let found = failed(&answer);
    assert_eq!(found.len(), 1, "{answer}");
    let text = found[0].to_string();
    assert!(found[0]["check"] == check && text.contains(says), "{answer}");
    found[0].clone()
}

/// Looks; nothing fails.
pub(crate) async fn is_well(machine: &Machine) -> Value {
    let answer = look(machine).await;
    assert_eq!(answer["well"], true, "{answer}");
    answer
}

/// The command of a check.
pub(crate) fn command(check: &Value) -> String {
    check["command"]
        .as_str()
        .unwrap_or_else(|| panic!("no command: {check}"))
        .to_owned()
}

/// Runs the printed line that connects, with the operator's yes.
pub(crate) async fn connect(machine: &Machine, plane: &Plane, line: &str) {
    let child = shell(machine, &format!("{line} --json"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    plane.approves(child).await;
}

/// A plane's address.
pub(crate) fn url(plane: &Plane) -> String {
    format!("http://127.0.0.1:{}", plane.port())
}

/// The check of this name.
pub(crate) fn check<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let mut checks = answer["checks"].as_array().unwrap().iter();
    let found = checks.find(|check| check["check"] == name);
    found.unwrap_or_else(|| panic!("no {name}: {answer}"))
}
