//! Group `sealed`.

use libtest_mimic::Trial;
use seal::hazmat::{self, Content, Place};
use seal::keys::EpochKeys;
use seal::random::Nonce;
use seal::signature::VerificationKey;
use seal::{Error, certificate, profile};
use serde_json::Value;

use crate::support::{array, error, hex, number, participant, rows, session, text};

const PROFILE: u8 = 3;

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    let mut trials = rows("sealed good", &group["good"], good);
    trials.extend(rows("sealed bad", &group["bad"], bad));
    trials
}

/// Text, head, and what a profile gives, of a record that opened.
#[derive(Debug, PartialEq)]
enum Opened {
    Message(u64, [u8; 32], String),
    Text(String),
    Profile {
        name: String,
        pk: [u8; 32],
        vk: [u8; 32],
        may_write: bool,
    },
}

fn keys(row: &Value) -> EpochKeys {
    EpochKeys::unchecked(
        &session(&row["session"]),
        number(&row["epoch"]),
        [0; 32],
        array(&row["content_key"]),
        array(&row["posting_key"]),
    )
}

fn open(row: &Value, sealed: &[u8]) -> Result<Opened, Error> {
    let (keys, owner) = (keys(row), participant(&row["participant"]));
    let kind = number(&row["kind"]);
    if kind == PROFILE {
        let profile = profile::open(&keys, &owner, sealed)?;
        return Ok(Opened::Profile {
            name: profile.claims.name,
            pk: profile.keys.agreement,
            vk: *profile.keys.verification.as_bytes(),
            may_write: profile.may_write,
        });
    }
    let key = (!row["verification_key"].is_null())
        .then(|| VerificationKey::from_bytes(array(&row["verification_key"])));
    let may_write = !row["certificate"].is_null()
        && certificate::verifies(
            keys.posting_key(),
            keys.session_id(),
            keys.epoch(),
            &owner,
            &hex(&row["certificate"]),
        );
    let item = array(&row["item"]);
    let place = Place {
        kind,
        keys: &keys,
        participant: &owner,
        item: &item,
    };
    Ok(match hazmat::open(&place, key.as_ref(), may_write, sealed)? {
        Content::Message(message) => Opened::Message(
            message.head.seq,
            message.head.hash,
            message.json.as_str().to_owned(),
        ),
        Content::Text(text) => Opened::Text(text),
    })
}

fn good(row: &Value) {
    let (keys, owner, item) = (keys(row), participant(&row["participant"]), array(&row["item"]));
    let kind = number(&row["kind"]);
    let place = Place {
        kind,
        keys: &keys,
        participant: &owner,
        item: &item,
    };
    assert_eq!(hazmat::aad(&place).unwrap()[..], hex(&row["aad"])[..]);

    let json = text(&row["json"]);
    let mut rest = Vec::new();
    if kind == 1 {
        rest.extend(number::<u64>(&row["head_seq"]).to_be_bytes());
        rest.extend(hex(&row["head_hash"]));
    }
    rest.extend(json.as_bytes());
    let nonce = Nonce::from_bytes(array(&row["nonce"]));
    let (signature, sealed) = hazmat::seal(&place, &array(&row["signing_seed"]), &rest, nonce).unwrap();
    assert_eq!(signature[..], hex(&row["signature"])[..]);
    assert_eq!(sealed, hex(&row["blob"]));

    let members: Value = serde_json::from_str(json).unwrap();
    let expected = match kind {
        1 => Opened::Message(
            number(&row["head_seq"]),
            array(&row["head_hash"]),
            json.to_owned(),
        ),
        PROFILE => Opened::Profile {
            name: text(&members["name"]).to_owned(),
            pk: array(&row["public_key"]),
            vk: array(&row["verification_key"]),
            may_write: row["may_write"].as_bool().unwrap(),
        },
        _ => Opened::Text(text(&members[if kind == 2 { "title" } else { "goal" }]).to_owned()),
    };
    assert_eq!(open(row, &sealed), Ok(expected));
}

fn bad(row: &Value) {
    let mut sealed = hex(&row["blob"]);
    let zeros = row["append_zeros"].as_u64().unwrap_or(0);
    sealed.resize(sealed.len() + usize::try_from(zeros).unwrap(), 0);
    assert_eq!(open(row, &sealed), Err(error(row)));
}
