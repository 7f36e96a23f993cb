//! A real plane as a process of its own, on SQLite or on a database of its own in Postgres.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use super::{Machine, Ran, binary};

/// How long a plane may take to be ready.
const START_WITHIN: Duration = Duration::from_secs(30);

/// Where a plane keeps its records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Store {
    Sqlite,
    Postgres,
}

impl Store {
    /// Those that can be tested here; what is left out is said.
    pub(crate) fn here() -> Vec<Self> {
        match std::env::var("DEVPILOT_TEST_POSTGRES") {
            Ok(_) => vec![Self::Sqlite, Self::Postgres],
            Err(_) => {
                assert!(
                    std::env::var_os("CI").is_none(),
                    "in CI nothing is skipped: set DEVPILOT_TEST_POSTGRES"
                );
                eprintln!("SKIPPED: Postgres, since DEVPILOT_TEST_POSTGRES is not set");
                vec![Self::Sqlite]
            }
        }
    }
}

/// A plane; it dies with the test.
pub(crate) struct Plane {
    child: Option<Child>,
    port: u16,
    folder: tempfile::TempDir,
    database: Option<String>,
    limits: Option<PathBuf>,
    public_url: Option<String>,
    /// A machine token; the embedded store puts one into the home folder by itself.
    token: Option<String>,
    /// Ids of the requests that were made for the log alone.
    asked: Mutex<Vec<String>>,
}

impl Plane {
    /// Starts one. Its machine token goes into a home folder that [`Plane::owner`] copies from.
    pub(crate) async fn start(store: Store) -> Self {
        Self::start_with(store, None).await
    }

    /// Starts one on SQLite that a proxy on this machine shows as `public_url`.
    pub(crate) async fn start_behind(public_url: &str) -> Self {
        let mut plane = Self::stopped(Store::Sqlite, None).await;
        plane.public_url = Some(public_url.to_owned());
        plane.restart().await;
        plane
    }

    /// Starts one with these limits in place of the defaults.
    pub(crate) async fn start_with(store: Store, limits: Option<&str>) -> Self {
        let mut plane = Self::stopped(store, limits).await;
        plane.restart().await;
        if store == Store::Postgres {
            plane.admin(&["org", "create", "test"]).await;
            plane
                .admin(&["member", "create", "--org", "test", "--name", "ada"])
                .await;
            let token = [
                "token",
                "create",
                "--org",
                "test",
                "--member",
                "ada",
                "--scopes",
                "share,rekey",
            ];
            let made = plane.admin(&token).await;
            let token = made.split_whitespace().find(|word| word.starts_with("dpm_"));
            plane.token = Some(token.unwrap().to_owned());
        }
        plane
    }

    /// Starts another process on the same database, which is in Postgres.
    pub(crate) async fn beside(&self) -> Self {
        assert!(
            self.database.is_some(),
            "the embedded database is one process's own"
        );
        let mut plane = Self {
            database: self.database.clone(),
            token: self.token.clone(),
            ..Self::stopped(Store::Sqlite, None).await
        };
        plane.restart().await;
        plane
    }

    async fn stopped(store: Store, limits: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let limits = limits.map(|limits| {
            let path = folder.path().join("limits.json");
            std::fs::write(&path, limits).unwrap();
            path
        });
        let database = match store {
            Store::Sqlite => None,
            Store::Postgres => Some(new_database().await),
        };
        Self {
            child: None,
            port: free_port(),
            folder,
            database,
            limits,
            public_url: None,
            token: None,
            asked: Mutex::default(),
        }
    }

    /// What the operator runs; its output.
    pub(crate) async fn admin(&self, arguments: &[&str]) -> String {
        let mut command = self.program();
        command.arg("admin").args(arguments);
        // Nobody sits at a terminal.
        if arguments.first() == Some(&"approve") && !arguments.contains(&"--deny") {
            command.arg("--yes");
        }
        if self.database.is_none() {
            command.arg("--data").arg(self.data());
        }
        let ran = command.output().await.unwrap();
        let stderr = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{arguments:?}: {stderr}");
        String::from_utf8(ran.stdout).unwrap()
    }

    /// A line that a message gives the operator, as their shell runs it: the program is on its path, and the environment says
    /// where the data is.
    #[cfg(unix)]
    pub(crate) async fn operator(&self, line: &str) -> Ran {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folder = binary().parent().unwrap().to_path_buf();
        let folders = std::iter::once(folder).chain(std::env::split_paths(&path));
        let mut shell = Command::new("sh");
        shell
            .args(["-c", line])
            .env_clear()
            .env("PATH", std::env::join_paths(folders).unwrap())
            .env("HOME", self.home())
            .env("DEVPILOT_PLANE_DATA", self.data());
        super::ran(&mut shell, b"").await
    }

    /// Says yes to the code that a `connect --json` prints first, and sees it end well.
    pub(crate) async fn approves(&self, mut connect: Child) {
        let mut lines = BufReader::new(connect.stdout.take().unwrap()).lines();
        let code: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        self.admin(&["approve", code["user_code"].as_str().unwrap()])
            .await;
        assert!(connect.wait().await.unwrap().success());
    }

    /// The plane's program with its environment.
    fn program(&self) -> Command {
        let program = binary().with_file_name("devpilot-plane");
        assert!(program.exists(), "build it first: cargo build --package plane");
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .envs(self.database.iter().map(|database| ("DATABASE_URL", database)))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Starts it again on the same port and data.
    pub(crate) async fn restart(&mut self) {
        let mut command = self.program();
        command
            .args(["serve", "--listen", &format!("127.0.0.1:{}", self.port)])
            // As much as it ever says: what tests search the log for must not be there at any level.
            .env("DEVPILOT_PLANE_LOG_LEVEL", "debug")
            .env("RUST_LOG", "trace")
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(self.folder.path().join("log")).unwrap());
        if self.database.is_none() {
            command.arg("--data").arg(self.folder.path().join("data"));
        }
        if let Some(limits) = &self.limits {
            command.arg("--limits").arg(limits);
        }
        if let Some(public_url) = &self.public_url {
            command.args(["--public-url", public_url, "--trusted-proxies", "127.0.0.1"]);
        }
        std::fs::create_dir_all(self.home()).unwrap();
        self.child = Some(command.spawn().unwrap());
        let started = Instant::now();
        while !self.ready().await {
            assert!(
                started.elapsed() < START_WITHIN,
                "the plane did not start: {}",
                self.log_so_far()
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Kills it as a crash would.
    pub(crate) async fn kill(&mut self) {
        self.child.take().unwrap().kill().await.unwrap();
    }

    /// Starts it again on another port, with the same data.
    pub(crate) async fn move_away(&mut self) {
        self.kill().await;
        self.port = free_port();
        self.restart().await;
    }

    /// Another plane takes its place: the same port, nothing of its data.
    pub(crate) async fn forget_everything(&mut self) {
        self.kill().await;
        std::fs::remove_dir_all(self.data()).unwrap();
        self.restart().await;
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// A machine that may share on it.
    pub(crate) fn owner(&self) -> Machine {
        let machine = Machine::new();
        if let Some(token) = &self.token {
            return machine
                .with("DEVPILOT_PLANE", &format!("http://127.0.0.1:{}", self.port))
                .with("DEVPILOT_BRIDGE_TOKEN", token);
        }
        let from = self.home().join(".devpilot/credentials.json");
        std::fs::create_dir_all(machine.devpilot()).unwrap();
        std::fs::copy(&from, machine.devpilot().join("credentials.json"))
            .unwrap_or_else(|error| panic!("no machine token was put there: {error}; {}", self.log_so_far()));
        private(&machine.devpilot());
        machine
    }

    /// What it says in its log until now, of a plane that runs. It gathers lines before it writes them, so one of a request
    /// made for this is waited for, and left out.
    pub(crate) async fn log(&self) -> String {
        let answer = self.get("/healthz").await;
        let id = answer
            .lines()
            .find_map(|line| line.strip_prefix("x-request-id: "))
            .unwrap_or_else(|| panic!("an answer without an id: {answer}"));
        self.asked.lock().unwrap().push(id.to_owned());
        let asked = Instant::now();
        loop {
            let log = self.log_so_far();
            if log.lines().any(|line| line.contains(id)) {
                let own = self.asked.lock().unwrap();
                return log
                    .split_inclusive('\n')
                    .filter(|line| !own.iter().any(|id| line.contains(id.as_str())))
                    .collect();
            }
            assert!(
                asked.elapsed() < START_WITHIN,
                "the log does not have {id}: {log}"
            );
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// What it has written to its log.
    fn log_so_far(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id().unwrap()
    }

    /// The folder of the embedded database.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// The database in Postgres, if it is there.
    pub(crate) fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// What it answers to `GET path`, head and body.
    pub(crate) async fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: plane\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    async fn ready(&self) -> bool {
        let asked = async {
            let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await?;
            stream
                .write_all(b"GET /readyz HTTP/1.1\r\nHost: plane\r\nConnection: close\r\n\r\n")
                .await?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer).await?;
            Ok::<_, std::io::Error>(answer.starts_with("HTTP/1.1 200"))
        };
        tokio::time::timeout(Duration::from_secs(2), asked)
            .await
            .is_ok_and(|answer| answer.unwrap_or(false))
    }
}

/// A port of the loopback interface that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let probe = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    probe.local_addr().unwrap().port()
}

/// A fresh database of the test cluster.
async fn new_database() -> String {
    let server = std::env::var("DEVPILOT_TEST_POSTGRES").unwrap();
    let name = format!("client_{}", uuid::Uuid::new_v4().simple());
    let made = Command::new(postgres_tool("psql"))
        .args(["--quiet", "--no-psqlrc", "--dbname", &server, "--command"])
        .arg(format!("CREATE DATABASE {name}"))
        .status()
        .await
        .unwrap();
    assert!(made.success());
    let (base, _) = server.rsplit_once('/').unwrap();
    format!("{base}/{name}")
}

/// Debian keeps the tools of Postgres by version.
fn postgres_tool(tool: &str) -> PathBuf {
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten();
    versions
        .map(|version| version.path().join("bin").join(tool))
        .filter(|path| path.exists())
        .max()
        .unwrap_or_else(|| PathBuf::from(tool))
}

/// As the client keeps its folder.
pub(crate) fn private(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    #[cfg(not(unix))]
    let _ = folder;
}
