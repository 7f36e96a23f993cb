//! A plane of its own for each test, over SQLite, with an org, its machines, and seats in sessions.

use std::net::SocketAddr;
use std::path::Path;

use plane::clock::Clock;
use plane::http::{Listeners, Options, serve};
use plane::limits::Limits;
use plane::service::{Role, Scope, Service, ServiceConfig, WakeTimes};
use plane::store::StoreUrl;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use wire::encoding::to_base64url;
use wire::epoch_record::{Commitments, EpochRecord, EpochType};
use wire::ids::{ParticipantId, SessionId};
use wire::token::TokenKind;
use wire::transcript::sha256;

use crate::client::Request;

/// A running plane.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) machine: String,
    pub(crate) admin: String,
    pub(crate) stranger: String,
    stop: Option<oneshot::Sender<()>>,
    serving: Option<JoinHandle<()>>,
    folder: tempfile::TempDir,
}

/// Limits that no test meets unless it lowers one.
pub(crate) fn wide() -> Limits {
    Limits {
        append_burst: 1_000,
        appends_per_minute: 100_000,
        joins_per_minute_address: 1_000,
        ..Limits::default()
    }
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(Options {
            limits: wide(),
            ..Options::default()
        })
        .await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        Self::with(Options {
            limits,
            ..Options::default()
        })
        .await
    }

    pub(crate) async fn with(options: Options) -> Self {
        let plane = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self::on(Listeners { plane, metrics: None }, options).await
    }

    pub(crate) async fn on(listeners: Listeners, options: Options) -> Self {
        crate::logs::start();
        let folder = tempfile::tempdir().unwrap();
        let service = open(folder.path(), &options.limits).await;
        for org in ["one", "two"] {
            service.admin_create_org(org).await.unwrap();
            service
                .admin_create_member(org, "ada", Role::Member)
                .await
                .unwrap();
        }
        service
            .admin_create_member("one", "root", Role::Admin)
            .await
            .unwrap();
        let token = async |org, member, scopes: &[Scope]| {
            service
                .admin_create_token(org, member, scopes, None)
                .await
                .unwrap()
                .token
                .0
        };
        let machine = token("one", "ada", &[Scope::Share, Scope::Rekey]).await;
        let admin = token("one", "root", &[Scope::Admin]).await;
        let stranger = token("two", "ada", &[Scope::Share, Scope::Rekey]).await;
        let address = listeners.plane.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            serve(listeners, service, options, stopped).await.unwrap();
        });
        Self {
            address,
            machine,
            admin,
            stranger,
            stop: Some(stop),
            serving: Some(serving),
            folder,
        }
    }

    /// Approves a machine as the operator does: on the database, beside the running plane.
    pub(crate) async fn approve(&self, user_code: &str) {
        let service = open(self.folder.path(), &wide()).await;
        let scopes = [Scope::Share, Scope::Rekey];
        service
            .admin_approve(user_code, Some("one"), Some("ada"), &scopes)
            .await
            .unwrap();
        service.drain().await;
    }

    /// Tells it to go down.
    pub(crate) fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// Waits until it is down.
    pub(crate) async fn down(&mut self) {
        self.serving.take().unwrap().await.unwrap();
    }

    /// The newest seq of a session, read from the store of a plane that is down.
    pub(crate) async fn reopened_head(&self, seat: &Seat) -> u64 {
        let service = open(self.folder.path(), &wide()).await;
        let (_, token) = TokenKind::parse(&seat.token).unwrap();
        let caller = service
            .session_caller(seat.session.parse().unwrap(), &token)
            .await
            .unwrap();
        service.view(&caller).await.unwrap().state.head_seq
    }

    pub(crate) fn request(&self, method: &str, target: &str) -> Request {
        Request::new(self.address, method, target)
    }

    pub(crate) fn get(&self, target: &str) -> Request {
        self.request("GET", target)
    }

    /// A fresh session and its creator, an agent.
    pub(crate) async fn create(&self) -> Seat {
        let (seat, body) = Seat::creating();
        let created = self
            .request("POST", "/v1/sessions")
            .bearer(&self.machine)
            .json(&body)
            .send()
            .await
            .ok(201);
        seat.with_token(&created)
    }

    /// Somebody who joins with the full or the view proof of a seat's session.
    pub(crate) async fn join(&self, host: &Seat, view: bool) -> Seat {
        self.admitted(host, host.joining(view)).await
    }

    /// A person who joins with the full proof of a seat's session.
    pub(crate) async fn join_person(&self, host: &Seat) -> Seat {
        let (seat, mut body) = host.joining(false);
        body["participant"]["kind"] = json!("human");
        self.admitted(host, (seat, body)).await
    }

    async fn admitted(&self, host: &Seat, (seat, body): (Seat, Value)) -> Seat {
        let joined = self
            .request("POST", &host.path("/participants"))
            .json(&body)
            .send()
            .await
            .ok(201);
        seat.with_token(&joined)
    }

    /// Posts a message.
    pub(crate) async fn post(&self, seat: &Seat) {
        self.call(seat, "POST", "/records")
            .json(&Seat::message())
            .send()
            .await
            .ok(201);
    }

    /// A call with a seat's token.
    pub(crate) fn call(&self, seat: &Seat, method: &str, tail: &str) -> Request {
        self.request(method, &seat.path(tail)).bearer(&seat.token)
    }
}

async fn open(folder: &Path, limits: &Limits) -> Service {
    Service::open(ServiceConfig {
        store: StoreUrl::Sqlite(folder.join("plane.sqlite")),
        limits: limits.clone(),
        clock: Clock::System,
        wakes: WakeTimes::default(),
    })
    .await
    .unwrap()
}

fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).unwrap();
    bytes
}

/// Bytes of the shape of a sealed form; the plane can't tell.
pub(crate) fn sealed() -> String {
    let mut form = random::<600>();
    form[0] = 1;
    to_base64url(&form)
}

/// A fresh id.
pub(crate) fn new_id() -> String {
    SessionId::from_bytes(random()).to_string()
}

/// One participant.
#[derive(Clone)]
pub(crate) struct Seat {
    pub(crate) session: String,
    pub(crate) id: String,
    pub(crate) token: String,
    full_proof: [u8; 32],
    view_proof: [u8; 32],
    rejoin_secret: [u8; 32],
}

impl Seat {
    fn creating() -> (Self, Value) {
        let (session, id) = (
            SessionId::from_bytes(random()),
            ParticipantId::from_bytes(random()),
        );
        let seat = Self {
            session: session.to_string(),
            id: id.to_string(),
            token: String::new(),
            full_proof: random(),
            view_proof: random(),
            rejoin_secret: random(),
        };
        let record = EpochRecord {
            epoch_type: EpochType::Creation,
            session_id: session,
            epoch: 1,
            commitments: Commitments {
                full_verifier: sha256(&seat.full_proof),
                view_verifier: sha256(&seat.view_proof),
                posting_key: random(),
                masked_opening: random(),
            },
            owner: Some(id),
            history: None,
            entries: Vec::new(),
        };
        let body = json!({
            "session_id": seat.session,
            "epoch_record": to_base64url(&record.to_bytes()),
            "title": { "participant_id": seat.id, "epoch": 1, "sealed": sealed() },
            "participant": seat.participant(),
        });
        (seat, body)
    }

    /// The body of a create that was not sent.
    pub(crate) fn create_body() -> Value {
        Self::creating().1
    }

    fn participant(&self) -> Value {
        json!({
            "participant_id": self.id,
            "kind": "agent",
            "rejoin_verifier": to_base64url(&sha256(&self.rejoin_secret)),
            "sealed_profile": sealed(),
        })
    }

    /// Another participant of the same session, and its join.
    pub(crate) fn joining(&self, view: bool) -> (Self, Value) {
        let seat = Self {
            id: ParticipantId::from_bytes(random()).to_string(),
            rejoin_secret: random(),
            token: String::new(),
            ..self.clone()
        };
        let proof = if view { self.view_proof } else { self.full_proof };
        let body = json!({ "proof": to_base64url(&proof), "epoch": 1, "participant": seat.participant() });
        (seat, body)
    }

    fn with_token(self, answer: &Value) -> Self {
        Self {
            token: answer["session_token"].as_str().unwrap().to_owned(),
            ..self
        }
    }

    pub(crate) fn path(&self, tail: &str) -> String {
        format!("/v1/sessions/{}{tail}", self.session)
    }

    pub(crate) fn rejoin_secret(&self) -> String {
        to_base64url(&self.rejoin_secret)
    }

    pub(crate) fn full_proof(&self) -> String {
        to_base64url(&self.full_proof)
    }

    /// A message that is new each time.
    pub(crate) fn message() -> Value {
        json!({ "message_id": new_id(), "epoch": 1, "sealed": sealed() })
    }
}
