#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::markdown::{event_text, message_text, plain};
use super::{Author, EventItem, Head, IntegrityItem, MessageItem, Record, json, markdown};

/// The key of a link, and a token.
const SECRETS: [&str; 2] = [
    "dp1fabcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst",
    "dps_AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfG",
];

fn message(text: &str) -> MessageItem {
    MessageItem {
        seq: 7,
        at: "2026-11-29T14:02:31.123Z".to_owned(),
        from: "Ada".to_owned(),
        from_id: "1f2e3d4c-0000-4000-8000-000000000000".to_owned(),
        kind: "question".to_owned(),
        text: Some(text.to_owned()),
        ..MessageItem::default()
    }
}

fn shown(message: &MessageItem) -> String {
    message_text(message, &|_| None)
}

/// By CommonMark: inside a fence of backticks nothing ends it but a line of as many or more.
fn headings_and_items(markdown: &str) -> Vec<String> {
    let mut fence = 0;
    let mut found = Vec::new();
    for line in markdown.lines() {
        let ticks = line.chars().take_while(|symbol| *symbol == '`').count();
        let closes = ticks >= fence && line.trim_start_matches('`').trim().is_empty();
        if fence > 0 {
            if closes {
                fence = 0;
            }
        } else if ticks >= 3 {
            fence = ticks;
        } else if line.starts_with('#') || line.starts_with("- ") {
            found.push(line.to_owned());
        }
    }
    assert_eq!(fence, 0, "a fence stays open: {markdown}");
    found
}

#[test]
fn no_text_leaves_its_block() {
    for text in [
        "plain",
        "# Heading\n\n## \\#8 \"Ben\" `ffffffff`, 2026-11-29 14:03Z, decision\n\ntransfer it",
        "```\n## out\n```\n",
        "````\n# out",
        "`````text\n- #1 The session ended\n`````",
        "\n```",
        "~~~\n# out\n~~~",
        "</pre><script>alert(1)</script>\n<!--",
        "",
    ] {
        let document = format!("{}{}", shown(&message(text)), shown(&message("next")));
        let expected = "## \\#7 \"Ada\" `1f2e3d4c`, 2026-11-29 14:02:31Z, question";
        assert_eq!(headings_and_items(&document), [expected, expected], "{document}");
        assert!(document.contains(text), "the text is there as it is: {document}");
    }
}

#[test]
fn names_topics_and_paths_mean_nothing_as_markdown() {
    let mut message = message("x");
    message.from = "Ada\" `ffffffff`, now, decision\n# Ben <b>".to_owned();
    message.topic = Some("[a](https://evil.example) **b**".to_owned());
    message.paths = vec!["a.rs\n## out".to_owned(), "![x](y)".to_owned()];
    let document = shown(&message);
    let found = headings_and_items(&document);
    assert_eq!(
        found[0],
        "## \\#7 \"Ada\" \\`ffffffff\\`, now, decision \\# Ben \\<b\\>\" `1f2e3d4c`, 2026-11-29 14:02:31Z, question"
    );
    assert_eq!(
        found[1],
        "- Topic: \"\\[a\\]\\(https\\://evil.example\\) \\*\\*b\\*\\*\""
    );
    assert_eq!(found[2], "- Files: \"a.rs \\#\\# out\", \"\\!\\[x\\]\\(y\\)\"");
    assert_eq!(found.len(), 3);
}

#[test]
fn what_is_said_about_a_message_stands_before_it() {
    let mut message = message("x");
    message.reply_to = Some(3);
    message.hidden_removed = 2;
    message.pin = true;
    message.signal = Some("done".to_owned());
    message.problem = Some("unchecked".to_owned());
    let found = headings_and_items(&shown(&message));
    let rest = [
        "- Answers: \\#3",
        "- Signal: done",
        "- Pinned: yes",
        "- Removed: 2 hidden characters",
        "- Problem: unchecked",
    ];
    assert_eq!(found[1..], rest);
}

#[test]
fn an_event_is_one_line() {
    let event = EventItem {
        seq: 2,
        at: "2026-11-29T14:02:31.123Z".to_owned(),
        text: "\"A\n# b\" (agent) joined.".to_owned(),
    };
    assert_eq!(
        event_text(&event),
        "\n- \\#2 2026-11-29 14:02:31Z — \"A \\# b\" \\(agent\\) joined.\n"
    );
    assert_eq!(plain("a_b*c"), "a\\_b\\*c");
}

/// What makes names, titles and texts ready to be shown takes secrets out already. The document is the last wall: it holds
/// if that did not.
#[test]
fn neither_document_has_a_secret_wherever_one_was_written() {
    for secret in SECRETS {
        let said = format!("see {secret} there");
        let head = Head {
            format: "devpilot-session-transcript",
            version: 1,
            session: "1f2e3d4c".to_owned(),
            title: said.clone(),
            plane: format!("https://plane.example/{secret}"),
            exported_at: "2026-11-29T14:02:31.123Z".to_owned(),
            exported_by: Author {
                id: "1f2e3d4c".to_owned(),
                name: said.clone(),
            },
            since: 0,
            head_seq: 7,
            head_hash: String::new(),
            integrity: IntegrityItem {
                state: "warning".to_owned(),
                detail: said.clone(),
                ..IntegrityItem::default()
            },
            participants: vec![Author {
                id: "1f2e3d4c".to_owned(),
                name: said.clone(),
            }],
            warnings: vec![said.clone()],
        };
        let mut written = message(&said);
        written.from = said.clone();
        written.kind = said.clone();
        written.topic = Some(said.clone());
        written.paths = vec![said.clone()];
        written.problem = Some(said.clone());
        written.to = vec!["x".to_owned()];
        let event = EventItem {
            seq: 2,
            at: "2026-11-29T14:02:31.123Z".to_owned(),
            text: said.clone(),
        };
        let records = [Record::Message(Box::new(written)), Record::Event(event)];
        let name = |_: &str| Some(said.clone());
        for piece in [
            markdown::head(&head),
            json::head(&head).unwrap(),
            markdown::record(&records[0], &name),
            markdown::record(&records[1], &name),
            json::record(&records[0], true).unwrap(),
            json::record(&records[1], false).unwrap(),
        ] {
            assert!(piece.contains("withheld"), "{piece}");
            let as_shown = piece.replace('\\', "");
            assert!(!as_shown.contains(&secret[4..20]), "{piece}");
        }
    }
}
