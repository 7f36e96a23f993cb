//! Whether a series grows: its slope is the median of the slopes between any two points (Theil and Sen), which a few slow
//! moments of a machine do not move.

use crate::report::median;

/// A series over the time, and how much it may grow over all of it.
#[derive(Debug)]
pub(super) struct Trend {
    /// What grows, or does not.
    pub(super) name: &'static str,
    /// What it was for the most part.
    pub(super) median: f64,
    /// How much it grew from the first point to the last by its slope; negative where it fell.
    pub(super) growth: f64,
    /// How much it may.
    pub(super) bound: f64,
    /// What its median may be.
    most: f64,
}

/// What comes of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is as it should be.
    Holds,
    /// It grew beyond its bound.
    Grew,
    /// Its median is beyond what it may be.
    TooMuch,
    /// Some point of it, or all of it, could not be measured.
    NotMeasured,
}

impl Verdict {
    /// As a report has it.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::Grew => "grew",
            Self::TooMuch => "too much",
            Self::NotMeasured => "not measured",
        }
    }
}

impl Trend {
    /// Of points at times in seconds. It may grow by a part of its median, and by so much besides.
    pub(super) fn new(name: &'static str, points: &[(f64, f64)], part: f64, besides: f64) -> Self {
        let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
        // A median hides what is missing: it passes over a few points that are no numbers.
        let whole = values.iter().all(|value| !value.is_nan());
        let median = if whole { median(&values) } else { f64::NAN };
        let span = match points {
            [(first, _), .., (last, _)] => last - first,
            _ => 0.0,
        };
        Self {
            name,
            median,
            growth: slope(points) * span,
            bound: median * part + besides,
            most: f64::INFINITY,
        }
    }

    /// The same, of which the median may be no more than this.
    pub(super) const fn at_most(self, most: f64) -> Self {
        Self { most, ..self }
    }

    /// Whether it is and grew no more than it may. What could not be measured does not hold.
    pub(super) fn verdict(&self) -> Verdict {
        if self.growth.is_nan() || self.bound.is_nan() {
            Verdict::NotMeasured
        } else if self.growth > self.bound {
            Verdict::Grew
        } else if self.median > self.most {
            Verdict::TooMuch
        } else {
            Verdict::Holds
        }
    }
}

fn slope(points: &[(f64, f64)]) -> f64 {
    let slopes: Vec<f64> = points
        .iter()
        .enumerate()
        .flat_map(|(place, one)| points.iter().skip(place + 1).map(move |other| (one, other)))
        .filter(|(one, other)| other.0 > one.0)
        .map(|(one, other)| (other.1 - one.1) / (other.0 - one.0))
        .collect();
    median(&slopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(slope: f64) -> Vec<(f64, f64)> {
        (0..60)
            .map(|at| (f64::from(at), slope.mul_add(f64::from(at), 100.0)))
            .collect()
    }

    #[test]
    fn a_steady_rise_is_growth_and_a_flat_line_is_none() {
        let rising = Trend::new("memory", &line(0.5), 0.05, 3.0);
        assert!((rising.growth - 29.5).abs() < 1e-9, "{rising:?}");
        assert!(rising.verdict() == Verdict::Grew);
        assert_eq!(
            Trend::new("memory", &line(0.0), 0.05, 3.0).verdict(),
            Verdict::Holds
        );
        assert_eq!(
            Trend::new("memory", &line(-1.0), 0.0, 0.0).verdict(),
            Verdict::Holds
        );
    }

    #[test]
    fn a_few_slow_moments_are_no_growth() {
        let mut points = line(0.0);
        for slow in points.iter_mut().skip(50).step_by(4) {
            slow.1 = 10_000.0;
        }
        assert_eq!(
            Trend::new("latency", &points, 0.05, 0.0).verdict(),
            Verdict::Holds
        );
    }

    #[test]
    fn what_could_not_be_measured_does_not_hold() {
        let mut one_is_missing = line(0.0);
        one_is_missing[30].1 = f64::NAN;
        let none: &[(f64, f64)] = &[(0.0, f64::NAN), (1.0, f64::NAN)];
        for points in [&[], none, &one_is_missing] {
            let trend = Trend::new("latency", points, 0.05, 3.0);
            assert_eq!(trend.verdict(), Verdict::NotMeasured, "{trend:?}");
        }
    }

    #[test]
    fn what_is_too_much_all_the_time_does_not_hold() {
        let steady = || Trend::new("latency", &line(0.0), 0.05, 3.0);
        assert_eq!(steady().at_most(100.0).verdict(), Verdict::Holds);
        assert_eq!(steady().at_most(99.0).verdict(), Verdict::TooMuch);
    }
}
