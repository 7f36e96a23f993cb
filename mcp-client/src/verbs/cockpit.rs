//! `cockpit`: the service that remembers on this machine what tasks did to files. For the command line alone.
//!
//! It runs in a process of its own; nothing of it runs in the MCP server.

use std::net::SocketAddr;
use std::path::PathBuf;

use ::cockpit::{Cockpit, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::{Failure, code};

/// Claude Code's events, and ours.
const HOOKS: [(&str, &str); 5] = [
    ("SessionStart", "session-start"),
    ("UserPromptSubmit", "user-prompt-submit"),
    ("Stop", "stop"),
    ("StopFailure", "stop-failure"),
    ("SessionEnd", "session-end"),
];

/// How it is started.
#[derive(Debug, Clone)]
pub struct CockpitArgs {
    /// Where it listens: on this machine alone.
    pub listen: SocketAddr,
    /// The folder of its history; none: under the client's home.
    pub data: Option<PathBuf>,
}

/// Where it runs, and what to do next.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct CockpitAnswer {
    /// Where it listens.
    pub url: String,
    /// Where its history is.
    pub data: String,
    /// The command that asks it what happened in the repository one is in.
    pub ask: String,
    /// What makes Claude Code report to it where the plugin is not installed: for its `settings.json`.
    #[schemars(with = "std::collections::BTreeMap<String, String>")]
    pub settings: Value,
}

impl Answer for CockpitAnswer {
    fn text(&self) -> String {
        // A value can always be written.
        let settings = serde_json::to_string_pretty(&self.settings).unwrap_or_default();
        format!(
            "The cockpit listens on {} and keeps its history in {}. Leave it running; Ctrl-C ends it.\n\n\
             Next:\n\
             1. Claude Code with the devpilot plugin reports to it by itself. Without the plugin, add this to \
             ~/.claude/settings.json:\n\n{settings}\n\n\
             2. Let an agent work in a git repository. From then on:\n     {}\n   and agents ask by devpilot_history. \
             Nothing of it leaves this machine.",
            self.url, self.data, self.ask
        )
    }
}

/// Takes its place: from then on it can be found. It answers once it is served.
///
/// # Errors
/// The address is not this machine's own or taken, a cockpit runs already, its files can't be used.
pub async fn start(app: &App, args: CockpitArgs) -> Result<(Cockpit, Delivered<CockpitAnswer>), Failure> {
    let folder = app.home.cockpit_folder();
    app.home.make_folder(&folder).map_err(super::wording::home)?;
    let data = args.data.unwrap_or_else(|| folder.clone());
    let settings = Settings {
        listen: args.listen,
        folder,
        data: data.clone(),
    };
    let cockpit = Cockpit::start(&settings)
        .await
        .map_err(|error| Failure::new(code::COCKPIT_START, error.to_string()))?;
    let hooks = HOOKS.map(|(event, ours)| {
        let command = app.command(&format!("hook {ours}"));
        let hook = json!({ "hooks": [{ "type": "command", "command": command, "timeout": 5 }] });
        (event.to_owned(), json!([hook]))
    });
    let answer = CockpitAnswer {
        url: format!("http://{}", cockpit.listens()),
        data: data.display().to_string(),
        ask: app.command("history"),
        settings: json!({ "hooks": serde_json::Map::from_iter(hooks) }),
    };
    Ok((cockpit, Delivered::plain(answer)))
}
