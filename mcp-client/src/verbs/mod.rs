//! The verbs: what an MCP tool and a command of the same name both call.
//!
//! One file each, with its arguments, its answer and `run(app, args, host)`. A verb decides and words; HTTP is in
//! `plane`, the verified transcript in `session`, files in the local rooms, other people's text goes through
//! `render` before it enters an answer. A verb never prints and never asks except through its [`Host`].

mod app;
mod choose;
mod closed;
pub mod cockpit;
mod compose;
pub mod connect;
mod delivered;
pub mod door;
mod doorbell;
pub mod end;
pub mod export;
mod failure;
pub mod history;
pub mod hook;
mod host;
mod items;
pub mod join;
mod knocking;
mod known;
pub mod leave;
mod links;
pub mod listen;
mod listening;
pub mod mode;
mod modes;
mod owner;
mod page;
mod people;
pub mod post;
mod present;
mod proposals;
mod reach;
pub mod read;
pub mod rekey;
pub(crate) mod schema;
mod search;
mod secrets;
pub mod sessions;
pub mod share;
mod sharing;
mod text;
pub mod transcript;
pub mod wait;
pub mod watch;
pub mod who;
mod wording;

pub use app::App;
pub use cockpit::{CockpitAnswer, CockpitArgs};
pub use connect::{Begun, ConnectAnswer, ConnectArgs, ConnectCode};
pub use delivered::{Answer, Delivered};
pub use door::{DoorAction, DoorAnswer, DoorArgs, KnockItem, Until};
pub use end::{EndAnswer, EndArgs};
pub use export::ExportAnswer;
pub use failure::{Failure, Knock, code};
pub use history::{CollisionItem, HistoryAnswer, HistoryArgs, TaskItem};
pub use host::{Ask, BoxFuture, Face, Host, Purpose, Question};
pub use items::{EventItem, IntegrityItem, JoinCard, MessageItem, ParticipantItem};
pub use join::{JoinAnswer, JoinArgs, LinkSource};
pub use leave::{LeaveAnswer, LeaveArgs};
pub use listen::{ListenAnswer, ListenArgs};
pub use mode::{ModeAnswer, ModeArgs, SetTo};
pub use post::{PostAnswer, PostArgs};
pub(crate) use present::moment;
pub use proposals::ProposalItem;
pub use read::{ReadAnswer, ReadArgs};
pub use rekey::{Choice, RekeyAnswer, RekeyArgs, RekeyList};
pub use sessions::{SeatItem, SessionsAnswer};
pub use share::{ShareAnswer, ShareArgs};
pub use transcript::{Transcript, TranscriptItem};
pub use wait::{WaitAnswer, WaitArgs};
pub use watch::{Sights, WatchArgs, Watcher};
pub use who::{WhoAnswer, WhoArgs};
