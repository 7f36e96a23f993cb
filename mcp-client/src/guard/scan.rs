//! One pass over bytes: our own secrets, then the rules whose keywords stand in them. Then the same over the text without
//! what is hidden in it, and over the text with its escapes undone, where there is any of that.

use std::ops::Range;

use super::finding::{FINDINGS_MAX, Finding, Findings, Place};
use super::rules::{self, Rules, RulesError};
use super::view::View;
use super::{escapes, hidden, ours};

/// What stands where, before its line is known.
struct Hit {
    span: Range<usize>,
    rule: &'static str,
    kind: &'static str,
    ours: bool,
    own_form: bool,
}

/// Scans `bytes`, which a finding calls by `name`: a field of a message, or a file. The name is shown as it is, so it must
/// not be taken from what may hold a credential itself.
///
/// # Errors
/// The rules can't be used: then whatever was to be sent is not.
pub fn scan(name: &str, bytes: &[u8]) -> Result<Findings, RulesError> {
    scan_by(rules::all()?, name, bytes)
}

pub(super) fn scan_by(rules: &'static Rules, name: &str, bytes: &[u8]) -> Result<Findings, RulesError> {
    let plain = View::plain(bytes);
    let mut hits = in_view(rules, &plain)?;
    if let Some(seen) = hidden::removed(&plain) {
        hits.extend(in_view(rules, &seen)?);
    }
    if let Some(undone) = escapes::undone(&plain) {
        hits.extend(in_view(rules, &hidden::removed(&undone).unwrap_or(undone))?);
    }
    // Where two rules see the same bytes, ours first, and then the one that knows the value by its own form.
    hits.sort_by_key(|hit| (!hit.ours, !hit.own_form, hit.span.start));
    let mut kept: Vec<Hit> = Vec::new();
    for hit in hits {
        let overlaps = |other: &&mut Hit| hit.span.start < other.span.end && other.span.start < hit.span.end;
        if let Some(other) = kept.iter_mut().find(overlaps) {
            other.span.start = other.span.start.min(hit.span.start);
            other.span.end = other.span.end.max(hit.span.end);
        } else if kept.len() < FINDINGS_MAX {
            kept.push(hit);
        } else {
            break;
        }
    }
    kept.sort_by_key(|hit| hit.span.start);
    Ok(Findings::new(placed(name, bytes, kept)))
}

/// What is found in a view, by its places in what was written.
fn in_view(rules: &'static Rules, view: &View) -> Result<Vec<Hit>, RulesError> {
    let own = ours::find(&view.bytes)
        .into_iter()
        .map(|(span, (rule, kind))| Hit {
            span: view.original(&span),
            rule,
            kind,
            ours: true,
            own_form: true,
        });
    let mut hits: Vec<Hit> = own.take(FINDINGS_MAX).collect();
    for rule in rules.called_by(&view.bytes) {
        let compiled = rule.compiled()?;
        let own_form = compiled.has_own_form();
        let values = compiled
            .pattern
            .captures_iter(&view.bytes)
            .filter_map(|captures| {
                let matched = captures.get(0)?.range();
                let value = captures.get(1).or_else(|| captures.get(0))?;
                let is_apart = (!rule.starts_apart() || view.starts_at(matched.start))
                    && (!rule.ends_apart() || view.ends_at(matched.end));
                (is_apart && compiled.accepts(value.as_bytes())).then(|| view.original(&value.range()))
            });
        hits.extend(values.take(FINDINGS_MAX).map(|span| Hit {
            span,
            rule: rule.id(),
            kind: rule.kind(),
            ours: false,
            own_form,
        }));
    }
    Ok(hits)
}

/// Lines and columns, counted once from the front.
fn placed(name: &str, bytes: &[u8], hits: Vec<Hit>) -> Vec<Finding> {
    let (mut line, mut column, mut counted) = (1, 1, 0);
    let place = |hit: Hit| {
        for byte in bytes.get(counted..hit.span.start).unwrap_or_default() {
            match byte {
                b'\n' => (line, column) = (line + 1, 1),
                // The bytes of a character after its first.
                0x80..=0xBF => {}
                _ => column += 1,
            }
        }
        counted = counted.max(hit.span.start);
        Finding {
            rule: hit.rule,
            kind: hit.kind,
            place: Place {
                name: name.to_owned(),
                line,
                column,
            },
            ours: hit.ours,
            span: hit.span,
        }
    };
    hits.into_iter().map(place).collect()
}
