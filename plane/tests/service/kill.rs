//! A plane that is killed: the test starts itself again as the process that writes, and kills it as it writes.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use plane::clock::{Clock, SetClock};
use plane::service::{Service, ServiceConfig, WakeTimes};
use plane::store::StoreUrl;
use wire::encoding::{array_from_base64url, to_base64url};
use wire::ids::SessionId;
use wire::timestamp::Timestamp;

use crate::fixture::*;

const URL: &str = "DEVPILOT_TEST_KILL_URL";
const SEAT: &str = "DEVPILOT_TEST_KILL_SEAT";
const NOW: i64 = 1_800_000_000_000;

fn text_of(url: &StoreUrl) -> String {
    match url {
        StoreUrl::Postgres(url) => url.clone(),
        StoreUrl::Sqlite(path) => path.to_str().unwrap().to_owned(),
    }
}

/// The process that is killed: tells on its standard output each post that was acknowledged.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the child of another test"]
#[allow(clippy::print_stdout)]
async fn child() {
    let Ok(url) = std::env::var(URL) else { return };
    let seat = std::env::var(SEAT).unwrap();
    let (session, token) = seat.split_once(' ').unwrap();
    let session = SessionId::from_bytes(array_from_base64url(session).unwrap());
    let token = array_from_base64url(token).unwrap();
    let service = Service::open(ServiceConfig {
        store: StoreUrl::parse(&url),
        limits: wide(),
        clock: Clock::Set(SetClock::new(Timestamp::from_millis(NOW))),
        wakes: WakeTimes::default(),
    })
    .await
    .unwrap();
    for _ in 0..16 {
        let service = service.clone();
        tokio::spawn(async move {
            loop {
                let post = wire::api::Post {
                    message_id: wire::ids::MessageId::from_bytes(random()),
                    epoch: 1,
                    sealed: sealed(),
                    signal: None,
                    expect_mode: None,
                    attachments: None,
                };
                let id = post.message_id;
                let me = service.poster(session, &token).await.unwrap();
                let posted = new(service.post(&me, post).await.unwrap());
                println!("stored {} {id}", posted.seq);
            }
        });
    }
    std::future::pending::<()>().await;
}

on_both! {
    async fn what_was_acknowledged_is_there_exactly_once_after_a_kill(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let mut acknowledged = Vec::new();
        for round in 1..=4 {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "kill::child", "--ignored", "--nocapture"])
                .env(URL, text_of(&plane.database.url))
                .env(SEAT, format!("{} {}", to_base64url(owner.session.as_bytes()), to_base64url(&owner.token)))
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let output = BufReader::new(child.stdout.take().unwrap());
            let wanted = acknowledged.len() + 40 * round;
            for line in output.lines().map_while(Result::ok) {
                let mut words = line.split(' ');
                if words.next() == Some("stored") {
                    let seq: u64 = words.next().unwrap().parse().unwrap();
                    let id: wire::ids::MessageId = words.next().unwrap().parse().unwrap();
                    acknowledged.push((seq, id));
                    if acknowledged.len() == wanted {
                        child.kill().unwrap();
                    }
                }
            }
            assert!(!child.wait().unwrap().success());
            assert!(acknowledged.len() >= wanted);
        }
        // Postgres may still carry out what the last child sent; whatever comes after this post does not fit any more.
        let last = owner.post().await.seq;
        let records = owner.transcript().await;
        gap_free(&records, 1);
        assert_eq!(records.last().unwrap().seq, last);
        assert_eq!(owner.state().await.head_seq, last);
        for (seq, id) in acknowledged {
            let found: Vec<_> = records.iter().filter(|record| record.item_id == Some(id)).collect();
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].seq, seq);
            let retry = wire::api::Post {
                message_id: id,
                epoch: 1,
                sealed: found[0].sealed.clone().unwrap(),
                signal: None,
                expect_mode: None,
                attachments: None,
            };
            assert_eq!(again(owner.send(retry).await.unwrap()).seq, seq);
        }
    }
}
