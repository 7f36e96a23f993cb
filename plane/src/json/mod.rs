//! Strict JSON: request bodies (`plane-api.md`, first paragraph) and the operator's files.
//!
//! A document is read into a tree first, which refuses a field that stands twice, and the typed value is made
//! from the tree. So a refusal can name the field and what it may be without repeating a byte of the document:
//! request bodies carry proofs and rejoin secrets.

mod node;
mod refusal;
mod typed;

use serde::de::DeserializeOwned;

use node::Node;
pub(crate) use refusal::JsonRefusal;

/// Reads one JSON object as `T`.
///
/// # Errors
/// Not one JSON object in UTF-8; a field unknown, missing, twice, null or of another type; an array where an
/// object belongs.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, JsonRefusal> {
    let tree: Node<'_> = serde_json::from_slice(bytes).map_err(|error| JsonRefusal::of_syntax(&error))?;
    if !matches!(tree, Node::Object(_)) {
        return Err(JsonRefusal::not_an_object());
    }
    T::deserialize(tree)
}

#[cfg(test)]
mod tests;
