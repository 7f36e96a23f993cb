//! Folders, pipes and links in the place of state files.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::scene::{self, CONTEXT, assert_said};
use crate::stdio::Machine;
use crate::stdio::plane::{Plane, Store};

/// The longest that a command may take which finds no file in the place of one: a pipe nobody writes to never answers.
const SOON: Duration = Duration::from_secs(10);

fn put_folder(path: &Path) {
    fs::create_dir(path).unwrap();
    fs::write(path.join("inside"), "precious").unwrap();
}

fn put_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

fn put_link_to_nothing(path: &Path) {
    symlink("/nonexistent/nothing", path).unwrap();
}

/// Files of a seat and its session that are written by this program alone.
fn ours(machine: &Machine) -> Vec<PathBuf> {
    let seat = scene::seat(machine);
    let cache = scene::cache(machine);
    vec![
        seat.with_extension("progress"),
        seat.with_extension("lock"),
        seat.with_extension("lease"),
        cache.with_extension("lock"),
        cache,
        machine.devpilot().join("sessions/.share.lock"),
    ]
}

#[tokio::test]
async fn what_is_no_file_in_the_place_of_one_is_set_aside_and_everything_goes_on() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    for put in [put_folder, put_pipe, put_link_to_nothing] {
        let ben = scene::joined("Ben", &link).await;
        let mut known = scene::texts(&scene::read_all(&ben).await);
        for path in ours(&ben) {
            let _ = fs::remove_file(&path);
            put(&path);
            let started = Instant::now();
            let text = format!(
                "beside {}",
                path.extension().unwrap_or_default().to_string_lossy()
            );
            scene::post(&ben, &text).await;
            known.push(text);
            assert_eq!(scene::join(&ben, &link).await.code(), 0);
            let read = scene::read_all(&ben).await;
            assert_eq!(scene::texts(&read), known, "{}", path.display());
            assert_eq!(read["integrity"]["state"], "ok", "{}", path.display());
            assert!(started.elapsed() < SOON, "{}", path.display());
        }
    }
}

#[tokio::test]
async fn a_folder_in_the_place_of_a_seat_is_kept_with_what_is_in_it() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let seat = scene::seat(&ben);
    fs::remove_file(&seat).unwrap();
    put_folder(&seat);
    for _ in 0..2 {
        assert_said(&ben.run(["read"], b"").await, &[".damaged-", "join"]);
    }
    assert_eq!(scene::join(&ben, &link).await.code(), 0);
    let inside = scene::file(&ben, "sessions", |name| name == "inside");
    assert!(inside.to_string_lossy().contains(".json.damaged-"));
    assert_eq!(fs::read_to_string(inside).unwrap(), "precious");
}

#[tokio::test]
async fn a_file_in_the_place_of_a_folder_is_set_aside_and_the_home_itself_never() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    for folder in ["sessions", "cache", "bin"] {
        let ben = scene::joined("Ben", &link).await;
        let path = ben.devpilot().join(folder);
        fs::remove_dir_all(&path).unwrap();
        fs::write(&path, "precious").unwrap();
        assert_eq!(scene::join(&ben, &link).await.code(), 0, "{folder}");
        assert_eq!(scene::texts(&scene::read_all(&ben).await), [CONTEXT]);
        let kept = fs::read_dir(ben.devpilot()).unwrap().flatten();
        let mut kept = kept.filter(|entry| entry.file_name().to_string_lossy().contains(".damaged-"));
        assert_eq!(
            fs::read_to_string(kept.next().unwrap().path()).unwrap(),
            "precious"
        );
    }
    let cleo = Machine::new();
    fs::write(cleo.devpilot(), "precious").unwrap();
    assert_said(
        &scene::join(&cleo, &link).await,
        &[".devpilot", "should be a folder"],
    );
    assert_eq!(fs::read_to_string(cleo.devpilot()).unwrap(), "precious");
}

#[tokio::test]
async fn a_link_to_a_disk_that_is_not_there_is_named_and_no_new_home_is_begun_in_its_place() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let away = ben.home().join("away");
    fs::rename(ben.devpilot(), &away).unwrap();
    symlink(ben.home().join("not-mounted"), ben.devpilot()).unwrap();
    assert_said(&scene::join(&ben, &link).await, &["leads nowhere", "mounted"]);
    fs::remove_file(ben.devpilot()).unwrap();
    // A home on another disk is a home.
    symlink(&away, ben.devpilot()).unwrap();
    assert_eq!(scene::texts(&scene::read_all(&ben).await), [CONTEXT]);
    scene::post(&ben, "from another disk").await;
}

#[tokio::test]
async fn a_link_never_leads_a_write_to_somebody_elses_file() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let precious = ben.home().join("precious");
    for path in ours(&ben) {
        fs::write(&precious, "precious\n").unwrap();
        let _ = fs::remove_file(&path);
        symlink(&precious, &path).unwrap();
        scene::post(&ben, "not into it").await;
        scene::post(&ada, "for the cache").await;
        let read = ben.run(["read"], b"").await;
        assert_eq!(read.code(), 0, "{read}");
        assert_eq!(
            fs::read_to_string(&precious).unwrap(),
            "precious\n",
            "by {}",
            path.display()
        );
    }
    // A seat is replaced as a whole: the link goes, what it leads to stays.
    let seat = scene::seat(&ben);
    let moved = ben.home().join("seat");
    fs::rename(&seat, &moved).unwrap();
    symlink(&moved, &seat).unwrap();
    let before = fs::read(&moved).unwrap();
    scene::post(&ben, "and on").await;
    assert_eq!(scene::join(&ben, &link).await.code(), 0);
    assert_eq!(fs::read(&moved).unwrap(), before);
}
