//! State files that were cut, scribbled over, or taken by another user. Nothing is overwritten, other sessions go on, and a
//! session is whole again after a `join`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::scene::{self, CONTEXT, TITLE, assert_said};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::terminal::at_terminal;
use crate::stdio::{Machine, Ran};

/// What a home holds, by path, so that each case begins with the same.
struct Kept(BTreeMap<PathBuf, Vec<u8>>);

impl Kept {
    fn of(machine: &Machine) -> Self {
        let of = |path: PathBuf| (path.clone(), fs::read(path).unwrap());
        let files = scene::files(&machine.devpilot().join("sessions"))
            .into_iter()
            .chain(scene::files(&machine.devpilot().join("cache")));
        Self(files.map(of).collect())
    }

    fn restore(&self, machine: &Machine) {
        for folder in ["sessions", "cache"] {
            for path in scene::files(&machine.devpilot().join(folder)) {
                fs::remove_file(path).unwrap();
            }
        }
        for (path, bytes) in &self.0 {
            fs::write(path, bytes).unwrap();
        }
    }
}

/// Every end of a line, and places in between that are the same at each run.
fn cuts(bytes: &[u8]) -> Vec<usize> {
    let ends = bytes
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(at, _)| at + 1);
    let mut cuts: Vec<usize> = ends.filter(|cut| *cut < bytes.len()).collect();
    let mut random = 0x9E37_79B9_usize;
    for _ in 0..6 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695);
        cuts.push((random >> 16) % bytes.len());
    }
    cuts.extend([0, bytes.len() - 1]);
    cuts
}

fn is_ok(read: &Value) -> bool {
    read["integrity"]["state"] == "ok"
}

/// Reads; where the seat itself is gone, says so and joins again, after which everything is there.
async fn whole_again(ben: &Machine, link: &str, all: &[&str], what: &str) {
    let ran = ben.run(["read", "--since", "0", "--json"], b"").await;
    assert!(!ran.stderr.contains("panicked"), "{what}: {ran}");
    if ran.code() == 0 {
        let read = ran.json();
        assert!(is_ok(&read), "{what}: {ran}");
        assert_eq!(scene::texts(&read), all, "{what}: {ran}");
    } else {
        // Said at the call that found it, and as long as nothing else is there.
        for _ in 0..2 {
            let again = ben.run(["read"], b"").await;
            assert_said(&again, &[".damaged-", "join"]);
        }
        let joined = scene::join(ben, link).await;
        assert_eq!(joined.code(), 0, "{what}: {joined}");
        let read = scene::read_all(ben).await;
        assert!(is_ok(&read), "{what}: {read}");
        assert_eq!(scene::texts(&read), all, "{what}: {read}");
    }
}

#[tokio::test]
async fn a_state_file_cut_anywhere_is_mended_or_set_aside_and_nothing_is_lost() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    for text in ["one", "two", "three"] {
        scene::post(&ben, text).await;
    }
    scene::post(&ada, "and yours").await;
    scene::read_all(&ben).await;
    scene::post(&ben, "four").await;
    let all = [CONTEXT, "one", "two", "three", "and yours", "four"];
    let kept = Kept::of(&ben);
    for path in [scene::seat(&ben), scene::progress(&ben), scene::cache(&ben)] {
        let bytes = kept.0[&path].clone();
        for cut in cuts(&bytes) {
            kept.restore(&ben);
            fs::write(&path, &bytes[..cut]).unwrap();
            let name = path.extension().unwrap_or_default().to_string_lossy();
            whole_again(
                &ben,
                &link,
                &all,
                &format!("{name} cut at {cut} of {}", bytes.len()),
            )
            .await;
        }
    }
}

/// One letter of a key, a verifier or an id: JSON as before, and nothing that the plane or a link is to blame for.
#[tokio::test]
async fn a_seat_with_one_changed_letter_is_set_aside_and_a_join_makes_it_whole() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    scene::post(&ada, "and yours").await;
    scene::read_all(&ben).await;
    let kept = Kept::of(&ben);
    let seat = scene::seat(&ben);
    let text = String::from_utf8(kept.0[&seat].clone()).unwrap();
    let state: Value = serde_json::from_str(&text).unwrap();
    let mut secrets = Vec::new();
    letters(&state, &mut secrets);
    assert!(secrets.len() > 8, "{}", secrets.len());
    for secret in secrets {
        kept.restore(&ben);
        let at = text.find(&secret).unwrap() + secret.len() / 2;
        let other = if text[at..].starts_with('A') { "B" } else { "A" };
        let mut changed = text.clone();
        changed.replace_range(at..=at, other);
        fs::write(&seat, changed).unwrap();
        let found = ben.run(["read"], b"").await;
        assert_said(&found, &[".damaged-", "join"]);
        whole_again(&ben, &link, &[CONTEXT, "and yours"], "one letter").await;
    }
}

/// Every long word in it that is written in base64 or hex, ids among them.
fn letters(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) if text.len() > 20 && text.bytes().all(is_encoded) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| letters(value, found)),
        Value::Object(members) => members.values().for_each(|value| letters(value, found)),
        _ => {}
    }
}

fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte)
}

#[tokio::test]
async fn a_progress_file_cut_at_the_end_of_a_line_raises_no_alarm_against_the_plane() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let path = scene::progress(&ben);
    scene::post(&ben, "one").await;
    let lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
    let before = lines(&path);
    scene::post(&ben, "two").await;
    assert!(lines(&path) > before, "steps are appended");
    let text = fs::read_to_string(&path).unwrap();
    let first = text.find('\n').unwrap() + 1;
    fs::write(&path, &text[..first]).unwrap();
    fs::remove_file(scene::cache(&ben)).unwrap();
    let read = scene::read_all(&ben).await;
    assert!(is_ok(&read), "{read}");
    assert!(
        read["warnings"].to_string().contains("by no fault of the plane"),
        "{read}"
    );
    assert_eq!(scene::texts(&read), [CONTEXT, "one", "two"]);
    scene::post(&ben, "goes on").await;
}

#[tokio::test]
async fn a_damaged_seat_stops_no_other_session_and_is_named_until_it_is_joined_again() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, first) = scene::shared(&plane).await;
    let (_, second) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &first).await;
    let damaged = scene::seat(&ben);
    let joined = ben.run(["join", "-", "--json"], second.as_bytes()).await;
    let other = joined.json()["session"].as_str().unwrap().to_owned();
    fs::write(&damaged, b"\0\0\0 no seat \xff").unwrap();
    let read = ben
        .run(["read", "--session", &other, "--since", "0", "--json"], b"")
        .await;
    assert_eq!(scene::texts(&read.json()), [CONTEXT], "{read}");
    let kept: Vec<_> = scene::files(&ben.devpilot().join("sessions"))
        .into_iter()
        .filter(|path| path.to_string_lossy().contains(".damaged-"))
        .collect();
    assert_eq!(kept.len(), 1);
    assert_eq!(fs::read(&kept[0]).unwrap(), b"\0\0\0 no seat \xff", "as it was");
    let gone = damaged.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let named = ben.run(["read", "--session", gone], b"").await;
    assert_said(&named, &[".damaged-", "join with its link"]);
    assert_eq!(scene::join(&ben, &first).await.code(), 0);
    assert_eq!(
        fs::read(&kept[0]).unwrap(),
        b"\0\0\0 no seat \xff",
        "still as it was"
    );
}

#[tokio::test]
async fn damaged_credentials_are_set_aside_and_damaged_settings_left_as_a_person_wrote_them() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _) = scene::shared(&plane).await;
    let credentials = ada.devpilot().join("credentials.json");
    let whole = fs::read(&credentials).unwrap();
    let share = async |title: &str| ada.run(["share", "--title", title], CONTEXT.as_bytes()).await;
    for cut in [0, 1, 40, whole.len() - 4] {
        fs::write(&credentials, &whole[..cut]).unwrap();
        assert_said(
            &share("Damaged").await,
            &[
                "credentials.json",
                ".damaged-",
                "nothing was overwritten",
                "connect again",
            ],
        );
        assert!(!credentials.exists());
        // Whoever only reads needs no credentials.
        assert_eq!(scene::texts(&scene::read_all(&ada).await), [CONTEXT]);
    }
    fs::write(&credentials, &whole).unwrap();
    let config = ada.devpilot().join("config.toml");
    for (text, line) in [
        (&b"name = \"Ada\"\nproxy = \"http://u:hunter2@p\n"[..], "line 2"),
        (b"\xff\xfe", "line 1"),
        (
            b"[moved]\n\"https://a.example\" = \"http://b.example\"\n",
            "line 2",
        ),
    ] {
        fs::write(&config, text).unwrap();
        let ran = share("Settings").await;
        assert_said(&ran, &["config.toml", line, "Correct the file"]);
        assert!(!ran.stderr.contains("hunter2"), "{ran}");
        assert_eq!(fs::read(&config).unwrap(), text);
    }
    fs::remove_file(&config).unwrap();
    assert_eq!(share("Whole").await.code(), 0);
}

#[tokio::test]
async fn another_users_file_is_named_and_left_alone_and_other_sessions_go_on() {
    if !scene::is_root() {
        return;
    }
    let plane = Plane::start(Store::Sqlite).await;
    let (_, first) = scene::shared(&plane).await;
    let (_, second) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &first).await;
    let theirs = scene::seat(&ben);
    let joined = ben.run(["join", "-", "--json"], second.as_bytes()).await;
    let other = joined.json()["session"].as_str().unwrap().to_owned();
    scene::give_to_nobody(ben.home());
    chown(&theirs, Some(0), Some(0)).unwrap();
    let before = fs::read(&theirs).unwrap();
    let run = async |arguments: &[&str], input: &str| -> Ran {
        scene::finish(scene::as_nobody(&ben, arguments), input.as_bytes()).await
    };
    let read = run(&["read", "--session", &other, "--since", "0", "--json"], "").await;
    assert_eq!(scene::texts(&read.json()), [CONTEXT], "{read}");
    assert_eq!(run(&["post", "--session", &other], "goes on").await.code(), 0);
    let gone = theirs.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let named = run(&["read", "--session", gone], "").await;
    assert_said(&named, &[&theirs.to_string_lossy(), "belongs to somebody else"]);
    let listed = run(&["sessions"], "").await;
    assert!(listed.stdout.contains("belongs to somebody else"), "{listed}");
    assert_eq!(fs::read(&theirs).unwrap(), before);
    assert!(!fs::metadata(&theirs).unwrap().permissions().readonly());
}

#[tokio::test]
async fn folders_that_others_could_read_are_closed_again() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ben = scene::joined("Ben", &link).await;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let folders = [ben.devpilot(), ben.devpilot().join("sessions")];
    for folder in &folders {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(scene::join(&ben, &link).await.code(), 0);
    for folder in &folders {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    let listed = ben.run(["sessions"], b"").await;
    assert!(listed.stdout.contains(TITLE), "{listed}");
}

#[tokio::test]
async fn a_damaged_note_of_an_administrators_rekey_is_kept_and_the_next_run_asks_anew() {
    let plane = Plane::start(Store::Sqlite).await;
    let (ada, _) = scene::shared(&plane).await;
    let seat = scene::seat(&ada);
    let session = seat.parent().unwrap().file_name().unwrap().to_string_lossy();
    let folder = ada.devpilot().join("rekeys");
    fs::create_dir(&folder).unwrap();
    let cut = "{\"version\":1,\"secret\":\"";
    fs::write(folder.join(format!("{session}.json")), cut).unwrap();
    let command = format!("rekey --admin {session}");
    let ran = at_terminal(&ada, &command, "").await;
    assert_ne!(ran.code(), 0, "{ran}");
    assert!(
        ran.stdout.contains(".damaged-") && ran.stdout.contains("re-key the session once more"),
        "{ran}"
    );
    let kept = scene::file(&ada, "rekeys", |name| name.contains(".damaged-"));
    assert_eq!(fs::read_to_string(kept).unwrap(), cut);
    let asked = at_terminal(&ada, &command, "no\n").await;
    assert!(asked.stdout.contains("to confirm"), "{asked}");
}
