//! `mode`.

use super::Setting;
use crate::cli::arguments::{Mode, SetMode};
use crate::verbs::{self, Failure, ModeArgs, SetTo};

pub(super) async fn mode(setting: Setting<'_>, mode: Mode) -> Result<u8, Failure> {
    let arguments = ModeArgs {
        set: mode.set.map(|set| match set {
            SetMode::Observe => SetTo::Observe,
            SetMode::Stop => SetTo::Stop,
            SetMode::Relay => SetTo::Relay,
        }),
        session: setting.common.session.clone(),
    };
    let answer = verbs::mode::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}
