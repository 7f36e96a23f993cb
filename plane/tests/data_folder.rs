//! The embedded plane's folder is its user's alone.
#![cfg(unix)]
#![allow(clippy::expect_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

#[test]
fn the_data_folder_is_readable_by_its_owner_alone() {
    let home = tempfile::tempdir().expect("a folder");
    let data = home.path().join("new").join("plane");
    let output = Command::new(env!("CARGO_BIN_EXE_devpilot-plane"))
        .args(["migrate", "--data"])
        .arg(&data)
        .env_clear()
        .env("HOME", home.path())
        .output()
        .expect("the program starts");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(fs::read_dir(&data).expect("the folder was made").next().is_some());
    for folder in [data.parent().expect("it lies in another"), &data] {
        let mode = fs::metadata(folder)
            .expect("the folder is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o700, "{}", folder.display());
    }
}
