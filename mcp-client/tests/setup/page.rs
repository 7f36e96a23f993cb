//! The fenced blocks of a page, by what stands behind the fence: `sh`, `sh published`, `json FILE windows`.

use serde_json::Value;

use crate::repository;

/// One page under `docs/setup/`.
pub(crate) struct Page {
    /// Its name, for what a failing test says.
    pub(crate) name: &'static str,
    blocks: Vec<(String, String)>,
}

impl Page {
    /// Reads one.
    pub(crate) fn read(name: &'static str) -> Self {
        let text = std::fs::read_to_string(repository("docs/setup").join(name)).unwrap();
        let mut blocks: Vec<(String, String)> = Vec::new();
        let mut inside = false;
        for line in text.lines() {
            match line.strip_prefix("```") {
                Some(kind) if !inside => {
                    blocks.push((kind.to_owned(), String::new()));
                    inside = true;
                }
                Some(_) => inside = false,
                None if inside => {
                    let block = blocks.last_mut().unwrap();
                    block.1.push_str(line);
                    block.1.push('\n');
                }
                None => {}
            }
        }
        assert!(!inside, "{name}: a block is not closed");
        Self { name, blocks }
    }

    /// The blocks of one kind, as one script.
    pub(crate) fn script(&self, kind: &str) -> String {
        self.blocks
            .iter()
            .filter(|(of, _)| of == kind)
            .map(|(_, text)| text.as_str())
            .collect()
    }

    /// The first files of a variant: none is the built program, else `published` or `windows`. Their server's command.
    pub(crate) fn servers_in_files(&self, variant: Option<&str>) -> Vec<Vec<String>> {
        self.blocks
            .iter()
            .filter_map(|(kind, text)| {
                let mut words = kind.split(' ');
                let is_wanted = words.next() == Some("json") && words.nth(1) == variant;
                is_wanted.then(|| server_in(self.name, text))
            })
            .collect()
    }
}

/// The command of the server `devpilot` in a host's file, whatever the host calls its parts.
fn server_in(name: &str, file: &str) -> Vec<String> {
    let file: Value = serde_json::from_str(file).unwrap_or_else(|error| panic!("{name}: {error}: {file}"));
    let servers = ["mcpServers", "servers", "mcp"]
        .iter()
        .find_map(|key| file.get(key));
    let server = &servers.unwrap_or_else(|| panic!("{name}: no servers"))["devpilot"];
    let strings = |value: &Value| -> Vec<String> {
        let words = value.as_array().cloned().unwrap_or_default();
        words
            .iter()
            .map(|word| word.as_str().unwrap().to_owned())
            .collect()
    };
    match server["command"].as_str() {
        Some(program) => std::iter::once(program.to_owned())
            .chain(strings(&server["args"]))
            .collect(),
        None => strings(&server["command"]),
    }
}
