//! Plans that Postgres keeps: one that was made while tables were empty is as good when they have grown.

use plane::store::StoreUrl;
use sqlx::{Connection as _, Executor as _, PgConnection};
use wire::api::SettableMode;

use crate::fixture::*;

const ROUNDS: usize = 12;
/// Posts that queue up while one is appended: so they come in batches.
const TOGETHER: usize = 30;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_looks_for_its_message_ids_alone_whatever_stood_there_when_it_was_planned() {
    if !postgres_is_here() {
        return;
    }
    let plane = Plane::new(Engine::Postgres).await;
    let owner = plane.create().await;
    owner.set(SettableMode::Relay).await.unwrap();
    let StoreUrl::Postgres(url) = &plane.database.direct else {
        panic!("Postgres alone keeps plans")
    };
    let mut conn = PgConnection::connect(url).await.unwrap();
    // The server knows from now on that nothing is there, and plans for that.
    conn.execute("VACUUM ANALYZE").await.unwrap();
    for _ in 0..ROUNDS {
        let posts = (0..TOGETHER).map(|_| {
            let seat = owner.clone();
            async move { seat.post().await }
        });
        futures_util::future::join_all(posts).await;
    }
    // A connection tells what it touched when it goes.
    plane.service.drain().await;
    let posts = i64::try_from(ROUNDS * TOGETHER).unwrap();
    let read = "SELECT SUM(n_tup_ins)::bigint, (SELECT SUM(idx_tup_read)::bigint FROM pg_stat_user_indexes \
                WHERE relname LIKE 'message_ids_%') FROM pg_stat_user_tables WHERE relname LIKE 'message_ids_%'";
    let mut found = (0_i64, 0_i64);
    until(async || {
        found = sqlx::query_as(read).fetch_one(&mut conn).await.unwrap();
        found.0 == posts
    })
    .await;
    assert_eq!(found.1, 0, "none of {posts} new ids is there, so none is read");
}
