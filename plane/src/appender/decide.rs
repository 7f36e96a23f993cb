//! Whether a post is appended, and as which records. Pure: a session's row goes in, and comes out moved.
//!
//! The order is that of `plane-api.md`, POST records, after credential, shape and message id: session ended;
//! epoch; capability; rate; mode. The rate is the caller's to take between the two steps here.

use wire::event::Capability;
use wire::problem::EndCause;
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use super::message::Message;
use crate::modes::{Bounds, Event};
use crate::service::{Answer, ServiceError, next_record, text};
use crate::store::records::RecordRow;
use crate::store::session::SessionRow;

/// When it is: the time of the records, and the one the mode is judged by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment {
    pub(crate) now: Timestamp,
    pub(crate) mode: Timestamp,
}

/// What comes before the rate.
pub(crate) fn admissible(row: &SessionRow, message: &Message, now: Timestamp) -> Answer<()> {
    if message.token_epoch != row.epoch {
        return Err(ServiceError::TokenRekeyed { epoch: row.epoch });
    }
    if let Some(ended) = row.ended {
        return Err(ServiceError::SessionEnded {
            at: ended.at,
            cause: ended.cause,
        });
    }
    if now >= row.expires_at {
        return Err(ServiceError::SessionEnded {
            at: row.expires_at,
            cause: EndCause::Expired,
        });
    }
    if message.epoch != row.epoch {
        return Err(ServiceError::EpochMoved { epoch: row.epoch });
    }
    if message.capability != Capability::Full {
        return Err(ServiceError::ViewOnly);
    }
    Ok(())
}

/// Asks the mode machine and makes the records: what was due, the message, and the notice that follows from it.
/// Refused, the row is as it was. The message is the one with an item id.
pub(crate) fn append(
    row: &mut SessionRow,
    message: &Message,
    moment: Moment,
    bounds: &Bounds,
    life_ms: i64,
) -> Answer<Vec<RecordRow>> {
    let due = row.mode.expire(moment.mode);
    let event = Event::Post {
        author: message.author,
        signal: message.signal,
        expect_auto: message.expect_auto,
    };
    let standing = due.as_ref().map_or(&row.mode, |(mode, _)| mode);
    let step = standing.step(&event, moment.mode, bounds)?;
    let notices = due.and_then(|(_, notice)| notice).into_iter();
    let mut next = row.clone();
    let mut records = Vec::with_capacity(1);
    for notice in notices {
        let body = text(&notice)?;
        records.push(next_record(
            &mut next,
            moment.now,
            RecordClass::Notice,
            None,
            body,
        )?);
    }
    let sealed = message.sealed.clone();
    let sender = Some(message.author);
    let mut record = next_record(&mut next, moment.now, RecordClass::Message, sender, sealed)?;
    record.item_id = Some(message.message_id);
    record.signal = message.signal;
    records.push(record);
    if let Some(notice) = step.notice {
        let body = text(&notice)?;
        records.push(next_record(
            &mut next,
            moment.now,
            RecordClass::Notice,
            None,
            body,
        )?);
    }
    next.mode = step.state;
    next.expires_at = moment.now.plus_millis(life_ms);
    next.schedule(moment.now);
    *row = next;
    Ok(records)
}
