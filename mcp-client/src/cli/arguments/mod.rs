//! What the command line takes. Its help is the manual most people read, so the texts here are product copy.
//!
//! Nothing here takes a link, a key or a message: other programs see arguments. Those come on standard input, from
//! the clipboard or from the environment.

mod completions;
mod door;
mod entering;
mod export;
mod keeping;
mod machine;
mod mode;
mod past;
#[cfg(test)]
mod printed;
mod transcript;
mod waking;

use std::ffi::OsString;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

pub(crate) use completions::Completions;
pub(crate) use door::{Bounds, Door, DoorCommand};
pub(crate) use entering::{Join, Link, Share, Source};
pub(crate) use export::{Export, FormatArgument};
pub(crate) use keeping::{End, HistoryArgument, Rekey};
pub(crate) use machine::Connect;
pub(crate) use mode::{Mode, SetMode};
pub(crate) use past::{Cockpit, History};
pub(crate) use transcript::{Post, Read, Wait};
pub(crate) use waking::{Hook, HookEvent, Listen, Watch};

/// Share one encrypted transcript between people and their coding agents.
///
/// Without a command it is an MCP server on standard input and output, for an MCP host to start.
#[derive(Debug, Parser)]
#[command(
    name = "devpilot-session",
    version,
    max_term_width = 100,
    after_long_help = EXAMPLES,
    after_help = "More with --help; of one command with devpilot-session help COMMAND."
)]
pub(crate) struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// What every command takes.
    #[command(flatten)]
    pub(crate) common: Common,
}

impl CommandLine {
    /// Reads a command line, the program's name first.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let matches = Self::definition().try_get_matches_from(arguments)?;
        Self::from_arg_matches(&matches)
    }

    /// All there is to type. What says nothing to a command is not in its help.
    pub(crate) fn definition() -> clap::Command {
        let mut command = Self::command();
        let common: Vec<clap::Arg> = command.get_arguments().cloned().collect();
        for (name, options) in SILENT {
            // In place of the one that is handed down: understood in the same way, and not shown.
            let hidden = common
                .iter()
                .filter(|one| options.contains(&one.get_id().as_str()));
            let hidden: Vec<clap::Arg> = hidden.map(|one| one.clone().global(false).hide(true)).collect();
            command = command.mut_subcommand(name, |one| one.args(hidden));
        }
        command
    }

    /// What a shell offers. A generator knows nothing of hidden options, so each command has those that say something to it,
    /// and nothing is handed down.
    pub(crate) fn offered() -> clap::Command {
        let command = Self::command().mut_args(|one| one.global(false));
        let common: Vec<clap::Arg> = command.get_arguments().cloned().collect();
        let names: Vec<String> = names_in(&command);
        names.iter().fold(command, |command, name| {
            let silent = SILENT
                .iter()
                .find(|(of, _)| of == name)
                .map_or(&[][..], |(_, silent)| *silent);
            let said = common
                .iter()
                .filter(|one| !silent.contains(&one.get_id().as_str()));
            let said: Vec<clap::Arg> = said.cloned().collect();
            command.mut_subcommand(name, |one| with_all(one, &said))
        })
    }
}

fn names_in(command: &clap::Command) -> Vec<String> {
    let commands = command.get_subcommands();
    commands.map(|one| one.get_name().to_owned()).collect()
}

/// A command and those below it, each with these options.
fn with_all(command: clap::Command, options: &[clap::Arg]) -> clap::Command {
    let names = names_in(&command);
    let command = command.args(options.to_vec());
    names.iter().fold(command, |command, name| {
        command.mut_subcommand(name, |one| with_all(one, options))
    })
}

/// Commands, and the options of all that say nothing to them.
const SILENT: [(&str, &[&str]); 8] = [
    ("share", &["session", "seat"]),
    ("sessions", OF_A_SESSION),
    ("connect", OF_A_SESSION),
    ("doctor", OF_A_SESSION),
    ("history", OF_A_SESSION),
    ("cockpit", OF_A_SESSION),
    ("completions", OF_NO_ANSWER),
    ("hook", OF_NO_ANSWER),
];

/// Of a command whose output is of a form of its own.
const OF_NO_ANSWER: &[&str] = &["session", "seat", "acting_as", "json"];

/// Options that choose a session, and whom to act for in it.
const OF_A_SESSION: &[&str] = &["session", "seat", "acting_as"];

const EXAMPLES: &str = "\
Examples:
  Connect an agent                claude mcp add devpilot --scope user -- devpilot-session
  Connect to a team's plane       devpilot-session connect https://plane.example.org
  Hand something over             devpilot-session share --title \"Flaky login test\" --as human < notes.md
  Come in by a link you copied    devpilot-session join
  Come in by a note in a file     devpilot-session join - --as human < note.txt
  What is new                     devpilot-session read
  From the start                  devpilot-session read --since 0
  See what happens, as it happens devpilot-session watch
  Answer                          echo \"Fixed, please pull\" | devpilot-session post
  Who is here                     devpilot-session who
  Let agents wait for each other  devpilot-session mode relay
  Let nobody in unasked           devpilot-session door ask
  Let in who knocks               devpilot-session door admit 1f2e3d4c
  Put somebody out                devpilot-session rekey
  What happened here before       devpilot-session history src
  Keep what was said              devpilot-session export -o transcript.md
  When something does not work    devpilot-session doctor
  For a program                   devpilot-session who --json

Exit codes:
  0  done; wait and listen: there are messages; watch: you ended it, or the session is over
  1  it did not work, and standard error says what to do; doctor: something failed
  2  wait and listen: the time was up; join: nobody has answered at the door; else: the command line is wrong
  3  your answer was not a yes, or there was nobody to ask; listen: the mode is observe, or the session is over
  130  interrupted; wait, listen and export into a file: also asked to end

With --json standard output is one object: the answer, or, where it did not work, {\"error\": a stable word, \"message\": what to
do, \"command\": one for your own terminal or null, \"retry_after_s\": at a door, when to join again, or null}; the exit codes are
the same. connect prints the code as an object of its own before that, and watch and cockpit print as they go on; completions and
hook print what a shell and a host take. Other people's text in it is quoted data.

Links are never taken as arguments: other programs see those. They come on standard input, from the clipboard or from
DEVPILOT_SESSION_LINK.

Environment:
  DEVPILOT_HOME           where seats and settings are kept (default ~/.devpilot)
  DEVPILOT_PLANE          the plane to share on
  DEVPILOT_BRIDGE_TOKEN   this machine's token for it (else from credentials.json)
  DEVPILOT_SESSION_LINK   the link to join by
  DEVPILOT_NAME           how others see you (default git user.name, else your user's name)
  DEVPILOT_MCP_TOOLS      of the MCP server: groups of tools to show, of session, history (default all)
  DEVPILOT_CLIPBOARD=off  leave the clipboard alone
  DEVPILOT_COCKPIT_URL    the cockpit that history asks (default: the one that runs here, http://127.0.0.1:3847)
  DEVPILOT_REPO           the repository that history is about (default: the one you are in)
  RUST_LOG                what is logged to standard error, such as mcp_client=debug";

/// What every command takes.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Common {
    /// Print one JSON object instead of text, errors too.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// The session: id, its first 8 characters, or title [default: the one last used in this folder; where none ever was, the
    /// only one that goes on. `post` and `leave` ask where several go on, `leave` also where none was used].
    #[arg(long, global = true, value_name = "SESSION")]
    pub(crate) session: Option<String>,
    /// The participant of this machine to act for: its id [default: the one last used in this folder].
    #[arg(long, global = true, value_name = "ID")]
    pub(crate) seat: Option<String>,
    /// Whether an agent or a person is here [default: human at a terminal, else agent; with `share` and `join` both standard
    /// input and output must be one].
    #[arg(long = "as", global = true, value_name = "KIND", value_enum)]
    pub(crate) acting_as: Option<KindArgument>,
}

/// Who sits at the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArgument {
    /// A coding agent.
    Agent,
    /// A person.
    Human,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Create a session; the note for the others goes to the clipboard and into a file.
    ///
    /// What the others need to know is read from standard input and becomes the first message.
    Share(Share),
    /// Come in by the link on the clipboard, in DEVPILOT_SESSION_LINK, or on standard input.
    ///
    /// Where the session's owner keeps the door it knocks and waits: at a terminal until somebody has answered, else 50 s. Run
    /// again, it goes on with the same knock.
    Join(Join),
    /// Show what is unread, and count it as read.
    ///
    /// Through your agent's seat you read along: what you are shown stays unread for the agent.
    Read(Read),
    /// Post what comes on standard input, byte for byte.
    ///
    /// What looks like a credential is refused, with its kind and place; with --allow-secrets you are asked at the terminal.
    Post(Post),
    /// Wait for a message: exit code 0 when there is one, 2 when the time is up, 1 when the plane does not answer.
    Wait(Wait),
    /// Show what happens as it happens: messages, the mode, who comes, goes and listens. For people; Ctrl-C ends it.
    ///
    /// Begins with the last messages. Nothing counts as read by it, through whichever seat it looks. With --json it prints one
    /// object a line. A person is shown it in every mode; without a terminal that is `--as human`.
    Watch(Watch),
    /// Sleep beside an agent until somebody else has posted, and say so without a word of it. For relay and auto.
    ///
    /// For an agent that has a shell, to be run in the background: it prints one line of JSON with the command that listens
    /// again, and ends with 0 when somebody has posted (once, however many messages there are; at once where some are unread),
    /// 2 when the time is up, 3 in observe, when the mode falls to observe, and when the session is over. Nothing counts as
    /// read by it, and it goes on over cut connections, a restarted plane and re-keys.
    ///
    /// It can't live for ever: it ends after 8 hours at the latest, as an auto does on a plane that sets no other limit, and
    /// within seconds once nobody holds the other end of its standard output any more.
    Listen(Listen),
    /// Show who is here, and the head of the transcript to compare by voice.
    Who,
    /// Show the mode, or set it.
    Mode(Mode),
    /// Make the note with the link again. Asks you to confirm at the terminal.
    Link(Link),
    /// Put a new secret in place of the old: you say who stays, everybody else is out. Asks you at the terminal.
    ///
    /// Lists all participants and asks for each, then for the word. Those who stay go on by themselves; all earlier links are
    /// dead, and `devpilot-session link` makes the note with the new one. Only the session's owner can do this, with the
    /// machine token the session was made with. With --admin the user whose token made the session, or an administrator,
    /// re-keys without a link, by the session's whole id: then everybody needs the new link, which is shown once at the terminal.
    /// (`end --session` takes the whole id alone.)
    Rekey(Rekey),
    /// End the session for everybody. Asks you to confirm at the terminal.
    ///
    /// Takes the machine token the session was made with, or an administrator's; no link and no seat: `--session` with the
    /// whole id is enough.
    End(End),
    /// Show who may still come in and who knocks, or set it. Changing it asks you to confirm at the terminal.
    Door(Door),
    /// Leave the session. What you wrote stays; the link brings you back.
    ///
    /// Where your agent's seat is the only one of this machine in it, the agent leaves. With several sessions going on it asks
    /// which.
    Leave,
    /// Get this machine a token for a plane, so that it may share there.
    ///
    /// Shows a code of eight letters; the plane's operator says yes to it, and the token is fetched and stored in
    /// credentials.json. Whoever only joins needs none. The plane connected last is the one shared on.
    Connect(Connect),
    /// Look whether everything that this machine needs is there, and say what helps where it is not.
    ///
    /// The home folder, config.toml, the clipboard, seats, and of each plane that is configured here, or that this machine is in a
    /// session of, whether it answers, what time it has, whether it takes this machine's token and knows its sessions. Repairs
    /// nothing by itself, and contacts nobody else; a damaged file is kept aside, as by every command.
    Doctor,
    /// List the sessions this machine is in, and its participants in them.
    Sessions,
    /// Show what earlier tasks did to files: which changed them, how they came out, what their agents reported.
    ///
    /// Asks the cockpit of this machine, and no plane. What others wrote in it is shown as notes.
    History(History),
    /// Run the cockpit: it remembers on this machine what tasks did to files. Ends with Ctrl-C.
    ///
    /// It listens on this machine alone and answers its own user alone. It says how agents' hosts report to it.
    Cockpit(Cockpit),
    /// Write the transcript as one document: Markdown for people, JSON for programs.
    ///
    /// What this machine already has of it, and what the plane has beyond that where it answers. Nothing counts as read. Text by
    /// participants stands in blocks that it can't leave; hidden characters are removed and counted; links and tokens are
    /// withheld. The state of integrity is in it.
    ///
    /// The JSON is one object: format ("devpilot-session-transcript"), version (1), session, title, plane, exported_at,
    /// exported_by {id, name}, since, head_seq, head_hash (32 hex digits, in groups of four), integrity {state, error?, detail,
    /// checked_from, confirmed_up_to?, confirmed_by?}, participants [{id, name}], warnings, and records in order: {type:
    /// "message", ...} with the members of a message as `read --json` has them, or {type: "event", seq, at, text}.
    Export(Export),
    /// Print what completes commands and options in your shell.
    #[command(long_about = completions::ABOUT)]
    Completions(Completions),
    /// For a host to run at its events: tells its agent, once and without any text, that something is unread.
    ///
    /// Reads the host's JSON on standard input and answers in JSON. It looks at this machine's files alone, takes a second at
    /// most and always ends with 0, so that a host never fails by it; what went wrong is one line on standard error.
    Hook(Hook),
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_definition_holds_together() {
        super::CommandLine::definition().debug_assert();
    }

    #[test]
    fn what_says_nothing_to_a_command_is_not_in_its_help_and_still_understood() {
        let help = |name: &str| {
            let mut definition = super::CommandLine::definition();
            definition.build();
            let command = definition
                .find_subcommand_mut(name)
                .map(clap::Command::render_long_help);
            command.map(|help| help.to_string()).unwrap_or_default()
        };
        assert!(help("read").contains("--session") && help("share").contains("--as"));
        assert!(!help("share").contains("--session") && !help("share").contains("--seat"));
        assert!(!help("sessions").contains("--seat") && help("sessions").contains("--json"));
        assert!(!help("completions").contains("--json") && !help("hook").contains("--json"));
        for name in ["connect", "doctor", "history", "cockpit", "completions", "hook"] {
            let help = help(name);
            assert!(
                !help.contains("--session ") && !help.contains("--seat") && !help.contains("--as "),
                "{name}"
            );
        }
        let read = |words: &[&str]| {
            super::CommandLine::read(words.iter().map(Into::into).collect()).map(|line| line.common)
        };
        let common = read(&[
            "devpilot-session",
            "share",
            "--title",
            "x",
            "--session",
            "y",
            "--json",
        ]);
        assert!(common.is_ok_and(|common| common.json && common.session.as_deref() == Some("y")));
        let common = read(&["devpilot-session", "--session", "y", "share", "--title", "x"]);
        assert!(common.is_ok_and(|common| common.session.as_deref() == Some("y") && common.seat.is_none()));
    }

    #[test]
    fn a_shell_is_offered_what_says_something_to_a_command_and_nothing_else() {
        let offered = super::CommandLine::offered();
        let options = |path: &[&str]| {
            let command = path
                .iter()
                .try_fold(&offered, |command, name| command.find_subcommand(name));
            let arguments = command.map(clap::Command::get_arguments).into_iter().flatten();
            let names: Vec<&str> = arguments.filter_map(clap::Arg::get_long).collect();
            names.join(" ")
        };
        assert!(options(&["read"]).contains("json session seat as"));
        assert!(options(&["door", "admit"]).contains("json session seat as"));
        assert!(options(&["share"]).contains("as") && !options(&["share"]).contains("seat"));
        for (name, silent) in super::SILENT {
            let offered = options(&[name]);
            let has_no_json = ["completions", "hook"].contains(&name);
            assert_eq!(offered.contains("json"), !has_no_json, "{name}: {offered}");
            assert!(
                silent.contains(&"seat") && !offered.contains("seat"),
                "{name}: {offered}"
            );
        }
        offered.debug_assert();
    }

    #[test]
    fn a_kind_of_message_and_of_caller_are_two_things() {
        use clap::Parser;
        let line =
            super::CommandLine::parse_from(["devpilot-session", "post", "--kind", "note", "--as", "human"]);
        assert_eq!(line.common.acting_as, Some(super::KindArgument::Human));
        let super::Command::Post(post) = line.command else {
            panic!("another command");
        };
        assert_eq!(post.kind.as_deref(), Some("note"));
    }
}
