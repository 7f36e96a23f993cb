//! https by Debian's caddy, whose certificate authority nobody knows but who is told.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::Machine;

/// How long it may take to be ready.
const START_WITHIN: Duration = Duration::from_secs(20);

/// Caddy before a plane. It ends with the test.
pub(crate) struct Caddy {
    child: Child,
    folder: tempfile::TempDir,
}

impl Caddy {
    /// On a port of its own, or nothing where there is no caddy.
    pub(crate) async fn before(plane: u16, host: &str, port: u16) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let config = format!(
            "{{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}}\n\
             https://{host}:{port} {{\n\ttls internal\n\treverse_proxy 127.0.0.1:{plane}\n}}\n"
        );
        std::fs::write(folder.path().join("Caddyfile"), config).unwrap();
        let started = Command::new("caddy")
            .args(["run", "--adapter", "caddyfile", "--config"])
            .arg(folder.path().join("Caddyfile"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .env("XDG_DATA_HOME", folder.path().join("data"))
            .env("XDG_CONFIG_HOME", folder.path().join("config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.path().join("log")).unwrap())
            .kill_on_drop(true)
            .spawn();
        let child = match started {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let get = "https is not tested, since there is no caddy here: apt-get install caddy";
                assert!(std::env::var_os("CI").is_none(), "{get}");
                eprintln!("SKIPPED: {get}");
                return None;
            }
            Err(error) => panic!("caddy: {error}"),
        };
        let caddy = Self { child, folder };
        let started = Instant::now();
        while !caddy.authority().exists() || TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            assert!(started.elapsed() < START_WITHIN, "caddy does not listen");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Some(caddy)
    }

    /// Ends it.
    pub(crate) async fn kill(&mut self) {
        self.child.kill().await.unwrap();
    }

    /// The certificate of its authority.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder
            .path()
            .join("data/caddy/pki/authorities/local/root.crt")
    }

    /// A machine that trusts it.
    pub(crate) fn trusted_by(&self, machine: Machine) -> Machine {
        std::fs::create_dir_all(machine.devpilot()).unwrap();
        let line = format!("certificate_authorities = [\"{}\"]\n", self.authority().display());
        std::fs::write(machine.devpilot().join("config.toml"), line).unwrap();
        machine
    }
}
