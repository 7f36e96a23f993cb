//! How somebody without a client gets one. What the command is, is settled when the program is built.

/// What starts the client: set `DEVPILOT_SESSION_COMMAND` when building a published package, such as
/// `npx -y @devpilot.sh/mcp-session`. Until then, the built binary's own name.
pub const COMMAND: &str = match option_env!("DEVPILOT_SESSION_COMMAND") {
    Some(command) => command,
    None => "devpilot-session",
};

/// One line a host, ready to be run, or for Cursor to be put into a file: the host's name and its line. Words of
/// `command` are parted by single spaces.
///
/// `make hosts` gives each command to the real host; those of VS Code and Cursor are only parsed.
pub fn host_lines(command: &str) -> [(&'static str, String); 6] {
    // Gemini CLI would take the options of the command for its own.
    let separated = command.replacen(' ', " -- ", 1);
    let server = server_json(command);
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
        ("opencode", format!("opencode mcp add devpilot -- {command}")),
        (
            "VS Code",
            format!(r#"code --add-mcp '{{"name":"devpilot",{server}}}'"#),
        ),
        (
            "Cursor, in ~/.cursor/mcp.json",
            format!(r#"{{"mcpServers":{{"devpilot":{{{server}}}}}}}"#),
        ),
    ]
}

/// The members that name a server in the files of the editors, without their braces.
fn server_json(command: &str) -> String {
    let mut words = command.split(' ').map(serde_json::Value::from);
    let program = words.next().unwrap_or_default();
    let arguments: serde_json::Value = words.collect();
    format!(r#""command":{program},"args":{arguments}"#)
}
