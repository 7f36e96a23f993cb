//! Measures the plane and its client, and prints the table of `quality.md`.
//!
//! Every figure is taken beside its baseline in the same round, because machines and disks change their speed from one
//! minute to the next; what is judged is the ratio. The plane runs as a process of its own, as it is shipped. Nothing
//! of this is linked into a shipped program.
//!
//! - [`figures`]: one file a row of the table · [`baseline`]: what the rows are compared with
//! - [`soak`]: many minutes of everything at once · [`growth`]: the same with more and more stored
//! - [`load`]: the clients that make the load · [`fixture`]: planes, stores and sessions to measure on
//! - [`system`]: the machine, its processes and its disk · [`report`]: the table and the files

mod baseline;
mod figures;
mod fixture;
mod growth;
mod load;
mod options;
mod report;
mod soak;
mod system;

use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Parser as _;
use tokio::signal::unix::{SignalKind, signal};

use fixture::Fixture;
use options::{Options, Task};

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
    let mut fixture = Fixture::new(&options)?;
    let done = match &options.task {
        Task::Table { only, on_disk } => table(&mut fixture, only.as_deref(), *on_disk).await,
        Task::Soak { minutes } => soak::run(&mut fixture, *minutes).await,
        Task::Growth => growth::run(&mut fixture).await,
    };
    fixture.stop().await;
    done
}

async fn table(fixture: &mut Fixture<'_>, only: Option<&str>, on_disk: bool) -> Result<()> {
    let mut rows = figures::chosen(only, on_disk)?;
    let measured = figures::measure(&mut rows, fixture).await;
    let table = report::Table::new(fixture.options, measured);
    report::print(&table.to_string());
    if let Some(folder) = &fixture.options.output {
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
