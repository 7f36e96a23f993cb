//! What one round of a row gives.

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// So many a second.
    PerSecond,
    /// Microseconds.
    Micros,
    /// A figure in terms of its baseline.
    Ratio,
    /// Of the machine's cores.
    Cores,
    /// Bytes.
    Bytes,
    /// So many.
    Count,
}

impl Unit {
    /// A number with its unit.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            _ if value.is_nan() => "none".to_owned(),
            Self::PerSecond => format!("{value:.0}/s"),
            Self::Micros if value >= 10_000.0 => format!("{:.1} ms", value / 1_000.0),
            Self::Micros if value >= 1_000.0 => format!("{:.2} ms", value / 1_000.0),
            Self::Micros => format!("{value:.0} µs"),
            Self::Cores | Self::Ratio => format!("{value:.2}"),
            Self::Bytes if value >= 1_048_576.0 => format!("{:.1} MiB", value / 1_048_576.0),
            Self::Bytes => format!("{:.1} KB", value / 1_000.0),
            Self::Count => format!("{value:.0}"),
        }
    }
}

/// A number of one round. The first of a sample is the figure, those after it what stands beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Value {
    /// What was measured.
    pub(crate) name: &'static str,
    /// What it counts.
    pub(crate) unit: Unit,
    /// How much.
    pub(crate) value: f64,
}

impl Value {
    /// A number.
    pub(crate) const fn new(name: &'static str, unit: Unit, value: f64) -> Self {
        Self { name, unit, value }
    }
}

/// Which way is good.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    /// At least so much.
    AtLeast(f64),
    /// At most so much.
    AtMost(f64),
}

impl Bound {
    /// Whether a number is within.
    pub(crate) fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
        }
    }
}

/// A goal of a row: what is held against the bound, and the bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// The figure in terms of what.
    pub(crate) of: &'static str,
    /// A ratio, unless it is the figure itself or a difference.
    pub(crate) unit: Unit,
    /// The bound.
    pub(crate) bound: Bound,
}

impl Goal {
    /// A figure at least so many times its baseline.
    pub(crate) const fn at_least(ratio: f64, of: &'static str) -> Self {
        Self::of(Unit::Ratio, Bound::AtLeast(ratio), of)
    }

    /// A figure at most so many times its baseline.
    pub(crate) const fn at_most(ratio: f64, of: &'static str) -> Self {
        Self::of(Unit::Ratio, Bound::AtMost(ratio), of)
    }

    /// A bound on something with a unit.
    pub(crate) const fn of(unit: Unit, bound: Bound, of: &'static str) -> Self {
        Self { of, unit, bound }
    }
}

/// A round of a row.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    /// The figure first, then its baselines and what else was seen.
    pub(crate) values: Vec<Value>,
    /// What is held against each goal, in their order.
    pub(crate) judged: Vec<f64>,
    /// The disk's `fdatasync` before and after, in microseconds; of rows that must be durable.
    pub(crate) sync: Option<(f64, f64)>,
    /// Cores used meanwhile, by whom.
    pub(crate) cores: Vec<(&'static str, f64)>,
}
