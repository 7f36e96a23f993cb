//! Group `rekey`.

use libtest_mimic::Trial;
use seal::hazmat;
use seal::identity::PeerKeys;
use seal::keys::EpochKeys;
use seal::random::Nonce;
use seal::rekey::{History, Kept, by_admin, create};
use seal::secret::{EphemeralKey, FullSecret, LinkKind, LinkSecret};
use seal::signature::VerificationKey;
use seal::{Error, history};
use serde_json::Value;
use wire::epoch_record::{EntryCapability, EpochRecord};

use crate::support::{array, error, hex, number, participant, rows, session, text};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    let mut trials = vec![Trial::test("rekey: RFC 9180 A.2.2", || {
        rfc9180(&group["rfc9180_a_2_2_psk"]);
        Ok(())
    })];
    trials.extend(rows("rekey make", &group["make"], make));
    trials.extend(rows("rekey create", &group["create"], |row| {
        let secret = FullSecret::from_bytes(array(&row["full_secret"]));
        let made = create(&session(&row["session"]), secret, &participant(&row["owner"]));
        assert_eq!(made.record, hex(&row["record"]));
    }));
    trials.extend(rows("rekey admin", &group["admin"], |row| {
        let secret = FullSecret::from_bytes(array(&row["full_secret"]));
        let made = by_admin(
            &session(&row["session"]),
            number::<u32>(&row["epoch"]) - 1,
            secret,
        )
        .unwrap();
        assert_eq!(made.record, hex(&row["record"]));
    }));
    trials.extend(rows("rekey open", &group["open"], |row| {
        let keys = open(row).unwrap();
        let kind = kind(row);
        assert_eq!(keys.kind(), kind);
        assert_eq!(*keys.link_secret(kind).unwrap().expose(), array(&row["secret"]));
    }));
    trials.extend(rows("rekey open bad", &group["open_bad"], |row| {
        assert_eq!(open(row).unwrap_err(), error(row));
    }));
    trials.extend(rows("rekey parse bad", &group["parse_bad"], |row| {
        assert_eq!(
            EpochRecord::parse(&hex(&row["record"]))
                .map_err(Error::from)
                .unwrap_err(),
            error(row)
        );
    }));
    trials.extend(rows("rekey history", &group["history"], open_history));
    trials.extend(rows("rekey secret", &group["secret"], |row| {
        let record = EpochRecord::parse(&hex(&row["record"])).unwrap();
        let checked = EpochKeys::check(&record, LinkSecret::from_bytes(kind(row), array(&row["secret"])));
        let expected = if row["error"].is_null() {
            Ok(())
        } else {
            Err(error(row))
        };
        assert_eq!(checked.map(|_| ()), expected);
    }));
    trials
}

fn kind(row: &Value) -> LinkKind {
    if text(&row["kind"]) == "f" {
        LinkKind::Full
    } else {
        LinkKind::View
    }
}

fn rfc9180(row: &Value) {
    let (psk, psk_id) = (array(&row["psk"]), hex(&row["psk_id"]));
    let (info, aad) = (hex(&row["info"]), hex(&row["aad"]));
    let ephemeral = EphemeralKey::from_bytes(array(&row["skEm"]));
    let (enc, sealed) = hazmat::hpke_seal(
        &array(&row["pkRm"]),
        &info,
        &aad,
        &hex(&row["pt"]),
        (&psk, &psk_id),
        &ephemeral,
    )
    .unwrap();
    assert_eq!(enc, array(&row["enc"]));
    assert_eq!(sealed, hex(&row["ct"]));
    let opened =
        hazmat::hpke_open(&array(&row["skRm"]), &enc, &info, &aad, &sealed, (&psk, &psk_id)).unwrap();
    assert_eq!(*opened, hex(&row["pt"]));
}

fn old_keys(row: &Value) -> EpochKeys {
    let view = array(&row["old_view_secret"]);
    EpochKeys::unchecked(
        &session(&row["session"]),
        number(&row["old_epoch"]),
        view,
        [0; 32],
        [0; 32],
    )
}

fn peer(agreement: &Value, verification: &Value) -> PeerKeys {
    PeerKeys {
        agreement: array(agreement),
        verification: VerificationKey::from_bytes(array(verification)),
    }
}

fn make(row: &Value) {
    let old = old_keys(row);
    let owner_secret = array(&row["owner_private_key"]);
    let kept = |row_of: &Value| {
        let keys = peer(&row_of["public_key"], &row_of["verification_key"]);
        let id = keys.participant_id(old.session_id());
        let plain: String = id.to_string().replace('-', "");
        let ephemeral = EphemeralKey::from_bytes(array(&row["ephemeral_private_keys"][plain.as_str()]));
        let (psk, psk_id) = hazmat::rekey_psk(&old, &owner_secret, &keys.agreement).unwrap();
        assert_eq!(psk[..], hex(&row["psk"][plain.as_str()])[..]);
        assert_eq!(psk_id, hex(&row["psk_id"]));
        let capability = match number::<u8>(&row_of["capability"]) {
            1 => EntryCapability::Full,
            2 => EntryCapability::View,
            other => panic!("capability {other}"),
        };
        Kept::with_ephemeral(keys, capability, ephemeral)
    };
    let kept: Vec<Kept> = row["keep"].as_array().unwrap().iter().map(kept).collect();
    let history = match &row["history_nonce"] {
        Value::Null => History::Closed,
        nonce => History::Open(Nonce::from_bytes(array(nonce))),
    };
    let owner = EpochRecord::parse(&hex(&row["record"])).unwrap().owner.unwrap();
    let secret = FullSecret::from_bytes(array(&row["new_full_secret"]));
    let made = hazmat::rekey_make(&old, (&owner, &owner_secret), secret, kept, history).unwrap();
    assert_eq!(made.record, hex(&row["record"]));
}

fn open(row: &Value) -> Result<EpochKeys, Error> {
    let old = old_keys(row);
    let owner = peer(&row["owner_public_key"], &row["owner_verification_key"]);
    let secret = array(&row["private_key"]);
    // The file has no signing seed, which opening does not need: the id comes from the public keys.
    let agreement = *x25519_dalek::PublicKey::from(&x25519_dalek::StaticSecret::from(secret)).as_bytes();
    let me = PeerKeys {
        agreement,
        verification: VerificationKey::from_bytes(array(&row["verification_key"])),
    };
    let id = me.participant_id(&session(&row["session"]));
    let record = EpochRecord::parse(&hex(&row["record"]))?;
    hazmat::rekey_open(
        &record,
        &old,
        (&participant(&row["owner"]), &owner),
        (&id, &secret),
    )
}

fn open_history(row: &Value) {
    let record = EpochRecord::parse(&hex(&row["record"])).unwrap();
    let previous = EpochRecord::parse(&hex(&row["previous_record"])).unwrap();
    let keys = EpochKeys::unchecked(
        &record.session_id,
        record.epoch,
        [0; 32],
        array(&row["content_key"]),
        record.commitments.posting_key,
    );
    match history::open(&record, &keys, &previous) {
        Ok(opened) => assert_eq!(*opened.view_secret().expose(), array(&row["view_secret"])),
        Err(found) => assert_eq!(found, error(row)),
    }
}
