//! The note's text. Frozen as test files: people forward it, and tools look for it.

use std::fmt;
use std::fmt::Write as _;

use wire::timestamp::Timestamp;
use zeroize::Zeroizing;

use super::install::host_lines;
use crate::plane::Origin;
use crate::render;

/// What a note says. Names and title are made safe to show here; the link must be one that `seal` made.
#[derive(Clone, Copy)]
pub struct Note<'a> {
    /// Who shares.
    pub from: &'a str,
    /// With whom, if a name was given.
    pub with: Option<&'a str>,
    /// The session's title.
    pub title: &'a str,
    /// Until when the session lives unless somebody writes.
    pub expires_at: Timestamp,
    /// The plane the link leads to.
    pub plane: &'a Origin,
    /// Whether the link lets its holder read only.
    pub view_only: bool,
    /// What starts the client, as [`super::COMMAND`].
    pub command: &'a str,
    /// The link.
    pub link: &'a str,
}

impl fmt::Debug for Note<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Note")
    }
}

impl Note<'_> {
    /// The note as it is sent. A secret as a whole.
    pub fn text(&self) -> Zeroizing<String> {
        // Long enough for every note, so that the link is written to one place in memory.
        let mut text = Zeroizing::new(String::with_capacity(4096));
        // Writing to a string can't fail.
        let _ = self.write(&mut text);
        text
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let from = render::name(self.from);
        let to = self
            .with
            .map_or_else(|| "you".to_owned(), |with| format!("you, {}", render::name(with)));
        let may = if self.view_only {
            "read along in"
        } else {
            "read and write in"
        };
        let date = self.expires_at.to_string();
        let date = date.get(..10).unwrap_or(&date);
        writeln!(
            out,
            "{from} shares a DevPilot session with {to}: \"{}\"",
            render::title(self.title)
        )?;
        writeln!(
            out,
            "With it your coding agent can {may} one shared, end-to-end encrypted transcript."
        )?;
        writeln!(
            out,
            "It is open until {date} (UTC), and longer when somebody writes.\n"
        )?;
        if self.plane.is_loopback() {
            writeln!(
                out,
                "This link opens on this machine only: the plane behind it is {}.",
                self.plane
            )?;
            writeln!(
                out,
                "To share with another machine, host a plane where both can reach it, connect to it, and share again:"
            )?;
            writeln!(
                out,
                "devpilot-plane serve --public-url https://YOUR.HOST, then devpilot-session connect https://YOUR.HOST\n"
            )?;
        }
        writeln!(
            out,
            "Copy all of this, then tell your agent: join the DevPilot session on my clipboard\n"
        )?;
        writeln!(
            out,
            "No DevPilot client yet? One line for your agent's host, then restart it:"
        )?;
        for (host, line) in host_lines(self.command) {
            writeln!(out, "  {host}: {line}")?;
        }
        writeln!(
            out,
            "  Any other MCP host: a local (stdio) server with the command: {}",
            self.command
        )?;
        writeln!(
            out,
            "  Without MCP, with this note on your clipboard: {} join",
            self.command
        )?;
        writeln!(out, "This is the link (it opens in a browser as well):\n")?;
        writeln!(out, "{}\n", self.link)?;
        writeln!(
            out,
            "Send this as you would send a password: whoever has the link can {may} the session."
        )?;
        writeln!(out, "If it reaches somebody else, tell {from} at once.")
    }
}
