//! Each page is followed on clean homes, on both sides, up to the first shared message and its answer.

use serde_json::json;

use crate::machine::Reader;
use crate::page::Page;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Machine, Server};

/// What is handed over.
const CONTEXT: &str = "The login test fails every third run. Suspect: the clock in session.rs.";

/// The pages of hosts that start a server, and the command that takes it off again.
const HOSTS: [(&str, Option<&str>); 6] = [
    ("claude-code.md", Some("claude mcp remove devpilot --scope user")),
    ("codex.md", Some("codex mcp remove devpilot")),
    ("cursor.md", None),
    ("gemini-cli.md", Some("gemini mcp remove --scope user devpilot")),
    ("opencode.md", None),
    ("vscode.md", None),
];

/// Every way a page names to start the server.
#[derive(Debug, Clone, Copy)]
enum Way {
    /// Its commands for a built program.
    Built,
    /// Its commands once the package is published.
    Published,
    /// The package's line for Windows.
    Windows,
    /// A host's file: none for a built program, else what stands behind the file's name.
    File(Option<&'static str>),
}

/// What the page's host starts, if the page has this way.
async fn follow(page: &Page, reader: &Reader, way: Way) -> Option<Vec<String>> {
    let script = match way {
        Way::Built => page.script("sh"),
        Way::Published => page.script("sh published"),
        Way::Windows => page.script("bat").lines().next().unwrap_or_default().to_owned(),
        Way::File(variant) => return page.servers_in_files(variant).into_iter().next(),
    };
    reader.run(&script).await;
    reader.told()
}

/// Shares from one machine, joins from another, answers, and reads the answer.
async fn first_message(page: &Page, way: Way, plane: &Plane) -> bool {
    let ada = Reader::new(plane.owner().with("DEVPILOT_NAME", "Ada"));
    let Some(words) = follow(page, &ada, way).await else {
        return false;
    };
    let mut adas = ada.start(&words).await;
    let arguments = json!({ "title": "Flaky login test", "context": CONTEXT, "with": "Sam" });
    let shared = adas.call("share", arguments).await;
    assert!(!shared.failed(), "{} {way:?}: {}", page.name, shared.text());

    let link = ada.machine.link();
    let sam = Machine::new()
        .with("DEVPILOT_NAME", "Sam")
        .with("DEVPILOT_SESSION_LINK", &link);
    let sam = Reader::new(sam);
    let words = follow(page, &sam, way).await.unwrap();
    let mut sams = sam.start(&words).await;
    let joined = sams.call("join", json!({})).await;
    let handed_over = &joined.structured()["card"]["handoff"]["text"];
    assert_eq!(handed_over, CONTEXT, "{} {way:?}", page.name);
    let posted = sams.call("post", json!({ "text": "Got it." })).await;
    assert!(!posted.failed(), "{} {way:?}: {}", page.name, posted.text());
    assert_eq!(unread(&mut adas).await, ["Got it."], "{} {way:?}", page.name);

    // What the page says about getting rid of it all.
    sams.close().await;
    assert!(sam.machine.devpilot().join("bin/devpilot-session").exists());
    sam.run(&page.script("sh uninstall")).await;
    assert!(!sam.machine.devpilot().exists(), "{}", page.name);
    let remove = HOSTS.iter().find(|(name, _)| *name == page.name).unwrap().1;
    if let Some(remove) = remove {
        let asked = sam.asked();
        assert!(asked.lines().any(|line| line == remove), "{}: {asked}", page.name);
    }
    true
}

async fn unread(server: &mut Server) -> Vec<String> {
    let read = server.call("read", json!({})).await;
    let messages = read.structured()["messages"].as_array().unwrap().clone();
    messages
        .iter()
        .map(|message| message["text"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn each_page_leads_to_the_first_shared_message() {
    let plane = Plane::start(Store::Sqlite).await;
    for (name, _) in HOSTS {
        let page = Page::read(name);
        assert!(page.script("sh").starts_with("make run\n"), "{name}");
        let mut ways = 0;
        for way in [
            Way::Built,
            Way::Published,
            Way::Windows,
            Way::File(None),
            Way::File(Some("published")),
            Way::File(Some("windows")),
        ] {
            ways += usize::from(first_message(&page, way, &plane).await);
        }
        // Each host has the built program, the package, and the package on Windows.
        assert!(ways >= 3, "{name} has {ways} ways");
    }
}

/// A built program on Windows can't be started here; its line is the package's with the program in its place.
#[test]
fn each_page_names_the_program_for_windows_by_its_whole_path() {
    let program = r"C:\path\to\target\release\devpilot-session.exe";
    for (name, _) in HOSTS {
        let page = Page::read(name);
        let lines = page.script("bat");
        let files = page.servers_in_files(Some("windows"));
        let in_line = lines
            .lines()
            .nth(1)
            .is_some_and(|line| line.ends_with(&format!(" {program}")));
        let in_file = files.iter().any(|words| *words == [program]);
        assert!(in_line || in_file, "{name}: {lines}{files:?}");
    }
}

#[tokio::test]
async fn the_page_for_shells_leads_to_the_first_shared_message() {
    let plane = Plane::start(Store::Sqlite).await;
    let page = Page::read("shell.md");
    for install in ["sh", "sh published"] {
        let ada = Reader::new(plane.owner().with("DEVPILOT_NAME", "Ada"));
        let install = page.script(install);
        let steps: Vec<String> = page.script("sh share").lines().map(str::to_owned).collect();
        let shared = ada.run(&format!("{install}\n{}", steps[0])).await;
        assert!(
            shared.stdout.contains("Flaky login test"),
            "{shared}: the answer names the session"
        );
        let link = ada.machine.link();
        let sam = Machine::new().with("DEVPILOT_SESSION_LINK", &link);
        let sam = Reader::new(sam.with("DEVPILOT_NAME", "Sam"));
        let joined = sam.run(&format!("{install}\n{}", page.script("sh join"))).await;
        assert!(joined.stdout.contains("Suspect: the clock."), "{joined}");
        let path = format!(
            "export PATH=\"$PWD/target/release:$PATH\"\n{}",
            steps[1..].join("\n")
        );
        let answered = ada.run(&path).await;
        assert!(answered.stdout.contains("Got it."), "{answered}");
        sam.run(&page.script("sh uninstall")).await;
        assert!(!sam.machine.devpilot().exists());
    }
}

#[tokio::test]
async fn the_packages_lines_bring_the_program() {
    let reader = Reader::new(Machine::new());
    let lines = Page::read("README.md").script("sh published");
    let ran = reader.run(&format!("{lines}devpilot-session --version")).await;
    let version = format!("devpilot-session {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(ran.stdout, version.repeat(2));
}

/// The card that `make run` prints, and the pages, name the same place of the program.
#[test]
fn the_pages_start_what_make_run_builds() {
    let run = std::fs::read_to_string(crate::repository("scripts/run.sh")).unwrap();
    assert!(run.contains("client=$BIN/devpilot-session"));
    let lib = std::fs::read_to_string(crate::repository("scripts/lib.sh")).unwrap();
    assert!(lib.contains("PROFILE:-release"));
}
