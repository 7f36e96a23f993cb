//! Wake-ups between processes of one Postgres when a connection fails, and behind a pooler. Times are values: what takes
//! a minute or never ends is told from what takes moments.

use std::net::SocketAddr;
use std::time::Duration;

use plane::clock::Clock;
use plane::service::{Hearing, Service, ServiceConfig, ServiceError, WakeTimes};
use plane::store::StoreUrl;
use tokio::task::JoinHandle;
use wire::api::Page;
use wire::event::{Capability, Kind};

use crate::fixture::*;
use crate::process::{Home, Running};
use crate::proxy::Proxy;

const NEVER: Duration = Duration::from_secs(3_600);
const LONG: Duration = Duration::from_secs(50);

/// Nothing happens by itself.
fn never() -> WakeTimes {
    WakeTimes {
        apart: Duration::from_millis(8),
        silence: NEVER,
        answer: Duration::from_secs(3),
        pause: NEVER,
        deaf: NEVER,
        read_again: NEVER,
        poll: NEVER,
    }
}

async fn process(plane: &Plane, store: StoreUrl, wakes: WakeTimes) -> Service {
    Service::open(ServiceConfig {
        store,
        limits: wide(),
        clock: Clock::Set(plane.clock.clone()),
        wakes,
    })
    .await
    .unwrap()
}

/// The server that tests make their databases on.
pub(crate) fn server() -> SocketAddr {
    let url = std::env::var("DEVPILOT_TEST_POSTGRES").unwrap();
    let (_, place) = url.rsplit_once('@').unwrap();
    let (place, _) = place.split_once('/').unwrap();
    place.parse().unwrap()
}

/// A plane, another process over the same database behind a proxy, and one who waits there.
struct Scene {
    proxy: Proxy,
    far: Service,
    owner: Seat,
    human: Seat,
    plane: Plane,
}

impl Scene {
    async fn new(wakes: WakeTimes) -> Self {
        let plane = Plane::new(Engine::Postgres).await;
        let owner = plane.create().await;
        let human = owner.invite(Kind::Human, Capability::Full).await;
        let proxy = Proxy::before(server()).await;
        let far = process(&plane, plane.database.over(&proxy.server()), wakes).await;
        until(async || far.hearing() == Hearing::Listening).await;
        Self {
            proxy,
            human: human.over(&far),
            far,
            owner,
            plane,
        }
    }

    /// That a post in the one process answers a wait in the other.
    async fn a_post_wakes(&self) {
        let me = self.human.me().await;
        let head = self.human.state().await.head_seq;
        let waiting = tokio::spawn({
            let far = self.far.clone();
            async move { far.wait(&me, head, 200, LONG).await }
        });
        self.human.until_listening().await;
        let seq = self.owner.post().await.seq;
        let page = within_time(waiting).await;
        assert_eq!(page.records.last().map(|record| record.seq), Some(seq));
    }
}

/// The answer of a wait that is woken. At its own end it would be answered as well.
async fn within_time(waiting: JoinHandle<Result<Page, ServiceError>>) -> Page {
    let woken = tokio::time::timeout(LONG / 2, waiting).await;
    woken.expect("nothing woke it").unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_listener_hears_and_nothing_else_wakes_here() {
    if postgres_is_here() {
        Scene::new(never()).await.a_post_wakes().await;
    }
}

/// The last ones of a process that goes down are not left to the slow look.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_change_is_told_at_once_and_what_waits_to_be_told_before_the_process_ends() {
    if !postgres_is_here() {
        return;
    }
    let scene = Scene::new(never()).await;
    let plane = &scene.plane;
    let times = WakeTimes {
        apart: NEVER,
        ..never()
    };
    let near = process(plane, plane.database.url.clone(), times).await;
    let owner = scene.owner.over(&near);
    for goes_down in [false, true] {
        let me = scene.human.me().await;
        let head = scene.human.state().await.head_seq;
        let far = scene.far.clone();
        let waiting = tokio::spawn(async move { far.wait(&me, head, 200, LONG).await });
        scene.human.until_listening().await;
        let seq = owner.post().await.seq;
        if goes_down {
            near.drain().await;
        }
        let page = within_time(waiting).await;
        assert_eq!(page.records.last().map(|record| record.seq), Some(seq));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn waits_wake_while_a_listener_is_half_open_and_nobody_has_noticed() {
    if !postgres_is_here() {
        return;
    }
    let scene = Scene::new(WakeTimes {
        read_again: Duration::from_millis(40),
        ..never()
    })
    .await;
    scene.proxy.silence();
    scene.a_post_wakes().await;
    assert_eq!(
        scene.far.hearing(),
        Hearing::Listening,
        "nothing has asked it yet"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_half_open_listener_is_noticed_shown_and_replaced() {
    if !postgres_is_here() {
        return;
    }
    let scene = Scene::new(WakeTimes {
        silence: Duration::from_millis(60),
        answer: Duration::from_millis(500),
        pause: Duration::from_millis(20),
        poll: Duration::from_millis(40),
        ..never()
    })
    .await;
    scene.proxy.silence();
    until(async || scene.far.hearing() == Hearing::Polling).await;
    scene.a_post_wakes().await;
    // The next ones get no answer either, and none of them holds up what follows.
    until(async || scene.proxy.listeners() > 2).await;
    assert_eq!(scene.far.hearing(), Hearing::Polling);

    scene.proxy.heal();
    until(async || scene.far.hearing() == Hearing::Listening).await;
    scene.a_post_wakes().await;
    // The one that was cut keeps neither telling nor the end waiting.
    scene.far.drain().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_pooler_a_process_polls_and_waits_are_answered() {
    let Some(pooler) = pooler() else { return };
    let plane = Plane::new(Engine::Postgres).await;
    let owner = plane.create().await;
    let human = owner.invite(Kind::Human, Capability::Full).await;
    let times = WakeTimes {
        poll: Duration::from_millis(40),
        ..never()
    };
    let far = process(&plane, plane.database.over(&pooler), times).await;
    assert_eq!(far.hearing(), Hearing::Polling);
    let human = human.over(&far);
    let me = human.me().await;
    let waiting = tokio::spawn({
        let far = far.clone();
        async move { far.wait(&me, 3, 200, LONG).await }
    });
    human.until_listening().await;
    let seq = owner.post().await.seq;
    assert_eq!(within_time(waiting).await.records.last().unwrap().seq, seq);
    assert_eq!(far.hearing(), Hearing::Polling);
}

/// The value of a figure in Prometheus's text form.
fn figure(text: &str, name: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.starts_with(&format!("{name} ")))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_program_says_at_its_start_that_a_pooler_stands_between_and_shows_it() {
    let Some(pooler) = pooler() else { return };
    let database = Database::new(Engine::Postgres).await;
    let run = |url: StoreUrl| {
        let StoreUrl::Postgres(url) = url else {
            panic!("Postgres")
        };
        let home = Home::new();
        let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
        command.env("DATABASE_URL", url);
        (Running::start(command), home)
    };
    let (behind, _home) = run(database.over(&pooler));
    let said = &behind.first_lines;
    assert!(
        said.contains("LISTEN can't work") && said.contains("transaction mode"),
        "{said}"
    );
    assert_eq!(
        figure(&behind.text("/metrics"), "devpilot_plane_listening"),
        Some(0.0)
    );
    assert!(
        behind.text("/readyz").contains("\"ok\""),
        "it serves all the same"
    );

    let (direct, _home) = run(database.direct.clone());
    assert!(!direct.first_lines.contains("pooler"), "{}", direct.first_lines);
    until(async || figure(&direct.text("/metrics"), "devpilot_plane_listening") == Some(1.0)).await;
}
