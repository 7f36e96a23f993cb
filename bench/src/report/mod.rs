//! The table, as text and as a file. The one place that prints.

mod conditions;
mod series;
mod table;

use std::io::Write as _;

pub(crate) use conditions::{Condition, conditions};
pub(crate) use series::{Measured, Series, median};
pub(crate) use table::Table;

/// Prints to standard output.
pub(crate) fn print(text: &str) {
    // Nobody reads any more: there is nobody to tell.
    let _ = writeln!(std::io::stdout().lock(), "{text}");
}

/// Says how it goes, on standard error.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
