//! The rules of `rules.toml`. Read when first used; a pattern is compiled when one of its keywords is first met.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::bytes::{Regex, RegexBuilder};
use serde::Deserialize;

/// The data, with its source and licence.
const DATA: &str = include_str!("rules.toml");

/// Most memory one compiled pattern may take, in bytes.
const PROGRAM_MAX: usize = 1 << 20;

/// Most memory that matching one pattern may use for what it builds on the way, in bytes.
const CACHE_MAX: usize = 1 << 19;

/// The rules can't be used, so nothing can be said of any text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the rules of the secret guard can't be used")]
pub struct RulesError;

/// All rules, and what finds their keywords.
pub(super) struct Rules {
    rules: Vec<Rule>,
    keywords: AhoCorasick,
    /// The rule that each keyword belongs to.
    owners: Vec<usize>,
}

/// One rule.
pub(super) struct Rule {
    written: Written,
    compiled: OnceLock<Option<Compiled>>,
}

/// A rule as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    kind: String,
    keywords: Vec<String>,
    pattern: String,
    #[serde(default)]
    apart: Vec<Side>,
    #[serde(default)]
    entropy: f64,
    #[serde(default)]
    decoded: Option<String>,
    #[serde(default, rename = "except")]
    exception: Option<String>,
    #[serde(rename = "source")]
    _origin: String,
}

/// Where a match must not touch a letter or digit.
#[derive(Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Side {
    Front,
    Back,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Written>,
}

/// What a rule's pattern became.
pub(super) struct Compiled {
    pub(super) pattern: Regex,
    decoded: Option<Regex>,
    exception: Option<Regex>,
    entropy: f64,
}

impl Compiled {
    /// Whether a value is one, and neither a placeholder nor an example that everybody knows.
    pub(super) fn accepts(&self, value: &[u8]) -> bool {
        match &self.decoded {
            None => self.is_secret(value),
            Some(form) => STANDARD.decode(value).is_ok_and(|text| {
                let captures = form.captures(&text);
                let part = captures.and_then(|captures| captures.get(1).or_else(|| captures.get(0)));
                part.is_some_and(|part| self.is_secret(part.as_bytes()))
            }),
        }
    }

    fn is_secret(&self, value: &[u8]) -> bool {
        entropy(value) >= self.entropy
            && self
                .exception
                .as_ref()
                .is_none_or(|exception| !exception.is_match(value))
    }

    /// Whether the value has a form of its own, and is not known by what stands beside it alone.
    pub(super) fn has_own_form(&self) -> bool {
        self.pattern.captures_len() == 1
    }
}

/// The rules of this program.
pub(super) fn all() -> Result<&'static Rules, RulesError> {
    static RULES: LazyLock<Option<Rules>> = LazyLock::new(|| Rules::read(DATA));
    RULES.as_ref().ok_or(RulesError)
}

impl Rules {
    fn read(data: &str) -> Option<Self> {
        let file: File = toml::from_str(data).ok()?;
        let mut owners = Vec::new();
        let mut words = Vec::new();
        let mut rules = Vec::new();
        for (at, written) in file.rule.into_iter().enumerate() {
            owners.extend(written.keywords.iter().map(|_| at));
            words.extend(written.keywords.iter().cloned());
            rules.push(Rule {
                written,
                compiled: OnceLock::new(),
            });
        }
        // The small one: these are some hundred short words, and a table for all states would be larger than the program's
        // whole share of memory for them.
        let keywords = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(words)
            .ok()?;
        Some(Self {
            rules,
            keywords,
            owners,
        })
    }

    /// The rules that have a keyword in `bytes`.
    pub(super) fn called_by<'a>(&'a self, bytes: &[u8]) -> Vec<&'a Rule> {
        let mut called = vec![false; self.rules.len()];
        let mut left = called.len();
        for hit in self.keywords.find_overlapping_iter(bytes) {
            let owner = self.owners.get(hit.pattern().as_usize());
            if let Some(flag) = owner.and_then(|owner| called.get_mut(*owner))
                && !std::mem::replace(flag, true)
            {
                left -= 1;
            }
            if left == 0 {
                break;
            }
        }
        let rules = self.rules.iter().zip(called);
        rules
            .filter(|(_, called)| *called)
            .map(|(rule, _)| rule)
            .collect()
    }

    /// The rules as they are before anything was scanned.
    #[cfg(test)]
    pub(super) fn fresh() -> Option<&'static Self> {
        Self::read(DATA).map(|rules| &*Box::leak(Box::new(rules)))
    }

    #[cfg(test)]
    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter()
    }
}

impl Rule {
    /// What a program calls it.
    pub(super) fn id(&self) -> &str {
        &self.written.id
    }

    /// What a person is told that it seems to be.
    pub(super) fn kind(&self) -> &str {
        &self.written.kind
    }

    /// Whether a letter or digit right before a match makes it a part of something else.
    pub(super) fn starts_apart(&self) -> bool {
        self.written.apart.contains(&Side::Front)
    }

    /// Whether a letter or digit right after a match makes it a part of something else.
    pub(super) fn ends_apart(&self) -> bool {
        self.written.apart.contains(&Side::Back)
    }

    /// Its pattern, compiled at the first call.
    pub(super) fn compiled(&self) -> Result<&Compiled, RulesError> {
        let compiled = self.compiled.get_or_init(|| {
            let other = |pattern: &Option<String>| match pattern {
                Some(pattern) => compile(pattern).map(Some),
                None => Some(None),
            };
            Some(Compiled {
                pattern: compile(&self.written.pattern)?,
                decoded: other(&self.written.decoded)?,
                exception: other(&self.written.exception)?,
                entropy: self.written.entropy,
            })
        });
        compiled.as_ref().ok_or(RulesError)
    }

    #[cfg(test)]
    pub(super) fn keywords(&self) -> impl Iterator<Item = &str> {
        self.written.keywords.iter().map(String::as_str)
    }

    #[cfg(test)]
    pub(super) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }
}

/// On bytes: without Unicode a word's boundary takes no detour that costs time for each byte.
fn compile(pattern: &str) -> Option<Regex> {
    RegexBuilder::new(pattern)
        .unicode(false)
        .size_limit(PROGRAM_MAX)
        .dfa_size_limit(CACHE_MAX)
        .build()
        .ok()
}

/// Shannon entropy in bits a byte. The logarithm is the crate's: the C library keeps its own in a file that would be loaded
/// into every process for it, and is larger than all rules.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = value.len() as f64;
    let share = |count: u32| f64::from(count) / total;
    counts
        .into_iter()
        .filter(|count| *count > 0)
        .map(|count| -share(count) * libm::log2(share(count)))
        .sum()
}
