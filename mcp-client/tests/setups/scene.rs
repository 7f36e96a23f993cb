//! What every set-up begins with: a session that Ada shared, and whoever joins by its link.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::stdio::plane::Plane;
use crate::stdio::{Machine, Ran};

/// Ada's first message.
pub(crate) const CONTEXT: &str = "The cache is stale after a deploy.";
/// The title.
pub(crate) const TITLE: &str = "Stale cache";

/// Ada's machine, where an agent's shell shared a session, and the link.
pub(crate) async fn shared(plane: &Plane) -> (Machine, String) {
    let ada = plane.owner().with("DEVPILOT_NAME", "Ada");
    let ran = ada.run(["share", "--title", TITLE], CONTEXT.as_bytes()).await;
    assert_eq!(ran.code(), 0, "{ran}");
    let link = ada.link();
    (ada, link)
}

/// A machine whose agent's shell joined.
pub(crate) async fn joined(name: &str, link: &str) -> Machine {
    let machine = Machine::new().with("DEVPILOT_NAME", name);
    let ran = join(&machine, link).await;
    assert_eq!(ran.code(), 0, "{ran}");
    machine
}

/// Joins by a note on standard input.
pub(crate) async fn join(machine: &Machine, link: &str) -> Ran {
    machine.run(["join", "-"], link.as_bytes()).await
}

/// Posts; the seq.
pub(crate) async fn post(machine: &Machine, text: &str) -> u64 {
    let ran = machine.run(["post", "--json"], text.as_bytes()).await;
    assert_eq!(ran.code(), 0, "{ran}");
    ran.json()["seq"].as_u64().unwrap()
}

/// Everything from the beginning.
pub(crate) async fn read_all(machine: &Machine) -> Value {
    let ran = machine.run(["read", "--since", "0", "--json"], b"").await;
    assert_eq!(ran.code(), 0, "{ran}");
    ran.json()
}

/// The texts of messages.
pub(crate) fn texts(read: &Value) -> Vec<String> {
    let messages = read["messages"].as_array().unwrap().iter();
    messages
        .map(|message| message["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}

/// One refusal: it fails with a single sentence for a person, which has all of `parts`.
#[track_caller]
pub(crate) fn assert_said(ran: &Ran, parts: &[&str]) {
    assert_ne!(ran.code(), 0, "{ran}");
    let said: Vec<&str> = ran
        .stderr
        .lines()
        .filter(|line| line.starts_with("devpilot-session: "))
        .collect();
    assert_eq!(said.len(), 1, "{ran}");
    for part in parts {
        assert!(said[0].contains(part), "`{part}`: {ran}");
    }
    assert!(!ran.stderr.contains("panicked"), "{ran}");
}

/// The only file of a machine whose name passes, below a folder of the client's home.
pub(crate) fn file(machine: &Machine, folder: &str, passes: impl Fn(&str) -> bool) -> PathBuf {
    let mut found = files(&machine.devpilot().join(folder));
    found.retain(|path| passes(&path.file_name().unwrap().to_string_lossy()));
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// The seat's own file.
pub(crate) fn seat(machine: &Machine) -> PathBuf {
    file(machine, "sessions", |name| name.ends_with(".json"))
}

/// The seat's progress file.
pub(crate) fn progress(machine: &Machine) -> PathBuf {
    seat(machine).with_extension("progress")
}

/// The session's cache.
pub(crate) fn cache(machine: &Machine) -> PathBuf {
    file(machine, "cache", |name| !name.contains('.'))
}

/// Whatever is below a folder and is no folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.file_type().unwrap().is_dir() {
                true => folders.push(entry.path()),
                false => found.push(entry.path()),
            }
        }
    }
    found
}

/// Whether this test may do what root alone can; what is left out is said.
pub(crate) fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let uid = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    let is_root = uid.split_whitespace().next() == Some("0");
    if !is_root {
        eprintln!("SKIPPED: this takes root, for mounts and other users");
    }
    is_root
}

/// Whether this test may mount, which root in a container often may not; what is left out is said.
pub(crate) fn may_mount() -> bool {
    let mounts = || {
        std::process::Command::new("unshare")
            .args([
                "--mount", "--pid", "--fork", "mount", "-t", "tmpfs", "none", "/mnt",
            ])
            .stderr(std::process::Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    let may = is_root() && mounts();
    if !may {
        eprintln!("SKIPPED: this takes mounts, which are not allowed here");
    }
    may
}

/// A user that no record of the system knows.
pub(crate) const NOBODYS_UID: u32 = 54_321;

/// A command as that user.
pub(crate) fn as_nobody(machine: &Machine, arguments: &[&str]) -> tokio::process::Command {
    let mut command = tokio::process::Command::new("setpriv");
    machine.surround(&mut command);
    command
        .args(["--reuid", "54321", "--regid", "54321", "--clear-groups"])
        .arg(crate::stdio::binary())
        .args(arguments);
    command
}

/// Gives a folder and all in it to that user.
pub(crate) fn give_to_nobody(folder: &Path) {
    for path in files(folder) {
        // The program that is kept is the build's own file under another name.
        let found = std::fs::symlink_metadata(&path).unwrap();
        if found.nlink() > 1 {
            let copy = path.with_extension("copy");
            std::fs::copy(&path, &copy).unwrap();
            std::fs::rename(&copy, &path).unwrap();
        }
        std::os::unix::fs::lchown(path, Some(NOBODYS_UID), Some(NOBODYS_UID)).unwrap();
    }
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        std::os::unix::fs::chown(&folder, Some(NOBODYS_UID), Some(NOBODYS_UID)).unwrap();
        folders.extend(
            std::fs::read_dir(folder)
                .unwrap()
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_dir() && !path.is_symlink()),
        );
    }
}

/// Runs any command to its end.
pub(crate) async fn finish(mut command: tokio::process::Command, input: &[u8]) -> Ran {
    use tokio::io::AsyncWriteExt;
    let mut child = command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let _ = stdin.write_all(input).await;
    drop(stdin);
    let output = tokio::time::timeout(std::time::Duration::from_secs(70), child.wait_with_output())
        .await
        .expect("the command ends")
        .unwrap();
    Ran {
        status: output.status,
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
