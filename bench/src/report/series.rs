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

    /// The middle one; of an even number, the mean of both.
    pub(crate) fn median(&self) -> f64 {
        let mut sorted = self.rounds.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len() / 2;
        let at = |place: usize| sorted.get(place).copied().unwrap_or(f64::NAN);
        if sorted.len().is_multiple_of(2) {
            f64::midpoint(at(middle.wrapping_sub(1)), at(middle))
        } else {
            at(middle)
        }
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
            "{} ({}–{})",
            show(self.median()),
            show(self.least()),
            show(self.most())
        )
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
    pub(super) ratios: Vec<Series>,
    /// Of the disk, before and after each round.
    pub(super) sync: Series,
    /// Of the generator, the plane and the database.
    pub(super) cores: Vec<Series>,
}

const CORES: [&str; 3] = ["generator", "plane", "database"];

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
            ratios: row
                .goals()
                .iter()
                .map(|goal| Series::new(goal.of, Unit::Ratio))
                .collect(),
            sync: Series::new("fdatasync", Unit::Micros),
            cores: Vec::new(),
        }
    }

    /// Adds a round.
    pub(crate) fn add(&mut self, sample: Sample) {
        if self.values.is_empty() {
            self.values = sample
                .values
                .iter()
                .map(|value| Series::new(value.name, value.unit))
                .collect();
            self.cores = CORES
                .iter()
                .zip(&sample.cores)
                .map(|(name, _)| Series::new(name, Unit::Cores))
                .collect();
        }
        for (series, value) in self.values.iter_mut().zip(sample.values) {
            series.rounds.push(value.value);
        }
        for (series, ratio) in self.ratios.iter_mut().zip(sample.ratios) {
            series.rounds.push(ratio);
        }
        for (series, cores) in self.cores.iter_mut().zip(sample.cores) {
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
            .chain(&self.ratios)
            .chain([&self.sync])
            .chain(&self.cores)
            .map(last)
            .collect();
        format!(
            "{}, {}, round {}: {}",
            self.name,
            self.store,
            round + 1,
            all.join(", ")
        )
    }

    /// For each goal whether the median is within.
    pub(super) fn met(&self) -> impl Iterator<Item = (&Goal, &Series, bool)> {
        self.goals
            .iter()
            .zip(&self.ratios)
            .map(|(goal, ratio)| (goal, ratio, goal.bound.holds(ratio.median())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn median(rounds: &[f64]) -> f64 {
        Series {
            name: "",
            unit: Unit::Cores,
            rounds: rounds.to_vec(),
        }
        .median()
    }

    #[test]
    fn the_median_is_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
        assert!(median(&[]).is_nan());
    }
}
