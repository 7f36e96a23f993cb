//! Schemas that every host takes (`mcp-client.md`, Budgets for every host).
//!
//! Hosts in use drop a tool, or send its arguments as strings, when its schema has a list of types, a number
//! format or a reference. So what is generated from the types is written again here: one type a node, choices as
//! `enum`, nested types inlined, no formats.

use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

/// Keywords that say nothing to a model or that some host rejects.
const DROPPED: [&str; 4] = ["$schema", "title", "format", "default"];

/// The schema of what a tool takes. Unknown members are refused.
pub(crate) fn input<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12());
    clean(&mut schema);
    close(&mut schema);
    schema.remove("description");
    schema
}

/// The schema of what a tool answers. Optional members are left out where they are empty, never null.
pub(crate) fn output<T: JsonSchema>() -> JsonObject {
    let mut schema = generate::<T>(SchemaSettings::draft2020_12().for_serialize());
    clean(&mut schema);
    schema.remove("description");
    schema
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> JsonObject {
    let generator = settings
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator();
    match generator.into_root_schema_for::<T>().to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// Writes one node and everything below it again.
fn clean(schema: &mut Map<String, Value>) {
    DROPPED.iter().for_each(|keyword| {
        schema.remove(*keyword);
    });
    fold_choices(schema);
    one_type(schema);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let mut nullable = Vec::new();
        for (name, property) in properties.iter_mut() {
            let Value::Object(property) = property else {
                continue;
            };
            if allows_null(property) {
                nullable.push(name.clone());
            }
            clean(property);
        }
        drop_required(schema, &nullable);
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(Value::Object(nested)) = schema.get_mut(keyword) {
            clean(nested);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        if let Some(Value::Array(nested)) = schema.get_mut(keyword) {
            nested.iter_mut().filter_map(Value::as_object_mut).for_each(clean);
        }
    }
}

/// Folds what an optional type or an enumeration became into the node itself.
fn fold_choices(schema: &mut Map<String, Value>) {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        let Some(Value::Array(mut choices)) = schema.remove(keyword) else {
            continue;
        };
        choices.retain(|choice| choice.get("type") != Some(&json!("null")));
        if let [Value::Object(only)] = choices.as_mut_slice() {
            for (name, value) in std::mem::take(only) {
                schema.entry(name).or_insert(value);
            }
        } else if let Some(words) = words(&choices) {
            schema.insert("type".into(), json!("string"));
            schema.insert("enum".into(), Value::Array(words));
        } else {
            schema.insert(keyword.into(), Value::Array(choices));
        }
    }
    if let Some(only) = schema.remove("const") {
        schema.insert("enum".into(), json!([only]));
    }
}

/// The words of an enumeration whose variants have documents of their own.
fn words(choices: &[Value]) -> Option<Vec<Value>> {
    let mut words = Vec::new();
    for choice in choices {
        match (choice.get("const"), choice.get("enum")) {
            (Some(word @ Value::String(_)), _) => words.push(word.clone()),
            (None, Some(Value::Array(several))) => words.extend(several.iter().cloned()),
            _ => return None,
        }
    }
    (!words.is_empty()).then_some(words)
}

/// Takes the first type that isn't null, and null out of an enumeration.
fn one_type(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = schema.get("type") {
        let first = types.iter().find(|name| **name != json!("null")).cloned();
        schema.insert("type".into(), first.unwrap_or_else(|| json!("string")));
    }
    if let Some(Value::Array(choices)) = schema.get_mut("enum") {
        choices.retain(|choice| !choice.is_null());
    }
}

fn allows_null(schema: &Map<String, Value>) -> bool {
    let in_list = |keyword: &str, null: &Value| {
        schema
            .get(keyword)
            .and_then(Value::as_array)
            .is_some_and(|list| list.contains(null))
    };
    in_list("type", &json!("null")) || in_list("anyOf", &json!({ "type": "null" }))
}

fn drop_required(schema: &mut Map<String, Value>, optional: &[String]) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| !optional.iter().any(|optional| name == optional));
        if required.is_empty() {
            schema.remove("required");
        }
    }
}

/// Closes every object of an input.
fn close(schema: &mut Map<String, Value>) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties
            .values_mut()
            .filter_map(Value::as_object_mut)
            .for_each(close);
        schema.insert("additionalProperties".into(), json!(false));
    } else if schema.get("type") == Some(&json!("object")) && !schema.contains_key("additionalProperties") {
        schema.insert("properties".into(), json!({}));
        schema.insert("additionalProperties".into(), json!(false));
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        close(items);
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
    use serde::Serialize;

    #[derive(JsonSchema, Serialize)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Sample {
        /// A number.
        count: Option<u32>,
        /// A choice.
        choice: Option<Choice>,
        /// Inside.
        nested: Nested,
        many: Vec<Nested>,
        #[serde(default)]
        flag: bool,
    }

    #[derive(JsonSchema, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[allow(dead_code, reason = "only its schema is looked at")]
    enum Choice {
        /// The first.
        One,
        /// The second.
        Two,
    }

    #[derive(JsonSchema, Serialize)]
    #[allow(dead_code, reason = "only its schema is looked at")]
    struct Nested {
        #[serde(rename = "type")]
        kind: String,
    }

    #[test]
    fn options_choices_and_nested_types_come_out_plain() {
        let nested = json!({
            "type": "object",
            "properties": { "type": { "type": "string" } },
            "required": ["type"],
            "additionalProperties": false
        });
        let mut described = nested.clone();
        described["description"] = json!("Inside.");
        assert_eq!(
            Value::Object(input::<Sample>()),
            json!({
                "type": "object",
                "properties": {
                    "count": { "type": "integer", "minimum": 0, "description": "A number." },
                    "choice": { "type": "string", "enum": ["one", "two"], "description": "A choice." },
                    "nested": described,
                    "many": { "type": "array", "items": nested },
                    "flag": { "type": "boolean" }
                },
                "required": ["nested", "many"],
                "additionalProperties": false
            })
        );
    }

    #[test]
    fn what_may_be_null_is_not_required_of_an_answer() {
        let schema = output::<Sample>();
        assert_eq!(schema["required"], json!(["nested", "many", "flag"]));
    }
}
