//! A session of a person and of an agent's shell, and lines run at a terminal.

use serde_json::Value;

use crate::stdio::plane::Plane;
use crate::stdio::shell::path_without_us;
use crate::stdio::terminal::line_at_terminal;
use crate::stdio::{Machine, Ran};

/// The first message.
pub(crate) const CONTEXT: &str = "What I know: the cache is stale after a deploy.";

/// Ada, a person, shared; Ben's agent joined by its shell.
pub(crate) async fn pair(plane: &Plane) -> (Machine, Machine) {
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let share = ["share", "--title", "Stale cache", "--as", "human"];
    works(&ada.run(share, CONTEXT.as_bytes()).await);
    let ben = Machine::new().with("DEVPILOT_NAME", "Ben");
    works(&ben.run(["join", "-"], ada.link().as_bytes()).await);
    (ada, ben)
}

/// It did what it was told.
#[track_caller]
pub(crate) fn works(ran: &Ran) {
    assert_eq!(ran.code(), 0, "{ran}");
}

/// The command that a refusal in JSON gives a person; it was refused with this word.
#[track_caller]
pub(crate) fn refused(ran: &Ran, word: &str) -> String {
    let answer = ran.json();
    assert_eq!(answer["error"], word, "{ran}");
    let command = answer["command"]
        .as_str()
        .unwrap_or_else(|| panic!("no command: {ran}"));
    command.to_owned()
}

/// Runs a line at a terminal of this machine, where somebody types `typed`; it has to work.
pub(crate) async fn by_hand(machine: &Machine, line: &str, typed: &str) -> Ran {
    let path = path_without_us();
    let line = format!("PATH='{}'; {line}", path.to_str().unwrap());
    let ran = line_at_terminal(machine, &line, typed).await;
    assert_eq!(ran.code(), 0, "{line}: {ran}");
    ran
}

/// The texts that are there for Ada.
pub(crate) async fn texts(ada: &Machine) -> Vec<String> {
    let read = ada
        .run(["read", "--since", "0", "--as", "human", "--json"], b"")
        .await;
    works(&read);
    let read: Value = read.json();
    let messages = read["messages"].as_array().unwrap().iter();
    messages
        .map(|message| message["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// The commands between backticks in a message.
pub(crate) fn operators(message: &str) -> Vec<String> {
    let quoted = message.split('`').skip(1).step_by(2);
    let commands: Vec<_> = quoted
        .filter(|part| part.starts_with("devpilot-plane "))
        .map(str::to_owned)
        .collect();
    assert!(!commands.is_empty(), "no command for the operator: {message}");
    commands
}

/// The plane's org and member.
pub(crate) async fn names(plane: &Plane) -> (String, String) {
    let name = |listed: &str| {
        let listed: Vec<Value> = serde_json::from_str(listed).unwrap();
        listed[0]["name"].as_str().unwrap().to_owned()
    };
    let org = name(&plane.admin(&["org", "list", "--json"]).await);
    let member = name(&plane.admin(&["member", "list", "--org", &org, "--json"]).await);
    (org, member)
}

/// Runs a command as it stands but for its words in capitals, which say what to put there.
pub(crate) async fn filled(plane: &Plane, command: &str, words: &[(&str, &str)]) -> String {
    let fill = |word| {
        words
            .iter()
            .find(|(name, _)| *name == word)
            .map_or(word, |(_, value)| *value)
    };
    let line: Vec<&str> = command.split(' ').map(fill).collect();
    let ran = plane.operator(&line.join(" ")).await;
    works(&ran);
    ran.stdout
}
