//! One change at a time, and what a change leaves behind.

use super::*;

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
        stored: None,
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
    let last_line = whole[..whole.len() - 5]
        .iter()
        .rposition(|byte| *byte == b'\n')
        .unwrap()
        + 1;
    // In the mark of the end: the step is whole. In its line, or at the very beginning of it: it was not made.
    for (cut, cursor) in [
        (1, 4),
        (4, 4),
        (5, 3),
        (100, 3),
        (900, 3),
        (whole.len() - last_line, 3),
    ] {
        std::fs::write(&file, &whole[..whole.len() - cut]).unwrap();
        let theirs = fixture.elsewhere(&seat);
        assert_eq!(theirs.read().unwrap().cursor, cursor, "cut by {cut}");
        assert!(theirs.read().unwrap().progress_lost, "cut by {cut}");
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
    assert_eq!(
        std::fs::read_to_string(&file).unwrap().lines().count(),
        2,
        "a line and the mark of the end"
    );
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
