//! What a seat keeps, who may change it, and which one is chosen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod choosing;
mod files;
mod locking;

use std::path::Path;
use std::time::Duration;

use wire::encoding::{Blob, Bytes32, Secret32};
use wire::event::{Capability, Kind};
use wire::ids::{MessageId, ParticipantId, SessionId};
use wire::timestamp::Timestamp;

use super::choose::{self, Asking, ChooseError};
use super::*;
use crate::home::{Home, HomeError, SecretText};

const SOON: Duration = Duration::from_millis(200);
const NOW: Timestamp = Timestamp::from_millis(1_796_000_000_000);

struct Fixture {
    _folder: tempfile::TempDir,
    home: Home,
    seats: Seats,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path().join("home"));
        Self {
            _folder: folder,
            home: home.clone(),
            seats: Seats::new(home),
        }
    }

    /// As another process would see the same seat: nothing is remembered.
    fn elsewhere(&self, seat: &Seat) -> Seat {
        Seats::new(self.home.clone())
            .open(seat.session(), seat.participant())
            .unwrap()
    }
}

fn session(byte: u8) -> SessionId {
    SessionId::from_bytes([byte; 16])
}

fn participant(byte: u8) -> ParticipantId {
    ParticipantId::from_bytes([byte; 16])
}

fn state(session_byte: u8, participant_byte: u8) -> SeatState {
    let identity = IdentitySecrets {
        sk: Secret32::new([0xA1; 32]),
        seed: Secret32::new([0xA2; 32]),
    };
    let last_used = LastUsed {
        at: NOW,
        place: "/work/one".to_owned(),
    };
    let mut state = SeatState::new(
        "https://plane.example".parse().unwrap(),
        session(session_byte),
        participant(participant_byte),
        Kind::Agent,
        Capability::Full,
        identity,
        last_used,
    );
    state.name = "Ana".to_owned();
    state.title = Some(format!("Title {session_byte}"));
    state.token = Some(SessionToken {
        text: SecretText::new("dps_AAAAAAAAAAAAAAAAAAAAAAAA"),
        epoch: 2,
    });
    state
        .secrets
        .insert(1, EpochSecret::View(Secret32::new([0xB1; 32])));
    state
        .secrets
        .insert(2, EpochSecret::Full(Secret32::new([0xB2; 32])));
    state.profiles.insert(2, Blob(vec![1, 2, 3]));
    state.head = Some(Head {
        seq: 7,
        hash: Bytes32([9; 32]),
    });
    state
}
