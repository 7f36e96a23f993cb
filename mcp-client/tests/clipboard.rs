//! The clipboard under a real X server, read and written by other programs.
//!
//! The library finds the display in the environment, which a test can't change for itself: each part that needs one runs
//! as a process of its own, this same program with the name of an ignored test.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_client::clipboard::holder::{Holder, VERB};
use mcp_client::clipboard::{Clipboard, Outcome};
use mcp_client::home::Environment;

const NOTE: &str = "Ana shares a session\nhttps://plane.example/s/1#secret\n";

/// An X server of our own on a free display.
struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// None, said clearly, where Xvfb and xclip are not installed. The test script sees to it that they are.
    fn start() -> Option<Self> {
        for program in ["Xvfb", "xclip"] {
            let found = Command::new(program)
                .arg("-version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status();
            if found.is_err() {
                assert!(std::env::var_os("CI").is_none(), "{program} must be there in CI");
                eprintln!("SKIPPED: {program} is not installed; apt-get install xvfb xclip");
                return None;
            }
        }
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "320x240x24",
                "-nolisten",
                "tcp",
                // Else it starts anew when its last client goes, and cuts off the next one that is just coming.
                "-noreset",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut number = String::new();
        BufReader::new(server.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        Some(Self {
            server,
            name: format!(":{}", number.trim()),
        })
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", &self.name)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("DEVPILOT_CLIPBOARD");
        command
    }

    /// What another program reads.
    fn paste(&self) -> Option<String> {
        let out = self
            .command("xclip")
            .args(["-o", "-selection", "clipboard"])
            .output()
            .unwrap();
        out.status
            .success()
            .then(|| String::from_utf8(out.stdout).unwrap())
    }

    /// Another program copies.
    fn copy(&self, text: &str) -> Child {
        let mut xclip = self
            .command("xclip")
            .args(["-i", "-quiet", "-selection", "clipboard"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        xclip.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        wait_until(|| self.paste().as_deref() == Some(text));
        xclip
    }

    /// Runs one of the ignored tests below as a process of its own.
    fn part(&self, name: &str) -> Command {
        let mut part = self.command(std::env::current_exe().unwrap());
        part.args(["--exact", name, "--ignored", "--nocapture"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        part
    }

    fn runs(&self, name: &str) {
        let out = self.part(name).output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(
            out.status.success() && text.contains("1 passed"),
            "{name}: {text}"
        );
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.server.kill().unwrap();
        self.server.wait().unwrap();
    }
}

/// Waits for something outside this process.
#[expect(
    clippy::disallowed_methods,
    reason = "other programs tell nobody when they are done"
)]
fn wait_until(mut done: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !done() {
        assert!(Instant::now() < deadline, "it did not happen within 10 s");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn binary() -> Holder {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_devpilot-session"));
    Holder {
        program,
        arguments: vec![VERB.to_owned()],
    }
}

/// The processes that hold a text under this display, by the system's own list.
fn holders(display: &Display) -> Vec<u32> {
    let wanted = format!("DISPLAY={}\0", display.name);
    let is_ours = |id: &u32| {
        let read = |what| std::fs::read(format!("/proc/{id}/{what}")).unwrap_or_default();
        let arguments = read("cmdline");
        let environment = String::from_utf8_lossy(&read("environ")).into_owned();
        arguments.windows(VERB.len()).any(|part| part == VERB.as_bytes()) && environment.contains(&wanted)
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(is_ours)
        .collect()
}

#[test]
fn a_server_keeps_the_note_while_it_lives() {
    let Some(display) = Display::start() else { return };
    let mut server = display.part("part_keeps_the_note").spawn().unwrap();
    wait_until(|| display.paste().as_deref() == Some(NOTE));
    let targets = display
        .command("xclip")
        .args(["-o", "-selection", "clipboard", "-t", "TARGETS"])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&targets.stdout).contains("x-kde-passwordManagerHint"));
    drop(server.stdin.take());
    assert!(server.wait().unwrap().success());
    assert_eq!(display.paste(), None, "nobody is left to give it");
}

#[test]
#[ignore = "a part of another test, run by it under its display"]
fn part_keeps_the_note() {
    let clipboard = Clipboard::from_environment(&Environment::process());
    assert_eq!(run(clipboard.write_confirmed(NOTE)), Outcome::Confirmed);
    // Lives until the test closes its input.
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

#[test]
fn what_others_copied_is_read() {
    let Some(display) = Display::start() else { return };
    display.runs("part_reads_nothing");
    let other = display.copy(NOTE);
    display.runs("part_reads_the_note");
    end(other);
}

#[test]
#[ignore = "a part of another test, run by it under its display"]
fn part_reads_nothing() {
    let clipboard = Clipboard::from_environment(&Environment::process());
    assert!(run(clipboard.read()).is_none());
}

#[test]
#[ignore = "a part of another test, run by it under its display"]
fn part_reads_the_note() {
    let clipboard = Clipboard::from_environment(&Environment::process());
    assert_eq!(run(clipboard.read()).unwrap().as_str(), NOTE);
    let off = Clipboard::from_environment(&Environment::of([("DEVPILOT_CLIPBOARD", "off")]));
    assert!(run(off.read()).is_none());
    assert_eq!(run(off.write_confirmed("x")), Outcome::Unavailable);
}

#[test]
fn an_owner_that_hangs_does_not_hang_us() {
    let Some(display) = Display::start() else { return };
    let other = display.copy("stuck");
    let signal = |name: &str| {
        let sent = Command::new("kill")
            .args([name, &other.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    };
    signal("-STOP");
    display.runs("part_is_not_kept_waiting");
    signal("-CONT");
    end(other);
}

#[test]
#[ignore = "a part of another test, run by it under its display"]
fn part_is_not_kept_waiting() {
    let clipboard = Clipboard::from_environment(&Environment::process());
    let start = Instant::now();
    assert!(run(clipboard.read()).is_none());
    assert!(
        start.elapsed() < Duration::from_millis(2500),
        "{:?}",
        start.elapsed()
    );
    // Copying needs nothing of the owner that hangs.
    let start = Instant::now();
    assert_eq!(run(clipboard.write_confirmed(NOTE)), Outcome::Confirmed);
    assert!(
        start.elapsed() < Duration::from_millis(2500),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn a_command_leaves_a_holder_until_somebody_copies_something_else() {
    let Some(display) = Display::start() else { return };
    display.runs("part_hands_over");
    assert_eq!(
        display.paste().as_deref(),
        Some(NOTE),
        "the command is over, the note is there"
    );
    let holding = holders(&display);
    assert_eq!(holding.len(), 1);
    for id in &holding {
        for what in ["cmdline", "environ"] {
            let text = std::fs::read(format!("/proc/{id}/{what}")).unwrap();
            assert!(!String::from_utf8_lossy(&text).contains("secret"), "{what}");
        }
    }
    let other = display.copy("something else");
    wait_until(|| holders(&display).is_empty());
    end(other);
}

#[test]
fn a_holder_ends_with_its_display() {
    let Some(display) = Display::start() else { return };
    display.runs("part_hands_over");
    let [holder] = holders(&display).try_into().unwrap();
    drop(display);
    wait_until(|| !std::fs::exists(format!("/proc/{holder}/environ")).unwrap() || is_zombie(holder));
}

fn is_zombie(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.contains(") Z ")
}

#[test]
#[ignore = "a part of another test, run by it under its display"]
fn part_hands_over() {
    let environment = Environment::process();
    assert_eq!(run(binary().hand_over(NOTE, &environment)), Outcome::Confirmed);
    assert_eq!(
        run(binary().hand_over(NOTE, &Environment::of([("DEVPILOT_CLIPBOARD", "off")]))),
        Outcome::Unavailable
    );
}

#[test]
fn without_a_display_there_is_none() {
    let nowhere = Display {
        server: Command::new("true").spawn().unwrap(),
        name: ":4094".to_owned(),
    };
    nowhere.runs("part_finds_none");
}

#[test]
#[ignore = "a part of another test, run by it without a display"]
fn part_finds_none() {
    let environment = Environment::process();
    let clipboard = Clipboard::from_environment(&environment);
    let start = Instant::now();
    assert!(run(clipboard.read()).is_none());
    assert_eq!(run(clipboard.write_confirmed(NOTE)), Outcome::Unavailable);
    assert_eq!(run(binary().hand_over(NOTE, &environment)), Outcome::Unavailable);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(future)
}
