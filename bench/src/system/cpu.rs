//! What processes used of the cores, and of the memory, as the kernel counts it.

use std::collections::BTreeSet;
use std::fs;
use std::time::Instant;

use anyhow::{Context as _, Result};

/// The kernel's unit of processor time is a hundredth of a second on every Linux of today.
const TICKS_A_SECOND: f64 = 100.0;

/// A process with all that descends from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tree(pub(crate) u32);

impl Tree {
    /// This process.
    pub(crate) fn this() -> Self {
        Self(std::process::id())
    }

    /// The process that started the one named.
    ///
    /// # Errors
    /// It is gone.
    pub(crate) fn parent_of(process: u32) -> Result<Self> {
        Ok(Self(stat(process)?.parent))
    }

    /// Seconds of processor time until now, of ended children too.
    fn seconds(self) -> f64 {
        self.members()
            .into_iter()
            .filter_map(|process| stat(process).ok())
            .map(|stat| stat.ticks)
            .sum::<f64>()
            / TICKS_A_SECOND
    }

    fn members(self) -> BTreeSet<u32> {
        let mut members = BTreeSet::from([self.0]);
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
}

/// A row of `/proc`.
struct Stat {
    parent: u32,
    /// Of this process, and of children that ended and were waited for.
    ticks: f64,
}

fn stat(process: u32) -> Result<Stat> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in brackets, may hold anything.
    let (_, rest) = text.rsplit_once(')').context("a process without a name")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let field = |at: usize| fields.get(at).copied().unwrap_or_default();
    let ticks = (11..15)
        .map(|at| field(at).parse::<f64>().unwrap_or_default())
        .sum();
    Ok(Stat {
        parent: field(1).parse()?,
        ticks,
    })
}

/// Which processes used how many cores.
#[derive(Debug)]
pub(crate) struct Meter {
    start: Instant,
    trees: Vec<(Tree, f64)>,
}

impl Meter {
    /// Starts to count.
    pub(crate) fn start(trees: &[Tree]) -> Self {
        Self {
            start: Instant::now(),
            trees: trees.iter().map(|tree| (*tree, tree.seconds())).collect(),
        }
    }

    /// Cores used since, in the order of the trees.
    pub(crate) fn cores(&self) -> Vec<f64> {
        let elapsed = self.start.elapsed().as_secs_f64();
        self.trees
            .iter()
            .map(|(tree, before)| (tree.seconds() - before) / elapsed)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_works_uses_a_core() {
        let meter = Meter::start(&[Tree::this()]);
        let mut sum = 0_u64;
        while meter.start.elapsed().as_millis() < 400 {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        let cores = meter.cores();
        assert!(cores[0] > 0.2, "{cores:?}");
    }
}
