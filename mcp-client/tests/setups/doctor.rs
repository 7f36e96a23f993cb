//! What doctor says of a home without room, of one that takes no writes, and of seats that are another user's to read; and
//! that doing it helps.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::disk::{Mounted, fill, run};
use crate::scene;
use crate::stdio::plane::{Plane, Store};
use crate::stdio::{Machine, Ran};

/// The only check that failed.
fn failed(ran: &Ran) -> Value {
    let answer = ran.json();
    let checks = answer["checks"].as_array().unwrap().iter();
    let failed: Vec<&Value> = checks.filter(|check| check["health"] == "failed").collect();
    assert_eq!((ran.code(), failed.len()), (1, 1), "{ran}");
    failed[0].clone()
}

async fn look(machine: &Machine) -> Ran {
    machine.run(["doctor", "--json"], b"").await
}

async fn is_well(machine: &Machine) {
    let ran = look(machine).await;
    assert_eq!(ran.code(), 0, "{ran}");
}

/// The home is at fault, for this reason; another folder helps, as is said.
async fn fails_for_want_of_a_home(machine: Machine, home: &Path, says: &str) -> Machine {
    let found = failed(&look(&machine).await);
    assert_eq!(found["check"], "home", "{found}");
    assert!(found["about"].as_str().unwrap().contains(says), "{found}");
    assert!(
        found["remedy"]
            .as_str()
            .unwrap()
            .contains("set DEVPILOT_HOME to another folder"),
        "{found}"
    );
    let elsewhere = tempfile::tempdir().unwrap();
    let other = elsewhere.path().join("devpilot");
    let machine = machine.with("DEVPILOT_HOME", other.to_str().unwrap());
    is_well(&machine).await;
    machine.with("DEVPILOT_HOME", home.to_str().unwrap())
}

#[tokio::test]
async fn doctor_says_that_the_disk_is_full_and_is_content_with_room_or_another_folder() {
    if !scene::may_mount() {
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    let _mounted = Mounted::new(&["-t", "tmpfs", "-o", "size=12m", "none"], disk.path());
    let home = disk.path().join("devpilot");
    let machine = Machine::new().with("DEVPILOT_HOME", home.to_str().unwrap());
    is_well(&machine).await;
    let full = fill(disk.path());
    let machine = fails_for_want_of_a_home(machine, &home, "the disk is full").await;
    std::fs::remove_file(full).unwrap();
    is_well(&machine).await;
}

#[tokio::test]
async fn doctor_says_that_the_home_is_read_only_and_is_content_once_it_is_not() {
    if !scene::may_mount() {
        return;
    }
    let disk = tempfile::tempdir().unwrap();
    let home = disk.path().join("devpilot");
    let machine = Machine::new().with("DEVPILOT_HOME", home.to_str().unwrap());
    is_well(&machine).await;
    let mounted = Mounted::new(&["--bind", &home.to_string_lossy()], &home);
    run("mount", &["-o", "remount,ro,bind"], &home);
    let machine = fails_for_want_of_a_home(machine, &home, "read-only").await;
    drop(mounted);
    is_well(&machine).await;
}

#[tokio::test]
async fn doctor_says_how_to_give_back_seats_that_this_user_may_not_look_into() {
    if !scene::is_root() {
        return;
    }
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let ben = Machine::new();
    scene::give_to_nobody(ben.home());
    let joined = scene::finish(scene::as_nobody(&ben, &["join", "-"]), link.as_bytes()).await;
    assert_eq!(joined.code(), 0, "{joined}");
    let look = async || scene::finish(scene::as_nobody(&ben, &["doctor", "--json"]), b"").await;
    let seat = scene::seat(&ben);
    let sessions = ben.devpilot().join("sessions");
    for shut in [sessions.as_path(), seat.parent().unwrap(), &seat] {
        let mode = std::fs::metadata(shut).unwrap().permissions();
        std::fs::set_permissions(shut, std::fs::Permissions::from_mode(0o000)).unwrap();
        let found = failed(&look().await);
        assert_eq!(found["check"], "seats", "{found}");
        assert!(!found.to_string().contains("Join such a session"), "{found}");
        let mut obey = tokio::process::Command::new("setpriv");
        ben.surround(&mut obey);
        obey.args([
            "--reuid",
            "54321",
            "--regid",
            "54321",
            "--clear-groups",
            "sh",
            "-c",
        ])
        .arg(found["command"].as_str().unwrap());
        let obeyed = scene::finish(obey, b"").await;
        assert_eq!(obeyed.code(), 0, "{obeyed}");
        let well = look().await;
        assert_eq!(well.code(), 0, "{well}");
        let read = scene::finish(scene::as_nobody(&ben, &["read", "--since", "0"]), b"").await;
        assert!(read.stdout.contains(scene::CONTEXT), "{read}");
        assert_eq!(std::fs::metadata(shut).unwrap().permissions(), mode);
    }
}
