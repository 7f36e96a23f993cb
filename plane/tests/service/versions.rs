//! Whatever ends a token moves the version of its session's row, so that a process which has the token in memory finds out
//! with its next append. Each way in which a token ends is tried at one process, against what another one knows.

use plane::clock::Clock;
use plane::limits::Limits;
use plane::service::{OwnerCaller, Poster, Service, ServiceConfig, WakeTimes};
use plane::store::StoreUrl;
use sqlx::{Connection as _, PgConnection, SqliteConnection};
use wire::api::{DoorState, SetDoor, SetTitle, SettableMode};
use wire::epoch_record::EntryCapability;
use wire::event::{Capability, Kind};

use crate::fixture::*;
use crate::rekeys::{by_admin, by_owner, owner_record, request};

const FULL: Capability = Capability::Full;
const VIEW: Capability = Capability::View;

/// The version of a session's row in the database; none if the row is gone.
async fn version(plane: &Plane, seat: &Seat) -> Option<i64> {
    let id = seat.session.as_bytes().to_vec();
    let sql = "SELECT version FROM sessions WHERE session_id = $1";
    let found: Option<(i64,)> = match &plane.database.direct {
        StoreUrl::Postgres(url) => {
            let mut conn = PgConnection::connect(url).await.unwrap();
            sqlx::query_as(sql)
                .bind(id)
                .fetch_optional(&mut conn)
                .await
                .unwrap()
        }
        StoreUrl::Sqlite(path) => {
            let url = format!("sqlite://{}", path.display());
            let mut conn = SqliteConnection::connect(&url).await.unwrap();
            sqlx::query_as(sql)
                .bind(id)
                .fetch_optional(&mut conn)
                .await
                .unwrap()
        }
    };
    found.map(|(version,)| version)
}

/// A session with a guest whose token a second process knows without a look-up.
struct Held {
    plane: Plane,
    owner: Seat,
    guest: Seat,
    other: Service,
    version: i64,
}

impl Held {
    async fn new(engine: Engine) -> Self {
        Self::with(engine, wide()).await
    }

    async fn with(engine: Engine, limits: Limits) -> Self {
        let plane = Plane::with(engine, limits.clone()).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let other = plane.second(&limits).await;
        let mut held = Self {
            version: 0,
            plane,
            owner,
            guest,
            other,
        };
        held.hold().await;
        held
    }

    /// The second process learns the guest's token and the session's version.
    async fn hold(&mut self) {
        let there = self.guest.over(&self.other);
        for _ in 0..3 {
            there.post().await;
        }
        assert!(!self.poster().await.is_looked_up);
        self.version = version(&self.plane, &self.owner).await.unwrap();
    }

    /// The guest as the second process takes it, which nothing has told of what happened at the first.
    async fn poster(&self) -> Poster {
        let asked = self.other.poster(self.guest.session, &self.guest.token).await;
        asked.unwrap()
    }

    /// What the second process answers a post under the token that it knows, now that the version has moved.
    async fn refused(&self) -> String {
        let now = version(&self.plane, &self.owner).await;
        assert!(
            now.is_none_or(|now| now > self.version),
            "{now:?} after {}: the version did not move",
            self.version
        );
        let known = self.poster().await;
        assert!(!known.is_looked_up, "this is about a token that is in memory");
        code(self.other.post(&known, self.guest.message()).await)
    }

    /// That the guest's token has ended at both processes, for posts and for all else.
    async fn assert_ended(&self, expected: &str) {
        assert_eq!(self.refused().await, expected);
        for service in [&self.other, &self.plane.service] {
            let guest = self.guest.over(service);
            assert_eq!(code(guest.caller().await), expected);
            assert_eq!(code(guest.send(guest.message()).await), expected);
        }
    }

    /// That the session is over for the guest, whose token may still read.
    async fn assert_over(&self) {
        assert_eq!(self.refused().await, "session_ended");
        assert!(self.guest.over(&self.other).caller().await.is_ok());
    }

    /// What the operator's command line opens over the same database.
    async fn operator(&self) -> Service {
        Service::open_for_admin(ServiceConfig {
            store: self.plane.database.url.clone(),
            limits: wide(),
            clock: Clock::Set(self.plane.clock.clone()),
            wakes: WakeTimes::default(),
        })
        .await
        .unwrap()
    }

    async fn end(&self, purge: bool) {
        let plane = &self.plane;
        plane
            .service
            .end(&plane.machine, self.owner.session, purge)
            .await
            .unwrap();
    }

    async fn rekey(&self, ask: wire::api::Rekey) {
        let plane = &self.plane;
        new(plane
            .service
            .rekey(&plane.machine, self.owner.session, ask)
            .await
            .unwrap());
    }
}

on_both! {
    async fn leaving_ends_a_token_that_another_process_knows(engine: Engine) {
        let held = Held::new(engine).await;
        held.plane.service.leave(&held.guest.me().await).await.unwrap();
        held.assert_ended("unauthorized").await;
    }

    async fn leaving_a_session_that_is_over_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        held.end(false).await;
        let ended = version(&held.plane, &held.owner).await.unwrap();
        held.plane.service.leave(&held.guest.me().await).await.unwrap();
        assert!(version(&held.plane, &held.owner).await.unwrap() > ended, "moved by the leaving as well");
        held.assert_ended("unauthorized").await;
    }

    async fn returning_does_so_for_the_token_before(engine: Engine) {
        let held = Held::new(engine).await;
        let back = held.guest.join(FULL, true).await;
        held.assert_ended("unauthorized").await;
        back.over(&held.other).post().await;
    }

    async fn returning_with_a_view_link_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        let back = held.guest.join(VIEW, true).await;
        held.assert_ended("unauthorized").await;
        assert_eq!(code(back.over(&held.other).send(back.message()).await), "view_only");
    }

    async fn a_rekey_that_keeps_its_participant_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        held.rekey(by_owner(&Link::new(2), &held.owner, &[&held.owner, &held.guest])).await;
        held.assert_ended("rekeyed").await;
    }

    async fn a_rekey_that_removes_its_participant_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        held.rekey(by_owner(&Link::new(2), &held.owner, &[&held.owner])).await;
        held.assert_ended("rekeyed").await;
    }

    async fn a_rekey_that_leaves_its_participant_a_view_link_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        let keep = [(&held.owner, EntryCapability::Full), (&held.guest, EntryCapability::View)];
        let record = owner_record(&Link::new(2), &held.owner, &keep);
        held.rekey(request(&record, Some(held.owner.rejoin_secret))).await;
        held.assert_ended("rekeyed").await;
    }

    async fn a_rekey_by_an_administrator_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        let (plane, session) = (&held.plane, held.owner.session);
        new(plane.service.rekey(&plane.admin, session, by_admin(&Link::new(2), session)).await.unwrap());
        held.assert_ended("rekeyed").await;
    }

    async fn an_end_is_told_to_a_token_that_another_process_knows(engine: Engine) {
        let held = Held::new(engine).await;
        held.end(false).await;
        held.assert_over().await;
    }

    async fn so_is_an_end_by_the_operator(engine: Engine) {
        let held = Held::new(engine).await;
        let operator = held.operator().await;
        operator.admin_end_session(held.owner.session, false).await.unwrap();
        held.assert_over().await;
    }

    async fn so_is_the_expiry_of_a_session(engine: Engine) {
        let held = Held::with(engine, Limits { session_life_s: 60, ..wide() }).await;
        held.plane.advance(61);
        held.plane.service.sweep().await.unwrap();
        held.assert_over().await;
    }

    async fn a_purge_ends_a_token_that_another_process_knows(engine: Engine) {
        let held = Held::new(engine).await;
        held.end(true).await;
        assert_eq!(version(&held.plane, &held.owner).await, None);
        held.assert_ended("unauthorized").await;
    }

    async fn a_purge_by_the_operator_does_so(engine: Engine) {
        let held = Held::new(engine).await;
        let operator = held.operator().await;
        operator.admin_end_session(held.owner.session, true).await.unwrap();
        held.assert_ended("unauthorized").await;
    }

    async fn the_purge_after_its_retention_does_so(engine: Engine) {
        let held = Held::with(engine, Limits { retention_s: 60, ..wide() }).await;
        held.end(false).await;
        held.plane.advance(61);
        held.plane.service.sweep().await.unwrap();
        assert_eq!(version(&held.plane, &held.owner).await, None);
        held.assert_ended("unauthorized").await;
    }

    /// Under the same id and by the same creator, with a token of the same participant at most.
    async fn a_session_that_is_made_anew_knows_no_token_of_the_one_before(engine: Engine) {
        let limits = Limits { tombstone_life_s: 1, ..wide() };
        let plane = Plane::with(engine, limits.clone()).await;
        let (ask, seat) = Seat::creating(&plane, Kind::Agent);
        let created = new(plane.service.create(&plane.machine, ask.clone()).await.unwrap());
        let guest = seat.with_token(&created.session_token).await;
        let other = plane.second(&limits).await;
        let (owner, version) = (guest.clone(), 0);
        let mut held = Held { plane, owner, guest, other, version };
        held.hold().await;
        held.end(true).await;
        held.plane.advance(2);
        held.plane.service.sweep().await.unwrap();
        new(held.plane.service.create(&held.plane.machine, ask).await.unwrap());
        held.assert_ended("unauthorized").await;
    }

    async fn what_drops_expired_tokens_moves_the_version(engine: Engine) {
        let held = Held::with(engine, Limits { token_life_s: 60, ..wide() }).await;
        held.plane.advance(61);
        held.owner.invite(Kind::Agent, FULL).await;
        assert!(version(&held.plane, &held.owner).await.unwrap() > held.version);
        for service in [&held.other, &held.plane.service] {
            let guest = held.guest.over(service);
            assert_eq!(code(guest.send(guest.message()).await), "unauthorized");
        }
    }

    /// A post is decided on the row in memory: whatever else is in that row moves the version too.
    async fn other_changes_move_it_and_leave_the_token(engine: Engine) {
        let mut held = Held::new(engine).await;
        for change in ["mode", "title", "record", "join", "door", "knock"] {
            let (service, owner) = (&held.plane.service, &held.owner);
            let me = owner.me().await;
            match change {
                "mode" => drop(owner.set(SettableMode::Relay).await.unwrap()),
                "title" => drop(service.set_title(&me, SetTitle { title: owner.title(1) }).await.unwrap()),
                "record" => drop(owner.post().await),
                "join" => drop(owner.invite(Kind::Agent, FULL).await),
                "door" => {
                    let door = SetDoor { state: DoorState::Ask, joins_left: None, until: None };
                    service.set_door(&OwnerCaller::Participant(me), owner.session, door).await.unwrap();
                }
                _ => drop(owner.stranger(Kind::Agent).try_join(FULL, false).await.unwrap()),
            }
            let now = version(&held.plane, &held.owner).await.unwrap();
            assert!(now > held.version, "{change}: {now} after {}", held.version);
            let known = held.poster().await;
            assert!(!known.is_looked_up, "{change}");
            new(held.other.post(&known, held.guest.message()).await.unwrap());
            held.hold().await;
        }
    }
}
