//! The program itself, run as its operator runs it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A home folder, and commands that see nothing else of this machine's settings.
pub(crate) struct Home(tempfile::TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_devpilot-plane"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.path())
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Standard output of a command that must succeed.
    pub(crate) fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout)
    }

    /// Standard error of a command that must fail, with nothing on standard output.
    pub(crate) fn bad(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{arguments:?}: {}",
            text(&output.stderr)
        );
        assert_eq!(text(&output.stdout), "");
        text(&output.stderr)
    }

    /// A command, given as one line, at a terminal of its own where somebody types `typed`: whether it succeeded, and what the
    /// terminal showed.
    #[allow(dead_code, reason = "shared with other tests")]
    pub(crate) fn at_terminal(&self, line: &str, typed: &str) -> (bool, String) {
        let line = format!("'{}' {line}", env!("CARGO_BIN_EXE_devpilot-plane"));
        let mut child = Command::new("script")
            .args(["--quiet", "--flush", "--return", "--command", &line, "/dev/null"])
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut keys = child.stdin.take().unwrap();
        keys.write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        drop(keys);
        (output.status.success(), text(&output.stdout))
    }

    pub(crate) fn credentials(&self) -> Value {
        let file = self.path().join(".devpilot").join("credentials.json");
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap()
    }
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A plane that runs until it is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) first_lines: String,
}

impl Running {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut first_lines = String::new();
        let address = loop {
            let mut line = String::new();
            assert!(
                errors.read_line(&mut line).unwrap() > 0,
                "it ended early: {first_lines}"
            );
            first_lines += &line;
            if let Ok(line) = serde_json::from_str::<Value>(&line)
                && line["message"] == "listening"
            {
                break line["listen"].as_str().unwrap().parse().unwrap();
            }
        };
        // Nobody reads the rest; the pipe must not fill up.
        std::thread::spawn(move || std::io::copy(&mut errors, &mut std::io::sink()));
        Self {
            child,
            address,
            first_lines,
        }
    }

    /// One whose log is not read; it is to listen at `address`.
    #[allow(dead_code, reason = "shared with other tests")]
    pub(crate) fn unheard(command: &mut Command, address: SocketAddr) -> Self {
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        while TcpStream::connect(address).is_err() {
            assert!(child.try_wait().unwrap().is_none(), "it ended early");
            std::thread::yield_now();
        }
        Self {
            child,
            address,
            first_lines: String::new(),
        }
    }

    pub(crate) fn get(&self, path: &str, token: &str) -> (u16, Value) {
        self.exchange(&format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        ))
    }

    #[allow(dead_code, reason = "shared with other tests")]
    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let body = body.to_string();
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n"
        );
        self.exchange(&format!("{head}Connection: close\r\n\r\n{body}"))
    }

    /// The body of something that is not JSON.
    #[allow(dead_code, reason = "shared with other tests")]
    pub(crate) fn text(&self, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        self.answer(&request).1
    }

    fn exchange(&self, request: &str) -> (u16, Value) {
        let (status, body) = self.answer(request);
        (status, serde_json::from_str(&body).unwrap())
    }

    fn answer(&self, request: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, body.to_owned())
    }

    /// Asks it to stop as a service manager does; its exit code.
    #[cfg(unix)]
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args(["-TERM", &id])
                .status()
                .unwrap()
                .success()
        );
        let code = self.child.wait().unwrap().code();
        std::mem::take(&mut self.first_lines);
        code
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
