//! A person decides at the terminal who stays: one question for each participant, nothing by default.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wire::ids::ParticipantId;

use crate::render;
use crate::terminal::{Terminal, TerminalError};
use crate::verbs::rekey::{Before, RekeyParticipant};
use crate::verbs::{Choice, Failure, Host, RekeyList, code, moment};

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
        None => ask_for_history(terminal, &list.before)?,
    };
    Ok((decided.choices, history))
}

/// Puts one question until it is answered, and says what is taken after an answer that is none.
fn until_answered<T, R: std::io::Read, W: std::io::Write>(
    terminal: &mut Terminal<R, W>,
    question: &str,
    taken: &str,
    meaning: impl Fn(&str) -> Option<T>,
) -> Result<T, Undecided> {
    let mut question = question.to_owned();
    loop {
        let typed = terminal.answer(&question)?.ok_or(Undecided::NoAnswer)?;
        if let Some(answer) = meaning(&typed.to_ascii_lowercase()) {
            return Ok(answer);
        }
        question = format!("  {taken} ");
    }
}

fn ask_for<R: std::io::Read, W: std::io::Write>(
    terminal: &mut Terminal<R, W>,
    one: &RekeyParticipant,
) -> Result<Choice, Undecided> {
    let who = format!("\"{}\" {}", one.name, one.short_id);
    if one.capability == "full" {
        return until_answered(
            terminal,
            &format!("{who}: k keep, r may only read, d drop? "),
            "Type k to keep, r for may only read, d to drop:",
            |typed| match typed {
                "keep" | "k" => Some(Choice::Keep),
                "read" | "r" => Some(Choice::ReadOnly),
                "drop" | "d" => Some(Choice::Drop),
                _ => None,
            },
        );
    }
    until_answered(
        terminal,
        &format!("{who}, who may only read: k keep, d drop? "),
        "Type k to keep (may only read), d to drop:",
        |typed| match typed {
            "keep" | "k" => Some(Choice::Keep),
            "drop" | "d" => Some(Choice::Drop),
            _ => None,
        },
    )
}

fn ask_for_history<R: std::io::Read, W: std::io::Write>(
    terminal: &mut Terminal<R, W>,
    before: &Before,
) -> Result<bool, Undecided> {
    let all = match before.closed_by() {
        None => "the whole transcript".to_owned(),
        Some(rekey) => format!("what came since {rekey}; what was before stays closed"),
    };
    until_answered(
        terminal,
        &format!("Open to the new link: all ({all}), or after (only what comes after)? [all] "),
        "Type all, or after; nothing is all:",
        |typed| match typed {
            // `--history` calls it keep and close.
            "" | "all" | "a" | "keep" => Some(true),
            "after" | "close" => Some(false),
            _ => None,
        },
    )
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
    if list.forgot_earlier {
        text.push_str(
            "\nAn earlier re-key from this machine, whose answer was lost, did not take effect and was forgotten. Decide anew.\n",
        );
    }
    text.push_str(
        "\nA re-key: you say who stays and what the new link opens, and are then asked for a word. Ctrl-C, or anything but \
         that word, changes nothing.\n",
    );
    let _ = writeln!(text, "\nIn \"{}\", epoch {}:", list.title, list.epoch);
    // Whose reading it is counted by: the owner's seat may be the person's own.
    let own = |one: &&RekeyParticipant| one.me && one.kind.as_deref() == Some("human");
    let new = match list.participants.iter().any(|one| own(&one)) {
        true => ", NEW since you last read",
        false => ", NEW since your agent last read",
    };
    for one in &list.participants {
        let kind = one.kind.as_deref().unwrap_or("not named by the plane");
        let _ = write!(text, "\n  \"{}\" {} ({kind}", one.name, one.short_id);
        let remarks = [
            (one.me, ", you"),
            (one.capability == "view", ", may only read"),
            (one.left_at.is_some(), ", has left"),
            (one.new, new),
        ];
        for (_, remark) in remarks.iter().filter(|(is, _)| *is) {
            text.push_str(remark);
        }
        text.push_str(")\n");
        let joined = one.joined_at.as_deref().map_or("unknown".to_owned(), moment);
        let posted = match (&one.last_post_at, one.last_post_seq) {
            (Some(at), Some(seq)) => format!("{} (#{seq})", moment(at)),
            _ => "never".to_owned(),
        };
        let seen = one.last_seen_at.as_deref().map_or("unknown".to_owned(), moment);
        let _ = writeln!(text, "    joined {joined}, last post {posted}, last seen {seen}");
        if let Some(why_not) = &one.why_not {
            let _ = writeln!(text, "    can't be kept: {why_not}");
        }
    }
    match list.out_earlier {
        0 => {}
        1 => text.push_str("\n  1 is out since an earlier re-key.\n"),
        some => {
            let _ = writeln!(text, "\n  {some} are out since earlier re-keys.");
        }
    }
    text.push('\n');
    text
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

    fn list() -> RekeyList {
        let one = |digit: &str, name: &str, capability: &str, me: bool| RekeyParticipant {
            name: name.to_owned(),
            short_id: digit.repeat(8),
            id: format!("{}-1111-4111-8111-111111111111", digit.repeat(8)),
            me,
            kind: Some("agent".to_owned()),
            capability: capability.to_owned(),
            can_be_kept: true,
            why_not: None,
            joined_at: Some("2026-11-29T14:02:31.123Z".to_owned()),
            last_post_seq: None,
            last_post_at: None,
            last_seen_at: None,
            left_at: None,
            new: name == "Ben",
        };
        RekeyList {
            session: "00112233-4455-4677-8899-aabbccddeeff".to_owned(),
            title: "Stale cache".to_owned(),
            epoch: 2,
            participants: vec![
                one("1", "Ada", "full", true),
                one("2", "Ben", "full", false),
                one("3", "Cy", "view", false),
            ],
            out_earlier: 2,
            before: Before {
                epoch: 2,
                seq: Some(7),
                at: None,
            },
            auto: false,
            finished_earlier: false,
            forgot_earlier: false,
        }
    }

    /// What the terminal showed, and what was decided.
    fn asked(typed: &str) -> (String, Option<(Vec<Choice>, bool)>) {
        let mut screen = Vec::new();
        let mut terminal = Terminal::over(typed.as_bytes(), &mut screen);
        let decided = Decided {
            choices: BTreeMap::new(),
            history: None,
            why: None,
        };
        let answered = decide(&mut terminal, &list(), decided).ok();
        drop(terminal);
        let answered = answered.map(|(choices, history)| (choices.into_values().collect(), history));
        (String::from_utf8(screen).unwrap(), answered)
    }

    #[test]
    fn a_wrong_answer_is_told_what_is_taken_and_costs_no_earlier_one() {
        let (screen, answered) = asked("r\n\nx\nread\nyes\nno\nk\nwhat\nafter\n");
        assert_eq!(answered, Some((vec![Choice::ReadOnly, Choice::Keep], false)));
        let said = "Type k to keep (may only read), d to drop:";
        assert_eq!(screen.matches(said).count(), 5, "{screen}");
        assert_eq!(screen.matches("Type all, or after").count(), 1, "{screen}");
    }

    #[test]
    fn the_list_says_first_what_follows_and_how_to_leave() {
        let (screen, answered) = asked("k\nd\n\n");
        assert_eq!(answered, Some((vec![Choice::Keep, Choice::Drop], true)));
        for said in [
            "Ctrl-C, or anything but that word, changes nothing",
            "\"Ada\" 11111111 (agent, you)",
            "\"Ben\" 22222222 (agent, NEW since your agent last read)",
            "joined 2026-11-29 14:02Z, last post never",
            "\"Cy\" 33333333, who may only read: k keep, d drop? ",
            "2 are out since earlier re-keys",
            "all (what came since the re-key (epoch 2, #7); what was before stays closed)",
        ] {
            assert!(screen.contains(said), "{said}: {screen}");
        }
        assert!(screen.find("Ctrl-C") < screen.find("Ada"));
    }

    #[test]
    fn a_person_without_an_agent_is_told_of_their_own_reading() {
        let mut list = list();
        list.participants[0].kind = Some("human".to_owned());
        let screen = shown(&list, None);
        assert!(
            screen.contains("\"Ben\" 22222222 (agent, NEW since you last read)"),
            "{screen}"
        );
    }

    #[test]
    fn history_takes_the_words_of_its_option_too() {
        for (typed, open) in [("all", true), ("keep", true), ("after", false), ("close", false)] {
            let (screen, answered) = asked(&format!("k\nk\n{typed}\n"));
            assert_eq!(
                answered.map(|(_, history)| history),
                Some(open),
                "{typed}: {screen}"
            );
        }
    }

    #[test]
    fn where_nothing_more_can_be_typed_nothing_is_decided() {
        for typed in ["", "k\n", "k\nd\n", "x\nx\nx\n"] {
            assert_eq!(asked(typed).1, None, "{typed:?}");
        }
    }
}
