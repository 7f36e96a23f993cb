//! Lines that the program printed, run as a person runs them who copies them: in a shell that finds the program by no name
//! and knows of no home folder that a host was told.

use std::ffi::OsString;

use tokio::process::Command;

use super::{Machine, Ran, binary, ran};

/// The shell on a machine, with one line.
pub(crate) fn shell(machine: &Machine, line: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", line]);
    machine.surround(&mut shell);
    shell.env("PATH", path_without_us()).env_remove("DEVPILOT_HOME");
    shell
}

/// Runs a line to its end.
pub(crate) async fn obeyed(machine: &Machine, line: &str, input: &[u8]) -> Ran {
    ran(&mut shell(machine, line), input).await
}

/// As [`obeyed`], which has to work.
pub(crate) async fn obey(machine: &Machine, line: &str, input: &[u8]) -> Ran {
    let ran = obeyed(machine, line, input).await;
    assert_eq!(ran.code(), 0, "{line}: {ran}");
    ran
}

/// The line of a text that runs the program kept on this machine.
#[track_caller]
pub(crate) fn line_in(machine: &Machine, text: &str) -> String {
    let lines = lines_in(machine, text);
    assert_eq!(lines.len(), 1, "{text}");
    lines[0].clone()
}

/// All lines of a text that run the program, the one kept on this machine or the one under test, each from the program to the line's end or to the sign
/// that closes it.
pub(crate) fn lines_in(machine: &Machine, text: &str) -> Vec<String> {
    let kept = machine.devpilot().join("bin").join("devpilot-session");
    let programs = [kept.as_path(), binary()].map(|path| path.display().to_string());
    let line = |line: &str| {
        let from = programs.iter().find_map(|program| line.find(program.as_str()))?;
        let rest = &line[from..];
        let closed = line[..from]
            .ends_with('`')
            .then(|| rest.split('`').next())
            .flatten();
        Some(closed.unwrap_or(rest).trim_end().to_owned())
    };
    text.lines().filter_map(line).collect()
}

/// The `PATH` of this process without a folder that holds the program.
pub(crate) fn path_without_us() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = binary().file_name().unwrap().to_owned();
    let kept = std::env::split_paths(&path).filter(|folder| !folder.join(&name).exists());
    std::env::join_paths(kept).unwrap()
}
