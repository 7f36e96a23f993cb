//! `export`: the transcript as one document, in Markdown for people or JSON for programs. For the command line alone.
//!
//! Made of the verified view, from the cache as far as that goes and read on where the plane answers; nothing counts as
//! read by it. The document is handed over record by record, so that no more than one message of it is in memory
//! twice. Links, keys and tokens are in none of it.

mod json;
mod markdown;

use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::choose::Intent;
use super::closed::is_closed;
use super::counted;
use super::delivered::{Answer, Delivered};
use super::failure::{Failure, code};
use super::host::Host;
use super::items::{EventItem, IntegrityItem, MessageItem};
use super::present::Presenter;
use super::reach::in_turn;
use super::text::Text;
use super::who;
use crate::plane::within;
use crate::session::Session;

/// How long reading on may take: a long transcript over a slow line.
const READ_ON_S: u64 = 600;

/// What to export.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExportArgs<'a> {
    /// Only what comes after this seq.
    pub since: u64,
    /// As what.
    pub format: Format,
    /// Another session: id, its first 8 characters, or title.
    pub session: Option<&'a str>,
}

/// What a document is written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Markdown.
    #[default]
    Md,
    /// One JSON object.
    Json,
}

/// Where a document goes, piece by piece.
pub trait Sink: Send {
    /// So many records follow.
    fn begin(&mut self, records: u64);

    /// The next piece. It was cleaned already, and goes out as it is.
    ///
    /// # Errors
    /// It can't be written.
    fn put(&mut self, piece: &str) -> io::Result<()>;

    /// One record more is written.
    fn advance(&mut self);
}

/// A transcript was exported.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct ExportAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// md or json.
    pub format: String,
    /// The file it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub file: Option<String>,
    /// Messages in it.
    pub messages: u64,
    /// Other records in it.
    pub events: u64,
    /// Hidden characters that were removed from it.
    pub hidden_removed: u64,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know, such as that the plane could not be asked for more.
    pub warnings: Vec<String>,
}

impl Answer for ExportAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        let messages = counted(self.messages, "message");
        match &self.file {
            Some(file) => text.line(format_args!("{messages} written to {file}")),
            None => text.line(format_args!("{messages} written.")),
        }
        text.integrity(&self.integrity);
        text.closing(&self.warnings, "");
        text.finish()
    }
}

/// What a document says before its records.
#[derive(Serialize)]
struct Head {
    /// `devpilot-session-transcript`.
    format: &'static str,
    /// 1.
    version: u32,
    session: String,
    title: String,
    plane: String,
    exported_at: String,
    exported_by: Author,
    since: u64,
    head_seq: u64,
    head_hash: String,
    integrity: IntegrityItem,
    participants: Vec<Author>,
    warnings: Vec<String>,
}

/// A participant, as the transcript knows it: the name is a claim.
#[derive(Serialize)]
struct Author {
    id: String,
    name: String,
}

/// One record of a document.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Record {
    Message(Box<MessageItem>),
    Event(EventItem),
}

/// Exports.
///
/// # Errors
/// No such session; nothing of it is here and the plane can't be reached; the document can't be written.
pub async fn run(
    app: &App,
    args: ExportArgs<'_>,
    host: &dyn Host,
    sink: &mut dyn Sink,
) -> Result<Delivered<ExportAnswer>, Failure> {
    let until = within(READ_ON_S);
    host.progress(0, 0, "Reading the transcript").await;
    let shared = app.pick(host, args.session, Intent::Read, until).await?;
    let mut session = in_turn(&shared, until).await?;
    let warnings = app.sync_softly(&mut session, until).await?;
    let head = head(app, &session, args.since, warnings)?;
    let mut answer = ExportAnswer {
        session: head.session.clone(),
        title: head.title.clone(),
        format: match args.format {
            Format::Md => "md",
            Format::Json => "json",
        }
        .to_owned(),
        file: None,
        messages: 0,
        events: 0,
        hidden_removed: 0,
        integrity: head.integrity.clone(),
        warnings: head.warnings.clone(),
    };
    write(&session, args, &head, sink, &mut answer).map_err(|error| {
        Failure::new(
            code::LOCAL_FILE,
            format!("The document could not be written ({error})."),
        )
    })?;
    Ok(Delivered::plain(answer))
}

fn head(app: &App, session: &Session, since: u64, mut warnings: Vec<String>) -> Result<Head, Failure> {
    let presenter = Presenter::new(session);
    let kept = session.kept()?;
    let author = |id| Author {
        id: format!("{id}"),
        name: presenter.name(id),
    };
    let head = session.head();
    if since > 0 && since >= head.seq {
        warnings.push(format!(
            "Nothing comes after #{since}: the newest record is #{}.",
            head.seq
        ));
    }
    Ok(Head {
        format: "devpilot-session-transcript",
        version: 1,
        session: session.id().to_string(),
        title: presenter.title(),
        plane: kept.plane.to_string(),
        exported_at: app.clock.now().to_string(),
        exported_by: author(session.my_id()),
        since,
        head_seq: head.seq,
        head_hash: who::in_groups(&head.hash),
        integrity: presenter.integrity(),
        participants: session.roster().iter().map(|(id, _)| author(id)).collect(),
        warnings,
    })
}

fn write(
    session: &Session,
    args: ExportArgs<'_>,
    head: &Head,
    sink: &mut dyn Sink,
    answer: &mut ExportAnswer,
) -> io::Result<()> {
    let presenter = Presenter::new(session);
    let entries = session.view().after(args.since);
    let closed = presenter.closed(entries.iter());
    sink.begin(entries.len() as u64);
    match args.format {
        Format::Md => sink.put(&markdown::head(head))?,
        Format::Json => sink.put(&json::head(head)?)?,
    }
    let name = |id: &str| Some(presenter.name(&id.parse().ok()?));
    let mut first = true;
    for entry in entries {
        let record = match entry.message() {
            // What this seat's link does not open is one line for each row of it.
            Some(_) if is_closed(entry) => closed.get(&entry.seq).map(|row| {
                Record::Event(EventItem {
                    seq: entry.seq,
                    at: entry.at.to_string(),
                    text: row.text(),
                })
            }),
            Some((entry, posted)) => Some(Record::Message(Box::new(presenter.message(entry, posted)))),
            None => presenter.event(entry).map(Record::Event),
        };
        if let Some(record) = record {
            match &record {
                Record::Message(message) => {
                    answer.messages += 1;
                    answer.hidden_removed += message.hidden_removed;
                }
                Record::Event(_) => answer.events += 1,
            }
            match args.format {
                Format::Md => sink.put(&markdown::record(&record, &name))?,
                Format::Json => sink.put(&json::record(&record, first)?)?,
            }
            first = false;
        }
        sink.advance();
    }
    match args.format {
        Format::Md => Ok(()),
        Format::Json => sink.put(json::END),
    }
}

/// The first eight characters of an id.
fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}

/// A moment as people read it, to the second: what is kept is laid beside other records of the same day.
fn moment(at: &str) -> String {
    match (at.get(..10), at.get(10..11), at.get(11..19), at.ends_with('Z')) {
        (Some(date), Some("T"), Some(time), true) => format!("{date} {time}Z"),
        _ => at.to_owned(),
    }
}

#[cfg(test)]
mod tests;
