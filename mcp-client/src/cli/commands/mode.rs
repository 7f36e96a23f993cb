//! `mode`.

use super::Setting;
use crate::cli::arguments::{Mode, SetMode};
use crate::cli::input;
use crate::verbs::{self, Failure, Host as _, ModeArgs, SetTo};

pub(super) async fn mode(setting: Setting<'_>, mode: Mode) -> Result<u8, Failure> {
    let mut arguments = ModeArgs {
        set: mode.set.map(|set| match set {
            SetMode::Observe => SetTo::Observe,
            SetMode::Stop => SetTo::Stop,
            SetMode::Relay => SetTo::Relay,
            SetMode::Auto => SetTo::Auto,
            SetMode::Accept => SetTo::Accept,
            SetMode::Decline => SetTo::Decline,
        }),
        goal: None,
        budget: mode.budget,
        ttl_minutes: mode.ttl_minutes,
        session: setting.common.session.clone(),
    };
    arguments.check_numbers(setting.host.face())?;
    setting.hand_for_secrets().await?;
    if arguments.set == Some(SetTo::Auto) {
        // Before anybody writes a goal that could not be proposed.
        verbs::mode::prepare(setting.app, &arguments, setting.host).await?;
        arguments.goal = Some(input::text("what the agents are to do").await?);
    }
    let answer = verbs::mode::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}
