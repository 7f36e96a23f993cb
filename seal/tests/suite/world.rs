//! A session among seats that read from an honest plane; tests then change what the plane holds.

use seal::Error;
use seal::identity::Identity;
use seal::json::Object;
use seal::keys::{EpochKeys, Keyring};
use seal::random::{self, Nonce};
use seal::record::message;
use seal::rekey::{self, NewEpoch};
use seal::roster::Roster;
use seal::secret::{FullSecret, LinkKind};
use seal::transcript::{Outcome, RawRecord, Reader, Transcript};
use seal::{profile, secret};
use serde_json::json;
use wire::encoding::to_base64url;
use wire::epoch_record::EpochRecord;
use wire::ids::{MessageId, ParticipantId, SessionId};

pub(crate) const MESSAGE: u8 = 1;
pub(crate) const NOTICE: u8 = 2;
pub(crate) const EPOCH: u8 = 3;
pub(crate) const MEMBER: u8 = 4;
const NO_ID: [u8; 16] = [0; 16];

/// A record as the plane keeps it.
#[derive(Clone)]
pub(crate) struct Stored {
    pub(crate) seq: u64,
    pub(crate) epoch: u32,
    pub(crate) class: u8,
    pub(crate) sender: [u8; 16],
    pub(crate) item: [u8; 16],
    pub(crate) body: Vec<u8>,
}

impl Stored {
    pub(crate) fn raw(&self) -> RawRecord<'_> {
        RawRecord {
            seq: self.seq,
            epoch: self.epoch,
            class: self.class,
            sender: self.sender,
            item: self.item,
            body: &self.body,
        }
    }
}

/// An honest plane, until a test changes its records.
pub(crate) struct Plane {
    pub(crate) session: SessionId,
    pub(crate) records: Vec<Stored>,
    pub(crate) epoch_records: Vec<Vec<u8>>,
}

impl Plane {
    pub(crate) fn epoch(&self) -> u32 {
        u32::try_from(self.epoch_records.len()).unwrap()
    }

    pub(crate) fn append(&mut self, class: u8, sender: [u8; 16], item: [u8; 16], body: Vec<u8>) -> u64 {
        let seq = self.records.len() as u64 + 1;
        self.records.push(Stored {
            seq,
            epoch: self.epoch(),
            class,
            sender,
            item,
            body,
        });
        seq
    }

    pub(crate) fn enter_epoch(&mut self, record: &[u8]) {
        let owner = EpochRecord::parse(record).unwrap().owner;
        self.epoch_records.push(record.to_vec());
        self.append(
            EPOCH,
            owner.map_or(NO_ID, |id| *id.as_bytes()),
            NO_ID,
            record.to_vec(),
        );
    }

    pub(crate) fn joined(&mut self, id: &ParticipantId, sealed_profile: &[u8]) {
        let body = json!({
            "event": "joined", "participant_id": id.to_string(), "kind": "agent", "capability": "full",
            "sealed_profile": to_base64url(sealed_profile),
        });
        self.append(MEMBER, *id.as_bytes(), NO_ID, body.to_string().into_bytes());
    }

    pub(crate) fn notice(&mut self) {
        self.append(NOTICE, NO_ID, NO_ID, br#"{"event":"auto_declined"}"#.to_vec());
    }

    pub(crate) fn message(&mut self, author: &ParticipantId, id: &MessageId, sealed: Vec<u8>) -> u64 {
        self.append(MESSAGE, *author.as_bytes(), *id.as_bytes(), sealed)
    }

    pub(crate) fn epoch_record(&self, epoch: u32) -> EpochRecord {
        EpochRecord::parse(&self.epoch_records[epoch as usize - 1]).unwrap()
    }
}

/// A participant with all it keeps.
pub(crate) struct Seat {
    pub(crate) me: Identity,
    pub(crate) keys: Keyring,
    pub(crate) roster: Roster,
    pub(crate) transcript: Transcript,
}

impl Seat {
    pub(crate) fn id(&self) -> ParticipantId {
        *self.me.participant_id()
    }

    pub(crate) fn accept(&mut self, record: &Stored) -> Result<Outcome, Error> {
        let mut reader = Reader {
            keys: &mut self.keys,
            roster: &mut self.roster,
            me: Some(&self.me),
        };
        self.transcript.accept(&record.raw(), &mut reader)
    }

    /// Accepts all that is new.
    pub(crate) fn read(&mut self, plane: &Plane) -> Result<Vec<Outcome>, Error> {
        let new = usize::try_from(self.transcript.head().seq).unwrap();
        plane.records[new..]
            .iter()
            .map(|record| self.accept(record))
            .collect()
    }

    /// A message at this seat's head, noted as being sent.
    pub(crate) fn seal(&mut self, text: &str) -> (MessageId, Vec<u8>) {
        let (id, head) = (
            random::message_id().unwrap(),
            self.transcript.head_for_writing().unwrap().unwrap(),
        );
        let keys = self.keys.newest().unwrap();
        let json = json!({ "kind": "chat", "text": text }).to_string();
        let sealed = message::seal(keys, &self.me, &id, &head, &json, Nonce::random().unwrap()).unwrap();
        self.transcript.sending(id, keys.epoch(), &sealed).unwrap();
        (id, sealed)
    }

    /// Seals, posts, and notes the answer.
    pub(crate) fn post(&mut self, plane: &mut Plane, text: &str) -> (MessageId, u64) {
        let (id, sealed) = self.seal(text);
        let seq = plane.message(self.me.participant_id(), &id, sealed);
        self.transcript.posted(&id, seq).unwrap();
        (id, seq)
    }

    /// Comes to the session, or back to it, with a new profile.
    pub(crate) fn show_profile(&self, plane: &mut Plane) {
        let keys = self.keys.newest().unwrap();
        let sealed = profile::seal(
            keys,
            &self.me,
            "somebody",
            Object::new(),
            Nonce::random().unwrap(),
        );
        plane.joined(self.me.participant_id(), &sealed.unwrap());
    }
}

/// A session just created, and its owner, who has read it.
pub(crate) fn session() -> (Plane, Seat) {
    let session = random::session_id().unwrap();
    let me = Identity::random(session).unwrap();
    let NewEpoch { record, keys } =
        rekey::create(&session, FullSecret::random().unwrap(), me.participant_id());
    let mut plane = Plane {
        session,
        records: Vec::new(),
        epoch_records: Vec::new(),
    };
    plane.enter_epoch(&record);
    let mut owner = seat(session, me, keys);
    owner.show_profile(&mut plane);
    owner.read(&plane).unwrap();
    (plane, owner)
}

fn seat(session: SessionId, me: Identity, keys: EpochKeys) -> Seat {
    let mut ring = Keyring::new();
    ring.insert(keys);
    Seat {
        me,
        keys: ring,
        roster: Roster::new(session),
        transcript: Transcript::new(session),
    }
}

/// Somebody who was handed a link by `from`, joins, and has read all.
pub(crate) fn join(plane: &mut Plane, from: &Seat, kind: LinkKind) -> Seat {
    let handed = from.keys.newest().unwrap();
    let secret = secret::LinkSecret::from_bytes(kind, *handed.link_secret(kind).unwrap().expose());
    let keys = EpochKeys::check(&plane.epoch_record(handed.epoch()), secret).unwrap();
    let mut seat = seat(plane.session, Identity::random(plane.session).unwrap(), keys);
    seat.show_profile(plane);
    seat.read(plane).unwrap();
    seat
}

/// The name of the last outcome.
pub(crate) fn last(outcomes: &[Outcome]) -> &'static str {
    outcomes.last().map_or("nothing", Outcome::name)
}
