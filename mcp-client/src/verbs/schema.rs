//! Pieces of schemas that every MCP host takes: one type as a string, choices as `enum`, nothing nested by `$ref`.

/// A string out of a fixed list.
pub(crate) fn one_of(words: &[&str]) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": words })
}

/// A whole number from 1 on.
pub(crate) fn whole(most: u64) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 1, "maximum": most })
}
