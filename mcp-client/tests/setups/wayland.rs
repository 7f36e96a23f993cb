//! A Wayland compositor that lets programs reach its clipboard: sway without a screen. There is none on most machines, and
//! this is said then. Compositors without that protocol are reached by X11, as in `mcp_clipboard`.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::process::{Child, Command};

use crate::scene::{self, CONTEXT, TITLE};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Machine, link_in};

struct Compositor {
    _child: Child,
    folder: tempfile::TempDir,
    display: String,
}

impl Compositor {
    /// None where sway or wl-paste is not installed.
    async fn start() -> Option<Self> {
        let has = |program: &str| {
            std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .any(|folder| folder.join(program).is_file())
        };
        if !has("sway") || !has("wl-paste") {
            eprintln!("SKIPPED: Wayland, since sway or wl-clipboard is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        // It refuses to run as root.
        let mut command = if scene::is_root() {
            scene::give_to_nobody(folder.path());
            let mut command = Command::new("setpriv");
            command.args(["--reuid", "54321", "--regid", "54321", "--clear-groups", "sway"]);
            command
        } else {
            Command::new("sway")
        };
        let child = command
            .args(["--config", "/dev/null"])
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .env("XDG_RUNTIME_DIR", folder.path())
            .env("WLR_BACKENDS", "headless")
            .env("WLR_RENDERER", "pixman")
            .env("WLR_LIBINPUT_NO_DEVICES", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let started = Instant::now();
        let display = loop {
            let names = std::fs::read_dir(folder.path()).unwrap().flatten();
            let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
            if let Some(name) = names.find(|name| name.starts_with("wayland-") && !name.ends_with(".lock")) {
                break name;
            }
            assert!(started.elapsed() < Duration::from_secs(20), "sway does not start");
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        Some(Self {
            _child: child,
            folder,
            display,
        })
    }

    fn seen_by(&self, machine: Machine) -> Machine {
        machine
            .without("DEVPILOT_CLIPBOARD")
            .with("XDG_RUNTIME_DIR", &self.folder.path().to_string_lossy())
            .with("WAYLAND_DISPLAY", &self.display)
    }

    async fn paste(&self, arguments: &[&str]) -> String {
        let pasted = Command::new("wl-paste")
            .args(arguments)
            .env("XDG_RUNTIME_DIR", self.folder.path())
            .env("WAYLAND_DISPLAY", &self.display)
            .output()
            .await
            .unwrap();
        String::from_utf8(pasted.stdout).unwrap()
    }
}

#[tokio::test]
async fn under_wayland_the_note_is_on_the_clipboard_marked_as_a_secret_and_joins_from_there() {
    let Some(compositor) = Compositor::start().await else {
        return;
    };
    let plane = Plane::start(Store::Sqlite).await;
    let ada_machine = compositor.seen_by(plane.owner());
    let mut ada = ada_machine.server();
    ada.initialize("2025-06-18", json!({})).await;
    let shared = ada
        .call("share", json!({ "title": TITLE, "context": CONTEXT }))
        .await;
    assert_eq!(shared.structured()["clipboard"], "confirmed");
    let pasted = compositor.paste(&["--no-newline"]).await;
    assert_eq!(link_in(&pasted), ada_machine.link());
    let types = compositor.paste(&["--list-types"]).await;
    assert!(types.contains("x-kde-passwordManagerHint"), "{types}");
    let ben = compositor.seen_by(Machine::new());
    let joined = ben.run(["join", "--json"], b"").await;
    assert_eq!(joined.json()["source"], "clipboard", "{joined}");
}
