//! How somebody without a client gets one. What the command is, is settled when the program is built.

/// What starts the client: set `DEVPILOT_SESSION_COMMAND` when building a published package, such as
/// `npx -y @devpilot.sh/mcp-session`. Until then, the built binary's own name.
pub const COMMAND: &str = match option_env!("DEVPILOT_SESSION_COMMAND") {
    Some(command) => command,
    None => "devpilot-session",
};

/// One line a host, each ready to be run: the host's name and its command.
pub fn host_lines(command: &str) -> [(&'static str, String); 3] {
    // Gemini CLI would take the options of the command for its own.
    let separated = command.replacen(' ', " -- ", 1);
    [
        (
            "Claude Code",
            format!("claude mcp add devpilot --scope user -- {command}"),
        ),
        ("Codex", format!("codex mcp add devpilot -- {command}")),
        (
            "Gemini CLI",
            format!("gemini mcp add --scope user devpilot {separated}"),
        ),
    ]
}
