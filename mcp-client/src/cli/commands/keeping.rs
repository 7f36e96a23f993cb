//! `rekey` and `end`. Nothing is read or sent before there is a terminal to ask at.

use std::collections::BTreeMap;

use wire::ids::ParticipantId;

use super::{Setting, again};
use crate::cli::arguments::{End, HistoryArgument, Rekey};
use crate::cli::decide::{self, Decided};
use crate::terminal::Terminal;
use crate::verbs::rekey::admin;
use crate::verbs::{self, App, Choice, EndArgs, Failure, RekeyArgs, RekeyList, code};

/// How often the list is shown again because somebody came in.
const LISTS: u32 = 4;

pub(super) async fn rekey(setting: Setting<'_>, arguments: Rekey) -> Result<u8, Failure> {
    let mut terminal = terminal(&setting, arguments.admin.is_none())?;
    if let Some(session) = &arguments.admin {
        return by_admin(setting, session, terminal).await;
    }
    let mut choices: BTreeMap<ParticipantId, Choice> = BTreeMap::new();
    let mut history = arguments.history.map(|told| told == HistoryArgument::Keep);
    let (mut why, mut closed) = (None, String::new());
    for _ in 0..LISTS {
        let list = verbs::rekey::look(setting.app, setting.common.session.as_deref(), setting.host).await?;
        closed = format!("door closed --session {}", verbs::short(&list.session));
        if choices.is_empty() {
            choices = told(&arguments, &list)?;
        }
        let decided = Decided {
            choices,
            history,
            why: why.take(),
        };
        (terminal, choices, history) = decide::at_terminal(terminal, &list, decided, setting.host).await?;
        let arguments = RekeyArgs {
            list,
            choices: choices.clone(),
            history: history.unwrap_or(true),
        };
        match verbs::rekey::run(setting.app, arguments, setting.host).await {
            Err(changed) if changed.code() == code::LIST_CHANGED => why = Some(changed.message().to_owned()),
            result => return setting.deliver(result?).await,
        }
    }
    Err(Failure::new(
        code::LIST_CHANGED,
        "People keep coming in, so nothing was done. Close the door first, then re-key.",
    )
    .with_command(closed))
}

/// The choices made by arguments.
fn told(arguments: &Rekey, list: &RekeyList) -> Result<BTreeMap<ParticipantId, Choice>, Failure> {
    let mut choices = BTreeMap::new();
    for (named, choice) in [
        (&arguments.keep, Choice::Keep),
        (&arguments.read_only, Choice::ReadOnly),
        (&arguments.drop, Choice::Drop),
    ] {
        for named in named {
            let one = list.find(named)?;
            let problem = if one.me && choice != Choice::Keep {
                "is your own seat, which stays"
            } else if !one.can_be_kept && choice != Choice::Drop {
                "can't be kept: there is no valid profile of this epoch to seal the new secret to"
            } else {
                let id = one.id.parse().ok();
                match id.and_then(|id| choices.insert(id, choice)) {
                    Some(other) if other != choice => "is named in two lists",
                    _ => continue,
                }
            };
            return Err(Failure::new(
                code::BAD_ARGUMENT,
                format!(
                    "\"{}\" {} {problem}. Nothing was changed.",
                    one.name, one.short_id
                ),
            ));
        }
    }
    Ok(choices)
}

/// The new link is for a person's eyes: it goes to the controlling terminal and nowhere else.
async fn by_admin(setting: Setting<'_>, session: &str, mut terminal: Terminal) -> Result<u8, Failure> {
    let rekeyed = admin::run(setting.app, session, setting.host).await?;
    let shown = format!(
        "\nThe new link, shown this once. Send it as you would send a password:\n\n{}\n\n",
        &*rekeyed.link()
    );
    let shown = zeroize::Zeroizing::new(shown);
    terminal.write(&shown).map_err(|error| {
        Failure::new(
            code::LOCAL_FILE,
            format!(
                "{error} The re-key is in force and its link is kept: run the same command again to see it."
            ),
        )
    })?;
    setting.deliver(rekeyed.shown()?).await
}

pub(super) async fn end(setting: Setting<'_>, end: End) -> Result<u8, Failure> {
    drop(terminal(&setting, true)?);
    let arguments = EndArgs {
        session: setting.common.session.clone(),
        purge: end.purge,
    };
    let answer = verbs::end::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}

/// Without one the refusal names this very command, with the session that is meant here.
fn terminal(setting: &Setting<'_>, means_one: bool) -> Result<Terminal, Failure> {
    match Terminal::open() {
        Ok(terminal) => Ok(terminal),
        Err(_) => {
            let mut command = again::arguments();
            if means_one && setting.common.session.is_none() {
                let session = setting.app.meant(setting.host)?;
                command.push_str(&format!(" --session {}", verbs::short(&session)));
            }
            Err(App::no_terminal(&command))
        }
    }
}
