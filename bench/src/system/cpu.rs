//! What processes used of the cores, and of the memory, as the kernel counts it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

use anyhow::{Context as _, Result};

/// The kernel's unit of processor time is a hundredth of a second on every Linux of today.
const TICKS_A_SECOND: f64 = 100.0;

/// Processes whose use is counted together.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tree {
    /// One alone. The generator started the plane: with its children it would count that as well.
    Alone(u32),
    /// One with all that descends from it.
    Whole(u32),
}

impl Tree {
    /// This process.
    pub(crate) fn this() -> Self {
        Self::Alone(std::process::id())
    }

    /// The process that started the one named.
    ///
    /// # Errors
    /// It is gone.
    pub(crate) fn parent_of(process: u32) -> Result<Self> {
        Ok(Self::Whole(stat(process)?.parent))
    }

    /// Seconds of processor time until now; of a whole tree, with what its ended children used.
    fn seconds(self) -> f64 {
        let ticks = match self {
            Self::Alone(process) => stat(process).map_or(0.0, |stat| stat.own),
            Self::Whole(process) => descendants(process)
                .into_iter()
                .filter_map(|process| stat(process).ok())
                .map(|stat| stat.own + stat.children)
                .sum(),
        };
        ticks / TICKS_A_SECOND
    }
}

/// A process and all that descends from it.
fn descendants(process: u32) -> BTreeSet<u32> {
    let mut members = BTreeSet::from([process]);
    let parents: Vec<(u32, u32)> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(|process| Some((process, stat(process).ok()?.parent)))
        .collect();
    loop {
        let before = members.len();
        for (process, parent) in &parents {
            if members.contains(parent) {
                members.insert(*process);
            }
        }
        if members.len() == before {
            return members;
        }
    }
}

/// A row of `/proc`.
struct Stat {
    parent: u32,
    /// Its own ticks.
    own: f64,
    /// Those of children that ended and were waited for.
    children: f64,
}

fn stat(process: u32) -> Result<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in brackets, may hold anything.
    let (_, rest) = text.rsplit_once(')').context("a process without a name")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let ticks = |at: usize| field(at).parse::<f64>().unwrap_or_default();
    Ok(Stat {
        parent: field(1).parse()?,
        own: ticks(11) + ticks(12),
        children: ticks(13) + ticks(14),
    })
}

/// Which processes used how many cores.
#[derive(Debug)]
pub(crate) struct Meter {
    start: Instant,
    trees: Vec<(&'static str, Tree, f64)>,
}

impl Meter {
    /// Starts to count.
    pub(crate) fn start(trees: &[(&'static str, Tree)]) -> Self {
        Self {
            start: Instant::now(),
            trees: trees
                .iter()
                .map(|(name, tree)| (*name, *tree, tree.seconds()))
                .collect(),
        }
    }

    /// Cores used since.
    pub(crate) fn cores(&self) -> Vec<(&'static str, f64)> {
        let elapsed = self.start.elapsed().as_secs_f64();
        self.trees
            .iter()
            .map(|(name, tree, before)| (*name, (tree.seconds() - before) / elapsed))
            .collect()
    }
}

/// Bytes of a process that are in memory: `VmRSS`, or `VmHWM` for the most there ever were.
///
/// # Errors
/// It is gone.
pub(crate) fn resident(process: u32, field: &str) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text
        .lines()
        .find(|line| line.starts_with(field))
        .with_context(|| format!("no {field}"))?;
    let kib = line.split_whitespace().nth(1).context("no number")?;
    Ok(kib.parse::<f64>()? * 1_024.0)
}

/// Files and connections that a process has open.
///
/// # Errors
/// It is gone.
pub(crate) fn handles(process: u32) -> Result<u32> {
    Ok(u32::try_from(
        fs::read_dir(format!("/proc/{process}/fd"))?.count(),
    )?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_works_uses_a_core() {
        let meter = Meter::start(&[("this", Tree::this())]);
        let mut sum = 0_u64;
        while meter.start.elapsed().as_millis() < 400 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let cores = meter.cores();
        assert!(cores[0].1 > 0.2, "{cores:?}");
    }
}
