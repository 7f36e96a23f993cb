//! A person decides at the terminal who stays: one question for each participant, nothing by default.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wire::ids::ParticipantId;

use crate::render;
use crate::terminal::{Terminal, TerminalError};
use crate::verbs::rekey::RekeyParticipant;
use crate::verbs::{Choice, Failure, Host, RekeyList, code};

/// How often one question is put.
const TRIES: u32 = 3;

/// What is decided so far.
pub(super) struct Decided {
    /// By participant.
    pub(super) choices: BTreeMap<ParticipantId, Choice>,
    /// Whether the new link opens what came before.
    pub(super) history: Option<bool>,
    /// Why the list is shown again.
    pub(super) why: Option<String>,
}

type Answered = (Terminal, BTreeMap<ParticipantId, Choice>, Option<bool>);

/// Shows the list and asks for what is not decided. There is no time limit: somebody is sitting there.
pub(super) async fn at_terminal(
    mut terminal: Terminal,
    list: &RekeyList,
    decided: Decided,
    host: &dyn Host,
) -> Result<Answered, Failure> {
    let list = list.clone();
    let asking = tokio::task::spawn_blocking(move || {
        let answered = decide(&mut terminal, &list, decided)?;
        Ok::<_, Undecided>((terminal, answered.0, Some(answered.1)))
    });
    let answered = tokio::select! {
        answered = asking => answered,
        () = host.cancelled().cancelled() => return Err(Failure::new(code::CANCELLED, "Nothing was changed.")),
    };
    match answered {
        Ok(Ok(answered)) => Ok(answered),
        Ok(Err(Undecided::NoAnswer)) => Err(Failure::new(
            code::EMPTY,
            "It was not said what becomes of everybody. Nothing was changed.",
        )),
        Ok(Err(Undecided::Terminal(error))) => Err(Failure::new(
            code::CANNOT_ASK,
            format!("{error} Nothing was changed."),
        )),
        Err(_) => Err(Failure::new(
            code::INTERNAL,
            "The question could not be put. Nothing was changed.",
        )),
    }
}

/// Nothing was decided.
enum Undecided {
    NoAnswer,
    Terminal(TerminalError),
}

impl From<TerminalError> for Undecided {
    fn from(error: TerminalError) -> Self {
        Self::Terminal(error)
    }
}

fn decide<R: std::io::Read, W: std::io::Write>(
    terminal: &mut Terminal<R, W>,
    list: &RekeyList,
    mut decided: Decided,
) -> Result<(BTreeMap<ParticipantId, Choice>, bool), Undecided> {
    terminal.write(&render::text(&shown(list, decided.why.as_deref())).text)?;
    for one in list.participants.iter().filter(|one| one.can_be_kept && !one.me) {
        let Ok(id) = one.id.parse::<ParticipantId>() else {
            continue;
        };
        if let std::collections::btree_map::Entry::Vacant(open) = decided.choices.entry(id) {
            open.insert(ask_for(terminal, one)?);
        }
    }
    let history = match decided.history {
        Some(history) => history,
        None => ask_for_history(terminal)?,
    };
    Ok((decided.choices, history))
}

fn ask_for<R: std::io::Read, W: std::io::Write>(
    terminal: &mut Terminal<R, W>,
    one: &RekeyParticipant,
) -> Result<Choice, Undecided> {
    let may_write = one.capability == "full";
    let ways = if may_write {
        "keep, read (keep, reading only) or drop"
    } else {
        "keep (reads only) or drop"
    };
    let question = format!("\"{}\" #{}: {ways}? ", one.name, one.short_id);
    for _ in 0..TRIES {
        match terminal.ask(&question)?.as_str() {
            "keep" | "k" => return Ok(Choice::Keep),
            "read" | "r" => return Ok(Choice::ReadOnly),
            "drop" | "d" => return Ok(Choice::Drop),
            _ => {}
        }
    }
    Err(Undecided::NoAnswer)
}

fn ask_for_history<R: std::io::Read, W: std::io::Write>(
    terminal: &mut Terminal<R, W>,
) -> Result<bool, Undecided> {
    for _ in 0..TRIES {
        let question = "Should the new link open what came before: keep or close? [keep] ";
        match terminal.ask(question)?.as_str() {
            "" | "keep" | "k" => return Ok(true),
            "close" | "c" => return Ok(false),
            _ => {}
        }
    }
    Err(Undecided::NoAnswer)
}

/// The list, one participant a paragraph.
fn shown(list: &RekeyList, why: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(why) = why {
        let _ = writeln!(text, "\n{why}");
    }
    if list.finished_earlier {
        text.push_str("\nAn earlier re-key from this machine, whose answer was lost, is in force. This is another one.\n");
    }
    let _ = writeln!(text, "\nIn \"{}\", epoch {}:", list.title, list.epoch);
    for one in &list.participants {
        let kind = one.kind.as_deref().unwrap_or("not named by the plane");
        let _ = write!(text, "\n  \"{}\" #{} ({kind}", one.name, one.short_id);
        let remarks = [
            (one.me, ", you"),
            (one.capability == "view", ", reads only"),
            (one.left_at.is_some(), ", has left"),
            (one.new, ", NEW: you have not seen it come in"),
        ];
        for (_, remark) in remarks.iter().filter(|(is, _)| *is) {
            text.push_str(remark);
        }
        text.push_str(")\n");
        let joined = one.joined_at.as_deref().map_or("unknown", minute);
        let posted = match (&one.last_post_at, one.last_post_seq) {
            (Some(at), Some(seq)) => format!("{} (#{seq})", minute(at)),
            _ => "never".to_owned(),
        };
        let seen = one.last_seen_at.as_deref().map_or("unknown", minute);
        let _ = writeln!(text, "    joined {joined}, last post {posted}, last seen {seen}");
        if let Some(why_not) = &one.why_not {
            let _ = writeln!(text, "    can't be kept: {why_not}");
        }
    }
    text.push('\n');
    text
}

/// A moment to the minute.
fn minute(at: &str) -> &str {
    at.get(..16).unwrap_or(at)
}
