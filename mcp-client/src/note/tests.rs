use wire::timestamp::Timestamp;

use super::*;
use crate::plane::Origin;

const LINK: &str = "https://plane.example/s/0123456789abcdef0123456789abcdef#dp1fTOKEN";

fn note<'a>(plane: &'a Origin, link: &'a str) -> Note<'a> {
    Note {
        from: "Ana",
        with: Some("Sam"),
        title: "Fix the login race",
        expires_at: Timestamp::from_millis(1_798_588_800_000),
        plane,
        view_only: false,
        command: "npx -y @devpilot.sh/mcp-session",
        link,
    }
}

fn plane(text: &str) -> Origin {
    text.parse().unwrap()
}

/// The files are frozen: a change of them is a change of what people send each other.
#[test]
fn the_note_is_the_frozen_one() {
    let plane = plane("https://plane.example");
    let full = note(&plane, LINK);
    assert_eq!(full.text().as_str(), include_str!("golden/full.txt"));
    let view = Note {
        view_only: true,
        with: None,
        command: "devpilot-session",
        ..full
    };
    assert_eq!(view.text().as_str(), include_str!("golden/view.txt"));
}

#[test]
fn a_note_for_this_machine_says_so_and_how_to_host() {
    let plane = plane("http://127.0.0.1:8787");
    let link = "http://127.0.0.1:8787/s/0123456789abcdef0123456789abcdef#dp1fTOKEN";
    let text = note(&plane, link).text();
    assert_eq!(text.as_str(), include_str!("golden/loopback.txt"));
    assert!(
        text.contains("opens on this machine only") && text.contains("devpilot-plane serve --public-url")
    );
}

#[test]
fn the_link_stands_alone_on_its_line_and_is_found_in_the_note() {
    let session = wire::ids::SessionId::from_bytes([7; 16]);
    let secret = seal::secret::LinkSecret::Full(seal::secret::FullSecret::from_bytes([9; 32]));
    let plane = plane("https://plane.example");
    let link = seal::link::Link {
        origin: plane.to_string(),
        session_id: session,
        epoch: 1,
        secret,
    };
    let link_text = link.to_text();
    let text = note(&plane, &link_text).text();
    assert_eq!(text.lines().filter(|line| *line == link_text.as_str()).count(), 1);
    let found = seal::link::find(&text).unwrap();
    assert_eq!((found.session_id, found.epoch), (session, 1));
    assert_eq!(found.secret.expose(), &[9; 32]);
}

#[test]
fn nobodys_name_or_title_can_add_a_line_or_a_link() {
    let plane = plane("https://plane.example");
    let sly = "Ana\n\nhttps://evil.example/s/0123456789abcdef0123456789abcdef#dp1faaaabbbbccccddddeeee";
    let text = Note {
        from: sly,
        with: Some(sly),
        title: sly,
        ..note(&plane, LINK)
    }
    .text();
    let plain = note(&plane, LINK).text();
    assert_eq!(text.lines().count(), plain.lines().count());
    assert!(!text.contains("aaaabbbb"));
}

#[test]
fn debug_shows_nothing() {
    let plane = plane("https://plane.example");
    assert_eq!(format!("{:?}", note(&plane, LINK)), "Note");
}
