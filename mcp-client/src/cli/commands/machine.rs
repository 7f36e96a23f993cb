//! `connect` and `doctor`. The code is shown before the wait, so it comes before the answer: on standard error, or with `--json` as a
//! line of its own.

use super::Setting;
use crate::cli::arguments::Connect;
use crate::cli::output::{self, Form, Output};
use crate::cli::show::Unwritten;
use crate::home::Environment;
use crate::session::Clock;
use crate::verbs::{self, Answer, Begun, ConnectArgs, Failure, code};

pub(super) async fn connect(setting: Setting<'_>, arguments: Connect) -> Result<u8, Failure> {
    let arguments = ConnectArgs {
        plane: arguments.plane,
        make_default: arguments.default,
        replace: arguments.replace,
    };
    let waiting = match verbs::connect::begin(setting.app, arguments, setting.host).await? {
        Begun::Connected(answer) => return setting.deliver(*answer).await,
        Begun::Waiting(waiting) => waiting,
    };
    let shown = waiting.code();
    match setting.output.form() {
        Form::Json => {
            setting.output.json(shown).map_err(|error| {
                let text = format!("The code could not be written ({error}), so nobody can approve it.");
                Failure::new(code::LOCAL_FILE, text)
            })?;
        }
        Form::Person | Form::Quoted => output::say(&shown.text()),
    }
    let answer = waiting.wait(setting.app, setting.host).await?;
    setting.deliver(answer).await
}

/// Works where nothing else does: without a home folder, or with a config.toml that can't be used.
pub(super) async fn doctor(output: Output) -> Result<u8, Failure> {
    let environment = Environment::process();
    // What a check finds stands in the answer; a line of the log above it would say it twice.
    let _quiet = environment
        .get("RUST_LOG")
        .is_none()
        .then(|| tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::default()));
    let answer = verbs::doctor::run(&environment, &Clock::system()).await;
    let written = match output.form() {
        Form::Json => output.json(&answer),
        Form::Person | Form::Quoted => output.text(&answer.text()),
    };
    match written {
        Ok(_) => Ok(u8::from(!answer.well)),
        Err(error) => Err(Unwritten::Looked.because_of(&error)),
    }
}
