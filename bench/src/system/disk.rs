//! How long the disk takes to make a write durable. Disks are fast and slow by turns, so no durable figure stands
//! without this.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use hdrhistogram::Histogram;

/// How long it is probed.
const PROBE: Duration = Duration::from_millis(400);
/// A page of a write-ahead log.
const PAGE: [u8; 8_192] = [0x5a; 8_192];
const PAGES: u64 = 64;

/// The median of `fdatasync` after a write of 8 KiB into a file that has its blocks already; microseconds.
///
/// # Errors
/// The folder can't be written to.
pub(crate) fn sync_time(folder: &Path) -> Result<f64> {
    let path = folder.join("sync-probe");
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&path)?;
    for page in 0..PAGES {
        file.write_all_at(&PAGE, page * 8_192)?;
    }
    file.sync_all()?;
    let mut times = Histogram::<u64>::new(3)?;
    let end = Instant::now() + PROBE;
    let mut page = 0;
    while Instant::now() < end {
        file.write_all_at(&PAGE, page % PAGES * 8_192)?;
        let start = Instant::now();
        file.sync_data()?;
        times.record(u64::try_from(start.elapsed().as_nanos())?)?;
        page += 1;
    }
    std::fs::remove_file(&path)?;
    #[allow(
        clippy::cast_precision_loss,
        reason = "nanoseconds of a probe are far below 2^52"
    )]
    Ok(times.value_at_quantile(0.5) as f64 / 1_000.0)
}
