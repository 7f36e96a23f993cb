//! A container: root without a record of users, a file system that takes no writes, no git, no display, process 1.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tokio::process::Command;

use crate::scene::{self, CONTEXT, assert_said};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Server, binary};

/// Makes a root folder of the system's libraries and the program alone, read-only, and goes into it as process 1.
const ENTER: &str = r#"
set -e
root=$1; state=$2; program=$3; shift 3
mount -t tmpfs none "$root"
mkdir -p "$root/usr/lib" "$root/usr/lib64" "$root/app" "$root/state" "$root/proc" "$root/dev" "$root/root" "$root/tmp"
for folder in lib lib64; do
  ln -s "usr/$folder" "$root/$folder"
  if [ -d "/usr/$folder" ]; then mount --bind "/usr/$folder" "$root/usr/$folder"; fi
done
touch "$root/app/devpilot-session" "$root/.dockerenv" "$root/dev/null"
mount --bind "$program" "$root/app/devpilot-session"
mount --bind /dev/null "$root/dev/null"
mount --bind "$state" "$root/state"
mount -t proc proc "$root/proc"
mount -o remount,ro "$root"
exec chroot "$root" /app/devpilot-session "$@"
"#;

/// The program with these arguments in a container; none where that can't be made here.
async fn in_container(root: &Path, state: &Path, arguments: &[&str]) -> Option<Command> {
    if !scene::may_mount() {
        return None;
    }
    let mut command = Command::new("unshare");
    command
        .args([
            "--mount",
            "--pid",
            "--fork",
            "--kill-child",
            "sh",
            "-c",
            ENTER,
            "sh",
        ])
        .args([root, state, binary()])
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .kill_on_drop(true);
    Some(command)
}

/// The process that `unshare` made.
fn child_of(pid: u32) -> String {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap();
    children.trim().to_owned()
}

#[tokio::test]
async fn root_without_users_git_or_display_as_process_1_joins_posts_and_ends_by_a_signal() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut command) = in_container(root.path(), state.path(), &[]).await else {
        return;
    };
    command.env("HOME", "/state").env("DEVPILOT_SESSION_LINK", &link);
    let mut server = Server::start(&mut command);
    server.initialize("2025-06-18", json!({})).await;
    let joined = server.call("join", json!({})).await;
    assert_eq!(joined.structured()["card"]["handoff"]["text"], CONTEXT);
    server
        .call("post", json!({ "text": "from a container" }))
        .await
        .structured();
    let read = ada.run(["read", "--json"], b"").await;
    assert_eq!(read.json()["messages"][0]["text"], "from a container");
    // Process 1 gets only the signals it asked for.
    let signalled = Instant::now();
    let kill = Command::new("kill").arg(child_of(server.pid())).status().await;
    assert!(kill.unwrap().success());
    let closed = server.wait().await;
    assert!(signalled.elapsed() < Duration::from_secs(5));
    assert!(closed.success(), "{closed}");
}

#[tokio::test]
async fn a_root_file_system_that_takes_no_writes_is_one_sentence() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let (root, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(mut command) = in_container(root.path(), state.path(), &["join", "-"]).await else {
        return;
    };
    command.env("HOME", "/root");
    let ran = scene::finish(command, link.as_bytes()).await;
    assert_said(&ran, &["/root/.devpilot", "read-only", "DEVPILOT_HOME"]);
    // With nothing said of a home and no record of users there is none to guess.
    let command = in_container(root.path(), state.path(), &["read"]).await.unwrap();
    assert_said(&scene::finish(command, b"").await, &["Set DEVPILOT_HOME"]);
    let mut command = in_container(root.path(), state.path(), &["join", "-"])
        .await
        .unwrap();
    command.env("DEVPILOT_HOME", "/state/devpilot");
    let ran = scene::finish(command, link.as_bytes()).await;
    assert_eq!(ran.code(), 0, "what it said to set is enough: {ran}");
}
