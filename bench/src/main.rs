//! Measures the plane and its client, and prints the table of `quality.md`.
//!
//! Every figure is taken beside its baseline in the same round, because machines and disks change their speed from one
//! minute to the next; what is judged is the ratio. The plane runs as a process of its own, as it is shipped. Nothing
//! of this is linked into a shipped program.
//!
//! - [`figures`]: one file a row of the table · [`baseline`]: what the rows are compared with
//! - [`load`]: the clients that make the load · [`fixture`]: planes, stores and sessions to measure on
//! - [`system`]: the machine, its processes and its disk · [`report`]: the table and the files

mod baseline;
mod figures;
mod fixture;
mod load;
mod options;
mod report;
mod system;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Parser as _;
use tokio::signal::unix::{SignalKind, signal};

use fixture::Fixture;
use options::Options;

/// One thread makes the load: on a machine of two cores more of them would take from what is measured.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // Told to stop, everything that was started is dropped, which ends it.
    let done = tokio::select! {
        done = run(Options::parse()) => done,
        stopped = stopped() => stopped,
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::say(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

/// Returns once this process is told to stop.
async fn stopped() -> Result<()> {
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted?,
        _ = terminated.recv() => {}
    }
    bail!("stopped before all was measured")
}

async fn run(options: Options) -> Result<()> {
    let mut rows = figures::chosen(options.only.as_deref())?;
    let mut fixture = Fixture::new(&options)?;
    let measured = figures::measure(&mut rows, &mut fixture).await;
    fixture.stop().await;
    let table = report::Table::new(&options, measured);
    report::print(&table.to_string());
    if let Some(folder) = &options.output {
        table
            .write(folder)
            .with_context(|| format!("{} can't be written", folder.display()))?;
    }
    if table.is_whole() {
        Ok(())
    } else {
        bail!("some rows could not be measured")
    }
}
