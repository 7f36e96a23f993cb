//! One run of git: bounded in time and output, with an environment of its own.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Command;

use super::GitError;
use crate::cut;
use crate::limits;

/// What a run needs of the process's own environment: to find git, its helpers and the user's ignore file.
const KEPT: [&str; 8] = [
    "PATH",
    "HOME",
    "XDG_CONFIG_HOME",
    "USERPROFILE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
];

/// Of every run: no locks taken, no questions asked, nothing fetched, plain English.
const FIXED: [(&str, &str); 5] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("LC_ALL", "C"),
];

/// Before every command: programs that a repository may name are not run.
const OPTIONS: [&str; 8] = [
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "log.showSignature=false",
];

/// One call of git under way.
pub(super) struct Git {
    command: Command,
    input: Vec<u8>,
}

/// How it went.
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) output: Vec<u8>,
    said: String,
}

impl Git {
    /// `git`, with `arguments`, in `folder`.
    pub(super) fn new<I: IntoIterator<Item = A>, A: AsRef<OsStr>>(folder: &Path, arguments: I) -> Self {
        let mut command = Command::new("git");
        command
            .args(OPTIONS)
            .args(arguments)
            .current_dir(folder)
            .env_clear();
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.envs(FIXED);
        Self {
            command,
            input: Vec::new(),
        }
    }

    /// With more arguments.
    pub(super) fn more<I: IntoIterator<Item = A>, A: AsRef<OsStr>>(mut self, arguments: I) -> Self {
        self.command.args(arguments);
        self
    }

    /// With one more variable.
    pub(super) fn with(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// With standard input.
    pub(super) fn input(mut self, input: Vec<u8>) -> Self {
        self.input = input;
        self
    }

    /// Runs it to its end, whatever its exit code.
    pub(super) async fn ran(mut self) -> Result<Ran, GitError> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = self.command.spawn().map_err(GitError::Missing)?;
        let (mut stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let input = self.input;
        let whole = async {
            let fed = async {
                if let Some(stdin) = stdin.as_mut() {
                    // It may end without reading all of it.
                    let _ = stdin.write_all(&input).await;
                }
                drop(stdin.take());
            };
            let (_, output, said) =
                tokio::join!(fed, taken(stdout, limits::GIT_OUTPUT), taken(stderr, 4_096));
            let output = output?;
            if output.len() > limits::GIT_OUTPUT {
                return Err(GitError::TooMuch);
            }
            let status = child.wait().await?;
            Ok(Ran {
                code: status.code().unwrap_or(-1),
                output,
                said: cut::first_line(&String::from_utf8_lossy(&said.unwrap_or_default()), 300).to_owned(),
            })
        };
        tokio::time::timeout(limits::GIT_TIME, whole)
            .await
            .unwrap_or(Err(GitError::TimedOut))
    }

    /// Its output; an exit code other than 0 is an error.
    pub(super) async fn output(self) -> Result<Vec<u8>, GitError> {
        let ran = self.ran().await?;
        match ran.code {
            0 => Ok(ran.output),
            _ => Err(ran.refused()),
        }
    }

    /// Its one line of output; none if it printed nothing or its exit code is 1, by which git says "there is none".
    pub(super) async fn line(self) -> Result<Option<String>, GitError> {
        let ran = self.ran().await?;
        match ran.code {
            0 | 1 => {
                let line = String::from_utf8_lossy(&ran.output)
                    .trim_end_matches(['\n', '\r'])
                    .to_owned();
                Ok(Some(line).filter(|line| !line.is_empty()))
            }
            _ => Err(ran.refused()),
        }
    }
}

impl Ran {
    pub(super) fn refused(self) -> GitError {
        GitError::Refused {
            code: self.code,
            said: self.said,
        }
    }
}

/// At most one byte more than `most`; the rest is not read, and git ends when it can't write.
async fn taken(from: Option<impl AsyncRead + Unpin>, most: usize) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(from) = from {
        let most = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        from.take(most).read_to_end(&mut bytes).await?;
    }
    Ok(bytes)
}

/// The parts of output that NUL separates, as text; empty ones are left out.
pub(super) fn parts(output: &[u8]) -> impl Iterator<Item = String> {
    output
        .split(|byte| *byte == 0)
        .filter(|part| !part.is_empty())
        .map(|part| String::from_utf8_lossy(part).into_owned())
}

/// Whether it is the id of an object.
pub(super) fn is_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
