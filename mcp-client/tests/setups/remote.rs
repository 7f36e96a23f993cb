//! A person who came by SSH: no display, or one that is not carried to them.

use crate::scene::{CONTEXT, TITLE};
use crate::stdio::plane::{Plane, Store};
use crate::stdio::terminal::at_terminal;

#[tokio::test]
async fn over_ssh_the_note_goes_to_the_persons_own_terminal_and_the_file_is_named() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane
        .owner()
        .without("DEVPILOT_CLIPBOARD")
        .with("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22")
        // A display of that machine, which nobody sits at.
        .with("DISPLAY", ":0");
    let share = format!("share --title '{TITLE}'");
    let ran = at_terminal(&ada, &share, &format!("{CONTEXT}\n\u{4}\u{4}")).await;
    let note = handoff(&ada);
    assert!(
        ran.stdout
            .contains("may be on the clipboard; the sure copy is here"),
        "{ran}"
    );
    assert!(ran.stdout.contains(".devpilot/handoffs/"), "{ran}");
    let sequence = format!("\u{1b}]52;c;{}\u{7}", base64(&note));
    assert!(ran.stdout.contains(&sequence), "{ran}");
    assert!(!ran.stdout.contains("Ptmux"), "{ran}");
}

#[tokio::test]
async fn within_tmux_the_note_is_handed_through_it_as_well() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane
        .owner()
        .without("DEVPILOT_CLIPBOARD")
        .with("SSH_TTY", "/dev/pts/9")
        .with("TMUX", "/tmp/tmux-0/default,1,0");
    let share = format!("share --title '{TITLE}'");
    let ran = at_terminal(&ada, &share, &format!("{CONTEXT}\n\u{4}\u{4}")).await;
    let encoded = base64(&handoff(&ada));
    for sequence in [
        format!("\u{1b}]52;c;{encoded}\u{7}"),
        format!("\u{1b}Ptmux;\u{1b}\u{1b}]52;c;{encoded}\u{7}\u{1b}\\"),
    ] {
        assert!(ran.stdout.contains(&sequence), "{ran}");
    }
}

#[tokio::test]
async fn an_agents_shell_over_ssh_is_told_that_there_is_no_clipboard_and_where_the_file_is() {
    let plane = Plane::start(Store::Sqlite).await;
    let ada = plane
        .owner()
        .without("DEVPILOT_CLIPBOARD")
        .with("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22");
    let ran = ada.run(["share", "--title", TITLE], CONTEXT.as_bytes()).await;
    assert_eq!(ran.code(), 0, "{ran}");
    assert!(
        ran.stdout.contains("There is no clipboard here: use the file."),
        "{ran}"
    );
    assert!(ran.stdout.contains(".devpilot/handoffs/"), "{ran}");
    assert!(
        !ran.stdout.contains("\u{1b}]52"),
        "the note is in nobody's answer: {ran}"
    );
}

fn handoff(machine: &crate::stdio::Machine) -> String {
    let path = crate::scene::file(machine, "handoffs", |_| true);
    std::fs::read_to_string(path).unwrap()
}

fn base64(text: &str) -> String {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.encode(text)
}
