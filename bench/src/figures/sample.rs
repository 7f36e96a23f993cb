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
}

impl Unit {
    /// A number with its unit.
    pub(crate) fn show(self, value: f64) -> String {
        match self {
            Self::PerSecond => format!("{value:.0}/s"),
            Self::Micros if value >= 10_000.0 => format!("{:.1} ms", value / 1_000.0),
            Self::Micros if value >= 1_000.0 => format!("{:.2} ms", value / 1_000.0),
            Self::Micros => format!("{value:.0} µs"),
            Self::Cores | Self::Ratio => format!("{value:.2}"),
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

/// A goal of a row: what its ratio is to, and the bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    /// The figure in terms of what.
    pub(crate) of: &'static str,
    /// The bound.
    pub(crate) bound: Bound,
}

/// A round of a row.
#[derive(Debug)]
pub(crate) struct Sample {
    /// The figure first, then its baselines.
    pub(crate) values: Vec<Value>,
    /// One for each goal, in their order.
    pub(crate) ratios: Vec<f64>,
    /// The disk's `fdatasync` before and after, in microseconds; of rows that must be durable.
    pub(crate) sync: Option<(f64, f64)>,
    /// Cores used meanwhile by the generator, the plane and the database.
    pub(crate) cores: Vec<f64>,
}
