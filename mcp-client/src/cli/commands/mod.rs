//! From a command to its verb, and from the verb's answer to standard output.
//!
//! - `again`: a command that refuses without a terminal, as it is run in one
//! - `door`: `door`
//! - `entering`: `share`, `join`, `link`
//! - `export`: `export`
//! - `completions`: `completions`
//! - `transcript`: `read`, `post`, `wait`
//! - `mode`: `mode`
//! - `onward`: a command that goes on where an answer ended
//! - `keeping`: `rekey`, `end`
//! - `machine`: `connect`, `doctor`
//! - `past`: `history`, `cockpit`
//! - `waking`: `watch`, `listen`, `hook`

mod again;
mod completions;
mod door;
mod entering;
mod export;
mod keeping;
mod machine;
mod mode;
mod onward;
mod past;
mod transcript;
mod waking;

use tokio_util::sync::CancellationToken;
use wire::event::Kind;

use super::arguments::{Command, CommandLine, Common, SetMode};
use super::host::{CommandHost, kind_of_caller};
use super::output::{self, Form, Output};
use super::progress;
use super::report;
use super::show::Show;
use crate::guard;
use crate::terminal::Terminal;
use crate::verbs::{self, Acting, App, Delivered, Failure, Host as _, LeaveArgs, WhoArgs, code};

/// What every command is run with.
pub(super) struct Setting<'a> {
    app: &'a App,
    host: &'a CommandHost,
    output: Output,
    common: Common,
}

/// Runs a command. Answers its exit code.
///
/// # Errors
/// What its verb gives; the answer can't be written.
pub(super) async fn execute(
    line: CommandLine,
    output: Output,
    cancelled: &CancellationToken,
) -> Result<u8, Failure> {
    obey(line, output, cancelled).await.map_err(as_a_whole)
}

/// A command that works with one more option is given as a whole, as it was typed; where it holds what is not to be repeated,
/// its verb alone.
fn as_a_whole(failure: Failure) -> Failure {
    let Some((name, value)) = failure.option() else {
        return failure;
    };
    let typed = again::with_option(name, value);
    let is_clean = guard::scan("arguments", typed.as_bytes()).is_ok_and(|found| found.is_empty());
    let command = match is_clean && !typed.contains(char::is_control) {
        true => typed,
        false => format!("{} --{name} {value}", typed.split(' ').next().unwrap_or_default()),
    };
    failure.with_command(command)
}

async fn obey(line: CommandLine, output: Output, cancelled: &CancellationToken) -> Result<u8, Failure> {
    let CommandLine { command, common } = line;
    if let Command::Hook(hook) = command {
        return Ok(waking::hook(&hook).await);
    }
    of_no_session(&command, &common)?;
    if let Command::Completions(wanted) = &command {
        return completions::completions(wanted, output);
    }
    if let Command::Doctor = command {
        return machine::doctor(output).await;
    }
    let app = App::from_environment()?.with_meter(progress::meter());
    app.keep_program();
    // Who hands a link on or comes in by one is a person only at a whole terminal; of later commands one end may be a pipe.
    let either_end = !matches!(command, Command::Share(_) | Command::Join(_) | Command::Link(_));
    let kind = match &command {
        // What a person decides here is decided for their agent.
        Command::Mode(mode)
            if common.acting_as.is_none() && mode.set.is_some_and(SetMode::is_for_the_agent) =>
        {
            Kind::Agent
        }
        // Whoever starts it, it is for an agent.
        Command::Listen(_) if common.acting_as.is_none() => Kind::Agent,
        _ => kind_of_caller(common.acting_as, either_end),
    };
    let host = CommandHost::new(
        kind,
        kind_of_caller(common.acting_as, true),
        common.seat.clone(),
        cancelled.clone(),
    )
    .allowing_secrets(allows_secrets(&command));
    let setting = Setting {
        app: &app,
        host: &host,
        output,
        common,
    };
    match command {
        Command::Share(share) => entering::share(setting, share).await,
        Command::Join(join) => entering::join(setting, join).await,
        Command::Link(link) => entering::link(setting, link).await,
        Command::Read(read) => transcript::read(setting, read).await,
        Command::Post(post) => transcript::post(setting, post).await,
        Command::Wait(wait) => transcript::wait(setting, wait).await,
        Command::Mode(mode) => mode::mode(setting, mode).await,
        Command::Rekey(rekey) => keeping::rekey(setting, rekey).await,
        Command::End(end) => keeping::end(setting, end).await,
        Command::Door(door) => door::door(setting, door).await,
        Command::Who => {
            let session = setting.common.session.clone();
            setting
                .deliver(verbs::who::run(&app, WhoArgs { session }, &host).await?)
                .await
        }
        Command::Leave => {
            let session = setting.common.session.clone();
            setting
                .deliver(verbs::leave::run(&app, LeaveArgs { session }, &host).await?)
                .await
        }
        Command::Watch(watch) => waking::watch(setting, watch).await,
        Command::Listen(listen) => waking::listen(setting, listen).await,
        Command::Connect(connect) => machine::connect(setting, connect).await,
        Command::History(history) => past::history(setting, history).await,
        Command::Cockpit(cockpit) => past::cockpit(setting, cockpit).await,
        Command::Export(export) => export::export(setting, export).await,
        // Above: they need nothing of the rest, and must not fail for want of it.
        Command::Hook(_) | Command::Completions(_) | Command::Doctor => Ok(0),
        Command::Sessions => setting.deliver(verbs::sessions::run(&app)?).await,
    }
}

/// Refuses to say nothing to an option that would choose a session for a command that is of none.
fn of_no_session(command: &Command, common: &Common) -> Result<(), Failure> {
    let name = match command {
        Command::Connect(_) => "connect",
        Command::Doctor => "doctor",
        Command::History(_) => "history",
        Command::Cockpit(_) => "cockpit",
        Command::Completions(_) => "completions",
        Command::Sessions => "sessions",
        _ => return Ok(()),
    };
    if common.session.is_none() && common.seat.is_none() && common.acting_as.is_none() {
        return Ok(());
    }
    let about = match command {
        Command::Sessions => "every session of this machine",
        _ => "no session",
    };
    Err(Failure::new(
        code::BAD_ARGUMENT,
        format!("`{name}` is about {about}: leave out --session, --seat and --as."),
    ))
}

fn allows_secrets(command: &Command) -> bool {
    match command {
        Command::Share(share) => share.allow_secrets,
        Command::Post(post) => post.allow_secrets,
        Command::Mode(mode) => mode.allow_secrets,
        _ => false,
    }
}

impl Setting<'_> {
    /// Refuses a command that lets credentials through where there is nobody's own hand, before any input is read.
    async fn hand_for_secrets(&self) -> Result<(), Failure> {
        if !self.host.may_allow_secrets() || Terminal::open().is_ok() {
            return Ok(());
        }
        let typed = again::arguments();
        // A topic or path among them may be what is not to be repeated.
        let clean = guard::scan("arguments", typed.as_bytes()).is_ok_and(|found| found.is_empty());
        let verb = typed.split(' ').next().unwrap_or_default();
        let named = self.common.session.as_deref();
        let mut acting = match verb {
            // It makes a session and a participant of its own.
            "share" => Acting {
                kind: Some(self.host.kind()),
                ..Acting::default()
            },
            _ => self.app.acting(self.host, named).await,
        };
        if clean {
            // What was typed says it already.
            acting.session = acting.session.filter(|_| named.is_none());
            acting.kind = acting.kind.filter(|_| self.common.acting_as.is_none());
            acting.seat = acting.seat.filter(|_| self.common.seat.is_none());
        }
        let command = match clean {
            true => typed.clone(),
            false => format!("{verb} --allow-secrets"),
        };
        Err(App::no_terminal(&(command + &acting.options())))
    }

    /// Writes an answer, and then does what is due after it.
    async fn deliver<T: Show>(&self, delivered: Delivered<T>) -> Result<u8, Failure> {
        self.deliver_with(delivered, None).await
    }

    /// As [`Setting::deliver`], with a last line that no answer knows of itself.
    async fn deliver_with<T: Show>(
        &self,
        delivered: Delivered<T>,
        last: Option<String>,
    ) -> Result<u8, Failure> {
        output::clear_status();
        let ended = |mut text: String| {
            if let Some(last) = &last {
                text.push('\n');
                text.push_str(last);
            }
            text
        };
        let written = match self.output.form() {
            Form::Json => self.output.json(&delivered.answer),
            Form::Person => self.output.text(&ended(delivered.answer.show())),
            Form::Quoted => self.output.text(&ended(delivered.answer.quoted())),
        };
        match written {
            Ok(true) => match delivered.commit(self.app).await {
                Ok(()) => Ok(0),
                Err(failure) => {
                    report::beside(&failure);
                    Ok(report::FAILED)
                }
            },
            Ok(false) => Ok(0),
            Err(error) => Err(delivered.answer.unwritten().because_of(&error)),
        }
    }
}
