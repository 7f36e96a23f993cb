//! A file beside a seat for what is large and can be made again: the verifier's hashes and ids.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::store::remove_file;
use crate::home::{HomeError, files};

fn path(seat: &Path) -> PathBuf {
    seat.with_extension("transcript")
}

pub(super) fn save<T: Serialize>(seat: &Path, value: &T) -> Result<(), HomeError> {
    let path = path(seat);
    let bytes = files::to_json(&path, value)?;
    files::replace_unsynced(&path, &bytes).map_err(|source| HomeError::io(&path, source))
}

pub(super) fn load<T: DeserializeOwned>(seat: &Path) -> Option<T> {
    let bytes = files::read(&path(seat)).ok().flatten()?;
    serde_json::from_slice(&bytes).ok()
}

pub(super) fn remove(seat: &Path) -> Result<(), HomeError> {
    remove_file(&path(seat))
}
