//! One sealed form of each kind, made once by the reference implementation: whatever changes, they open.

use seal::history;
use seal::keys::{EpochKeys, Keyring};
use seal::profile;
use seal::record::{goal, message, title};
use seal::roster::{Learned, Roster};
use seal::secret::{LinkKind, LinkSecret};
use wire::epoch_record::EpochRecord;
use wire::ids::{MessageId, ParticipantId, ProposalId};

const MESSAGE: &str = include_str!("frozen/message.hex");
const TITLE: &str = include_str!("frozen/title.hex");
const PROFILE: &str = include_str!("frozen/profile.hex");
const GOAL: &str = include_str!("frozen/goal.hex");
/// An owner re-key to epoch 7 with a history block (kind 5), and the record of epoch 6.
const REKEY: &str = include_str!("frozen/rekey.hex");
const BEFORE: &str = include_str!("frozen/before.hex");

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u32> = hex.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits
        .chunks(2)
        .map(|pair| u8::try_from(pair[0] << 4 | pair[1]).unwrap())
        .collect()
}

fn keys() -> EpochKeys {
    let mut secret = [0; 32];
    for (at, byte) in (0..).zip(&mut secret) {
        *byte = at;
    }
    let record = EpochRecord::parse(&bytes(REKEY)).unwrap();
    EpochKeys::check(&record, LinkSecret::from_bytes(LinkKind::Full, secret)).unwrap()
}

fn author() -> ParticipantId {
    "89a383d3-a514-8862-8d9a-2f3fb32dc608".parse().unwrap()
}

fn roster() -> Roster {
    let mut ring = Keyring::new();
    ring.insert(keys());
    let mut roster = Roster::new(*keys().session_id());
    assert_eq!(
        roster.learn(&ring, &author(), 7, &bytes(PROFILE)),
        Ok(Learned::MayWrite)
    );
    roster
}

#[test]
fn the_frozen_message_opens() {
    let id: MessageId = "33333333-3333-4333-8333-333333333333".parse().unwrap();
    let message = message::open(&keys(), &author(), &id, &bytes(MESSAGE), &roster()).unwrap();
    assert_eq!((message.head.seq, message.head.hash), (9, [0x55; 32]));
    assert_eq!(
        message.json.as_str(),
        r#"{"kind": "decision", "text": "Frozen: ünïcödé, 完了, and a \u0007 bell."}"#
    );
}

#[test]
fn the_frozen_title_opens() {
    assert_eq!(
        title::open(&keys(), &author(), &bytes(TITLE), &roster()).unwrap(),
        "Frozen title"
    );
}

#[test]
fn the_frozen_profile_opens() {
    let profile = profile::open(&keys(), &author(), &bytes(PROFILE)).unwrap();
    assert!(profile.may_write);
    assert_eq!(profile.claims.name, "Frozen name");
    assert_eq!(profile.claims.members["host"], "a host");
}

#[test]
fn the_frozen_goal_opens() {
    let id: ProposalId = "44444444-4444-4444-8444-444444444444".parse().unwrap();
    assert_eq!(
        goal::open(&keys(), &author(), &id, &bytes(GOAL), &roster()).unwrap(),
        "Frozen goal"
    );
}

#[test]
fn the_frozen_history_block_opens() {
    let (record, before) = (
        EpochRecord::parse(&bytes(REKEY)).unwrap(),
        EpochRecord::parse(&bytes(BEFORE)).unwrap(),
    );
    let opened = history::open(&record, &keys(), &before).unwrap();
    let secret = bytes("2f8032b1a319289debffac50ddc85b83e7e18b7dfa18d3bc245b2d0aa9b4f6d2");
    assert_eq!(opened.view_secret().expose()[..], secret[..]);
}
