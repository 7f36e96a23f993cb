//! What is part of the binary beside the sources: the migrations, and the web app where it was built.
//!
//! Tells cargo of both, so that a new file is never missed, and writes down the app's files for `src/pages/built.rs`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Where `npm run build` leaves the app. The folder is there in any case: cargo would take a missing one for changed.
const APP: &str = "../web/dist";
/// The app's page.
const PAGE: &str = "session.html";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=../migrations");
    println!("cargo:rerun-if-changed={APP}");
    let app = folder("CARGO_MANIFEST_DIR")?.join(APP);
    let source = if app.join(PAGE).is_file() {
        described(&app.canonicalize()?)?
    } else {
        "None".to_owned()
    };
    fs::write(folder("OUT_DIR")?.join("app.rs"), source)
}

fn folder(variable: &str) -> io::Result<PathBuf> {
    env::var_os(variable)
        .map(PathBuf::from)
        .ok_or_else(|| io::Error::other(format!("cargo sets {variable}")))
}

/// The expression of type `Option<BuiltApp>` that has the app's files.
fn described(app: &Path) -> io::Result<String> {
    let folder = app.join("assets");
    let mut assets: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|error| {
            io::Error::other(format!(
                "{}: {error}. The app is there in part: build it again with scripts/web-build.sh, or empty {}",
                folder.display(),
                app.display()
            ))
        })?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    assets.retain(|path| !is_compressed(path));
    assets.sort();
    let assets = assets
        .iter()
        .map(|path| file(path))
        .collect::<io::Result<String>>()?;
    let page = file(&app.join(PAGE))?;
    Ok(format!("Some(BuiltApp {{ page: {page} assets: &[{assets}] }})"))
}

fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "br" || end == "gz")
}

/// The expression of one file, with the compressed forms that stand beside it.
fn file(path: &Path) -> io::Result<String> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let plain = name
        .bytes()
        .all(|symbol| symbol.is_ascii_alphanumeric() || matches!(symbol, b'.' | b'_' | b'-'));
    if !plain || !path.is_file() {
        return Err(io::Error::other(format!("{} can't be served", path.display())));
    }
    let form = |end: &str| {
        let form = PathBuf::from(format!("{}.{end}", path.display()));
        if form.is_file() {
            format!("Some(include_bytes!({form:?}))")
        } else {
            "None".to_owned()
        }
    };
    let (brotli, gzip) = (form("br"), form("gz"));
    Ok(format!(
        "BuiltFile {{ name: {name:?}, plain: include_bytes!({path:?}), brotli: {brotli}, gzip: {gzip} }}, "
    ))
}
