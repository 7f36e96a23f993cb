//! A run of posts: what each of them asks the plane, and what it may not go out without.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::verbs::{Ask, SetTo};

use crate::party::{Party, texts, through};
use crate::plane::TestPlane;
use crate::tamper::{Fate, Tamper};

/// Posts of a run.
const POSTS: usize = 2;
/// How long the answer to a post tells the next one of the mode, in observe.
const RUN: Duration = Duration::from_millis(10);
/// How often a run is tried until this machine is quick enough for it.
const TRIES: usize = 40;

/// What was asked of the plane, in order.
type Asked = Arc<Mutex<Vec<String>>>;

/// Notes method and the end of the path of each request.
fn note(way: &Tamper) -> Asked {
    let asked = Asked::default();
    let notes = asked.clone();
    way.rule(move |exchange| {
        let path = exchange.path.split('?').next().unwrap_or_default();
        let end = path.rsplit('/').next().unwrap_or_default();
        notes.lock().unwrap().push(format!("{} {end}", exchange.method));
        Fate::Pass
    });
    asked
}

/// Moves every clock but the wall's.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn each_post_of_a_run_is_one_request() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("A run", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    let asked = note(&way);
    for _ in 0..TRIES {
        sam.post("the first asks what is not known").await;
        asked.lock().unwrap().clear();
        for number in 0..POSTS {
            let posted = sam.post(&format!("{number}")).await;
            assert_eq!(
                (posted.mode.as_str(), posted.not_listening),
                ("observe", vec!["Ana".to_owned()])
            );
        }
        if *asked.lock().unwrap() == ["POST records"; POSTS] {
            return;
        }
    }
    panic!("no run of {POSTS} posts without a question between them");
}

#[tokio::test]
async fn after_a_pause_a_post_asks_for_the_mode_and_who_is_there_at_once() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("A pause", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    sam.post("before").await;
    pass(Duration::from_secs(5)).await;
    let asked = note(&way);
    let posted = sam.post("after").await;
    assert_eq!(posted.not_listening, ["Ana"]);
    let mut asked = asked.lock().unwrap().clone();
    assert_eq!(
        asked.pop().as_deref(),
        Some("POST records"),
        "once both are known"
    );
    asked.sort_unstable();
    assert_eq!(asked, ["GET participants", "GET records"]);
    assert_eq!(texts(&ana.read().await), ["before", "after"]);
}

/// What the mode is was told with the post before; who is there is as old, and somebody may listen by now.
#[tokio::test]
async fn who_is_there_is_asked_before_a_post_and_keeps_none_back() {
    let plane = TestPlane::start().await;
    let way = Tamper::before(&plane.origin).await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Relay", "start").await.link.unwrap();
    sam.join(&through(&link, &way.origin)).await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.will_answer([Ask::Yes, Ask::Yes, Ask::Yes]);
    sam.post("before").await;
    let asked = note(&way);
    pass(Duration::from_millis(1_001)).await;
    assert_eq!(sam.post("after").await.not_listening, ["Ana"]);
    assert_eq!(*asked.lock().unwrap(), ["GET participants", "POST records"]);

    way.rule(|exchange| match exchange.path.contains("/participants") {
        true => Fate::Page(500),
        false => Fate::Pass,
    });
    pass(Duration::from_millis(1_001)).await;
    let posted = sam.post("not told").await;
    assert_eq!(posted.not_listening, [""; 0]);
    assert!(
        posted
            .warnings
            .iter()
            .any(|warning| warning.contains("who is listening"))
    );
    assert_eq!(texts(&ana.read().await), ["before", "after", "not told"]);
}

#[tokio::test]
async fn a_mode_that_was_set_behind_a_post_is_seen_before_the_next() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Relay", "start").await.link.unwrap();
    sam.join(&link).await;
    sam.post("in observe").await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    pass(RUN + Duration::from_millis(1)).await;
    sam.will_answer([Ask::No]);
    assert_eq!(sam.try_post("unasked").await.unwrap_err().code(), "declined");
    assert_eq!(texts(&ana.read().await), ["in observe"]);
}

/// Whatever else has told of the mode a moment ago: only a post that goes on with a run goes by what it knows.
#[tokio::test]
async fn the_first_post_asks_for_the_mode_however_new_the_last_word_is() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Relay", "start").await.link.unwrap();
    ana.will_answer([Ask::Yes]);
    sam.join(&link).await;
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.will_answer([Ask::No]);
    assert_eq!(sam.try_post("unasked").await.unwrap_err().code(), "declined");
}

#[tokio::test]
async fn the_answer_to_a_post_tells_the_next_one_that_the_mode_has_changed() {
    let plane = TestPlane::start().await;
    let (ana, sam) = (Party::new("Ana", &plane), Party::new("Sam", &plane));
    let link = ana.share("Relay", "start").await.link.unwrap();
    sam.join(&link).await;
    ana.will_answer([Ask::Yes]);
    ana.set_mode(SetTo::Relay).await.unwrap();
    sam.read().await;
    sam.will_answer([Ask::Yes]);
    assert_eq!(sam.post("asked about").await.human, "approved");
    sam.will_answer([Ask::No]);
    assert_eq!(sam.try_post("and this").await.unwrap_err().code(), "declined");
    ana.set_mode(SetTo::Observe).await.unwrap();
    sam.will_answer([Ask::Yes]);
    let posted = sam.post("asked about in vain").await;
    assert_eq!(
        (posted.human.as_str(), posted.mode.as_str()),
        ("approved", "observe")
    );
    assert_eq!(sam.post("unasked").await.human, "not_needed");
}
