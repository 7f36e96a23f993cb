//! Posts become records: one writer a process, in batches.
//!
//! Posts that queue up while the last commit runs are the next batch; there is no timer. Sessions' rows are kept
//! in memory with their versions, the pure decision is asked for each post in order, and the store moves each
//! row only where version and epoch are still the ones that were asked. A session that was moved elsewhere, or
//! has one of the message ids already, is not touched: it is loaded and asked again, and on a second miss its row
//! is locked. One bad post never fails its batch, and nobody is answered before the commit.
//!
//! What was committed is told once the next batch is on its way to the database, which then has something to do while those who
//! posted are woken; at once where none has come.
//!
//! - [`message`]: a post · [`decide`]: the pure decision · [`plan`]: one session's part of a batch
//! - [`batch`]: the rounds of a batch · [`aside`]: posts that are settled one by one · [`queue`]: the way in

mod aside;
mod batch;
mod decide;
mod message;
mod plan;
mod queue;

pub(crate) use message::{Message, Unconfirmed};
pub(crate) use queue::Appender;
