//! A tool's arguments, checked against its schema before they are read.
//!
//! A model that gets an argument wrong should be told which one and what it takes; a deserialiser's sentence does not.
//! So the check is made here, from the same schema the host was shown. Values are never repeated: one may be a secret.
//! Models and hosts write `null` for "nothing" and numbers as strings; both are taken as they are meant.

use rmcp::model::JsonObject;
use serde_json::{Number, Value};

/// What a model has to change in its call: one sentence.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadArguments(String);

/// `arguments` as `schema` wants them.
///
/// # Errors
/// A member that is unknown, missing, of another type or out of its range or choices.
pub(crate) fn check(
    tool: &str,
    schema: &JsonObject,
    arguments: Option<JsonObject>,
) -> Result<JsonObject, BadArguments> {
    object("", schema, arguments.unwrap_or_default()).map_err(|problem| {
        let known = names(schema);
        let takes = if known.is_empty() {
            "no arguments".to_owned()
        } else {
            known.join(", ")
        };
        BadArguments(format!(
            "{problem} `{tool}` takes: {takes}. Nothing was done; call it again."
        ))
    })
}

fn object(path: &str, schema: &JsonObject, members: JsonObject) -> Result<JsonObject, String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut checked = JsonObject::new();
    for (name, value) in members {
        let at = join(path, &name);
        match properties
            .and_then(|properties| properties.get(&name))
            .and_then(Value::as_object)
        {
            None => return Err(format!("There is no argument `{at}`.")),
            Some(_) if value.is_null() => {}
            Some(property) => {
                let value = single(&at, property, value)?;
                checked.insert(name, value);
            }
        }
    }
    for name in required(schema) {
        if !checked.contains_key(name) {
            return Err(format!("The argument `{}` is missing.", join(path, name)));
        }
    }
    Ok(checked)
}

fn single(path: &str, schema: &JsonObject, value: Value) -> Result<Value, String> {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    let value = meant(wanted, value);
    let fits = match (wanted, &value) {
        ("string", Value::String(_))
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => true,
        ("integer", Value::Number(number)) => number.is_i64() || number.is_u64(),
        _ => false,
    };
    if !fits {
        return Err(format!(
            "`{path}` must be {}; it was {}.",
            expected(schema),
            named(&value)
        ));
    }
    match value {
        Value::Array(items) => match schema.get("items").and_then(Value::as_object) {
            Some(item) => items
                .into_iter()
                .enumerate()
                .map(|(index, value)| single(&format!("{path}[{index}]"), item, value))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            None => Ok(Value::Array(items)),
        },
        Value::Object(members) => object(path, schema, members).map(Value::Object),
        value if within(schema, &value) => Ok(value),
        _ => Err(format!("`{path}` must be {}.", expected(schema))),
    }
}

/// The value that was meant: numbers, yes and no, and lists also come as strings.
fn meant(wanted: &str, value: Value) -> Value {
    match (wanted, value) {
        ("integer", Value::Number(number)) => Value::Number(whole(number)),
        ("integer" | "number" | "boolean", Value::String(text)) => match serde_json::from_str(text.trim()) {
            Ok(read @ (Value::Number(_) | Value::Bool(_))) => read,
            _ => Value::String(text),
        },
        ("array", Value::String(text)) => match serde_json::from_str(&text) {
            Ok(read @ Value::Array(_)) => read,
            _ => Value::Array(vec![Value::String(text)]),
        },
        (_, value) => value,
    }
}

/// `2.0` as `2`.
fn whole(number: Number) -> Number {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match number.as_f64() {
        Some(float) if number.is_f64() && float.fract() == 0.0 && float.abs() < EXACT => {
            #[allow(clippy::cast_possible_truncation, reason = "whole and below 2^53")]
            let whole = float as i64;
            Number::from(whole)
        }
        _ => number,
    }
}

fn within(schema: &JsonObject, value: &Value) -> bool {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array)
        && !choices.contains(value)
    {
        return false;
    }
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|number| {
            bound("minimum").is_none_or(|least| number >= least)
                && bound("maximum").is_none_or(|most| number <= most)
        }),
        _ => true,
    }
}

/// What a schema takes, in words.
fn expected(schema: &JsonObject) -> String {
    if let Some(choices) = schema.get("enum").and_then(Value::as_array) {
        let choices: Vec<String> = choices.iter().map(ToString::to_string).collect();
        return format!("one of {}", choices.join(", "));
    }
    let kind = match schema.get("type").and_then(Value::as_str) {
        Some("integer") => "a whole number",
        Some("number") => "a number",
        Some("boolean") => "true or false",
        Some("array") => "a list",
        Some("object") => "an object",
        _ => "a string",
    };
    match (schema.get("minimum"), schema.get("maximum")) {
        (Some(least), Some(most)) => format!("{kind} from {least} to {most}"),
        (Some(least), None) => format!("{kind}, at least {least}"),
        (None, Some(most)) => format!("{kind}, at most {most}"),
        (None, None) => kind.to_owned(),
    }
}

fn named(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn required(schema: &JsonObject) -> impl Iterator<Item = &str> {
    schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

fn names(schema: &JsonObject) -> Vec<String> {
    schema
        .get("properties")
        .and_then(Value::as_object)
        .map(|properties| properties.keys().map(|name| format!("`{name}`")).collect())
        .unwrap_or_default()
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> JsonObject {
        let schema = json!({
            "type": "object",
            "properties": {
                "text": { "type": "string" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 200 },
                "kind": { "type": "string", "enum": ["chat", "note"] },
                "pin": { "type": "boolean" },
                "to": { "type": "array", "items": { "type": "string" } }
            },
            "required": ["text"],
            "additionalProperties": false
        });
        schema.as_object().unwrap().clone()
    }

    fn checked(arguments: Value) -> Result<Value, String> {
        check("tool", &schema(), Some(arguments.as_object().unwrap().clone()))
            .map(Value::Object)
            .map_err(|bad| bad.to_string())
    }

    fn refused(arguments: Value) -> String {
        let sentence = checked(arguments).unwrap_err();
        let rest = " `tool` takes: `kind`, `limit`, `pin`, `text`, `to`. Nothing was done; call it again.";
        sentence.strip_suffix(rest).unwrap_or(&sentence).to_owned()
    }

    #[test]
    fn what_fits_goes_through_unchanged() {
        let call = json!({ "text": " a ", "limit": 200, "kind": "note", "pin": true, "to": ["x"] });
        assert_eq!(checked(call.clone()), Ok(call));
    }

    #[test]
    fn what_was_meant_is_taken() {
        let call = json!({ "text": "5", "limit": "20", "pin": "true", "to": "[\"x\",\"y\"]", "kind": null });
        let meant = json!({ "text": "5", "limit": 20, "pin": true, "to": ["x", "y"] });
        assert_eq!(checked(call), Ok(meant));
        let call = json!({ "text": "a", "limit": 3.0, "to": "one name" });
        assert_eq!(
            checked(call),
            Ok(json!({ "text": "a", "limit": 3, "to": ["one name"] }))
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_allowed() {
        assert_eq!(
            refused(json!({ "text": "a", "since": 0 })),
            "There is no argument `since`."
        );
        assert_eq!(refused(json!({})), "The argument `text` is missing.");
        assert_eq!(
            refused(json!({ "text": 1 })),
            "`text` must be a string; it was a number."
        );
        assert_eq!(
            refused(json!({ "text": "a", "limit": 201 })),
            "`limit` must be a whole number from 1 to 200."
        );
        assert_eq!(
            refused(json!({ "text": "a", "limit": 1.5 })),
            "`limit` must be a whole number from 1 to 200; it was a number."
        );
        assert_eq!(
            refused(json!({ "text": "a", "kind": "secret-value" })),
            "`kind` must be one of \"chat\", \"note\"."
        );
        assert_eq!(
            refused(json!({ "text": "a", "to": [7] })),
            "`to[0]` must be a string; it was a number."
        );
    }

    #[test]
    fn a_call_without_arguments_is_an_empty_one() {
        let sentence = check("tool", &schema(), None).unwrap_err().to_string();
        assert!(
            sentence.starts_with("The argument `text` is missing."),
            "{sentence}"
        );
    }
}
