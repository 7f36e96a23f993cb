//! Group `signature`.

use libtest_mimic::Trial;
use seal::signature::VerificationKey;
use serde_json::Value;

use crate::support::{array, hex, rows};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    rows("signature", group, |row| {
        let key = VerificationKey::from_bytes(array(&row["verification_key"]));
        let (message, signature) = (hex(&row["message"]), hex(&row["signature"]));
        assert_eq!(
            key.verifies(&message, &signature),
            row["valid"].as_bool().unwrap()
        );
        // The kept answer is the same.
        assert_eq!(
            key.verifies(&message, &signature),
            row["valid"].as_bool().unwrap()
        );
    })
}
