//! A person's own hand: a word typed at the controlling terminal, never on standard input.

use tokio_util::sync::CancellationToken;

use crate::terminal::{Terminal, Typed};
use crate::verbs::Ask;

/// Shows `question` at the terminal and asks for `word`. There is no time limit: somebody is sitting there.
pub(crate) async fn by_word(question: &str, word: &'static str, cancelled: &CancellationToken) -> Ask {
    let Ok(mut terminal) = Terminal::open() else {
        return Ask::CannotAsk;
    };
    let question = question.to_owned();
    let asking = tokio::task::spawn_blocking(move || terminal.ask_word(&question, word));
    tokio::select! {
        answer = asking => match answer {
            Ok(Ok(Typed::Word)) => Ask::Yes,
            Ok(Ok(Typed::Other)) => Ask::No,
            Ok(Ok(Typed::Nothing)) => Ask::Empty,
            _ => Ask::CannotAsk,
        },
        () = cancelled.cancelled() => Ask::Dismissed,
    }
}
