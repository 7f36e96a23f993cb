#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;

fn json(path: &Path) -> Result<Option<serde_json::Value>, HomeError> {
    files::read_json(path, 1, "Do this.")
}

#[test]
fn the_default_is_under_the_users_home() {
    let home = Home::from_environment(&Environment::of([("HOME", "/home/ana"), ("PATH", "/bin")])).unwrap();
    assert_eq!(home.root(), Path::new("/home/ana/.devpilot"));
}

#[test]
fn the_variable_wins_and_may_start_with_a_tilde() {
    let named = |value| {
        Home::from_environment(&Environment::of([
            ("HOME", "/home/ana"),
            ("DEVPILOT_HOME", value),
        ]))
    };
    assert_eq!(named("/srv/x").unwrap().root(), Path::new("/srv/x"));
    assert_eq!(named("~/x").unwrap().root(), Path::new("/home/ana/x"));
    assert_eq!(named("").unwrap().root(), Path::new("/home/ana/.devpilot"));
    for relative in ["x", "./x", "../x", "~", "~ana/x"] {
        let refused = named(relative).unwrap_err();
        assert!(
            matches!(
                refused,
                HomeError::Relative {
                    variable: "DEVPILOT_HOME",
                    ..
                }
            ),
            "{relative}"
        );
    }
    for shared in ["/", "/home/ana"] {
        assert!(matches!(named(shared), Err(HomeError::Shared { .. })), "{shared}");
    }
}

#[test]
fn without_any_home_the_variable_is_named() {
    let error = Home::from_environment(&Environment::of([("PATH", "/bin")])).unwrap_err();
    assert!(error.to_string().contains("DEVPILOT_HOME"));
}

#[test]
fn debug_of_an_environment_shows_no_value() {
    let environment = Environment::of([("DEVPILOT_BRIDGE_TOKEN", "dpm_secret")]);
    assert_eq!(format!("{environment:?}"), "Environment");
    assert_eq!(format!("{:?}", SecretText::new("dpm_secret")), "SecretText");
}

#[cfg(unix)]
#[test]
fn folders_are_0700_and_files_0600_whatever_they_were() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path().join("home"));
    std::fs::create_dir(home.root()).unwrap();
    std::fs::set_permissions(home.root(), std::fs::Permissions::from_mode(0o755)).unwrap();
    home.make_folder(&home.handoffs_folder()).unwrap();
    assert_eq!(mode(home.root()), 0o700);
    assert_eq!(mode(&home.handoffs_folder()), 0o700);
    let file = home.credentials_file();
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    files::write_atomic(&file, b"new").unwrap();
    assert_eq!(mode(&file), 0o600);
    assert_eq!(std::fs::read(&file).unwrap(), b"new");
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_everybodys_is_refused_and_left_as_it_is() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("tmp");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
    let home = Home::at(&shared);
    assert!(matches!(
        home.make_folder(&home.handoffs_folder()),
        Err(HomeError::Shared { .. })
    ));
    assert_eq!(
        std::fs::metadata(&shared).unwrap().permissions().mode() & 0o7777,
        0o1777
    );
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    // A folder can't be replaced by a file: the last step fails after everything was written.
    std::fs::create_dir(&path).unwrap();
    assert!(files::write_atomic(&path, b"new").is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_file_is_kept_beside_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let mut kept_files = Vec::new();
    for content in ["{\"version\":1", "not json"] {
        std::fs::write(&path, content).unwrap();
        let Err(HomeError::Damaged { kept, .. }) = json(&path) else {
            panic!("expected a damaged file");
        };
        assert!(!path.exists());
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), content);
        let name = kept.file_name().unwrap().to_string_lossy().into_owned();
        assert!(name.starts_with("state.json.damaged-2"), "{name}");
        kept_files.push(kept);
    }
    kept_files.dedup();
    assert_eq!(kept_files.len(), 2);
}

#[test]
fn a_newer_format_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    std::fs::write(&path, "{\"version\":2,\"new\":true}").unwrap();
    assert!(matches!(json(&path), Err(HomeError::Newer { version: 2, .. })));
    assert!(path.exists());
}

#[test]
fn a_read_only_home_gives_a_clear_sentence() {
    for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::ReadOnlyFilesystem] {
        let text = HomeError::io(Path::new("/home/ana/.devpilot"), kind.into()).to_string();
        assert!(
            text.contains("/home/ana/.devpilot") && text.contains("read-only"),
            "{text}"
        );
        assert!(text.contains("DEVPILOT_HOME"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_home_that_takes_no_writes_fails_as_such() {
    // `/proc/self` refuses new folders to everybody, root included.
    let home = Home::at("/proc/self/devpilot");
    assert!(home.make_folder(&home.handoffs_folder()).is_err());
}

#[test]
fn what_a_killed_writer_left_is_swept_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    for name in [".abc.tmp", "state.json", "notes.tmp"] {
        std::fs::write(folder.path().join(name), "x").unwrap();
    }
    let names = || {
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    files::sweep_temporary(folder.path(), SystemTime::now());
    assert_eq!(names().len(), 3, "one that is still being written stays");
    files::sweep_temporary(folder.path(), SystemTime::now() + Duration::from_secs(7200));
    assert_eq!(names(), ["notes.tmp", "state.json"]);
}

#[test]
fn a_file_too_large_to_be_ours_is_never_read_into_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    // Sparse: it takes no room on the disk, and an allocation of its length would end the process.
    let length = 1 << 42;
    std::fs::File::create(&path).unwrap().set_len(length).unwrap();
    assert!(matches!(files::read(&path), Err(HomeError::TooLarge { .. })));
    assert!(path.exists(), "read alone leaves it where it is");
    let Err(HomeError::Damaged { kept, .. }) = json(&path) else {
        panic!("expected a damaged file");
    };
    assert!(!path.exists());
    assert_eq!(std::fs::metadata(&kept).unwrap().len(), length);
}
