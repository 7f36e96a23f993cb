//! `read`, `post` and `wait`.

use clap::Args;

/// `read`.
#[derive(Debug, Args)]
pub(crate) struct Read {
    /// Show what comes after this number; 0 starts over. Marks nothing as read.
    #[arg(long, value_name = "SEQ")]
    pub(crate) since: Option<u64>,
    /// Go on inside a long message from this byte.
    #[arg(long, value_name = "BYTE")]
    pub(crate) offset: Option<u64>,
    /// Most messages to show (at most 200) [default: 50].
    #[arg(long)]
    pub(crate) limit: Option<u32>,
    /// Most bytes to show (at most 60000) [default: 24000].
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_bytes: Option<u32>,
    /// Only messages of this kind.
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// Only messages with this topic.
    #[arg(long)]
    pub(crate) topic: Option<String>,
    /// Only messages by this participant: name or id.
    #[arg(long)]
    pub(crate) from: Option<String>,
    /// Search the whole transcript for words that must all be in text, topic or author. Other programs see the arguments of
    /// a command: `--query -` takes the words from standard input. Marks nothing as read.
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
}

/// `post`.
#[derive(Debug, Args)]
pub(crate) struct Post {
    /// What sort of message: chat, note, decision, question, answer, ... [default: chat].
    #[arg(long)]
    pub(crate) kind: Option<String>,
    /// A topic to file it under.
    #[arg(long)]
    pub(crate) topic: Option<String>,
    /// Whom it is for: name or id; repeat for more. Everybody can read it all the same.
    #[arg(long)]
    pub(crate) to: Vec<String>,
    /// The number of the message it answers.
    #[arg(long, value_name = "SEQ")]
    pub(crate) reply_to: Option<u64>,
    /// A file it is about; repeat for more. Names only, no contents.
    #[arg(long = "path", value_name = "PATH")]
    pub(crate) paths: Vec<String>,
    /// Keep it on the card that those who join see first.
    #[arg(long)]
    pub(crate) pin: bool,
    /// Tells readers whether there is more to do for you.
    #[arg(long, value_parser = ["continue", "done", "blocked"])]
    pub(crate) signal: Option<String>,
    /// Ask you at the terminal whether what looks like a credential may be sent; without this it is refused.
    #[arg(long)]
    pub(crate) allow_secrets: bool,
}

/// `wait`.
#[derive(Debug, Args)]
pub(crate) struct Wait {
    /// Seconds to wait (at most 50) [default: 45].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u32>,
    /// Only for messages that are addressed to you, once for each. Marks nothing as read.
    #[arg(long)]
    pub(crate) for_me: bool,
}
