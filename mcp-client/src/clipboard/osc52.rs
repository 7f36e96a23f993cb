//! The clipboard of the person's own terminal program, reached through the terminal (OSC 52): the way that works over
//! SSH. Nothing can be read back, and many terminals ignore it, so it never counts as confirmed.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use zeroize::Zeroizing;

use super::Outcome;
use crate::home::Environment;
use crate::terminal::Terminal;

/// Asks the controlling terminal to copy a text, through tmux where that stands in between.
pub fn through_terminal(text: &str, environment: &Environment) -> Outcome {
    let asked = match environment.get("TMUX") {
        Some(_) => through_tmux(&sequence(text)),
        None => sequence(text),
    };
    let written = Terminal::open().and_then(|mut terminal| terminal.write(&asked));
    match written {
        Ok(()) => Outcome::NotConfirmed,
        Err(_) => Outcome::Unavailable,
    }
}

/// `ESC ] 52 ; c ; base64 BEL`.
fn sequence(text: &str) -> Zeroizing<String> {
    let encoded = Zeroizing::new(STANDARD.encode(text));
    Zeroizing::new(format!("\u{1b}]52;c;{}\u{7}", *encoded))
}

/// Once for tmux itself, which takes it where `set-clipboard` is on, and once past it, which it lets through where
/// `allow-passthrough` is.
fn through_tmux(sequence: &str) -> Zeroizing<String> {
    let inside = Zeroizing::new(sequence.replace('\u{1b}', "\u{1b}\u{1b}"));
    Zeroizing::new(format!("{sequence}\u{1b}Ptmux;{}\u{1b}\\", *inside))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sequence_is_that_of_the_xterm_documents() {
        assert_eq!(*super::sequence("note\n"), "\u{1b}]52;c;bm90ZQo=\u{7}");
    }

    #[test]
    fn past_tmux_it_is_wrapped_as_the_tmux_documents_say() {
        let plain = super::sequence("note\n");
        assert_eq!(
            *super::through_tmux(&plain),
            "\u{1b}]52;c;bm90ZQo=\u{7}\u{1b}Ptmux;\u{1b}\u{1b}]52;c;bm90ZQo=\u{7}\u{1b}\\"
        );
    }
}
