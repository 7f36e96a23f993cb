//! A bar for long reading and writing, where a person is looking; nothing elsewhere.

use super::output;
use crate::session::{Meter, Step};

/// Records below which it is over before a bar could be read.
const WORTH_SHOWING: u64 = 500;
/// Characters of the bar between its brackets.
const WIDTH: u64 = 24;

/// Shows the bar on standard error while a transcript is read.
pub(super) fn meter() -> Meter {
    Meter::new(|reading| {
        let what = match reading.step {
            Step::Opening => "Opening the transcript",
            Step::Fetching => "Fetching the transcript",
        };
        show(what, reading.done, reading.of);
    })
}

/// Shows how far something is, in records; takes the bar away at its end.
pub(super) fn show(what: &str, done: u64, of: u64) {
    if of < WORTH_SHOWING {
        return;
    }
    if done >= of {
        output::clear_status();
        return;
    }
    output::status(&line(what, done, of));
}

/// One line: what is done, how far, in records.
fn line(what: &str, done: u64, of: u64) -> String {
    let (done, of) = (done.min(of), of.max(1));
    let full = done.saturating_mul(WIDTH) / of;
    let bar: String = (0..WIDTH)
        .map(|at| match at.cmp(&full) {
            std::cmp::Ordering::Less => '=',
            std::cmp::Ordering::Equal => '>',
            std::cmp::Ordering::Greater => ' ',
        })
        .collect();
    format!("{what} [{bar}] {done} of {of} records")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_goes_from_empty_to_full() {
        let at = |done| line("Fetching the transcript", done, 12_000);
        assert_eq!(
            at(0),
            "Fetching the transcript [>                       ] 0 of 12000 records"
        );
        assert_eq!(
            at(6_000),
            "Fetching the transcript [============>           ] 6000 of 12000 records"
        );
        assert_eq!(
            at(12_000),
            "Fetching the transcript [========================] 12000 of 12000 records"
        );
        assert_eq!(at(13_000), at(12_000));
    }
}
