//! Connections to Postgres that are cut without a word: the process goes on over new ones, long before the system would notice.

use std::time::Duration;

use plane::clock::Clock;
use plane::service::{Outcome, Service, ServiceConfig, WakeTimes};
use tokio::time::timeout;
use wire::event::{Capability, Kind};

use crate::fixture::*;
use crate::proxy::Proxy;
use crate::wakes::server;

/// What it takes to give up a connection and make another, several times over.
const GOES_ON: Duration = Duration::from_secs(40);

#[tokio::test]
async fn a_process_whose_connections_fall_silent_goes_on_over_new_ones() {
    if !postgres_is_here() {
        return;
    }
    let plane = Plane::new(Engine::Postgres).await;
    let owner = plane.create().await;
    let guest = owner.invite(Kind::Human, Capability::Full).await;
    let proxy = Proxy::before(server()).await;
    let far = Service::open(ServiceConfig {
        store: plane.database.over(&proxy.server()),
        limits: wide(),
        clock: Clock::Set(plane.clock.clone()),
        wakes: WakeTimes::default(),
    })
    .await
    .unwrap();
    let there = guest.over(&far);
    let message = there.message();
    let before = there.post().await;
    there.read(0, 10).await;

    proxy.cut();
    let went_on = timeout(GOES_ON, async {
        // Each is refused at most until its connection is given up.
        let (seen, posted) = tokio::join!(async { while there.caller().await.is_err() {} }, async {
            loop {
                if let Ok(posted) = there.send(message.clone()).await {
                    return posted;
                }
            }
        });
        let () = seen;
        there.read(0, 10).await;
        posted
    });
    let posted = went_on.await.expect("the process goes on");
    let (Outcome::New(posted) | Outcome::Again(posted)) = posted;
    assert_eq!(posted.seq, before.seq + 1);
    assert_eq!(guest.state().await.head_seq, posted.seq, "it is there once");

    proxy.cut();
    timeout(GOES_ON, far.drain()).await.expect("it ends by itself");
}
