//! All rounds of a row.

use serde::Serialize;

use crate::figures::{Figure, Goal, Sample, Unit};

/// Rounds of one number.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Series {
    /// What was measured.
    pub(crate) name: &'static str,
    #[serde(skip)]
    unit: Unit,
    /// One a round.
    pub(crate) rounds: Vec<f64>,
}

impl Series {
    pub(crate) const fn new(name: &'static str, unit: Unit) -> Self {
        Self {
            name,
            unit,
            rounds: Vec::new(),
        }
    }

    /// See [`median`].
    pub(crate) fn median(&self) -> f64 {
        median(&self.rounds)
    }

    fn least(&self) -> f64 {
        self.rounds.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn most(&self) -> f64 {
        self.rounds.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Median and range.
    pub(crate) fn show(&self) -> String {
        let show = |value| self.unit.show(value);
        format!(
            "{} ({} to {})",
            show(self.median()),
            show(self.least()),
            show(self.most())
        )
    }
}

/// The middle one; of an even number, the mean of both.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
    if sorted.len().is_multiple_of(2) {
        f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
    } else {
        at(middle)
    }
}

/// A row, measured.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) store: &'static str,
    pub(super) method: &'static str,
    pub(super) goals: &'static [Goal],
    /// The figure first.
    pub(super) values: Vec<Series>,
    /// One for each goal.
    pub(super) judged: Vec<Series>,
    /// Of the disk, before and after each round.
    pub(super) sync: Series,
    /// Of the generator, the plane, and who else was at work.
    pub(super) cores: Vec<Series>,
    /// Why there is no figure.
    pub(super) without: Option<String>,
    /// Whether that is a fault.
    pub(super) failed: bool,
}

impl Measured {
    /// A row without a round.
    pub(crate) fn new(row: &dyn Figure) -> Self {
        Self {
            name: row.name(),
            title: row.title(),
            store: row.store().map_or("", crate::fixture::Store::name),
            method: row.method(),
            goals: row.goals(),
            values: Vec::new(),
            judged: row
                .goals()
                .iter()
                .map(|goal| Series::new(goal.of, goal.unit))
                .collect(),
            sync: Series::new("fdatasync", Unit::Micros),
            cores: Vec::new(),
            without: row.missing().map(|why| format!("not there yet: {why}")),
            failed: false,
        }
    }

    /// It can't be measured: what was measured until then is no figure.
    pub(crate) fn fail(&mut self, error: &anyhow::Error) {
        super::say(&format!("{}, {}: {error:#}", self.name, self.store));
        self.without = Some(format!("could not be measured: {error:#}").replace(['\n', '|'], " "));
        self.failed = true;
        self.values.clear();
        self.judged.iter_mut().for_each(|judged| judged.rounds.clear());
        self.sync.rounds.clear();
        self.cores.clear();
    }

    /// Adds a round.
    pub(crate) fn add(&mut self, sample: Sample) {
        if self.values.is_empty() {
            self.values = sample
                .values
                .iter()
                .map(|value| Series::new(value.name, value.unit))
                .collect();
            self.cores = sample
                .cores
                .iter()
                .map(|(name, _)| Series::new(name, Unit::Cores))
                .collect();
        }
        for (series, value) in self.values.iter_mut().zip(sample.values) {
            series.rounds.push(value.value);
        }
        for (series, judged) in self.judged.iter_mut().zip(sample.judged) {
            series.rounds.push(judged);
        }
        for (series, (_, cores)) in self.cores.iter_mut().zip(sample.cores) {
            series.rounds.push(cores);
        }
        if let Some((before, after)) = sample.sync {
            self.sync.rounds.extend([before, after]);
        }
    }

    /// The round that was added last, in a line.
    pub(crate) fn progress(&self, round: usize) -> String {
        let last = |series: &Series| {
            let value = series.rounds.last().copied().unwrap_or(f64::NAN);
            format!("{} {}", series.name, series.unit.show(value))
        };
        let all: Vec<String> = self
            .values
            .iter()
            .chain(&self.judged)
            .chain([&self.sync])
            .chain(&self.cores)
            .filter(|series| !series.rounds.is_empty())
            .map(last)
            .collect();
        let name = match self.store {
            "" => self.name.to_owned(),
            store => format!("{}, {store}", self.name),
        };
        format!("{name}, round {}: {}", round + 1, all.join(", "))
    }

    /// For each goal whether the median is within.
    pub(super) fn met(&self) -> impl Iterator<Item = (&Goal, &Series, bool)> {
        self.goals
            .iter()
            .zip(&self.judged)
            .map(|(goal, judged)| (goal, judged, goal.bound.holds(judged.median())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
        assert!(median(&[]).is_nan());
    }
}
