//! Handoff files: copies of notes under `handoffs/`, readable by their owner alone.

use std::fs;
use std::io;
use std::path::PathBuf;

use time::OffsetDateTime;
use wire::timestamp::Timestamp;

use crate::home::{Home, HomeError, files};

/// The longest slug, in characters.
const SLUG_MAX: usize = 40;

/// The most notes of one title that are made in one second.
const SAME_SECOND: u32 = 1_000;

/// Writes a note to `handoffs/<time>-<slug>.md`. The caller keeps the path with its seat, to delete it later.
///
/// # Errors
/// The file can't be written.
pub fn write(home: &Home, title: &str, now: Timestamp, note: &str) -> Result<PathBuf, HomeError> {
    let folder = home.handoffs_folder();
    home.make_folder(&folder)?;
    let at = OffsetDateTime::from_unix_timestamp(now.millis() / 1000).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    let stem = format!("{}-{}", files::file_time(at), slug(title));
    let others = (2..SAME_SECOND).map(|n| format!("{stem}-{n}.md"));
    for name in std::iter::once(format!("{stem}.md")).chain(others) {
        let path = folder.join(name);
        // Another process of this home may make a note of the same title at the same time.
        if files::write_new(&path, note.as_bytes())? {
            return Ok(path);
        }
    }
    Err(HomeError::io(
        &folder,
        io::Error::other("too many handoff files of this second"),
    ))
}

/// Deletes handoff files of a session that ended or was re-keyed. Only files in `handoffs/` are touched, whatever the
/// list says; one that is gone already is fine.
///
/// # Errors
/// A file is there and can't be removed.
pub fn remove(home: &Home, paths: &[PathBuf]) -> Result<(), HomeError> {
    let folder = home.handoffs_folder();
    for path in paths
        .iter()
        .filter(|path| path.parent() == Some(folder.as_path()))
    {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(HomeError::io(path, error)),
            _ => {}
        }
    }
    Ok(())
}

/// Letters, digits and single hyphens of a title, at most 40.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for character in title.chars() {
        match character {
            plain if plain.is_ascii_alphanumeric() => slug.push(plain.to_ascii_lowercase()),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
        if slug.len() >= SLUG_MAX {
            break;
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() {
        "session".to_owned()
    } else {
        slug.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn slugs_are_letters_digits_and_hyphens_and_at_most_40() {
        assert_eq!(slug("Fix the login race!"), "fix-the-login-race");
        assert_eq!(slug("  ../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("Прывітанне"), "session");
        assert_eq!(slug("Ünïcode / names"), "n-code-names");
        let long = slug(&"ab ".repeat(100));
        assert!(long.len() <= 40 && !long.ends_with('-'), "{long}");
    }

    #[test]
    fn two_notes_of_one_second_are_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let now = Timestamp::from_millis(1_796_000_000_123);
        let first = write(&home, "A title", now, "one").unwrap();
        let second = write(&home, "A title", now, "two").unwrap();
        assert_eq!(first.file_name().unwrap(), "20261130T005320Z-a-title.md");
        assert_eq!(fs::read_to_string(&first).unwrap(), "one");
        assert_eq!(fs::read_to_string(&second).unwrap(), "two");
    }

    #[test]
    fn only_handoff_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        let file = write(&home, "t", Timestamp::from_millis(0), "note").unwrap();
        let other = home.root().join("credentials.json");
        let sly = home.handoffs_folder().join("../credentials.json");
        fs::write(&other, "keep").unwrap();
        remove(&home, &[file.clone(), other.clone(), sly, file.clone()]).unwrap();
        assert!(!file.exists() && other.exists());
    }
}
