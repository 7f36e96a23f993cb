//! The client's commands that the documents print, each run for real: a real plane, a session with somebody else in it, a
//! terminal where a person's hand is needed. What a page leaves open (an address, an id) is put in.
//!
//! What is not run: the hosts' own commands, which need the hosts (`make hosts` runs them).

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::stdio::plane::{Plane, Store, free_port};
use crate::stdio::room::{Listener, said};
use crate::stdio::terminal::line_at_terminal;
use crate::stdio::{Machine, Ran, binary, ran};
use crate::{DOCUMENTS, commands, read};

/// An id of a session, as pages write one.
const SESSION: &str = "01234567-89ab-4cde-8f01-23456789abcd";
/// The id of somebody who knocks, as pages write one.
const KNOCKING: &str = "1f0c9d52";

/// A person who shared a session, and an agent who is in it by its shell.
struct Scene<'a> {
    plane: &'a Plane,
    ada: Machine,
    ben: Machine,
    session: String,
}

impl<'a> Scene<'a> {
    async fn new(plane: &'a Plane) -> Self {
        let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
        let share = ["share", "--title", "Flaky login test", "--as", "human", "--json"];
        let shared = ada.run(share, b"Suspect: the clock.").await;
        works(&shared);
        let ben = Machine::new()
            .with("DEVPILOT_NAME", "Ben")
            .with("DEVPILOT_SESSION_LINK", &ada.link());
        works(&ben.run(["join"], b"").await);
        Self {
            plane,
            session: shared.json()["session"].as_str().unwrap().to_owned(),
            ada,
            ben,
        }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.plane.port())
    }

    /// Somebody with the link who is not in.
    fn guest(&self) -> Machine {
        Machine::new()
            .with("DEVPILOT_NAME", "Cleo")
            .with("DEVPILOT_SESSION_LINK", &self.ada.link())
    }

    async fn relay(&self) {
        works(&typed(&self.ada, "devpilot-session mode relay --as human", "relay\n").await);
        works(&self.ben.run(["read"], b"").await);
    }

    async fn propose(&self) {
        std::fs::write(self.ada.home().join("goal"), "Mend the test.").unwrap();
        let propose = "devpilot-session mode auto --as human < goal";
        works(&typed(&self.ada, propose, "auto\n").await);
    }

    /// A guest knocks while `decide` is done with the id.
    async fn decided(&self, decide: impl AsyncFn(String)) -> Ran {
        works(&typed(&self.ada, "devpilot-session door ask", "ask\n").await);
        let guest = self.guest();
        let deciding = async {
            let started = Instant::now();
            loop {
                let door = self.ada.run(["door", "--json"], b"").await.json();
                if let Some(id) = door["knocking"][0]["short_id"].as_str() {
                    return decide(id.to_owned()).await;
                }
                assert!(started.elapsed() < Duration::from_secs(30), "nobody knocks");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        };
        tokio::join!(guest.run(["join", "--json"], b""), deciding).0
    }
}

#[track_caller]
fn works(ran: &Ran) {
    assert_eq!(ran.code(), 0, "{ran}");
}

/// The line as a reader runs it, who has the program on the PATH.
fn on_path(line: &str) -> String {
    format!(
        "PATH='{}':\"$PATH\"; {line}",
        binary().parent().unwrap().display()
    )
}

fn shell(machine: &Machine, line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", &on_path(line)]);
    machine.surround(&mut shell);
    shell
}

async fn run(machine: &Machine, line: &str, input: &str) -> Ran {
    ran(&mut shell(machine, line), input.as_bytes()).await
}

async fn typed(machine: &Machine, line: &str, words: &str) -> Ran {
    line_at_terminal(machine, &on_path(line), words).await
}

fn started(machine: &Machine, line: &str) -> Child {
    shell(machine, &format!("exec {line}"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Ends what goes on for ever, as Ctrl-C does, once it has written a line of which this is a part.
async fn until(mut child: Child, part: &str) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        if line.contains(part) {
            let id = child.id().unwrap().to_string();
            let sent = std::process::Command::new("kill").args(["-INT", &id]).status();
            assert!(sent.unwrap().success());
            assert!(child.wait().await.unwrap().success());
            return;
        }
    }
    panic!("`{part}` was never written");
}

/// Connects by a line, with the operator's yes.
async fn connect(plane: &Plane, machine: &Machine, line: &str) {
    plane.approves(started(machine, &format!("{line} --json"))).await;
}

/// A cockpit, and a repository with a folder `src`, for a line that asks it.
async fn history(machine: &Machine, line: &str) -> Ran {
    let url = format!("127.0.0.1:{}", free_port());
    let mut cockpit = started(machine, &format!("devpilot-session cockpit --listen {url}"));
    let mut lines = BufReader::new(cockpit.stdout.take().unwrap()).lines();
    assert!(lines.next_line().await.unwrap().unwrap().contains(&url));
    let made = "mkdir -p pay/src; cd pay; git init --quiet; touch src/f";
    let answer = run(machine, &format!("{made}; {line}"), "").await;
    cockpit.kill().await.unwrap();
    answer
}

/// Runs one command of the documents for real.
async fn try_out(plane: &Plane, command: &str) {
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let scene = Scene::new(plane).await;
    let Scene {
        ada, ben, session, ..
    } = &scene;
    let by_word = async |line: &str, word: &str| works(&typed(ada, line, &format!("{word}\n")).await);
    match words.as_slice() {
        ["--help" | "--version"] | ["completions", "--help"] => {
            works(&run(&Machine::new(), command, "").await)
        }
        // In a table of commands it stands without the shell that it is for.
        ["completions"] => works(&run(&Machine::new(), &format!("{command} bash"), "").await),
        ["doctor"] | ["sessions", ..] => {
            works(&run(&Machine::new(), command, "").await);
            works(&run(ada, command, "").await);
        }
        ["join", "-", ..] => works(&run(&Machine::new(), command, &ada.link()).await),
        ["join", ..] => works(&run(&scene.guest(), command, "").await),
        ["connect", address] => {
            connect(plane, &Machine::new(), &command.replace(address, &scene.url())).await;
        }
        ["who" | "door"] => works(&run(ada, command, "").await),
        ["read", ..] => {
            let read = run(ada, command, "").await;
            works(&read);
        }
        ["post", "--allow-secrets"] => {
            let credential = format!("the key is AKIA{}", "QYLPMN5HHHFPZAM2");
            std::fs::write(ada.home().join("text"), credential).unwrap();
            by_word(&format!("{command} < text"), "allow").await;
        }
        ["export"] => assert!(run(ben, command, "").await.stdout.contains("Suspect: the clock.")),
        ["export", "-o", file] => {
            works(&run(ben, command, "").await);
            let document = std::fs::read_to_string(ben.home().join(file)).unwrap();
            assert!(document.contains("Suspect: the clock."), "{document}");
        }
        ["leave"] => works(&run(ben, command, "").await),
        ["watch"] => {
            until(
                started(ben, &format!("{command} --as human")),
                "Suspect: the clock.",
            )
            .await
        }
        ["listen"] => {
            scene.relay().await;
            let listener = Listener::start(&mut shell(ben, command));
            works(&ada.run(["post", "--as", "human"], b"news").await);
            let ran = listener.end().await;
            works(&ran);
            assert_eq!(said(&ran)["woke_by"], "messages");
        }
        ["mode", "auto", ..] => {
            std::fs::write(ada.home().join("goal"), "Mend the test.").unwrap();
            by_word(&format!("{command} --as human < goal"), "auto").await;
        }
        ["mode", "accept"] => {
            scene.propose().await;
            works(&typed(ben, command, "accept\n").await);
            assert_eq!(ben.run(["mode", "--json"], b"").await.json()["mode"], "auto");
        }
        ["mode", "stop" | "decline"] => {
            scene.propose().await;
            works(&run(ben, command, "").await);
            let mode = ben.run(["mode", "--json"], b"").await.json();
            assert!(mode["proposal"].is_null(), "{mode}");
        }
        ["door", word @ ("ask" | "closed")] => by_word(command, word).await,
        ["door", "open", ..] => {
            by_word("devpilot-session door ask", "ask").await;
            by_word(command, "open").await;
        }
        ["door", word @ ("admit" | "refuse"), KNOCKING] => {
            let joined = scene
                .decided(async |id| by_word(&command.replace(KNOCKING, &id), word).await)
                .await;
            assert_eq!(joined.code() == 0, *word == "admit", "{joined}");
        }
        ["link"] => by_word(command, "link").await,
        ["rekey"] => works(&typed(ada, command, "k\n\nrekey\n").await),
        ["rekey", "--admin", SESSION] => {
            let rekeyed = typed(ada, &command.replace(SESSION, session), "rekey\n").await;
            works(&rekeyed);
            assert!(
                rekeyed.stdout.contains("The new link, shown this once."),
                "{rekeyed}"
            );
        }
        ["end"] => by_word(command, "end").await,
        ["end", "--session", SESSION] => by_word(&command.replace(SESSION, session), "end").await,
        ["cockpit"] => {
            let line = format!("{command} --listen 127.0.0.1:{}", free_port());
            until(started(&Machine::new(), &line), "The cockpit listens on").await;
        }
        ["history", ..] => {
            let machine = Machine::new();
            works(&history(&machine, command).await);
        }
        _ => panic!("`{command}` is printed, and this test does not know how to try it"),
    }
}

#[tokio::test]
async fn every_command_of_the_client_in_the_documents_does_its_work() {
    let plane = Plane::start(Store::Sqlite).await;
    let all: BTreeSet<String> = DOCUMENTS
        .iter()
        .flat_map(|document| commands(&read(document)))
        .filter(|command| command.starts_with("devpilot-session "))
        .collect();
    assert!(all.len() > 30, "{all:?}");
    for command in all {
        try_out(&plane, &command).await;
    }
}
