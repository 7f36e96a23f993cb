//! From a command line to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use tokio_util::sync::CancellationToken;

use super::arguments::{Command, CommandLine, Common, Join, Link, Mode, Post, Read, SetMode, Share, Source};
use super::host::{CommandHost, kind_of_caller};
use super::output::{self, Form, Output};
use super::show::Show;
use super::{arguments_guard, confirm, input};
use crate::verbs::{
    self, App, Ask, Delivered, Failure, JoinArgs, LeaveArgs, LinkSource, ModeArgs, PostArgs, ReadArgs, SetTo,
    ShareArgs, WaitArgs, WhoArgs, code,
};

/// It did not work, and standard error says what to do.
const FAILED: u8 = 1;
/// `wait`: the time was up; else the command line is wrong.
const NOT_UNDERSTOOD: u8 = 2;
/// `wait`: the time was up.
const TIME_UP: u8 = 2;
/// The answer was not a yes, or there was nobody to ask.
const NO_CONSENT: u8 = 3;
/// As shells report an interrupt.
const INTERRUPTED: u8 = 130;

/// Runs the command line `arguments`, the program's name first.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if arguments_guard::holds_link(arguments.iter().skip(1).map(AsRef::as_ref)) {
        output::say(&format!("devpilot-session: {}", arguments_guard::REFUSAL));
        return ExitCode::from(NOT_UNDERSTOOD);
    }
    let line = match CommandLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => return ExitCode::from(misunderstood(&error)),
    };
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        output::say("devpilot-session: the system did not give what a command needs.");
        return ExitCode::from(FAILED);
    };
    let code = runtime.block_on(interruptible(line));
    // A read from a terminal that nobody answers can't be stopped; the end of the process does that.
    runtime.shutdown_background();
    ExitCode::from(code)
}

/// Help and version are answers; everything else is an error.
fn misunderstood(error: &clap::Error) -> u8 {
    let text = error.render().to_string();
    if error.use_stderr() {
        output::say(text.trim_end());
        return NOT_UNDERSTOOD;
    }
    match Output::new(false).text(&text) {
        Ok(_) => 0,
        Err(_) => FAILED,
    }
}

async fn interruptible(line: CommandLine) -> u8 {
    let cancelled = CancellationToken::new();
    let watched = cancelled.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            watched.cancel();
        }
    });
    let output = Output::new(line.common.json);
    let executed = execute(line, output, &cancelled).await;
    output::clear_status();
    match executed {
        Ok(code) => code,
        Err(_) if cancelled.is_cancelled() => INTERRUPTED,
        Err(failure) => failed(&failure, output),
    }
}

fn failed(failure: &Failure, output: Output) -> u8 {
    if output.form() == Form::Json {
        let error = serde_json::json!({
            "error": failure.code(), "message": failure.message(), "command": failure.command()
        });
        // The exit code says it as well.
        let _ = output.json(&error);
    } else {
        output::say(&format!("devpilot-session: {}", failure.message()));
        if let Some(command) = failure.command() {
            output::say(&format!("  {command}"));
        }
    }
    match failure.code() {
        code::DECLINED
        | code::DISMISSED
        | code::EMPTY
        | code::TIMED_OUT
        | code::CANNOT_ASK
        | code::NOT_ACKNOWLEDGED => NO_CONSENT,
        code::CANCELLED => INTERRUPTED,
        code::BAD_ARGUMENT => NOT_UNDERSTOOD,
        _ => FAILED,
    }
}

async fn execute(line: CommandLine, output: Output, cancelled: &CancellationToken) -> Result<u8, Failure> {
    let CommandLine { command, common } = line;
    let app = App::from_environment()?;
    // Who hands a link on or comes in by one is a person only at a whole terminal; of later commands one end may be a pipe.
    let either_end = !matches!(command, Command::Share(_) | Command::Join(_) | Command::Link(_));
    let kind = kind_of_caller(common.acting_as, either_end);
    let host = CommandHost::new(kind, common.seat.clone(), cancelled.clone());
    match command {
        Command::Share(share) => {
            let context = input::text("what the others need to know").await?;
            let answer = verbs::share::run(&app, share_arguments(share, context), &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Join(join) => {
            let link = match join.from {
                Some(_) => Some(input::text("or paste the note").await?),
                None => None,
            };
            let answer = verbs::join::run(&app, join_arguments(join, link), &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Read(read) => {
            let answer = verbs::read::run(&app, read_arguments(read, common), &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Post(post) => {
            let mut arguments = post_arguments(post, common);
            verbs::post::prepare(&app, &arguments, &host).await?;
            arguments.text = input::text("your message").await?;
            let answer = verbs::post::run(&app, arguments, &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Wait(wait) => {
            let arguments = WaitArgs {
                timeout_s: wait.timeout,
                for_me: wait.for_me,
                session: common.session,
            };
            let answer = verbs::wait::run(&app, arguments, &host).await?;
            let timed_out = answer.answer.woke_by == "timed_out";
            let code = deliver(&app, output, answer).await?;
            Ok(if timed_out { TIME_UP } else { code })
        }
        Command::Who => {
            let arguments = WhoArgs {
                session: common.session,
            };
            let answer = verbs::who::run(&app, arguments, &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Mode(mode) => {
            let answer = verbs::mode::run(&app, mode_arguments(&mode, common.session), &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Link(link) => note_again(&app, output, &host, link, common).await,
        Command::Leave => {
            let arguments = LeaveArgs {
                session: common.session,
            };
            let answer = verbs::leave::run(&app, arguments, &host).await?;
            deliver(&app, output, answer).await
        }
        Command::Sessions => deliver(&app, output, verbs::sessions::run(&app)?).await,
    }
}

/// The link leaves the seat's file, so a person confirms it by hand, even where an agent may call `share`.
async fn note_again(
    app: &App,
    output: Output,
    host: &CommandHost,
    link: Link,
    common: Common,
) -> Result<u8, Failure> {
    use crate::verbs::Host;
    let shown = ModeArgs {
        set: None,
        session: common.session,
    };
    let about = verbs::mode::run(app, shown, host).await?.answer;
    let question = format!(
        "Make the note with the link to \"{}\" again, on the clipboard and in a file of this machine?",
        about.title
    );
    match confirm::by_word(&question, "link", host.cancelled()).await {
        Ask::Yes => {}
        Ask::CannotAsk => {
            return Err(Failure::new(
                code::CANNOT_ASK,
                "There is no terminal to confirm this at. Ask your human to run it in their own terminal; do not run it \
                 yourself.",
            ));
        }
        _ => {
            return Err(Failure::new(
                code::DECLINED,
                "It was not confirmed. Nothing was made.",
            ));
        }
    }
    let arguments = ShareArgs {
        session: Some(about.session),
        view_only: link.view,
        ..ShareArgs::default()
    };
    let answer = verbs::share::run(app, arguments, host).await?;
    deliver(app, output, answer).await
}

/// Writes an answer, and then does what is due after it.
async fn deliver<T: Show>(app: &App, output: Output, delivered: Delivered<T>) -> Result<u8, Failure> {
    output::clear_status();
    let written = match output.form() {
        Form::Json => output.json(&delivered.answer),
        Form::Person => output.text(&delivered.answer.show()),
        Form::Quoted => output.text(&delivered.answer.text()),
    };
    match written {
        Ok(true) => delivered.commit(app).await.map(|()| 0),
        Ok(false) => Ok(0),
        Err(error) => Err(Failure::new(
            code::LOCAL_FILE,
            format!("The answer could not be written ({error}). It counts as unread."),
        )),
    }
}

fn share_arguments(share: Share, context: String) -> ShareArgs {
    ShareArgs {
        title: Some(share.title),
        context: Some(context),
        with: share.with,
        paths: share.paths,
        view_only: share.view_only,
        ..ShareArgs::default()
    }
}

fn join_arguments(join: Join, link: Option<String>) -> JoinArgs {
    JoinArgs {
        link,
        source: join.source.map(|source| match source {
            Source::Clipboard => LinkSource::Clipboard,
            Source::Environment => LinkSource::Environment,
        }),
        name: join.name,
    }
}

fn read_arguments(read: Read, common: Common) -> ReadArgs {
    ReadArgs {
        since: read.since,
        offset: read.offset,
        limit: read.limit,
        max_bytes: read.max_bytes,
        kind: read.kind,
        topic: read.topic,
        from: read.from,
        session: common.session,
    }
}

fn post_arguments(post: Post, common: Common) -> PostArgs {
    PostArgs {
        text: String::new(),
        kind: post.kind,
        topic: post.topic,
        to: post.to,
        reply_to: post.reply_to,
        paths: post.paths,
        pin: post.pin,
        signal: post.signal,
        session: common.session,
    }
}

fn mode_arguments(mode: &Mode, session: Option<String>) -> ModeArgs {
    ModeArgs {
        set: mode.set.map(|set| match set {
            SetMode::Observe => SetTo::Observe,
            SetMode::Stop => SetTo::Stop,
            SetMode::Relay => SetTo::Relay,
        }),
        session,
    }
}
