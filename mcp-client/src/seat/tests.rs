#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

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

#[test]
fn a_seat_survives_a_restart_as_it_was() {
    let fixture = Fixture::new();
    let before = state(1, 1);
    let seat = fixture.seats.create(&before).unwrap();
    let after = fixture.elsewhere(&seat).read().unwrap();
    let json = |state: &SeatState| serde_json::to_value(state).unwrap();
    assert_eq!(json(&after), json(&before));
    assert_eq!(after.newest_epoch(), Some(2));
    assert_eq!(
        after.secrets.get(&2).unwrap().to_link_secret().expose(),
        &[0xB2; 32]
    );
}

#[cfg(unix)]
#[test]
fn its_file_is_where_it_should_be_and_private() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.seats.create(&state(1, 2)).unwrap();
    let folder = fixture
        .home
        .root()
        .join("sessions/01010101-0101-0101-0101-010101010101");
    let file = folder.join("02020202-0202-0202-0202-020202020202.json");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(folder.parent().unwrap()), 0o700);
}

#[test]
fn debug_shows_no_secret_no_title_and_no_name() {
    let state = state(1, 2);
    let shown = format!(
        "{state:?} {:?} {:?} {:?} {:?}",
        state.identity, state.token, state.secrets, state.pending
    );
    for secret in ["Ana", "Title", "dps_", "161", "a1a1", "oaGh", "178", "177"] {
        assert!(!shown.contains(secret), "{secret} in {shown}");
    }
}

#[test]
fn a_seat_is_never_overwritten_by_a_new_one() {
    let fixture = Fixture::new();
    fixture.seats.create(&state(1, 1)).unwrap();
    assert!(matches!(
        fixture.seats.create(&state(1, 1)),
        Err(SeatError::Exists { .. })
    ));
}

#[test]
fn a_damaged_seat_is_set_aside_and_the_others_are_listed() {
    let fixture = Fixture::new();
    let whole = fixture.seats.create(&state(1, 1)).unwrap();
    let torn = fixture.seats.create(&state(2, 2)).unwrap();
    let file = fixture.home.seat_file(torn.session(), torn.participant());
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.get(..text.len() / 2).unwrap()).unwrap();
    let listing = fixture.seats.list().unwrap();
    assert_eq!(listing.seats.len(), 1);
    assert_eq!(listing.seats.first().unwrap().session, *whole.session());
    let problem = listing.problems.first().unwrap();
    assert!(
        problem.contains("damaged-") && !problem.contains("Ana"),
        "{problem}"
    );
    assert!(fixture.seats.list().unwrap().problems.is_empty());
    let missing = fixture
        .seats
        .open(torn.session(), torn.participant())
        .unwrap_err();
    assert!(matches!(missing, SeatError::Missing { .. }));
}

#[test]
fn every_torn_or_changed_state_is_an_error_and_no_panic() {
    let text = serde_json::to_string(&state(1, 1)).unwrap();
    for end in 0..text.len() {
        assert!(serde_json::from_str::<SeatState>(text.get(..end).unwrap()).is_err());
    }
    for (from, to) in [
        ("\"secrets\":{", "\"secrets\":{\"-1\":{\"full\":\"\"},"),
        ("https://", "http://"),
    ] {
        assert!(
            serde_json::from_str::<SeatState>(&text.replace(from, to)).is_err(),
            "{to}"
        );
    }
}

#[test]
fn a_newer_format_is_left_alone() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let file = fixture.home.seat_file(seat.session(), seat.participant());
    let text = std::fs::read_to_string(&file)
        .unwrap()
        .replace("{\"version\":1", "{\"version\":2");
    std::fs::write(&file, &text).unwrap();
    let error = fixture
        .seats
        .open(seat.session(), seat.participant())
        .unwrap_err();
    assert!(matches!(
        error,
        SeatError::Home(HomeError::Newer { version: 2, .. })
    ));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

#[tokio::test]
async fn the_lock_reads_what_another_process_wrote() {
    let fixture = Fixture::new();
    let ours = fixture.seats.create(&state(1, 1)).unwrap();
    assert_eq!(ours.read().unwrap().cursor, 0);
    let theirs = fixture.elsewhere(&ours);
    theirs
        .with_lock(SOON, |state| -> Result<(), SeatError> {
            state.cursor = 3;
            Ok(())
        })
        .await
        .unwrap();
    let lock = ours.lock(SOON).await.unwrap();
    assert_eq!(lock.cursor, 3);
    drop(lock);
    assert_eq!(ours.read().unwrap().cursor, 3);
}

#[tokio::test]
async fn a_held_lock_ends_in_busy_and_frees_with_its_holder() {
    let fixture = Fixture::new();
    let ours = fixture.seats.create(&state(1, 1)).unwrap();
    let theirs = fixture.elsewhere(&ours);
    let held = theirs.lock(SOON).await.unwrap();
    assert!(matches!(
        ours.lock(Duration::from_millis(30)).await,
        Err(SeatError::Busy)
    ));
    assert!(matches!(
        theirs.lock(Duration::from_millis(30)).await,
        Err(SeatError::Busy)
    ));
    drop(held);
    ours.lock(SOON).await.unwrap();
}

#[tokio::test]
async fn what_is_not_saved_is_forgotten() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    seat.lock(SOON).await.unwrap().cursor = 9;
    assert_eq!(seat.lock(SOON).await.unwrap().cursor, 0);
    let failed = seat.with_lock(SOON, |state| {
        state.cursor = 9;
        Err::<(), _>(SeatError::Busy)
    });
    assert!(failed.await.is_err());
    assert_eq!(seat.read().unwrap().cursor, 0);
}

/// A step that changes only what moves with every post.
async fn move_on(seat: &Seat, cursor: u64, durable: bool) {
    let mut lock = seat.lock(SOON).await.unwrap();
    lock.cursor = cursor;
    lock.head = Some(Head {
        seq: cursor + 1,
        hash: Bytes32([4; 32]),
    });
    let request = wire::api::Post {
        message_id: MessageId::from_bytes([6; 16]),
        epoch: 2,
        sealed: Blob(vec![7; 600]),
        signal: None,
        expect_mode: None,
        attachments: None,
    };
    lock.pending.post = Some(PendingPost {
        request,
        after_rekey: false,
    });
    if durable {
        lock.save().unwrap()
    } else {
        lock.save_unsynced().unwrap()
    }
}

#[tokio::test]
async fn a_step_does_not_write_the_whole_seat_again_and_is_seen_by_others() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let file = fixture.home.seat_file(seat.session(), seat.participant());
    let before = std::fs::read(&file).unwrap();
    for (cursor, durable) in [(3, true), (4, false)] {
        move_on(&seat, cursor, durable).await;
        let theirs = fixture.elsewhere(&seat).read().unwrap();
        assert_eq!((theirs.cursor, theirs.head.unwrap().seq), (cursor, cursor + 1));
        let json = |state: &SeatState| serde_json::to_value(state).unwrap();
        assert_eq!(json(&theirs), json(&seat.read().unwrap()));
    }
    assert_eq!(
        std::fs::read(&file).unwrap(),
        before,
        "only the progress file was written"
    );
    let step = |state: &mut SeatState| -> Result<(), SeatError> {
        state.name = "Bo".to_owned();
        Ok(())
    };
    fixture.elsewhere(&seat).with_lock(SOON, step).await.unwrap();
    let ours = seat.read().unwrap();
    assert_eq!((ours.name.as_str(), ours.cursor), ("Bo", 4));
    assert!(ours.pending.post.is_some());
    move_on(&seat, 5, true).await;
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 5);
}

#[tokio::test]
async fn a_torn_step_is_as_if_it_was_not_made() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    move_on(&seat, 3, true).await;
    move_on(&seat, 4, true).await;
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let whole = std::fs::read(&file).unwrap();
    for cut in [1, 2, 100, 900] {
        std::fs::write(&file, &whole[..whole.len() - cut]).unwrap();
        let theirs = fixture.elsewhere(&seat);
        assert_eq!(theirs.read().unwrap().cursor, 3, "cut by {cut}");
        move_on(&theirs, 9, true).await;
        assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 9);
    }
}

#[tokio::test]
async fn steps_before_the_file_was_replaced_have_no_effect_after_it() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    move_on(&seat, 3, true).await;
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let old = std::fs::read(&file).unwrap();
    let step = |state: &mut SeatState| -> Result<(), SeatError> {
        state.cursor = 8;
        state.name = "Bo".to_owned();
        Ok(())
    };
    seat.with_lock(SOON, step).await.unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), b"");
    // As after a crash between the two.
    std::fs::write(&file, old).unwrap();
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 8);
    assert_eq!(seat.read().unwrap().cursor, 8);
}

#[tokio::test]
async fn a_long_progress_file_is_folded_in() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let file = fixture
        .home
        .seat_file(seat.session(), seat.participant())
        .with_extension("progress");
    let mut longest = 0;
    for cursor in 1..600 {
        move_on(&seat, cursor, false).await;
        longest = longest.max(std::fs::metadata(&file).unwrap().len());
    }
    assert!((256 * 1024..258 * 1024 + 1200).contains(&longest), "{longest}");
    assert!(std::fs::metadata(&file).unwrap().len() < 256 * 1024);
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 599);
}

#[tokio::test]
async fn steps_of_several_processes_and_tasks_are_never_lost() {
    let fixture = Fixture::new();
    let seat = fixture.seats.create(&state(1, 1)).unwrap();
    let handles = [seat.clone(), fixture.elsewhere(&seat), fixture.elsewhere(&seat)];
    let mut tasks = tokio::task::JoinSet::new();
    for seat in handles.into_iter().cycle().take(6) {
        tasks.spawn(async move {
            for _ in 0..20 {
                let step = |state: &mut SeatState| -> Result<(), SeatError> {
                    state.cursor += 1;
                    Ok(())
                };
                seat.with_lock(Duration::from_secs(20), step).await.unwrap();
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(fixture.elsewhere(&seat).read().unwrap().cursor, 120);
}

#[test]
fn a_lease_is_one_processes_and_ends_with_it() {
    let fixture = Fixture::new();
    for byte in [1, 2] {
        fixture.seats.create(&state(1, byte)).unwrap();
    }
    let mut person = state(1, 3);
    person.kind = Kind::Human;
    fixture.seats.create(&person).unwrap();
    let lease = || {
        fixture
            .seats
            .lease(&fixture.seats.list().unwrap().seats, &session(1))
            .unwrap()
    };
    let LeaseOutcome::Leased(first, first_lease) = lease() else {
        panic!("a free seat")
    };
    let LeaseOutcome::Leased(second, _second_lease) = lease() else {
        panic!("another free seat")
    };
    assert_ne!(first.participant(), second.participant());
    assert!(
        matches!(lease(), LeaseOutcome::AllHeld(_)),
        "a person's seat is no agent's"
    );
    drop(first_lease);
    let LeaseOutcome::Leased(again, _lease) = lease() else {
        panic!("the freed seat")
    };
    assert_eq!(again.participant(), first.participant());
    let nothing = fixture
        .seats
        .lease(&fixture.seats.list().unwrap().seats, &session(9))
        .unwrap();
    assert!(matches!(nothing, LeaseOutcome::NoSeat));
}

#[test]
fn a_removed_seat_takes_its_files_along() {
    let fixture = Fixture::new();
    let mut state = state(1, 1);
    let handoff = crate::note::handoff::write(&fixture.home, "t", NOW, "note").unwrap();
    state.handoffs.push(handoff.clone());
    let seat = fixture.seats.create(&state).unwrap();
    let file = fixture.home.seat_file(seat.session(), seat.participant());
    seat.clone().remove().unwrap();
    assert!(!file.exists() && !handoff.exists());
    assert!(matches!(seat.read(), Err(SeatError::Missing { .. })));
}

/// Seats as a list has them: the one last used first.
fn summaries(seats: &[(u8, &str, &str, i64)]) -> Vec<SeatSummary> {
    let mut summaries: Vec<SeatSummary> = seats
        .iter()
        .map(|(byte, title, place, used)| {
            let mut state = state(*byte, *byte);
            state.title = Some((*title).to_owned());
            state.last_used = LastUsed {
                at: Timestamp::from_millis(*used),
                place: (*place).to_owned(),
            };
            serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap()
        })
        .collect();
    summaries.sort_by_key(|seat| std::cmp::Reverse(seat.last_used.at));
    summaries
}

fn asking<'a>(seats: &'a [SeatSummary], place: &'a Place) -> Asking<'a> {
    Asking {
        seats,
        named: None,
        current: None,
        place,
        now: NOW,
    }
}

#[test]
fn the_session_last_used_in_this_repository_is_meant() {
    let seats = summaries(&[
        (1, "A", "/r/one", 10),
        (2, "B", "/r/one", 20),
        (3, "C", "/r/two", 30),
    ]);
    let one = Place::of(Some(Path::new("/r/one")));
    assert_eq!(choose::session(&asking(&seats, &one)), Ok(session(2)));
    let nowhere = Place::of(None);
    assert_eq!(choose::session(&asking(&seats, &nowhere)), Ok(session(3)));
    let other = Place::of(Some(Path::new("/r/three")));
    assert_eq!(
        choose::session(&asking(&seats, &other)),
        Err(ChooseError::NoSession)
    );
}

#[test]
fn what_is_over_is_not_meant_but_can_be_named() {
    let mut seats = summaries(&[
        (1, "A", "/r/one", 10),
        (2, "B", "/r/one", 20),
        (3, "C", "/r/one", 30),
    ]);
    let over = Ended {
        at: NOW,
        cause: "ended".to_owned(),
    };
    seats.get_mut(0).unwrap().ended = Some(over);
    seats.get_mut(1).unwrap().expires_at = Some(NOW);
    let place = Place::of(Some(Path::new("/r/one")));
    let ask = asking(&seats, &place);
    assert_eq!(choose::session(&ask), Ok(session(1)));
    assert_eq!(
        choose::session(&Asking {
            named: Some("c"),
            ..ask
        }),
        Ok(session(3))
    );
}

#[test]
fn a_name_is_an_id_its_beginning_or_a_title() {
    let seats = summaries(&[(1, "Login race", "/r/one", 10), (2, "B", "/r/two", 20)]);
    let place = Place::of(Some(Path::new("/r/one")));
    let named = |name| {
        choose::session(&Asking {
            named: Some(name),
            ..asking(&seats, &place)
        })
    };
    for name in [
        "02020202-0202-0202-0202-020202020202",
        "02020202020202020202020202020202",
        "02020202",
        " 02020202-0202 ",
        "b",
    ] {
        assert_eq!(named(name), Ok(session(2)), "{name}");
    }
    assert_eq!(named("login RACE"), Ok(session(1)));
    for name in ["0202020", "Login", ""] {
        assert!(matches!(named(name), Err(ChooseError::Unknown { .. })), "{name}");
    }
}

#[test]
fn a_title_that_several_have_is_asked_about_by_id() {
    let seats = summaries(&[(1, "Same", "/r/one", 10), (2, "same", "/r/two", 20)]);
    let place = Place::of(None);
    let error = choose::session(&Asking {
        named: Some("Same"),
        ..asking(&seats, &place)
    })
    .unwrap_err();
    let text = error.to_string();
    assert!(text.contains("01010101") && text.contains("02020202"), "{text}");
}

#[test]
fn a_post_with_several_alive_and_none_used_asks() {
    let seats = summaries(&[(1, "A", "/r/one", 10), (2, "B\u{202E}<b>", "/r/two", 20)]);
    let place = Place::of(Some(Path::new("/r/one")));
    let ask = asking(&seats, &place);
    let Err(ChooseError::Which { candidates }) = choose::session_for_post(&ask) else {
        panic!("must ask");
    };
    assert!(
        candidates.contains("\"A\"") && !candidates.contains('\u{202E}'),
        "{candidates}"
    );
    let used = Asking {
        current: Some(session(2)),
        ..ask
    };
    assert_eq!(choose::session_for_post(&used), Ok(session(2)));
    assert_eq!(
        choose::session_for_post(&Asking {
            named: Some("A"),
            ..ask
        }),
        Ok(session(1))
    );
    let (alone, _) = seats.split_at(1);
    let elsewhere = Place::of(None);
    assert_eq!(
        choose::session_for_post(&asking(alone, &elsewhere)),
        Ok(session(2))
    );
}

#[test]
fn a_command_acts_for_the_seat_of_its_kind_last_used_here() {
    let mut seats = summaries(&[
        (1, "A", "/r/one", 10),
        (2, "A", "/r/two", 20),
        (3, "A", "/r/one", 30),
    ]);
    for seat in &mut seats {
        seat.session = session(1);
    }
    seats.first_mut().unwrap().kind = Kind::Human;
    let place = Place::of(Some(Path::new("/r/one")));
    let ask = asking(&seats, &place);
    let chosen = |kind, named| choose::seat(&ask, &session(1), kind, named).map(|seat| seat.participant);
    assert_eq!(chosen(Kind::Agent, None), Some(participant(1)));
    assert_eq!(chosen(Kind::Human, None), Some(participant(3)));
    assert_eq!(chosen(Kind::Agent, Some("02020202")), Some(participant(2)));
    assert_eq!(chosen(Kind::Agent, Some("0202")), None);
    let elsewhere = Place::of(Some(Path::new("/r/three")));
    let ask = asking(&seats, &elsewhere);
    assert_eq!(
        choose::seat(&ask, &session(1), Kind::Agent, None)
            .unwrap()
            .participant,
        participant(2)
    );
}

#[test]
fn the_same_share_within_ten_minutes_is_the_same_session() {
    let mut seat = summaries(&[(1, "A", "/r/one", 10)]).remove(0);
    let print = Bytes32([1; 32]);
    assert!(!seat.is_repeat_of(&print, NOW));
    seat.share = Some(ShareMark {
        fingerprint: print,
        at: NOW,
        context: None,
    });
    let later = |seconds: i64| NOW.plus_millis(seconds * 1000);
    assert!(seat.is_repeat_of(&print, NOW) && seat.is_repeat_of(&print, later(600)));
    assert!(!seat.is_repeat_of(&print, later(601)));
    assert!(
        !seat.is_repeat_of(&print, later(-1)),
        "a clock that went back proves nothing"
    );
    assert!(!seat.is_repeat_of(&Bytes32([2; 32]), NOW));
    seat.ended = Some(Ended {
        at: NOW,
        cause: "ended".to_owned(),
    });
    assert!(!seat.is_repeat_of(&print, NOW));
}
