//! What is news to whoever waits.

use wire::event::Kind;

use super::present::Presenter;
use crate::seat::SeatState;
use crate::session::view::Posted;
use crate::session::{Session, SessionError};

/// What a wait is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// Whatever concerns this seat.
    Anything,
    /// As that, of the messages those addressed to it.
    Me,
    /// Messages alone, and the end of waiting: nobody is told anything by it, so nothing is noted as told.
    Posts,
}

/// After which seq something is news. The seat's own reader is woken once for what is addressed to it, although that stays
/// unread: whoever answers and waits again would be asked the same for ever.
pub(super) fn since(kept: &SeatState, what: For, own: bool) -> u64 {
    match what == For::Me && own {
        true => kept.cursor.max(kept.shown_for_me),
        false => kept.cursor,
    }
}

/// Whether a message of somebody else is news.
pub(super) fn has_news(session: &Session, what: For, reader: Kind) -> Result<bool, SessionError> {
    let kept = session.kept()?;
    let since = since(&kept, what, kept.kind == reader);
    if what != For::Me {
        return Ok(session.view().newest_by_others(since).is_some());
    }
    let presenter = Presenter::new(session);
    let mut new = session
        .view()
        .after(since)
        .iter()
        .filter_map(|entry| entry.message());
    Ok(new.any(|(_, posted)| !posted.mine && is_for(session, &presenter, posted)))
}

/// Whether a message names this seat: in `to`, by answering one of its own, or by `@name` or `@id` in its text.
pub(super) fn is_for(session: &Session, presenter: &Presenter<'_>, posted: &Posted) -> bool {
    let Some(message) = posted.text() else {
        return false;
    };
    let me = session.my_id().to_string();
    let answers_me = message
        .reply_to
        .and_then(|seq| session.view().at(seq)?.message())
        .is_some_and(|(_, answered)| answered.mine);
    let mentioned = |name: &str| {
        let text = message.text.to_lowercase();
        let name = format!("@{}", name.to_lowercase());
        name.len() > 1 && text.contains(&name)
    };
    let short: String = me.chars().take(8).collect();
    message.to.contains(&me) || answers_me || mentioned(&presenter.name(session.my_id())) || mentioned(&short)
}
