//! The door: knocking, being admitted, refused or forgotten, and that nothing changes without a person.

mod keeping;
mod knocking;
mod returning;
mod told;

use mcp_client::verbs::{
    self, App, Ask, DoorAction, DoorAnswer, DoorArgs, Failure, JoinArgs, LeaveArgs, Purpose, ReadArgs, SetTo,
    Until, WaitArgs,
};
use wire::api::DoorState;
use wire::event::Kind;

use crate::keeper::{rekey, rekey_as_admin};
use crate::party::{Party, TestHost, texts, through};
use crate::plane::{Store, TestPlane, clock};
use crate::tamper::{Fate, Tamper};

const TEN_MINUTES: i64 = 600_000;

/// What a person with a terminal does at the door, answering the question with `answer`.
async fn at_door(
    party: &Party,
    host: &TestHost,
    session: Option<&str>,
    action: DoorAction,
    answer: Ask,
) -> Result<DoorAnswer, Failure> {
    host.answers.lock().unwrap().push_back(answer);
    let args = DoorArgs {
        action,
        session: session.map(str::to_owned),
    };
    let done = verbs::door::run(&party.app, args, host).await;
    host.answers.lock().unwrap().clear();
    Ok(done?.answer)
}

async fn door(party: &Party, action: DoorAction) -> DoorAnswer {
    let host = party.command(Kind::Human);
    at_door(party, &host, None, action, Ask::Yes).await.unwrap()
}

async fn show(party: &Party) -> DoorAnswer {
    door(party, DoorAction::Show).await
}

fn set(state: DoorState) -> DoorAction {
    DoorAction::Set {
        state,
        joins: None,
        until: None,
    }
}

/// A session whose door asks; its owner and the link.
async fn asking(plane: &TestPlane) -> (Party, String) {
    let ana = Party::new("Ana", plane);
    let link = ana.share("Door", "start").await.link.unwrap();
    let set = door(&ana, set(DoorState::Ask)).await;
    assert_eq!((set.state.as_str(), set.did.as_str()), ("ask", "set"));
    (ana, link)
}

/// Sam knocks at Ana's door, and has no answer yet; the link.
async fn knocking(plane: &TestPlane) -> (Party, Party, String) {
    let (ana, link) = asking(plane).await;
    let sam = Party::new("Sam", plane);
    assert_eq!(code(&sam, &link).await, "knocking");
    (ana, sam, link)
}

fn states(app: &App) -> Vec<String> {
    let seats = verbs::sessions::run(app).unwrap().answer.seats;
    seats.into_iter().map(|seat| seat.state).collect()
}

/// Leaves; what the answer says of it.
async fn leave(party: &Party) -> String {
    let left = verbs::leave::run(&party.app, LeaveArgs::default(), &party.host).await;
    left.unwrap().answer.next
}

async fn code(party: &Party, link: &str) -> &'static str {
    party.try_join(link).await.unwrap_err().code()
}
