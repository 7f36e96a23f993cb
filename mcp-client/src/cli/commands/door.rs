//! `door`.

use wire::api::DoorState;

use super::Setting;
use crate::cli::arguments::{Bounds, Door, DoorCommand};
use crate::verbs::{self, DoorAction, DoorArgs, Failure};

pub(super) async fn door(setting: Setting<'_>, door: Door) -> Result<u8, Failure> {
    let arguments = DoorArgs {
        action: match door.action {
            None => DoorAction::Show,
            Some(DoorCommand::Open(bounds)) => set(DoorState::Open, &bounds),
            Some(DoorCommand::Ask(bounds)) => set(DoorState::Ask, &bounds),
            Some(DoorCommand::Closed(bounds)) => DoorAction::Set {
                state: DoorState::Closed,
                joins: bounds.joins,
                until: bounds.until,
            },
            Some(DoorCommand::Admit(who)) => DoorAction::Admit(who.id),
            Some(DoorCommand::Refuse(who)) => DoorAction::Refuse(who.id),
        },
        session: setting.common.session.clone(),
    };
    let answer = verbs::door::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}

fn set(state: DoorState, bounds: &Bounds) -> DoorAction {
    DoorAction::Set {
        state,
        joins: bounds.joins,
        until: bounds.until,
    }
}
