//! The seats of this machine, and files that were damaged.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::Check;
use crate::home::{Home, files};
use crate::seat::Seats;
use crate::verbs::command::shell_word;

/// Files are at most so many folders deep.
const DEPTH: u32 = 3;

/// Whether every seat can be read. Reading a damaged one sets it aside, as any command does.
pub(super) fn seats(home: &Home) -> Check {
    let folder = home.sessions_folder();
    let listing = match Seats::new(home.clone()).list() {
        Ok(listing) => listing,
        Err(error) => return shut_out(&folder, error.to_string()),
    };
    if listing.problems.is_empty() {
        let about = match listing.seats.len() {
            0 => "this machine is in no session".to_owned(),
            1 => "one, and it can be read".to_owned(),
            more => format!("{more}, and all can be read"),
        };
        return Check::ok("seats", about);
    }
    let about = listing.problems.join(" ");
    if shuts_out(&folder, DEPTH) {
        return shut_out(&folder, about);
    }
    Check::failed(
        "seats",
        about,
        "Join such a session again with its link, which makes a new participant.",
    )
}

/// Whether this user may not look into something below a folder, which is no damage.
fn shuts_out(folder: &Path, depth: u32) -> bool {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return error.kind() == ErrorKind::PermissionDenied,
    };
    entries.flatten().any(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => depth > 1 && shuts_out(&entry.path(), depth - 1),
        Ok(kind) if kind.is_file() => {
            fs::File::open(entry.path()).is_err_and(|error| error.kind() == ErrorKind::PermissionDenied)
        }
        _ => false,
    })
}

fn shut_out(folder: &Path, about: String) -> Check {
    let failed = Check::failed(
        "seats",
        about,
        "Let this user use the folder again; if it belongs to somebody else, they have to give it back.",
    );
    match cfg!(unix) {
        true => failed.by(format!(
            "chmod -R u+rwX {}",
            shell_word(&folder.display().to_string())
        )),
        false => failed,
    }
}

/// Files that were set aside, now or earlier: they are kept until a person has looked.
pub(super) fn set_aside(home: &Home) -> Option<Check> {
    let mut found = Vec::new();
    collect(home.root(), DEPTH, &mut found);
    found.sort();
    if found.is_empty() {
        return None;
    }
    let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
    let command: Vec<String> = found
        .iter()
        .map(|path| shell_word(&path.display().to_string()))
        .collect();
    let check = Check::failed(
        "files",
        format!("damaged, and kept aside: {}", names.join(", ")),
        "What was in them is not in use any more. Where it was a seat, join that session again with its link; where it was \
         credentials.json, connect again. Then remove them.",
    );
    Some(check.by(format!("rm -r {}", command.join(" "))))
}

fn collect(folder: &Path, depth: u32, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if entry.file_name().to_string_lossy().contains(files::SET_ASIDE) {
            into.push(path);
        } else if depth > 1 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&path, depth - 1, into);
        }
    }
}
