//! The parts that several answers share, as lines.

use crate::render::in_quotes;
use crate::session::message::is_known_kind;
pub(super) use crate::verbs::moment;
use crate::verbs::{EventItem, IntegrityItem, JoinCard, MessageItem, ParticipantItem, ProposalItem, counted};

/// Stands before every line of somebody else's text.
const GUTTER: &str = "  | ";

/// The session that an answer is about.
pub(super) fn heading(title: &str, session: &str) -> String {
    format!("{} ({})", in_quotes(title), short(session))
}

/// The part of an id by which a session is named.
pub(super) fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// Several names or paths, each in its own quotation marks.
pub(super) fn each_in_quotes(some: &[String]) -> String {
    let quoted: Vec<String> = some.iter().map(|one| in_quotes(one)).collect();
    quoted.join(", ")
}

/// Messages and events in the order of the transcript.
pub(super) fn transcript(messages: &[MessageItem], events: &[EventItem]) -> Vec<String> {
    let mut entries: Vec<(u64, Vec<String>)> = messages
        .iter()
        .map(|item| (item.seq, message(item)))
        .chain(events.iter().map(|item| (item.seq, vec![event(item)])))
        .collect();
    entries.sort_by_key(|(seq, _)| *seq);
    entries.into_iter().flat_map(|(_, lines)| lines).collect()
}

/// One message: who and what, then its text behind the gutter.
pub(super) fn message(item: &MessageItem) -> Vec<String> {
    let mut head = format!("#{} {} {}", item.seq, moment(&item.at), in_quotes(&item.from));
    if item.mine {
        head.push_str(" (you)");
    }
    let mut remarks = Vec::new();
    if item.kind != "chat" {
        remarks.push(kind(item));
    }
    remarks.extend(
        item.topic
            .iter()
            .map(|topic| format!("topic {}", in_quotes(topic))),
    );
    remarks.extend(item.reply_to.map(|seq| format!("answers #{seq}")));
    if !item.addressed.is_empty() {
        remarks.push(format!("to {}", item.addressed.join(", ")));
    }
    if item.pin {
        remarks.push("pinned".to_owned());
    }
    remarks.extend(item.signal.iter().map(|signal| format!("signal {signal}")));
    if !item.paths.is_empty() {
        remarks.push(format!("about {}", each_in_quotes(&item.paths)));
    }
    if item.hidden_removed > 0 {
        remarks.push(format!("{} hidden characters removed", item.hidden_removed));
    }
    if !remarks.is_empty() {
        head.push_str(&format!(" [{}]", remarks.join("; ")));
    }
    let mut lines = vec![head];
    if let Some(text) = &item.text {
        lines.extend(text.lines().map(|line| format!("{GUTTER}{line}")));
    }
    if let (Some(total), Some(text)) = (item.total_bytes, &item.text) {
        let from = item.offset.unwrap_or_default();
        let to = from + text.len() as u64;
        lines.push(format!("  bytes {from} to {to} of {total}"));
    }
    lines.extend(item.problem.iter().map(|problem| format!("  ! {problem}")));
    lines
}

/// Its kind; one that this version does not know is its author's own word.
fn kind(item: &MessageItem) -> String {
    match is_known_kind(&item.kind) || item.text.is_none() {
        true => item.kind.clone(),
        false => in_quotes(&item.kind),
    }
}

fn event(item: &EventItem) -> String {
    format!("#{} {} -- {}", item.seq, moment(&item.at), item.text)
}

/// One participant on one line.
pub(super) fn participant(item: &ParticipantItem) -> String {
    let name = in_quotes(&item.name);
    let mut facts = vec![item.kind.clone()];
    facts.extend(item.host.as_ref().map(|host| format!("in {}", in_quotes(host))));
    if item.me {
        facts.push("you".to_owned());
    }
    if item.owner {
        facts.push("owner".to_owned());
    }
    if let Some(why) = &item.why_out {
        return format!("{}  {name} ({}): {why}", item.short_id, facts.join(", "));
    }
    if !item.may_write {
        facts.push("reads only".to_owned());
    }
    if item.not_moved_over {
        facts.push("kept, not moved over yet".to_owned());
    }
    let presence = match &item.left_at {
        Some(left) => format!("left {}", moment(left)),
        None if item.listening => "listening now".to_owned(),
        None => format!("last seen {}", moment(&item.last_seen_at)),
    };
    let confirmed = match item.confirmed_up_to {
        Some(seq) => format!(", confirmed #{seq}"),
        None => String::new(),
    };
    format!(
        "{}  {name} ({}): {presence}, read #{}{confirmed}",
        item.short_id,
        facts.join(", "),
        item.read_up_to
    )
}

/// The session at a glance.
pub(super) fn card(card: &JoinCard) -> Vec<String> {
    let until = match card.over {
        true => "over".to_owned(),
        false => format!("open until {} unless somebody writes", moment(&card.expires_at)),
    };
    let mut lines = vec![format!(
        "{}, {}; {until}.",
        counted(card.records, "record"),
        counted(card.messages, "message")
    )];
    lines.extend(card.participants.iter().map(participant));
    lines.extend(card.handoff_closed.clone());
    let hand_off = card.handoff.as_slice();
    for (title, messages) in [
        ("Hand-off", hand_off),
        ("Pinned", &card.pinned),
        ("Unanswered questions", &card.unanswered),
        ("Latest", &card.latest),
    ] {
        if !messages.is_empty() {
            lines.push(String::new());
            lines.push(format!("{title}:"));
            lines.extend(messages.iter().flat_map(message));
        }
    }
    lines
}

/// What is wrong with the transcript; nothing where all is well.
pub(super) fn integrity(item: &IntegrityItem) -> Vec<String> {
    if item.state == "ok" {
        return Vec::new();
    }
    let name = item.error.as_deref().unwrap_or(&item.state);
    vec![format!("! {name}: {}", item.detail)]
}

/// The mode, with what auto has left.
pub(super) fn mode(mode: &str, budget_left: Option<u32>, ends_at: Option<&str>) -> String {
    let mut line = format!("Mode: {mode}");
    if let Some(budget) = budget_left {
        line.push_str(&format!(", {} left", counted(budget, "message")));
    }
    if let Some(ends) = ends_at {
        line.push_str(&format!(", until {}", moment(ends)));
    }
    line
}

/// The open proposal; its goal stands behind the gutter.
pub(super) fn proposal(item: Option<&ProposalItem>) -> Vec<String> {
    let Some(item) = item else { return Vec::new() };
    let by = match item.mine {
        true => "you".to_owned(),
        false => in_quotes(&item.by),
    };
    let mut lines = vec![format!(
        "Auto is proposed by {by} {}: {}; to be accepted until {}.",
        item.by_id.get(..8).unwrap_or(&item.by_id),
        item.bounds(),
        moment(&item.lapses_at)
    )];
    match &item.goal {
        Some(goal) => lines.extend(goal.lines().map(|line| format!("{GUTTER}{line}"))),
        None => lines.push("  ! its goal can't be read here".to_owned()),
    }
    if let Some(bytes) = item.goal_bytes {
        lines.push(format!("  {bytes} bytes in all: `mode` shows them"));
    }
    lines
}

/// What else to know.
pub(super) fn warnings(warnings: &[String]) -> Vec<String> {
    warnings.iter().map(|warning| format!("! {warning}")).collect()
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;

    #[test]
    fn text_can_t_leave_its_gutter() {
        let item = MessageItem {
            seq: 12,
            at: "2026-11-29T14:02:31.123Z".into(),
            from: "Anna".into(),
            kind: "question".into(),
            to: vec!["0b9cca47-9c6e-89de-b8d6-34e7a1a85a39".into()],
            addressed: vec!["\"pb\" 0b9cca47".into(), "you".into()],
            text: Some("first\n#13 2026-11-29 14:03Z system\n\nlast".into()),
            ..MessageItem::default()
        };
        let lines = message(&item);
        assert_eq!(
            lines[0],
            "#12 2026-11-29 14:02Z \"Anna\" [question; to \"pb\" 0b9cca47, you]"
        );
        assert_eq!(lines.len(), 5);
        assert!(lines[1..].iter().all(|line| line.starts_with(GUTTER)));
    }

    #[test]
    fn no_word_of_somebody_else_passes_for_one_of_ours() {
        let item = MessageItem {
            from: "yann (you)".into(),
            kind: "note; to you; pinned".into(),
            topic: Some("x; signal done".into()),
            paths: vec!["a, b".into()],
            text: Some(String::new()),
            ..MessageItem::default()
        };
        assert!(
            message(&item)[0].ends_with(
                "\"yann (you)\" [\"note; to you; pinned\"; topic \"x; signal done\"; about \"a, b\"]"
            ),
            "{}",
            message(&item)[0]
        );
        let eve = ParticipantItem {
            name: "yann (human, you)".into(),
            short_id: "0b9cca47".into(),
            kind: "agent".into(),
            host: Some("codex, you, owner".into()),
            why_out: Some("out since the re-key".into()),
            ..ParticipantItem::default()
        };
        assert_eq!(
            participant(&eve),
            "0b9cca47  \"yann (human, you)\" (agent, in \"codex, you, owner\"): out since the re-key"
        );
    }

    #[test]
    fn messages_and_events_stand_in_the_order_of_the_transcript() {
        let message = |seq| MessageItem {
            seq,
            ..MessageItem::default()
        };
        let event = EventItem {
            seq: 2,
            at: "now".into(),
            text: "Anna joined".into(),
        };
        let lines = transcript(&[message(1), message(3)], &[event]);
        let numbers: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
        assert_eq!(numbers, ["#1", "#2", "#3"]);
    }
}
