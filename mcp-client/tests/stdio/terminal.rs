//! Commands at a controlling terminal of their own.

use std::process::Stdio;

use tokio::io::AsyncWriteExt;

use super::{Machine, PATIENCE, Ran, binary};

/// Runs a command at a terminal of its own, where somebody types `typed`. Standard output of the answer is what that
/// terminal showed.
pub(crate) async fn at_terminal(machine: &Machine, command: &str, typed: &str) -> Ran {
    line_at_terminal(machine, &format!("'{}' {command}", binary().display()), typed).await
}

/// As [`at_terminal`], with a whole line of a shell.
pub(crate) async fn line_at_terminal(machine: &Machine, line: &str, typed: &str) -> Ran {
    let mut script = tokio::process::Command::new("script");
    script
        .args(["--quiet", "--flush", "--return", "--command"])
        .arg(line)
        .arg("/dev/null");
    machine.surround(&mut script);
    let mut child = script
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(typed.as_bytes()).await.unwrap();
    stdin.flush().await.unwrap();
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output())
        .await
        .expect("the command ends")
        .unwrap();
    drop(stdin);
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
