//! What lies on this machine beside seats: the home folder, `config.toml`, the kept program, the clipboard.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::Check;
use crate::clipboard::Clipboard;
use crate::config::Config;
use crate::home::{Environment, Home, HomeError};
use crate::plane::{Http, HttpSettings};
use crate::verbs::app;
use crate::verbs::command::Program;

/// So much is written once and removed again, to see that there is room for a while.
const ROOM: usize = 8 << 20;
/// How long the kept program may take to say its version.
const SAY_VERSION: Duration = Duration::from_secs(2);
/// Folders and files that hold secrets, or what others wrote.
#[cfg(unix)]
const PRIVATE: [&str; 5] = ["credentials.json", "sessions", "cache", "handoffs", "rekeys"];

/// The folder: this user's alone, writable, with room.
pub(super) fn home(home: &Home) -> Check {
    let root = home.root();
    let elsewhere = "Make it writable for this user and make room, or set DEVPILOT_HOME to another folder.";
    if !root.exists()
        && let Err(error) = home.make_folder(root)
    {
        return Check::failed("home", error.to_string(), elsewhere);
    }
    if let Some(open) = others_may_look(root) {
        return open;
    }
    match try_writing(root) {
        Ok(()) => Check::ok(
            "home",
            format!("{}: this user's alone, writable, with room", root.display()),
        ),
        Err(error) => Check::failed("home", error.to_string(), elsewhere),
    }
}

fn try_writing(root: &Path) -> Result<(), HomeError> {
    let attempt = || {
        let mut file = tempfile::Builder::new()
            .prefix(".doctor-")
            .suffix(".tmp")
            .tempfile_in(root)?;
        let chunk = vec![0; 1 << 16];
        for _ in 0..ROOM / chunk.len() {
            file.write_all(&chunk)?;
        }
        file.flush()
    };
    attempt().map_err(|source| HomeError::io(root, source))
}

/// Whether other users of the system may look into it, or everybody shares it.
#[cfg(unix)]
fn others_may_look(root: &Path) -> Option<Check> {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| {
        fs::symlink_metadata(path)
            .ok()
            .filter(|found| !found.file_type().is_symlink())
            .map_or(0, |found| found.permissions().mode())
    };
    if mode(root) & 0o1000 != 0 {
        let shared = HomeError::Shared {
            path: root.to_path_buf(),
        };
        return Some(Check::failed(
            "home",
            shared.to_string(),
            "Set DEVPILOT_HOME to a folder of its own, or unset it.",
        ));
    }
    let mut paths = vec![root.to_path_buf()];
    for name in PRIVATE {
        collect(&root.join(name), &mut paths);
    }
    let open: Vec<_> = paths.iter().filter(|path| mode(path) & 0o077 != 0).collect();
    let first = open.first()?;
    let more = match open.len() {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    let quoted = root.display().to_string().replace('\'', "'\\''");
    let check = Check::failed(
        "home",
        format!(
            "other users of this machine may look into {}{more}: keys and tokens lie there",
            first.display()
        ),
        "Take that right away; if somebody may have looked, re-key your sessions and replace the tokens.",
    );
    Some(check.by(format!(
        "find '{quoted}' -name bin -prune -o ! -type l -exec chmod go= {{}} +"
    )))
}

#[cfg(unix)]
fn collect(path: &Path, into: &mut Vec<std::path::PathBuf>) {
    into.push(path.to_path_buf());
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries {
        collect(&entry.path(), into);
    }
}

/// A profile folder on Windows is the user's own by inheritance.
#[cfg(not(unix))]
fn others_may_look(_root: &Path) -> Option<Check> {
    None
}

/// `config.toml` with what connections are made with; none, if it can't be used.
pub(super) fn config(home: &Home, environment: &Environment) -> (Check, Option<(Config, HttpSettings)>) {
    let path = home.config_file();
    let remedy = format!(
        "Correct what is named. The keys of {} are name, proxy, no_proxy, certificate_authorities and moved.",
        path.display()
    );
    let failed = |about: String| (Check::failed("config", about, remedy.clone()), None);
    let config = match Config::load(home) {
        Ok(config) => config,
        Err(error) => return failed(error.to_string()),
    };
    let settings = match app::http_settings(&config, environment) {
        Ok(settings) => settings,
        Err(failure) => return failed(failure.message().to_owned()),
    };
    if let Err(error) = Http::try_settings(&settings) {
        return failed(error.to_string());
    }
    let mut parts = Vec::new();
    if settings.proxy.is_some() {
        parts.push("a proxy".to_owned());
    }
    match settings.certificate_authorities.len() {
        0 => {}
        1 => parts.push("one certificate authority of your own".to_owned()),
        more => parts.push(format!("{more} certificate authorities of your own")),
    }
    let about = match (path.exists(), parts.is_empty()) {
        (false, _) => "no config.toml, and none is needed".to_owned(),
        (true, true) => "config.toml can be used".to_owned(),
        (true, false) => format!("config.toml can be used; it names {}", parts.join(" and ")),
    };
    (Check::ok("config", about), Some((config, settings)))
}

/// The program that hooks and printed commands name.
pub(super) async fn program(home: &Home, environment: &Environment) -> Check {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let kept = home.program_file();
    let this = std::env::current_exe().ok();
    if this.as_deref().is_some_and(|this| home.keeps_program(this)) {
        return Check::ok("program", format!("{VERSION}, the same at {}", kept.display()));
    }
    let again = Program::itself(home, environment).line("sessions");
    if fs::symlink_metadata(&kept).is_err() {
        return Check::note(
            "program",
            format!(
                "{VERSION}; it is not at {} yet, where hooks and printed commands find it",
                kept.display()
            ),
        )
        .helped_by("Any other command puts it there, such as")
        .by(again);
    }
    match version_of(&kept).await {
        Some(version) if version == VERSION => Check::ok(
            "program",
            format!("{VERSION}, and the same version at {}", kept.display()),
        ),
        Some(version) => Check::failed(
            "program",
            format!(
                "this is {VERSION}, and {} is {version}: hooks and printed commands use that one",
                kept.display()
            ),
            "Put this one there, by any command but this.",
        )
        .by(again),
        None => Check::failed(
            "program",
            format!("{} does not run: hooks and printed commands fail", kept.display()),
            "Put this program there, by any command but this.",
        )
        .by(again),
    }
}

/// What a program says to `--version`, if that is a version of ours.
async fn version_of(program: &Path) -> Option<String> {
    let mut command = Command::new(program);
    command
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    let output = tokio::time::timeout(SAY_VERSION, command.output())
        .await
        .ok()?
        .ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let version = said.trim().strip_prefix("devpilot-session ")?;
    let plain = |symbol: u8| symbol.is_ascii_alphanumeric() || matches!(symbol, b'.' | b'-' | b'+');
    let fits = version.len() <= 32 && version.bytes().all(plain);
    fits.then(|| version.to_owned())
}

/// Whether a note can go to the clipboard. Without one there is another way, so that is no failure.
pub(super) async fn clipboard(environment: &Environment) -> Check {
    let clipboard = Clipboard::from_environment(environment);
    let without = "Notes go into a file that the answer names; `join -` takes one on standard input.";
    if !clipboard.is_on() {
        return Check::note("clipboard", "left alone, as DEVPILOT_CLIPBOARD says").helped_by(without);
    }
    if clipboard.is_here().await {
        Check::ok("clipboard", "there is one")
    } else {
        let why = "none can be reached: no display, a container, or a login from another machine";
        Check::note("clipboard", why).helped_by(without)
    }
}
