//! What looks like a credential, and that it got out nowhere.

use serde_json::json;

use super::{Machine, Server};

/// Put together here, so that no literal of this repository looks like a credential.
pub(crate) fn secret() -> String {
    ["gh", "p_", "q7RmT2vKx9LbN4cWd8ZfY1hJs6GpA3eU5oQi"].concat()
}

/// Neither the value nor any part of it that somebody could use.
#[track_caller]
pub(crate) fn silent(said: &str) {
    let secret = secret();
    for at in 4..secret.len() - 7 {
        let part = &secret[at..at + 8];
        assert!(!said.contains(part), "a part of the value got out: {said}");
    }
}

/// Everything that is logged can be; the host can't ask.
pub(crate) async fn mute(machine: &Machine, later_era: bool) -> Server {
    let mut server = Server::start(machine.command([]).env("RUST_LOG", "trace"));
    match later_era {
        true => server.without_initialize(json!({})),
        false => {
            server.initialize("2025-06-18", json!({})).await;
        }
    }
    server
}
