//! Why a JSON body was refused, in words that repeat nothing of it.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

/// The place and the reason. Shown to the caller.
#[derive(Debug)]
pub(crate) struct JsonRefusal {
    /// Names of fields that the request type knows, innermost first.
    place: Vec<&'static str>,
    reason: String,
}

impl JsonRefusal {
    fn because(reason: impl Into<String>) -> Self {
        Self {
            place: Vec::new(),
            reason: reason.into(),
        }
    }

    /// The body is no JSON document, or an object in it has a field twice.
    pub(super) fn of_syntax(error: &serde_json::Error) -> Self {
        Self::because(match error.classify() {
            serde_json::error::Category::Data => "an object has a field twice or far too many fields",
            serde_json::error::Category::Eof => "the JSON document is cut off",
            _ => "it is not one JSON document in UTF-8",
        })
    }

    /// The body is JSON, but no object.
    pub(super) fn not_an_object() -> Self {
        Self::because("it is not a JSON object")
    }

    /// The same refusal, seen from the object that has the field. Only names that the request type knows may
    /// be passed: others are the caller's text.
    pub(super) fn inside(mut self, field: &'static str) -> Self {
        self.place.push(field);
        self
    }
}

impl Display for JsonRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.place.is_empty() {
            return write!(f, "The body can't be taken: {}.", self.reason);
        }
        f.write_str("The field `")?;
        for (at, name) in self.place.iter().rev().enumerate() {
            write!(f, "{}{name}", if at == 0 { "" } else { "." })?;
        }
        write!(f, "` can't be taken: {}.", self.reason)
    }
}

impl std::error::Error for JsonRefusal {}

/// `a`, `b` or `c`.
fn list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => "nothing".to_owned(),
    }
}

/// The texts come from the request types and from `wire`, never from the request: whatever serde found
/// (`Unexpected`, unknown names) is dropped here.
impl de::Error for JsonRefusal {
    fn custom<T: Display>(text: T) -> Self {
        Self::because(text.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        match found {
            Unexpected::Unit => Self::because("it is null; leave the field out instead"),
            _ => Self::because(format!("it must be {expected}")),
        }
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::because(format!("it must be {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::because(format!("it must be {expected}"))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::because(format!("it must be {}", list(expected)))
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        Self::because(format!(
            "there is a field it does not have; it may have {}",
            list(expected)
        ))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::because(format!("the field `{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::because(format!("the field `{field}` stands twice"))
    }
}
