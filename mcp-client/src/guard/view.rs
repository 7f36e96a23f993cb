//! Bytes as a reader would take them, and where each of them stands in what was written.

use std::ops::Range;

/// Bytes, and where each of them was.
pub(super) struct View {
    pub(super) bytes: Vec<u8>,
    /// Start and end of what each byte was written as. Growing, and with a gap where something was left out.
    at: Vec<(usize, usize)>,
}

impl View {
    /// As it is written.
    pub(super) fn plain(bytes: &[u8]) -> Self {
        Self {
            bytes: bytes.to_vec(),
            at: (0..bytes.len()).map(|at| (at, at + 1)).collect(),
        }
    }

    /// An empty one, with room for what `of` has.
    pub(super) fn like(of: &Self) -> Self {
        Self {
            bytes: Vec::with_capacity(of.bytes.len()),
            at: Vec::with_capacity(of.bytes.len()),
        }
    }

    /// Takes over a part of another view.
    pub(super) fn keep(&mut self, of: &Self, part: Range<usize>) {
        self.bytes
            .extend_from_slice(of.bytes.get(part.clone()).unwrap_or_default());
        self.at.extend_from_slice(of.at.get(part).unwrap_or_default());
    }

    /// Puts `bytes` in the place of a part of another view.
    pub(super) fn put(&mut self, bytes: &[u8], of: &Self, part: &Range<usize>) {
        let written = of.original(part);
        self.bytes.extend_from_slice(bytes);
        self.at.extend(bytes.iter().map(|_| (written.start, written.end)));
    }

    /// Where a part of it was.
    pub(super) fn original(&self, part: &Range<usize>) -> Range<usize> {
        let start = self
            .at
            .get(part.start)
            .map(|(start, _)| *start)
            .unwrap_or_default();
        let last = part.end.saturating_sub(1);
        start..self.at.get(last).map_or(start, |(_, end)| *end)
    }

    /// Whether no letter or digit stands right before `at`, as written: what was left out keeps words apart.
    pub(super) fn starts_at(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else {
            return true;
        };
        let ends = |(_, end): &(usize, usize)| *end;
        let starts = |(start, _): &(usize, usize)| *start;
        !self.bytes.get(before).is_some_and(u8::is_ascii_alphanumeric)
            || self.at.get(before).map(ends) != self.at.get(at).map(starts)
    }

    /// Whether no letter or digit stands right at `at`.
    pub(super) fn ends_at(&self, at: usize) -> bool {
        !self.bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) || self.starts_at(at)
    }
}
