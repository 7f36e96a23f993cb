//! Groups `keys` and `padding`.

use libtest_mimic::Trial;
use seal::hazmat::decode_token;
use seal::identity::Identity;
use seal::keys::{EpochKeys, proof};
use seal::link::Link;
use seal::secret::{FullSecret, LinkKind, LinkSecret};
use seal::signature::VerificationKey;
use seal::{certificate, hazmat};
use serde_json::Value;
use wire::epoch_record::{EpochRecord, EpochType};
use wire::transcript::{sha256, start};

use crate::support::{array, hex, number, participant, rows, session, text};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    let mut trials = rows("keys of an epoch", &group["epoch"], epoch);
    trials.extend(rows(
        "keys of a participant",
        &group["participant"],
        participant_keys,
    ));
    trials
}

pub(crate) fn padding_cases(group: &'static Value) -> Vec<Trial> {
    rows("padding", group, |row| {
        assert_eq!(hazmat::padded(number(&row["len"])), number::<u64>(&row["padded"]));
    })
}

fn epoch(row: &Value) {
    let (sid, number) = (session(&row["session"]), number(&row["epoch"]));
    let secret = FullSecret::from_bytes(array(&row["full_secret"]));
    let (keys, commitments) = EpochKeys::open_epoch(&sid, number, secret);

    assert_eq!(commitments.posting_key, array(&row["posting_key"]));
    assert_eq!(commitments.masked_opening, array(&row["masked_opening"]));
    assert_eq!(commitments.full_verifier, array(&row["full_verifier"]));
    assert_eq!(commitments.view_verifier, array(&row["view_verifier"]));
    assert_eq!(*keys.view_secret().expose(), array(&row["view_secret"]));
    assert_eq!(*keys.content_key().expose(), array(&row["content_key"]));
    assert_eq!(*keys.posting_key().as_bytes(), array(&row["posting_key"]));
    // The opening and the posting seed are never given out; that they are right shows in what follows from them.
    let derived = Identity::from_bytes(sid, &[1; 32], &array(&row["posting_seed"])).public();
    assert_eq!(*derived.verification.as_bytes(), array(&row["posting_key"]));

    for (kind, field, verifier, check) in [
        (
            LinkKind::Full,
            "full_proof",
            commitments.full_verifier,
            "full_link_check",
        ),
        (
            LinkKind::View,
            "view_proof",
            commitments.view_verifier,
            "view_link_check",
        ),
    ] {
        let secret = keys.link_secret(kind).unwrap();
        let shown = proof(&sid, number, &secret);
        assert_eq!(*shown.expose(), array(&row[field]));
        assert_eq!(sha256(shown.expose()), verifier);
        let link = Link {
            origin: String::new(),
            session_id: sid,
            epoch: number,
            secret,
        };
        let token = link.to_text()[link.to_text().len() - 64..].to_owned();
        assert_eq!(decode_token(&token).unwrap()[36..], hex(&row[check])[..]);
    }
    assert_eq!(start(&sid), array(&row["transcript_start"]));

    // What was derived passes the check of section 5 against a record that holds it.
    let record = EpochRecord {
        epoch_type: EpochType::AdminRekey,
        session_id: sid,
        epoch: number,
        commitments,
        owner: None,
        history: None,
        entries: Vec::new(),
    };
    let view = LinkSecret::from_bytes(LinkKind::View, array(&row["view_secret"]));
    assert!(EpochKeys::check(&record, view).is_ok());
}

fn participant_keys(row: &Value) {
    let sid = session(&row["session"]);
    let me = Identity::from_bytes(sid, &array(&row["private_key"]), &array(&row["signing_seed"]));
    assert_eq!(me.public().agreement, array(&row["public_key"]));
    assert_eq!(
        *me.public().verification.as_bytes(),
        array(&row["verification_key"])
    );
    assert_eq!(*me.participant_id(), participant(&row["participant"]));
    assert_eq!(me.participant_id().to_string(), text(&row["participant_text"]));
    assert_eq!(*me.rejoin_secret().expose(), array(&row["rejoin"]));
    assert_eq!(me.rejoin_verifier(), array(&row["rejoin_verifier"]));

    // The certificate in the file is deterministic, so its signer's key and text are pinned by it.
    let epoch = number(&row["epoch"]);
    let posting = Identity::from_bytes(sid, &[1; 32], &array(&row["posting_seed"]))
        .public()
        .verification;
    let written = hex(&row["certificate"]);
    assert!(posting.verifies(&hex(&row["certificate_text"]), &written));
    assert!(certificate::verifies(
        &posting,
        &sid,
        epoch,
        me.participant_id(),
        &written
    ));
    let stranger = VerificationKey::from_bytes(*me.public().verification.as_bytes());
    assert!(!certificate::verifies(
        &stranger,
        &sid,
        epoch,
        me.participant_id(),
        &written
    ));
}
