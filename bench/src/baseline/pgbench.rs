//! pgbench, one durable row a transaction: what a program reaches that writes each message as it comes.
//!
//! One statement, prepared, as in the anchors: the session's head is moved and the row inserted in one round trip. The
//! body is a constant of the statement, so that pgbench is spared sending it; the comparison is the harder for it.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use tokio::process::Command;

/// What pgbench says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Transactions a second, without the time to connect.
    pub(crate) rate: f64,
    /// The mean of their latencies, in microseconds.
    pub(crate) mean: f64,
}

/// Appends by so many clients, each to one of so many sessions drawn at random; rows have a body of so many bytes.
///
/// # Errors
/// pgbench is not there or fails.
pub(crate) async fn append(
    url: &str,
    folder: &Path,
    body: usize,
    (clients, sessions): (usize, usize),
    duration: Duration,
) -> Result<Measured> {
    let bytes: String = (0..body).fold(String::new(), |mut text, _| {
        // Writing to a string does not fail.
        let _ = write!(text, "{:02x}", fastrand::u8(..));
        text
    });
    let script = format!(
        "\\set s random(1, {sessions})\n\
         WITH moved AS (UPDATE sessions SET next_seq = next_seq + 1 WHERE id = :s RETURNING id, next_seq) \
         INSERT INTO messages SELECT id, next_seq, '\\x{bytes}'::bytea FROM moved;\n"
    );
    run(url, folder, &script, clients, duration).await
}

/// Runs a script by so many clients.
///
/// # Errors
/// pgbench is not there or fails.
pub(crate) async fn run(
    url: &str,
    folder: &Path,
    script: &str,
    clients: usize,
    duration: Duration,
) -> Result<Measured> {
    let file = folder.join("script.pgbench");
    std::fs::write(&file, script)?;
    // Two threads, as the machine has cores: with one, pgbench itself is the bound.
    let threads = clients.min(2).to_string();
    let output = Command::new("pgbench")
        .args([
            "--no-vacuum",
            "--protocol=prepared",
            "--jobs",
            &threads,
            "--client",
            &clients.to_string(),
        ])
        .args(["--time", &duration.as_secs().max(1).to_string(), "--file"])
        .arg(&file)
        .arg(url)
        .output()
        .await
        .context("pgbench comes with Postgres: apt-get install postgresql")?;
    let text = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        bail!("pgbench: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(Measured {
        rate: number(&text, "tps = ")?,
        mean: number(&text, "latency average = ")? * 1_000.0,
    })
}

/// The number that follows a name.
fn number(text: &str, name: &str) -> Result<f64> {
    let (_, rest) = text
        .split_once(name)
        .with_context(|| format!("pgbench says no `{name}`: {text}"))?;
    let number = rest.split_whitespace().next().unwrap_or_default();
    number
        .parse()
        .with_context(|| format!("pgbench says `{name}{number}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_from_what_pgbench_prints() {
        let text = "number of clients: 32\nlatency average = 2.310 ms\ntps = 13852.813744 (without initial connection time)\n";
        assert!((number(text, "tps = ").unwrap() - 13_852.813_744).abs() < 1e-6);
        assert!((number(text, "latency average = ").unwrap() - 2.31).abs() < 1e-9);
        assert!(number(text, "latency stddev = ").is_err());
    }
}
