//! A home that takes no writes, and a disk that is full.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::scene::{self, CONTEXT, assert_said};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Machine, Ran};

/// Something mounted; it goes with the test.
pub(crate) struct Mounted(PathBuf);

impl Mounted {
    pub(crate) fn new(arguments: &[&str], at: &Path) -> Self {
        run("mount", arguments, at);
        Self(at.to_path_buf())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        run("umount", &["--lazy"], &self.0);
    }
}

pub(crate) fn run(program: &str, arguments: &[&str], at: &Path) {
    let done = Command::new(program).args(arguments).arg(at).status().unwrap();
    assert!(done.success(), "{program} {arguments:?}");
}

/// Takes all the room there is left.
pub(crate) fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("fill");
    let mut file = std::fs::File::create(&path).unwrap();
    let some = [0; 1024];
    while std::io::Write::write_all(&mut file, &some).is_ok() {}
    path
}

/// Posts until there is no room for what must be on disk first; the texts that were acknowledged, and the refusal.
async fn post_until_full(machine: &Machine) -> (Vec<String>, Ran) {
    let mut acknowledged = Vec::new();
    for n in 0..50 {
        let text = format!("post {n} {}", "x".repeat(500));
        let ran = machine.run(["post"], text.as_bytes()).await;
        if ran.code() != 0 {
            return (acknowledged, ran);
        }
        acknowledged.push(text);
    }
    panic!("the disk is not full");
}

#[tokio::test]
async fn on_a_full_disk_each_call_is_one_sentence_and_nothing_is_lost() {
    if !scene::may_mount() {
        return;
    }
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let disk = tempfile::tempdir().unwrap();
    let _mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=300k", "none"], disk.path());
    let home = disk.path().join("devpilot");
    let ben = Machine::new()
        .with("DEVPILOT_NAME", "Ben")
        .with("DEVPILOT_HOME", &home.to_string_lossy());
    assert_eq!(scene::join(&ben, &link).await.code(), 0);
    std::fs::copy(
        ada.devpilot().join("credentials.json"),
        home.join("credentials.json"),
    )
    .unwrap();
    let full = fill(disk.path());
    let (acknowledged, refused) = post_until_full(&ben).await;
    assert_said(&refused, &["the disk is full", "Nothing was lost"]);

    // What others say is shown all the same, and counts as unread once that can't be noted any more.
    let mut news = Vec::new();
    loop {
        let text = format!("news {}", news.len());
        scene::post(&ada, &text).await;
        let read = ben.run(["read"], b"").await;
        assert!(read.stdout.contains(&text), "{read}");
        news.push(text);
        if format!("{read}").contains("the disk is full") {
            break;
        }
        assert!(news.len() < 40, "there is room for ever");
    }
    let again = ben.run(["read"], b"").await;
    assert!(again.stdout.contains(news.last().unwrap()), "{again}");
    let shared = ben.run(["share", "--title", "No room"], CONTEXT.as_bytes()).await;
    assert_said(&shared, &["the disk is full"]);
    let (_, other) = scene::shared(&plane).await;
    assert_said(&scene::join(&ben, &other).await, &["the disk is full"]);

    // With room everything goes on: what was acknowledged is there once, what was not was said to be not.
    std::fs::remove_file(full).unwrap();
    scene::post(&ben, "room again").await;
    let mut expected = vec![CONTEXT.to_owned()];
    expected.extend(acknowledged);
    expected.extend(news);
    expected.push("room again".to_owned());
    for machine in [&ben, &ada] {
        let read = machine
            .run(
                [
                    "read",
                    "--since",
                    "0",
                    "--limit",
                    "200",
                    "--max-bytes",
                    "60000",
                    "--json",
                ],
                b"",
            )
            .await
            .json();
        assert_eq!(scene::texts(&read), expected);
        assert_eq!(read["integrity"]["state"], "ok", "{}", read["integrity"]);
        assert!(
            !read["warnings"].to_string().contains("was damaged"),
            "{}",
            read["warnings"]
        );
    }
    assert_eq!(scene::join(&ben, &other).await.code(), 0);
}

#[tokio::test]
async fn a_read_only_home_shows_what_is_new_and_says_in_one_sentence_what_it_can_not_do() {
    if !scene::may_mount() {
        return;
    }
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    scene::post(&ada, "news").await;
    std::fs::copy(
        ada.devpilot().join("credentials.json"),
        ben.devpilot().join("credentials.json"),
    )
    .unwrap();
    let home = ben.home().to_path_buf();
    let mounted = Mounted::new(&["--bind", &home.to_string_lossy()], &home);
    run("mount", &["-o", "remount,ro,bind"], &home);
    for _ in 0..2 {
        let read = ben.run(["read"], b"").await;
        assert!(read.stdout.contains("news"), "{read}");
        assert!(format!("{read}").contains("read-only"), "{read}");
    }
    // The answer is the one object; what could not be noted after it is said beside it.
    let read = ben.run(["read", "--json"], b"").await;
    assert_eq!(read.json()["messages"][0]["text"], "news", "{read}");
    assert_eq!(read.code(), 1, "{read}");
    assert!(read.stderr.contains("read-only"), "{read}");
    for command in ["who", "sessions"] {
        assert_eq!(ben.run([command], b"").await.code(), 0, "{command}");
    }
    let (_, other) = scene::shared(&plane).await;
    for ran in [
        ben.run(["post"], b"no").await,
        ben.run(["mode"], b"").await,
        scene::join(&ben, &other).await,
        ben.run(["share", "--title", "No"], CONTEXT.as_bytes()).await,
    ] {
        assert_said(&ran, &["read-only", "Nothing was lost", "DEVPILOT_HOME"]);
    }
    drop(mounted);
    scene::post(&ben, "writable again").await;
    let read = scene::read_all(&ben).await;
    assert_eq!(scene::texts(&read), [CONTEXT, "news", "writable again"]);
    assert_eq!(read["integrity"]["state"], "ok");
}

#[tokio::test]
async fn a_home_whose_permissions_shut_this_user_out_is_one_sentence() {
    if !scene::is_root() {
        return;
    }
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ben = Machine::new();
    std::fs::create_dir(ben.devpilot()).unwrap();
    scene::give_to_nobody(ben.home());
    let run = async || scene::finish(scene::as_nobody(&ben, &["join", "-"]), link.as_bytes()).await;
    std::os::unix::fs::chown(ben.devpilot(), Some(0), Some(0)).unwrap();
    let set = |mode: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(ben.devpilot(), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    // A folder that somebody else made and that others may read can't hold secrets.
    set(0o755);
    assert_said(&run().await, &["can't be closed to other users", "DEVPILOT_HOME"]);
    set(0o700);
    assert_said(&run().await, &["belongs to somebody else", "DEVPILOT_HOME"]);
    scene::give_to_nobody(ben.home());
    set(0o700);
    let ran = run().await;
    assert_eq!(ran.code(), 0, "{ran}");
}
