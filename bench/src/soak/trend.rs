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
}

impl Trend {
    /// Of points at times in seconds. It may grow by a part of its median, and by so much besides.
    pub(super) fn new(name: &'static str, points: &[(f64, f64)], part: f64, besides: f64) -> Self {
        let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
        let median = median(&values);
        let span = match points {
            [(first, _), .., (last, _)] => last - first,
            _ => 0.0,
        };
        Self {
            name,
            median,
            growth: slope(points) * span,
            bound: median * part + besides,
        }
    }

    /// Whether it grew no more than it may. What could not be measured does not hold.
    pub(super) fn holds(&self) -> bool {
        self.growth <= self.bound
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
        assert!(!rising.holds());
        assert!(Trend::new("memory", &line(0.0), 0.05, 3.0).holds());
        assert!(Trend::new("memory", &line(-1.0), 0.0, 0.0).holds());
    }

    #[test]
    fn a_few_slow_moments_are_no_growth() {
        let mut points = line(0.0);
        for slow in points.iter_mut().skip(50).step_by(4) {
            slow.1 = 10_000.0;
        }
        assert!(Trend::new("latency", &points, 0.05, 0.0).holds());
    }

    #[test]
    fn what_could_not_be_measured_does_not_hold() {
        assert!(!Trend::new("latency", &[], 0.05, 3.0).holds());
        assert!(!Trend::new("latency", &[(0.0, f64::NAN), (1.0, f64::NAN)], 0.05, 3.0).holds());
    }
}
