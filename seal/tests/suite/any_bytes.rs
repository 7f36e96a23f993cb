//! Bytes from anywhere: parsers answer, and never panic.

use proptest::collection::vec;
use proptest::prelude::*;
use seal::Error;
use seal::keys::{EpochKeys, Keyring};
use seal::link::{find, redact};
use seal::record::{message, title};
use seal::rekey;
use seal::roster::Roster;
use seal::secret::FullSecret;
use seal::transcript::{RawRecord, Reader, Transcript};
use seal::{json, profile};
use wire::epoch_record::EpochRecord;
use wire::ids::{MessageId, ParticipantId, SessionId};

const SESSION: SessionId = SessionId::from_bytes([1; 16]);

fn keys() -> EpochKeys {
    EpochKeys::open_epoch(&SESSION, 1, FullSecret::from_bytes([2; 32])).0
}

/// Pieces that a link is made of, in any order and number.
fn link_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("https://".to_owned()),
        Just("http://".to_owned()),
        Just("h.example".to_owned()),
        Just("[::1]".to_owned()),
        Just(":443".to_owned()),
        Just("/s/".to_owned()),
        Just("0f0f0f0f0f0f4f0f8f0f0f0f0f0f0f0f".to_owned()),
        Just("?a=b".to_owned()),
        Just("#dp1".to_owned()),
        Just("%23dp1".to_owned()),
        Just("%".to_owned()),
        Just("%F0%9F".to_owned()),
        "[fv][a-z2-7]{0,70}",
        "\\PC{0,3}",
        "[\\u{200B}\\u{00AD}\\u{2011} \\n>=|]{0,3}",
    ];
    vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_may_be_searched_for_a_link(text in any::<String>()) {
        let found = find(&text);
        prop_assert!(found.is_err(), "a link by chance");
        let _ = redact(&text);
    }

    #[test]
    fn any_pieces_of_links_may_be_searched(text in link_like()) {
        if let Err(error) = find(&text) {
            prop_assert!(error.name().starts_with("link_"));
        }
        let shown = redact(&text).into_owned();
        prop_assert_eq!(redact(&shown), shown.as_str(), "nothing is left to withhold");
    }

    #[test]
    fn any_bytes_may_be_opened(mut sealed in vec(any::<u8>(), 0..1_200), version in any::<bool>()) {
        if let (Some(first), true) = (sealed.first_mut(), version) {
            *first = 1;
        }
        let (keys, id) = (keys(), ParticipantId::from_bytes([3; 16]));
        let roster = Roster::new(SESSION);
        let expected = match sealed.first() {
            None => Error::BlobTruncated,
            Some(1) if sealed.len() < 553 => Error::BlobTruncated,
            Some(1) => Error::AuthFailed,
            Some(_) => Error::VersionUnknown,
        };
        let message = message::open(&keys, &id, &MessageId::from_bytes([4; 16]), &sealed, &roster);
        prop_assert_eq!(message.unwrap_err(), expected);
        prop_assert_eq!(title::open(&keys, &id, &sealed, &roster).unwrap_err(), expected);
        prop_assert_eq!(profile::open(&keys, &id, &sealed).unwrap_err(), expected);
    }

    #[test]
    fn any_content_under_a_right_signature_may_be_read(rest in vec(any::<u8>(), 0..600)) {
        // What an insider can do: seal and sign whatever bytes it likes.
        use seal::hazmat::{self, Place};
        use seal::identity::Identity;
        use seal::random::Nonce;
        let (keys, me) = (keys(), Identity::from_bytes(SESSION, &[5; 32], &[6; 32]));
        for kind in 1..=4 {
            let place = Place { kind, keys: &keys, participant: me.participant_id(), item: &[0; 16] };
            let (_, sealed) = hazmat::seal(&place, &[6; 32], &rest, Nonce::from_bytes([7; 24])).unwrap();
            let opened = match kind {
                3 => profile::open(&keys, me.participant_id(), &sealed).map(|_| ()),
                _ => hazmat::open(&place, Some(&me.public().verification), true, &sealed).map(|_| ()),
            };
            if let Err(error) = opened {
                prop_assert_eq!(error, Error::BadContent);
            }
        }
    }

    #[test]
    fn any_bytes_may_be_parsed_as_an_epoch_record(bytes in vec(any::<u8>(), 0..600)) {
        if let Ok(record) = EpochRecord::parse(&bytes) {
            prop_assert_eq!(record.to_bytes(), bytes);
        }
    }

    #[test]
    fn any_change_of_an_epoch_record_is_refused_or_seen(at in 0usize..169, bit in 0u8..8) {
        let owner = ParticipantId::from_bytes([9; 16]);
        let mut record = rekey::create(&SESSION, FullSecret::from_bytes([2; 32]), &owner).record;
        record[at] ^= 1 << bit;
        match EpochRecord::parse(&record) {
            Err(_) => {}
            // The owner alone is covered by no key: the transcript hash holds it.
            Ok(parsed) if (150..166).contains(&at) => prop_assert!(parsed.owner != Some(owner)),
            Ok(parsed) => {
                prop_assert_eq!(keys().check_record(&parsed), Err(Error::VerifierMismatch));
            }
        }
    }

    #[test]
    fn any_record_may_be_offered_to_a_transcript(
        seq in prop_oneof![Just(2u64), Just(1), any::<u64>()],
        epoch in prop_oneof![Just(1u32), Just(2), any::<u32>()],
        class in prop_oneof![0u8..6, any::<u8>()],
        sender in prop_oneof![Just([0; 16]), any::<[u8; 16]>()],
        item in prop_oneof![Just([0; 16]), any::<[u8; 16]>()],
        body in prop_oneof![
            vec(any::<u8>(), 0..700),
            "\\{\"event\":\"[a-z]{0,8}\",\"participant_id\":\"[0-9a-f-]{36}\"\\}".prop_map(String::into_bytes),
        ],
    ) {
        let owner = ParticipantId::from_bytes([9; 16]);
        let created = rekey::create(&SESSION, FullSecret::from_bytes([2; 32]), &owner);
        let mut keys = Keyring::new();
        keys.insert(created.keys);
        let mut roster = Roster::new(SESSION);
        let mut transcript = Transcript::new(SESSION);
        let mut reader = Reader { keys: &mut keys, roster: &mut roster, me: None };
        let first = RawRecord {
            seq: 1, epoch: 1, class: 3, sender: [9; 16], item: [0; 16], body: &created.record,
        };
        transcript.accept(&first, &mut reader).unwrap();
        let before = transcript.state().clone();
        let record = RawRecord { seq, epoch, class, sender, item, body: &body };
        let _ = transcript.needs_profiles(&record, &reader);
        match transcript.accept(&record, &mut reader) {
            Ok(outcome) => {
                prop_assert_eq!(transcript.head().seq, 2);
                prop_assert!(outcome.name() != "ok", "a message by nobody");
            }
            Err(_) => prop_assert_eq!(transcript.state(), &before, "a refused record changed something"),
        }
    }

    #[test]
    fn any_bytes_may_be_read_as_json(bytes in vec(any::<u8>(), 0..300)) {
        let read = json::object(&bytes);
        prop_assert!(json::produced(&bytes).is_err() || read.is_ok());
    }
}
