//! A plane of its own for each test, and seats that speak to it as clients do. Sealed forms are random bytes of
//! the right shape: the plane can't tell.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use plane::clock::{Clock, SetClock};
use plane::limits::Limits;
use plane::service::{
    JoinOutcome, MachineCaller, Outcome, OwnerCaller, Role, Scope, Service, ServiceConfig, ServiceError,
    SessionCaller, WakeTimes,
};
use wire::api;
use wire::encoding::{Blob, Bytes32, Secret32};
use wire::epoch_record::{Commitments, EpochRecord, EpochType};
use wire::event::{Capability, Kind};
use wire::ids::{MessageId, ParticipantId, ProposalId, SessionId};
use wire::timestamp::Timestamp;
use wire::token::TokenKind;
use wire::transcript::{RecordClass, sha256};

#[path = "database.rs"]
mod database;

pub(crate) use crate::postgres::{pooler, postgres_is_here};
pub(crate) use crate::transcripts::{gap_free, hash_of, until};
pub(crate) use database::{Database, Engine};

/// Makes a test of an async function for each engine; the function takes an [`Engine`].
macro_rules! on_both {
    ($($(#[$meta:meta])* async fn $name:ident($engine:ident: Engine) $body:block)*) => {$(
        mod $name {
            #[allow(unused_imports)]
            use super::*;

            async fn run($engine: Engine) $body

            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                run(Engine::Sqlite).await;
            }

            $(#[$meta])*
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                if postgres_is_here() {
                    run(Engine::Postgres).await;
                }
            }
        }
    )*};
}
pub(crate) use on_both;

/// A service over a database, and somebody who may create sessions.
#[derive(Clone)]
pub(crate) struct Plane {
    pub(crate) service: Service,
    pub(crate) machine: MachineCaller,
    pub(crate) admin: MachineCaller,
    pub(crate) clock: SetClock,
    pub(crate) database: Arc<Database>,
}

/// Limits that no test meets unless it lowers one.
pub(crate) fn wide() -> Limits {
    Limits {
        append_burst: 1_000_000,
        appends_per_minute: 1_000_000,
        append_bytes_per_minute: 1_099_511_627_776,
        joins_per_minute_address: 1_000_000,
        joins_per_minute_session: 1_000_000,
        rejoins_per_minute_address: 1_000_000,
        append_queue_bytes: 1_073_741_824,
        ..Limits::default()
    }
}

impl Plane {
    pub(crate) async fn new(engine: Engine) -> Self {
        Self::with(engine, wide()).await
    }

    pub(crate) async fn with(engine: Engine, limits: Limits) -> Self {
        let database = Arc::new(Database::new(engine).await);
        let clock = SetClock::new(Timestamp::from_millis(1_800_000_000_000));
        let service = open(&database, &limits, &clock).await;
        service.admin_create_org("org").await.unwrap();
        service
            .admin_create_member("org", "owner", Role::Member)
            .await
            .unwrap();
        service
            .admin_create_member("org", "admin", Role::Admin)
            .await
            .unwrap();
        let machine = token(&service, "owner", &[Scope::Share, Scope::Rekey]).await;
        let admin = token(&service, "admin", &[Scope::Admin]).await;
        Self {
            service,
            machine,
            admin,
            clock,
            database,
        }
    }

    /// Another process over the same database.
    pub(crate) async fn second(&self, limits: &Limits) -> Service {
        open(&self.database, limits, &self.clock).await
    }

    pub(crate) fn advance(&self, seconds: i64) {
        self.clock.advance_millis(seconds * 1_000);
    }

    /// A fresh session and its creator.
    pub(crate) async fn create(&self) -> Seat {
        let (request, seat) = Seat::creating(self, Kind::Agent);
        let created = new(self.service.create(&self.machine, request).await.unwrap());
        seat.with_token(&created.session_token).await
    }
}

async fn open(database: &Database, limits: &Limits, clock: &SetClock) -> Service {
    Service::open(ServiceConfig {
        store: database.url.clone(),
        limits: limits.clone(),
        clock: Clock::Set(clock.clone()),
        wakes: WakeTimes::default(),
    })
    .await
    .unwrap()
}

pub(crate) async fn token(service: &Service, member: &str, scopes: &[Scope]) -> MachineCaller {
    let token = service
        .admin_create_token("org", member, scopes, None)
        .await
        .unwrap();
    let (_, bytes) = TokenKind::parse(&token.token.0).unwrap();
    service.machine_caller(&bytes).await.unwrap()
}

/// The two secrets behind an epoch's verifiers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) epoch: u32,
    pub(crate) full: [u8; 32],
    pub(crate) view: [u8; 32],
}

impl Link {
    pub(crate) fn new(epoch: u32) -> Self {
        Self {
            epoch,
            full: random(),
            view: random(),
        }
    }

    pub(crate) fn record(
        &self,
        session: SessionId,
        owner: Option<ParticipantId>,
        epoch_type: EpochType,
    ) -> EpochRecord {
        EpochRecord {
            epoch_type,
            session_id: session,
            epoch: self.epoch,
            commitments: Commitments {
                full_verifier: sha256(&self.full),
                view_verifier: sha256(&self.view),
                posting_key: random(),
                masked_opening: random(),
            },
            owner,
            history: None,
            entries: Vec::new(),
        }
    }
}

/// One participant.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) service: Service,
    pub(crate) session: SessionId,
    pub(crate) id: ParticipantId,
    pub(crate) kind: Kind,
    pub(crate) link: Link,
    pub(crate) rejoin_secret: [u8; 32],
    pub(crate) profile: Blob,
    pub(crate) epoch_record: Blob,
    pub(crate) token: [u8; 32],
}

impl Seat {
    /// A create request, and the seat it makes.
    pub(crate) fn creating(plane: &Plane, kind: Kind) -> (api::Create, Self) {
        let mut seat = Self {
            service: plane.service.clone(),
            session: SessionId::from_bytes(random()),
            id: ParticipantId::from_bytes(random()),
            kind,
            link: Link::new(1),
            rejoin_secret: random(),
            profile: sealed(),
            epoch_record: Blob::default(),
            token: [0; 32],
        };
        let record = seat.link.record(seat.session, Some(seat.id), EpochType::Creation);
        seat.epoch_record = Blob(record.to_bytes());
        let request = api::Create {
            session_id: seat.session,
            epoch_record: seat.epoch_record.clone(),
            title: seat.title(1),
            label: None,
            participant: seat.joining(false),
        };
        (request, seat)
    }

    /// Somebody with the same link who has not joined.
    pub(crate) fn stranger(&self, kind: Kind) -> Self {
        Self {
            id: ParticipantId::from_bytes(random()),
            kind,
            rejoin_secret: random(),
            profile: sealed(),
            token: [0; 32],
            ..self.clone()
        }
    }

    pub(crate) fn title(&self, epoch: u32) -> api::SealedTitle {
        api::SealedTitle {
            participant_id: self.id,
            epoch,
            sealed: sealed(),
        }
    }

    pub(crate) fn joining(&self, returning: bool) -> api::JoiningParticipant {
        api::JoiningParticipant {
            participant_id: self.id,
            kind: self.kind,
            rejoin_verifier: (!returning).then(|| Bytes32(sha256(&self.rejoin_secret))),
            rejoin_secret: returning.then(|| Secret32::new(self.rejoin_secret)),
            sealed_profile: self.profile.clone(),
        }
    }

    pub(crate) async fn with_token(mut self, text: &api::TokenText) -> Self {
        let (kind, token) = TokenKind::parse(&text.0).unwrap();
        assert_eq!(kind, TokenKind::Session);
        self.token = token;
        self
    }

    pub(crate) async fn caller(&self) -> Result<SessionCaller, ServiceError> {
        self.service.session_caller(self.session, &self.token).await
    }

    /// What a request with this seat's token is checked to be.
    pub(crate) async fn me(&self) -> SessionCaller {
        self.caller().await.unwrap()
    }

    pub(crate) async fn try_join(
        &self,
        capability: Capability,
        returning: bool,
    ) -> Result<JoinOutcome, ServiceError> {
        let proof = match capability {
            Capability::Full => self.link.full,
            Capability::View => self.link.view,
        };
        self.join_with(proof, self.link.epoch, self.joining(returning))
            .await
    }

    pub(crate) async fn join_with(
        &self,
        proof: [u8; 32],
        epoch: u32,
        participant: api::JoiningParticipant,
    ) -> Result<JoinOutcome, ServiceError> {
        let request = api::Join {
            proof: Secret32::new(proof),
            epoch,
            participant,
        };
        self.service.join(self.session, ADDRESS, request).await
    }

    /// Joins or returns.
    pub(crate) async fn join(&self, capability: Capability, returning: bool) -> Self {
        let joined = joined(self.try_join(capability, returning).await.unwrap());
        assert_eq!(joined.capability, capability);
        self.clone().with_token(&joined.session_token).await
    }

    /// A second participant with this seat's link.
    pub(crate) async fn invite(&self, kind: Kind, capability: Capability) -> Self {
        self.stranger(kind).join(capability, false).await
    }

    pub(crate) fn message(&self) -> api::Post {
        api::Post {
            message_id: MessageId::from_bytes(random()),
            epoch: self.link.epoch,
            sealed: sealed(),
            signal: None,
            expect_mode: None,
            attachments: None,
        }
    }

    pub(crate) async fn send(&self, post: api::Post) -> Result<Outcome<api::Posted>, ServiceError> {
        let me = self.service.poster(self.session, &self.token).await?;
        self.service.post(&me, post).await
    }

    /// Posts something new.
    pub(crate) async fn post(&self) -> api::Posted {
        new(self.send(self.message()).await.unwrap())
    }

    pub(crate) async fn read(&self, after: u64, limit: u32) -> api::Page {
        self.service.read(&self.me().await, after, limit).await.unwrap()
    }

    /// The whole transcript, page by page.
    pub(crate) async fn transcript(&self) -> Vec<api::Record> {
        let mut records: Vec<api::Record> = Vec::new();
        loop {
            let after = records.last().map_or(0, |record| record.seq);
            let page = self.read(after, 1_000).await;
            records.extend(page.records);
            if !page.more {
                return records;
            }
        }
    }

    pub(crate) async fn state(&self) -> api::State {
        self.service.view(&self.me().await).await.unwrap().state
    }

    pub(crate) async fn set(&self, set: api::SettableMode) -> Result<api::StateAnswer, ServiceError> {
        let me = self.caller().await?;
        self.service.set_mode(&me, api::SetMode { set }).await
    }

    /// Proposes to go to auto, and accepts as another one.
    pub(crate) async fn start_auto(&self, other: &Self, budget: u32, ttl_s: u32) -> ProposalId {
        let proposal_id = ProposalId::from_bytes(random());
        let propose = api::Propose {
            proposal_id,
            budget: Some(budget),
            ttl_s: Some(ttl_s),
            epoch: self.link.epoch,
            sealed_goal: sealed(),
        };
        self.service.propose(&self.me().await, propose).await.unwrap();
        let accept = api::ProposalRef { proposal_id };
        other.service.accept(&other.me().await, accept).await.unwrap();
        proposal_id
    }

    /// The texts of all notices.
    pub(crate) async fn notices(&self) -> Vec<String> {
        let records = self.transcript().await;
        let notices = records
            .into_iter()
            .filter(|record| record.class == RecordClass::Notice);
        notices.map(|record| record.body.unwrap()).collect()
    }

    /// Returns once this seat waits, as its own process sees it.
    pub(crate) async fn until_listening(&self) {
        let me = self.me().await;
        until(async || {
            let shown = self.service.participants(&me, None).await.unwrap().participants;
            shown
                .iter()
                .any(|row| row.participant_id == self.id && row.listening)
        })
        .await;
    }

    /// The same seat, its next requests by another process.
    pub(crate) fn over(&self, service: &Service) -> Self {
        Self {
            service: service.clone(),
            ..self.clone()
        }
    }

    pub(crate) async fn stop(&self) -> api::State {
        let by = OwnerCaller::Participant(self.me().await);
        self.service.stop(&by, self.session).await.unwrap().state
    }
}

/// Where all seats seem to come from.
pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

/// A sealed form of the shortest kind: version, then what looks like noise.
pub(crate) fn sealed() -> Blob {
    let mut bytes = vec![0; 553];
    getrandom::fill(&mut bytes).unwrap();
    bytes[0] = 1;
    Blob(bytes)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn new<T: std::fmt::Debug>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::New(value) => value,
        again @ Outcome::Again(_) => panic!("expected something new, got {again:?}"),
    }
}

pub(crate) fn again<T: std::fmt::Debug>(outcome: Outcome<T>) -> T {
    match outcome {
        Outcome::Again(value) => value,
        new @ Outcome::New(_) => panic!("expected a repetition, got {new:?}"),
    }
}

pub(crate) fn joined(outcome: JoinOutcome) -> api::Joined {
    match outcome {
        JoinOutcome::Joined(joined) => *joined,
        knocking @ JoinOutcome::Knocking(_) => panic!("expected to be in, got {knocking:?}"),
    }
}

/// The refusal of a call, by the first word of its text: its code.
pub(crate) fn code<T: std::fmt::Debug>(answer: Result<T, ServiceError>) -> String {
    let text = answer.expect_err("a refusal").to_string();
    text.split(':').next().unwrap_or_default().to_owned()
}
