//! Every text of the list of hostile texts, through everything here.

use super::*;

#[derive(serde::Deserialize)]
struct Hostile {
    name: String,
    #[serde(default)]
    text: String,
    repeat: Option<String>,
    count: Option<usize>,
}

fn hostile() -> Vec<Hostile> {
    let list = include_str!("../../../../seal/vectors/hostile.json");
    let mut list: Vec<Hostile> = serde_json::from_str(list).unwrap();
    for entry in &mut list {
        if let (Some(repeat), Some(count)) = (&entry.repeat, entry.count) {
            entry.text = repeat.repeat(count);
        }
    }
    assert!(list.len() >= 100);
    list
}

/// What nobody may be shown, said otherwise than the code says it.
fn is_seen(character: char) -> bool {
    let code = u32::from(character);
    let ranges = [
        (0x00, 0x08),
        (0x0B, 0x1F),
        (0x7F, 0x9F),
        (0xAD, 0xAD),
        (0x34F, 0x34F),
        (0x61C, 0x61C),
        (0x115F, 0x1160),
        (0x180B, 0x180F),
        (0x200B, 0x200F),
        (0x2028, 0x202E),
        (0x2060, 0x206F),
        (0x2800, 0x2800),
        (0x3164, 0x3164),
        (0xFDD0, 0xFDEF),
        (0xFE00, 0xFE0F),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF0, 0xFFFC),
        (0xFFFE, 0xFFFF),
        (0xE0000, 0xE0FFF),
        (0x10FFFE, 0x10FFFF),
    ];
    !ranges.iter().any(|(from, to)| (*from..=*to).contains(&code))
}

/// A run of 16 link symbols behind `dp1f` or `dp1v`, in either case.
fn holds_link(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let starts = lower.match_indices("dp1f").chain(lower.match_indices("dp1v"));
    starts.into_iter().any(|(at, _)| {
        let rest = lower[at + 4..].bytes();
        rest.take_while(|byte| byte.is_ascii_lowercase() || (b'2'..=b'7').contains(byte))
            .count()
            >= 16
    })
}

#[test]
fn every_hostile_text_is_shown_as_quoted_data() {
    for entry in hostile() {
        let tag = Tag::fresh().unwrap();
        let cleaned = text(&entry.text);
        assert!(cleaned.text.chars().all(is_seen), "{}", entry.name);
        assert!(!holds_link(&cleaned.text), "{}", entry.name);
        assert!(cleaned.text.len() <= entry.text.len() + 100, "{}", entry.name);
        let block = tag.quote("Message 1", &cleaned.text, cleaned.remark().as_deref());
        let end = format!("--- end {} ---", tag.as_str());
        let begin = format!("--- begin {} ---", tag.as_str());
        let lines: Vec<&str> = block.lines().collect();
        assert_eq!(lines[1], begin, "{}", entry.name);
        assert_eq!(
            lines
                .iter()
                .filter(|line| **line == begin || **line == end)
                .count(),
            2,
            "{}",
            entry.name
        );
        assert_eq!(lines.last(), Some(&end.as_str()), "{}", entry.name);
        // Structured content: a string of JSON, and nothing beside it.
        let json = serde_json::json!({ "untrusted": true, "text": cleaned.text }).to_string();
        assert!(!json.contains('\n'), "{}", entry.name);
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back.as_object().unwrap().len(), 2, "{}", entry.name);
    }
}

#[test]
fn every_hostile_text_is_a_harmless_name_and_title() {
    for entry in hostile() {
        let (name, title) = (name(&entry.text), title(&entry.text));
        for (shown, most) in [(&name, 64 + " [a participant's own name]".len()), (&title, 200)] {
            assert!(shown.chars().count() <= most, "{}: {shown}", entry.name);
            assert!(
                !shown.is_empty() && !shown.contains('\n') && shown.chars().all(is_seen),
                "{}",
                entry.name
            );
            assert!(!holds_link(shown), "{}", entry.name);
        }
        let claims = entry.name.starts_with("name: ") && !matches!(name.as_str(), "unnamed");
        if claims {
            assert!(
                name.ends_with(" [a participant's own name]"),
                "{}: {name}",
                entry.name
            );
        }
    }
}

#[test]
fn every_hostile_text_is_paged_without_loss() {
    for entry in hostile() {
        let whole = text(&entry.text).text;
        let (mut offset, mut seen, mut pages) = (0, String::new(), 0);
        loop {
            let entries = [Entry {
                text: &whole,
                overhead: 300,
            }];
            let page = page(
                &entries,
                offset,
                Budget {
                    entries: 50,
                    bytes: 24_000,
                },
            );
            let part = &whole[page.shown[0].range.clone()];
            assert!(
                serde_json::to_string(part).unwrap().len() <= 24_000,
                "{}",
                entry.name
            );
            seen.push_str(part);
            pages += 1;
            assert!(pages < 100, "{}", entry.name);
            match page.next_offset {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(seen, whole, "{}", entry.name);
    }
}
