//! What a soak is judged by, and what is told of it.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::ledger::Sample;
use super::rooms::REACHED;
use super::trend::{Trend, Verdict};
use crate::figures::Unit;
use crate::report::Condition;

/// Rows of the table; all looks are in the JSON.
const ROWS: usize = 24;
const MIB: f64 = 1_048_576.0;
/// What a wait's return may take in the median. A plane looks again by itself every four seconds, so that
/// readers whom nobody wakes have a record after two.
const WAKE_MOST: Duration = Duration::from_secs(1);

/// What was seen.
#[derive(Debug)]
pub(super) struct Report<'a> {
    conditions: Vec<Condition>,
    samples: &'a [Sample],
    trends: Vec<(Unit, Trend)>,
}

impl<'a> Report<'a> {
    /// Of all looks, and those that are judged.
    pub(super) fn new(conditions: Vec<Condition>, samples: &'a [Sample], judged: &[Sample]) -> Self {
        let points = |value: fn(&Sample) -> f64| -> Vec<(f64, f64)> {
            judged
                .iter()
                .map(|sample| (sample.at.as_secs_f64(), value(sample)))
                .collect()
        };
        // Of memory a twentieth and what an allocator keeps in hand; of connections none that stays; of latency what
        // disks and neighbours make of it from one minute to the next.
        let memory = points(|sample| sample.memory);
        let handles = points(|sample| f64::from(sample.handles));
        let connections = points(|sample| f64::from(sample.connections));
        let post = points(|sample| sample.post(0.5));
        let wake = points(|sample| sample.wake(0.5));
        let trends = vec![
            (
                Unit::Bytes,
                Trend::new("the plane's memory", &memory, 0.05, 3.0 * MIB),
            ),
            (Unit::Count, Trend::new("its file handles", &handles, 0.0, 4.0)),
            (
                Unit::Count,
                Trend::new("its connections to the database", &connections, 0.0, 1.0),
            ),
            (Unit::Micros, Trend::new("post, p50", &post, 0.25, 300.0)),
            (
                Unit::Micros,
                Trend::new("a wait's return, p50", &wake, 0.25, 300.0).at_most(WAKE_MOST.as_secs_f64() * 1e6),
            ),
        ];
        Self {
            conditions,
            samples,
            trends,
        }
    }

    /// What does not hold, and why.
    pub(super) fn faults(&self) -> Vec<String> {
        self.trends
            .iter()
            .map(|(_, trend)| (trend.name, trend.verdict()))
            .filter(|(_, verdict)| *verdict != Verdict::Holds)
            .map(|(name, verdict)| format!("{name} ({})", verdict.word()))
            .collect()
    }

    /// Keeps it as `soak.md` and `soak.json`.
    pub(super) fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("soak.md"), self.to_string())?;
        let looks: Vec<_> = self
            .samples
            .iter()
            .map(|sample| {
                json!({ "s": sample.at.as_secs(), "memory": sample.memory, "handles": sample.handles,
                    "database_connections": sample.connections, "posts_per_s": sample.rate(),
                    "post_us": [sample.post(0.5), sample.post(0.99)], "wake_us": [sample.wake(0.5), sample.wake(0.99)],
                    "joins": sample.noted.joins, "rekeys": sample.noted.rekeys, "told_to_come_later": sample.noted.later })
            })
            .collect();
        let trends: Vec<_> = self
            .trends
            .iter()
            .map(|(_, trend)| {
                json!({ "of": trend.name, "median": trend.median, "growth": trend.growth, "bound": trend.bound,
                    "holds": trend.verdict() == Verdict::Holds })
            })
            .collect();
        let kept = json!({ "trends": trends, "looks": looks });
        std::fs::write(folder.join("soak.json"), format!("{kept:#}\n"))
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# A plane under a mixed load for many minutes\n")?;
        for (name, value) in self.conditions.iter().filter(|(name, _)| *name != "rounds") {
            writeln!(f, "- {name}: {value}")?;
        }
        writeln!(
            f,
            "\n| | median | growth | bound | |\n| --- | --- | --- | --- | --- |"
        )?;
        for (unit, trend) in &self.trends {
            let sign = if trend.growth < 0.0 { "−" } else { "" };
            let mark = match trend.verdict() {
                Verdict::Holds => "",
                Verdict::Grew | Verdict::TooMuch | Verdict::NotMeasured => "**",
            };
            writeln!(
                f,
                "| {} | {} | {sign}{} | {} | {mark}{}{mark} |",
                trend.name,
                unit.show(trend.median),
                unit.show(trend.growth.abs()),
                unit.show(trend.bound),
                trend.verdict().word()
            )?;
        }
        writeln!(
            f,
            "\nGrowth is the slope over the time that is judged, the last four fifths: the median of the slopes between any two \
             looks. A wait's return is the time from each post until a reader has it; its median may besides be no more than \
             {} s. Each session's readers saw every record of it that was acknowledged, once and in order, the last one within \
             {} s of the last answer, or there would be no report.\n",
            WAKE_MOST.as_secs(),
            REACHED.as_secs()
        )?;
        writeln!(
            f,
            "| at | memory | handles | to the database | posts | post p50 | p99 | wait p50 | p99 | joins | re-keys, 429 |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
        )?;
        for sample in self
            .samples
            .iter()
            .step_by(self.samples.len().div_ceil(ROWS).max(1))
        {
            writeln!(f, "| {} |", sample.row().join(" | "))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::ledger::Ledger;
    use super::*;

    /// A report on looks that differ in nothing but what their waits took.
    fn faults(wakes: &[u64]) -> Vec<String> {
        let ledger = Ledger::new().unwrap();
        let samples: Vec<Sample> = (0..20)
            .map(|look| {
                ledger.post(Duration::from_millis(2));
                for millis in wakes {
                    ledger.wake(Duration::from_millis(*millis));
                }
                Sample {
                    at: Duration::from_secs(5 * look),
                    memory: 40.0 * MIB,
                    handles: 10,
                    connections: 10,
                    noted: ledger.take(),
                }
            })
            .collect();
        let report = Report::new(Vec::new(), &samples, &samples);
        let text = report.to_string();
        let faults = report.faults();
        assert_eq!(text.contains("**"), !faults.is_empty(), "{text}");
        faults
    }

    #[test]
    fn a_soak_whose_readers_are_woken_holds() {
        assert_eq!(faults(&[2, 3, 4_000]), Vec::<String>::new());
    }

    #[test]
    fn a_soak_whose_waits_were_not_measured_does_not_hold() {
        assert_eq!(faults(&[]), ["a wait's return, p50 (not measured)"]);
    }

    #[test]
    fn a_soak_whose_readers_find_records_by_the_planes_own_look_alone_does_not_hold() {
        assert_eq!(faults(&[100, 2_000, 3_900]), ["a wait's return, p50 (too much)"]);
    }
}
