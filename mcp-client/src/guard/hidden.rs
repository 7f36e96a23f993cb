//! The text as a reader sees it: a hidden character inside a credential would keep it from being found.

use crate::render;

/// Bytes without hidden characters, and where each byte of them was.
pub(super) struct Visible {
    pub(super) bytes: Vec<u8>,
    at: Vec<usize>,
}

impl Visible {
    /// Where a range of them was.
    pub(super) fn original(&self, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
        let start = self.at.get(span.start).copied().unwrap_or_default();
        let last = span.end.saturating_sub(1);
        start..self.at.get(last).map_or(start, |last| last + 1)
    }
}

/// None where nothing is hidden, which is nearly always. What is no UTF-8 is taken as it is.
pub(super) fn visible(bytes: &[u8]) -> Option<Visible> {
    let text = std::str::from_utf8(bytes).ok()?;
    let hidden = |symbol: char| symbol != '\r' && render::is_hidden(symbol);
    text.contains(hidden).then(|| {
        let mut visible = Visible {
            bytes: Vec::with_capacity(bytes.len()),
            at: Vec::with_capacity(bytes.len()),
        };
        for (at, symbol) in text.char_indices().filter(|(_, symbol)| !hidden(*symbol)) {
            let mut room = [0; 4];
            let encoded = symbol.encode_utf8(&mut room).as_bytes();
            visible.bytes.extend_from_slice(encoded);
            visible.at.extend(at..at + encoded.len());
        }
        visible
    })
}
