//! Every command for the plane's operator that stands in a source, run as it stands: a new one needs no test of its own.

use std::collections::BTreeSet;

use crate::literals::{commands, files, of_rust};
use crate::scene::{names, works};
use crate::stdio::plane::{Plane, Store};

/// What the sources print of it.
fn printed() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files(&["mcp-client/src", "plane/src", "cockpit/src"], &[".rs"]) {
        let source = std::fs::read_to_string(&file).unwrap();
        for literal in of_rust(&source) {
            found.extend(commands(&literal.text, "devpilot-plane"));
        }
    }
    for file in files(&["web/src", "web/static"], &[".ts", ".html"]) {
        let source = std::fs::read_to_string(&file).unwrap();
        let quoted = |text: &String| text.trim_end_matches(['"', '\'', '`', ',']).to_owned();
        found.extend(commands(&source, "devpilot-plane").iter().map(quoted));
    }
    found
}

/// What is put for a word that says what to put there; `number` makes names that are new.
fn fill(command: &str, number: usize, org: &str, member: &str, token: &str) -> String {
    let makes = |what: &str| command.contains(&format!(" {what} create "));
    let words = command.split(' ').map(|word| match word {
        "ORG" if makes("org") => format!("org-{number}"),
        "ORG" => org.to_owned(),
        "NAME" if makes("member") => format!("member-{number}"),
        "NAME" => member.to_owned(),
        "ID" | "{}" => token.to_owned(),
        "CODE" | "{user_code}" => "WDJB-MJHT".to_owned(),
        "{host}:{}" => "127.0.0.1:0".to_owned(),
        word => {
            let is_left = word.contains(['{', '<', '['])
                || (word.len() > 1
                    && word
                        .chars()
                        .all(|symbol| symbol.is_ascii_uppercase() || symbol == '_'));
            assert!(
                !is_left,
                "`{command}`: say here what {word} is to be, so that the command can be run"
            );
            word.to_owned()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn every_command_for_the_operator_that_is_printed_can_be_run() {
    let plane = Plane::start(Store::Sqlite).await;
    let (org, member) = names(&plane).await;
    let printed = printed();
    assert!(printed.len() >= 12, "the sources were not read: {printed:?}");
    for (number, command) in printed.iter().enumerate() {
        let made = [
            "token", "create", "--org", &org, "--member", &member, "--scopes", "share", "--json",
        ];
        let made: serde_json::Value = serde_json::from_str(&plane.admin(&made).await).unwrap();
        let line = fill(command, number, &org, &member, made["token_id"].as_str().unwrap());
        // It would go on for ever; with this it is only read.
        let reads = line.starts_with("devpilot-plane serve");
        let ran = plane
            .operator(&format!("{line}{}", if reads { " --help" } else { "" }))
            .await;
        match line.contains(" admin approve ") {
            // Nobody waits under that code, which is another thing than a line that can't be read.
            true => assert!(
                ran.code() == 1 && ran.stderr.contains("No machine waits"),
                "`{command}`: {ran}"
            ),
            false => works(&ran),
        }
    }
}
