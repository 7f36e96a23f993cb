//! Sharing and joining over https: Debian's Caddy in front of a plane, with a certificate authority of its own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod stdio;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;
use stdio::Machine;
use stdio::plane::{Plane, free_port};
use tokio::process::{Child, Command};

/// A proxy with TLS; it ends with the test.
struct Caddy {
    _process: Child,
    folder: tempfile::TempDir,
}

impl Caddy {
    /// Serves `https://localhost:port` from the plane at `plane`. None where Caddy is not installed.
    async fn start(port: u16, plane: u16) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("Caddyfile");
        let options = "{\n admin off\n skip_install_trust\n auto_https disable_redirects\n}\n";
        let site =
            format!("https://localhost:{port} {{\n tls internal\n reverse_proxy 127.0.0.1:{plane}\n}}\n");
        std::fs::write(&file, options.to_owned() + &site).unwrap();
        let spawned = Command::new("caddy")
            .args(["run", "--adapter", "caddyfile", "--config"])
            .arg(&file)
            .env("HOME", folder.path())
            .env("XDG_DATA_HOME", folder.path().join("data"))
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn();
        let Ok(process) = spawned else {
            eprintln!("SKIPPED: https, since caddy is not installed");
            return None;
        };
        let caddy = Self {
            _process: process,
            folder,
        };
        let started = Instant::now();
        while !caddy.authority().is_file() || std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < Duration::from_secs(30), "caddy did not start");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Some(caddy)
    }

    /// The certificate of its authority.
    fn authority(&self) -> PathBuf {
        self.folder
            .path()
            .join("data/caddy/pki/authorities/local/root.crt")
    }
}

/// The machine, told to trust one more authority.
fn trusting(machine: Machine, authority: &Path) -> Machine {
    let folder = machine.devpilot();
    std::fs::create_dir_all(&folder).unwrap();
    let setting = format!("certificate_authorities = [\"{}\"]\n", authority.display());
    std::fs::write(folder.join("config.toml"), setting).unwrap();
    stdio::plane::private(&folder);
    machine
}

#[tokio::test]
async fn two_machines_meet_over_https() {
    let port = free_port();
    let origin = format!("https://localhost:{port}");
    let plane = Plane::start_behind(&origin).await;
    let Some(caddy) = Caddy::start(port, plane.port()).await else {
        return;
    };

    let ada_machine = trusting(plane.owner(), &caddy.authority());
    let mut ada = ada_machine.server();
    ada.initialize("2025-11-25", json!({ "elicitation": {} })).await;
    let shared = ada
        .call("share", json!({ "title": "Over https", "context": "Hello." }))
        .await;
    assert!(!shared.failed(), "{}", shared.text());
    let link = ada_machine.link();
    assert!(
        link.starts_with(&format!("{origin}/s/")),
        "the link is of the public address"
    );

    let ben_machine = trusting(Machine::new(), &caddy.authority()).with("DEVPILOT_SESSION_LINK", &link);
    let mut ben = ben_machine.server();
    ben.initialize("2025-11-25", json!({ "elicitation": {} })).await;
    let joined = ben.call("join", json!({})).await;
    assert!(!joined.failed(), "{}", joined.text());
    assert_eq!(joined.structured()["card"]["handoff"]["text"], "Hello.");
    let posted = ben.call("post", json!({ "text": "Hello back." })).await;
    assert!(!posted.failed(), "{}", posted.text());
    let read = ada.call("read", json!({})).await;
    assert_eq!(read.structured()["messages"][0]["text"], "Hello back.");

    // Without the authority nothing is sent to a server that can't prove who it is, and nothing tried again.
    let eve_machine = Machine::new().with("DEVPILOT_SESSION_LINK", &link);
    let mut eve = eve_machine.server();
    eve.initialize("2025-11-25", json!({ "elicitation": {} })).await;
    let asked = Instant::now();
    let refused = eve.call("join", json!({})).await;
    assert!(refused.failed(), "an unknown authority is not trusted");
    assert!(
        refused.text().contains("certificate_authorities"),
        "{}",
        refused.text()
    );
    assert!(
        asked.elapsed() < Duration::from_secs(10),
        "the call is not held up by tries"
    );
}
