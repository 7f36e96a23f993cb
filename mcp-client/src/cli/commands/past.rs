//! `history` and `cockpit`.

use super::Setting;
use crate::cli::arguments::{Cockpit, History};
use crate::verbs::{self, CockpitArgs, Failure, HistoryArgs, Host as _, code};

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
    let failed =
        |error: std::io::Error| Failure::new(code::COCKPIT_START, format!("The cockpit ended: {error}."));
    let ended = terminated().map_err(failed)?;
    let interrupted = setting.host.cancelled().clone();
    let (cockpit, answer) = verbs::cockpit::start(setting.app, arguments).await?;
    let code = setting.deliver(answer).await?;
    let stop = async move {
        tokio::select! {
            () = interrupted.cancelled() => {}
            () = ended => {}
        }
    };
    cockpit.serve(stop).await.map_err(failed)?;
    Ok(code)
}

/// Resolves when the system asks the process to end.
#[cfg(unix)]
fn terminated() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        terminate.recv().await;
    })
}

#[cfg(not(unix))]
fn terminated() -> std::io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(std::future::pending())
}
