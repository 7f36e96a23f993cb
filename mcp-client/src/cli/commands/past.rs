//! `history` and `cockpit`.

use super::Setting;
use crate::cli::arguments::{Cockpit, History};
use crate::cli::interrupted;
use crate::verbs::{self, CockpitArgs, Failure, HistoryArgs, Host as _};

pub(super) async fn history(setting: Setting<'_>, history: History) -> Result<u8, Failure> {
    let arguments = HistoryArgs {
        paths: history.paths,
        repo: history.repo,
        limit: history.limit,
    };
    let answer = verbs::history::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}

/// Serves until it is interrupted or told to end, and then ends in order.
pub(super) async fn cockpit(setting: Setting<'_>, cockpit: Cockpit) -> Result<u8, Failure> {
    let arguments = CockpitArgs {
        listen: cockpit.listen,
        data: cockpit.data,
    };
    let terminated = interrupted::terminated();
    let cancelled = setting.host.cancelled().clone();
    let (cockpit, answer) = verbs::cockpit::start(setting.app, arguments).await?;
    let code = setting.deliver(answer).await?;
    let stop = async move {
        tokio::select! {
            () = cancelled.cancelled() => {}
            () = terminated => {}
        }
    };
    cockpit.serve(stop).await;
    Ok(code)
}
