//! `watch`, `listen` and `hook`.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use super::Setting;
use crate::cli::arguments::{Hook, HookEvent, Listen, Watch};
use crate::cli::interrupted;
use crate::cli::output::{self, Form, Output};
use crate::cli::show::{Show, Unwritten};
use crate::verbs::hook::{self, Event, HookAnswer};
use crate::verbs::{self, Answer, App, Failure, ListenArgs, Sights, WatchArgs, Watcher, code};

/// `listen`: the time was up.
const TIME_UP: u8 = 2;
/// `listen`: there is nothing to listen for.
const NOT_NOW: u8 = 3;

/// What a hook may take, its host waiting: then nothing is told.
const HOOK_TIME: Duration = Duration::from_millis(900);
/// More than any host writes to a hook, prompts included.
const HOOK_INPUT: u64 = 16 << 20;

/// Writes what is seen as it comes.
struct Lines(Output);

impl Watcher for Lines {
    fn see(&mut self, sights: Sights) -> Result<bool, Failure> {
        let Self(output) = self;
        let written = match output.form() {
            Form::Json => sights
                .seen
                .iter()
                .try_fold(true, |read, sight| Ok(read && output.json(sight)?)),
            Form::Person => output.text(&sights.show()),
            Form::Quoted => output.text(&sights.text()),
        };
        written.map_err(|error| Unwritten::Unread.because_of(&error))
    }
}

pub(super) async fn watch(setting: Setting<'_>, watch: Watch) -> Result<u8, Failure> {
    let arguments = WatchArgs {
        last: watch.last,
        session: setting.common.session.clone(),
    };
    let mut lines = Lines(setting.output);
    let watching = verbs::watch::run(setting.app, arguments, setting.host, &mut lines);
    match interrupted::or_unheard(setting.host.token(), watching).await {
        // Whoever ends it had enough: that is no failure.
        Err(failure) if failure.code() == code::CANCELLED => Ok(0),
        result => result.map(|()| 0),
    }
}

pub(super) async fn listen(setting: Setting<'_>, listen: Listen) -> Result<u8, Failure> {
    let arguments = ListenArgs {
        timeout_s: listen.timeout,
        session: setting.common.session.clone(),
    };
    let listening = verbs::listen::run(setting.app, arguments, setting.host);
    let answer = interrupted::or_unheard(setting.host.token(), listening).await?;
    output::clear_status();
    setting
        .output
        .json(&answer)
        .map_err(|error| Unwritten::Unread.because_of(&error))?;
    Ok(match answer.woke_by.as_str() {
        "messages" => 0,
        "timed_out" => TIME_UP,
        _ => NOT_NOW,
    })
}

/// Answers a host. Nothing that goes wrong here is the host's trouble: the exit code is 0, and a line says it.
pub(super) async fn hook(hook: &Hook) -> u8 {
    let event = match hook.event {
        HookEvent::SessionStart => Event::SessionStart,
        HookEvent::UserPromptSubmit => Event::UserPromptSubmit,
        HookEvent::Stop => Event::Stop,
        HookEvent::StopFailure => Event::StopFailure,
        HookEvent::SessionEnd => Event::SessionEnd,
    };
    let answered = tokio::time::timeout(HOOK_TIME, answer(event)).await;
    let answered = answered.unwrap_or_else(|_| {
        Err(Failure::new(
            code::LOCAL_FILE,
            "It took too long to look, so nothing was told.",
        ))
    });
    let written = match answered {
        Ok(Some(answer)) => Output::new(true).json(&answer).map(drop),
        Ok(None) => Ok(()),
        Err(failure) => {
            output::say(&format!("devpilot-session hook: {}", failure.message()));
            Ok(())
        }
    };
    if let Err(error) = written {
        output::say(&format!(
            "devpilot-session hook: it could not be written ({error})."
        ));
    }
    0
}

async fn answer(event: Event) -> Result<Option<HookAnswer>, Failure> {
    let input = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        let mut stdin = io::stdin().lock();
        (&mut stdin).take(HOOK_INPUT).read_to_end(&mut bytes)?;
        // To its end, so that a host that goes on writing is not cut off.
        let rest = io::copy(&mut stdin, &mut io::sink())?;
        Ok::<_, io::Error>((bytes, rest))
    });
    let Ok(Ok((input, rest))) = input.await else {
        return Err(Failure::new(code::LOCAL_FILE, "Standard input can't be read."));
    };
    if rest > 0 {
        let most = HOOK_INPUT >> 20;
        return Err(Failure::new(
            code::BAD_ARGUMENT,
            format!(
                "The host wrote more than {most} MiB at once, which is not read; nothing was told or kept of it."
            ),
        ));
    }
    let app = Arc::new(App::from_environment()?);
    hook::run(app, event, &input).await
}
