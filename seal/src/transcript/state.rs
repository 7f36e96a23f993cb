//! The verifier's state as it goes into a state file: ids and hashes, no secret.

use serde::{Deserialize, Serialize};

/// Everything a [`super::Transcript`] keeps across restarts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TranscriptState {}
