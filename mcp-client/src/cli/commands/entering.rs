//! `share`, `join` and `link`.

use wire::event::Kind;

use super::Setting;
use crate::cli::arguments::{Join, Link, Share, Source};
use crate::cli::output::{self, Form};
use crate::cli::{confirm, input};
use crate::verbs::{self, Acting, App, Ask, Failure, Host, JoinArgs, LinkSource, ShareArgs, code};

pub(super) async fn share(setting: Setting<'_>, share: Share) -> Result<u8, Failure> {
    if setting.common.session.is_some() || setting.common.seat.is_some() {
        let acting = Acting {
            session: setting.common.session,
            seat: setting.common.seat,
            ..Acting::default()
        };
        return Err(Failure::new(
            code::BAD_ARGUMENT,
            "`share` makes a new session with a participant of its own. To make the note of one you have again:",
        )
        .with_command(format!("link{}", acting.options())));
    }
    setting.hand_for_secrets().await?;
    let context = input::text("what the others need to know").await?;
    let arguments = ShareArgs {
        title: Some(share.title),
        context: Some(context),
        with: share.with,
        paths: share.paths,
        view_only: share.view_only,
        ..ShareArgs::default()
    };
    let answer = verbs::share::run(setting.app, arguments, setting.host).await?;
    let as_whom = as_whom(&setting, None);
    let code = setting.deliver(answer).await?;
    as_whom.inspect(|line| output::say(line));
    Ok(code)
}

/// A person whose command has a pipe at one end may not know that they came in as an agent. Who joined would be in twice once
/// they came in as themselves; whoever shared owns the session by that participant, which must not be taken out.
fn as_whom(setting: &Setting<'_>, joined: Option<(&str, &str)>) -> Option<String> {
    if setting.output.form() != Form::Person {
        return None;
    }
    Some(match (setting.host.kind(), joined) {
        (Kind::Human, _) => "You are in it as a person.".to_owned(),
        (Kind::Agent, None) => {
            "You are in it as an agent: say `--as human` when you share or join to be there as a person."
                .to_owned()
        }
        (Kind::Agent, Some((session, me))) => format!(
            "You are in it as an agent. To be there as a person, join once more with `--as human`; this takes the agent out:\n  {}",
            setting.app.command(&format!(
                "leave --session {} --as agent --seat {}",
                verbs::short(&session),
                verbs::short(&me)
            ))
        ),
    })
}

pub(super) async fn join(setting: Setting<'_>, join: Join) -> Result<u8, Failure> {
    let link = match join.from {
        Some(_) => Some(input::text("or paste the note").await?),
        None => None,
    };
    let arguments = JoinArgs {
        link,
        source: join.source.map(|source| match source {
            Source::Clipboard => LinkSource::Clipboard,
            Source::Environment => LinkSource::Environment,
        }),
        name: join.name,
    };
    let answer = verbs::join::run(setting.app, arguments, setting.host).await?;
    let as_whom = as_whom(
        &setting,
        Some((answer.answer.session.as_str(), answer.answer.my_id.as_str())),
    );
    let code = setting.deliver(answer).await?;
    as_whom.inspect(|line| output::say(line));
    Ok(code)
}

/// The link leaves the seat's file, so a person confirms it by hand, even where an agent may call `share`.
pub(super) async fn link(setting: Setting<'_>, link: Link) -> Result<u8, Failure> {
    let named = setting.common.session.as_deref();
    let (session, title) = verbs::share::to_hand_on(setting.app, named, setting.host).await?;
    let question = format!(
        "Make the note with the link to \"{title}\" again, on the clipboard and in a file of this machine?"
    );
    match confirm::by_word(&question, "link", setting.host.cancelled()).await {
        Ask::Yes => {}
        Ask::CannotAsk => {
            let view = if link.view { " --view" } else { "" };
            let command = format!("link{view} --session {}", verbs::short(&session));
            return Err(App::no_terminal(&command));
        }
        _ => {
            return Err(Failure::new(
                code::DECLINED,
                "It was not confirmed. Nothing was made.",
            ));
        }
    }
    let arguments = ShareArgs {
        session: Some(session),
        view_only: link.view,
        ..ShareArgs::default()
    };
    let answer = verbs::share::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}
