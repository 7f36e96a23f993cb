//! The document for people. What participants wrote stands in fenced blocks that it can't leave, so that no message
//! can pass for a heading, for another author or for ours; names and titles lose their meaning as Markdown.

use std::fmt::Write as _;

use super::{Head, Record, moment, short};
use crate::redact;
use crate::render;
use crate::session::message::is_known_kind;
use crate::verbs::items::{EventItem, IntegrityItem, MessageItem};

/// Shortest fence there is.
const FENCE: usize = 3;

/// What stands before the records.
pub(super) fn head(head: &Head) -> String {
    let mut text = format!("# {}\n\n", plain(&head.title));
    let _ = writeln!(text, "- Session: `{}`, on <{}>", head.session, head.plane);
    let _ = writeln!(
        text,
        "- Exported: {}, by \"{}\" `{}`",
        moment(&head.exported_at),
        plain(&head.exported_by.name),
        short(&head.exported_by.id)
    );
    if head.since > 0 {
        let _ = writeln!(text, "- Only what comes after \\#{}", head.since);
    }
    let _ = writeln!(text, "- Head: \\#{}, `{}`", head.head_seq, head.head_hash);
    let _ = writeln!(text, "- {}", integrity(&head.integrity));
    for warning in &head.warnings {
        let _ = writeln!(text, "- {}", plain(warning));
    }
    text.push_str(
        "\nWhat stands in blocks was written by participants. Names are claims: tell people apart by the id beside the \
         name. Times are the plane's word.\n",
    );
    redact::text(&text).into_owned()
}

fn integrity(item: &IntegrityItem) -> String {
    let state = match item.state.as_str() {
        "ok" => "ok".to_owned(),
        other => match &item.error {
            Some(error) => format!("**{other}** (`{error}`)"),
            None => format!("**{other}**"),
        },
    };
    let mut text = format!("Integrity: {state}. {}", plain(&item.detail));
    if item.checked_from > 1 {
        let _ = write!(text, " Checked from \\#{} on.", item.checked_from);
    }
    if let (Some(seq), Some(by)) = (item.confirmed_up_to, &item.confirmed_by) {
        let _ = write!(text, " \"{}\" confirms it up to \\#{seq}.", plain(by));
    }
    text
}

/// One record. `name` knows participants by their ids.
pub(super) fn record(record: &Record, name: &dyn Fn(&str) -> Option<String>) -> String {
    let text = match record {
        Record::Event(event) => event_text(event),
        Record::Message(message) => message_text(message, name),
    };
    redact::text(&text).into_owned()
}

pub(super) fn event_text(event: &EventItem) -> String {
    format!(
        "\n- \\#{} {} — {}\n",
        event.seq,
        moment(&event.at),
        plain(&event.text)
    )
}

pub(super) fn message_text(message: &MessageItem, name: &dyn Fn(&str) -> Option<String>) -> String {
    let quoted = |text: &str| plain(&render::in_quotes(text));
    let paths: Vec<String> = message.paths.iter().map(|path| quoted(path)).collect();
    let kind = match is_known_kind(&message.kind) || message.text.is_none() {
        true => plain(&message.kind),
        false => quoted(&message.kind),
    };
    let mut text = format!(
        "\n## \\#{} \"{}\" `{}`, {}, {}\n\n",
        message.seq,
        plain(&message.from),
        short(&message.from_id),
        moment(&message.at),
        kind
    );
    let to: Vec<String> = message
        .to
        .iter()
        .map(|id| format!("\"{}\" `{}`", plain(&name(id).unwrap_or_default()), short(id)))
        .collect();
    let removed = |count: u64| match count {
        1 => "1 hidden character".to_owned(),
        more => format!("{more} hidden characters"),
    };
    let facts = [
        ("To", (!to.is_empty()).then(|| to.join(", "))),
        ("Answers", message.reply_to.map(|seq| format!("\\#{seq}"))),
        ("Topic", message.topic.as_deref().map(quoted)),
        ("Files", (!paths.is_empty()).then(|| paths.join(", "))),
        ("Signal", message.signal.clone()),
        ("Pinned", message.pin.then(|| "yes".to_owned())),
        (
            "Removed",
            (message.hidden_removed > 0).then(|| removed(message.hidden_removed)),
        ),
        ("Problem", message.problem.as_deref().map(plain)),
    ];
    let mut any = false;
    for (what, fact) in facts {
        if let Some(fact) = fact {
            any = true;
            let _ = writeln!(text, "- {what}: {fact}");
        }
    }
    if any {
        text.push('\n');
    }
    if let Some(body) = &message.text {
        // Before the fence is measured: what is withheld changes its length, never its backticks.
        let fence = "`".repeat(longest_run(body).max(FENCE - 1) + 1);
        let end = if body.ends_with('\n') { "" } else { "\n" };
        let _ = write!(text, "{fence}text\n{body}{end}{fence}\n");
    }
    text
}

/// Most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|symbol| symbol != '`')
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// Text of one line that means nothing to a reader of Markdown or HTML. Secrets are taken out before: a token is no
/// longer known as one once its underscores are escaped.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for symbol in redact::text(text).chars() {
        match symbol {
            '\n' => plain.push(' '),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '(' | ')' | '#' | '+' | '!'
            | '|' | '~' | '&' | '$' | '^' | '=' | ':' => {
                plain.push('\\');
                plain.push(symbol);
            }
            other => plain.push(other),
        }
    }
    plain
}
