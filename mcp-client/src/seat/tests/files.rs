//! What is on disk, and what becomes of it when it is damaged.

use super::*;

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

/// Steps that can't be read are no steps that were not made: the seat goes on from its own file, says that some may be
/// lost, and what was there is kept for a person to look at.
#[tokio::test]
async fn progress_that_does_not_fit_is_set_aside_and_never_used() {
    type Harm = fn(&Path);
    let damages: [(&str, Harm); 4] = [
        ("a changed digit", |progress| {
            let text = std::fs::read_to_string(progress).unwrap();
            assert!(text.contains("\"cursor\":5"));
            std::fs::write(progress, text.replace("\"cursor\":5", "\"cursor\":6")).unwrap();
        }),
        ("a line of something else", |progress| {
            std::fs::write(progress, "not a step\nend\n").unwrap();
        }),
        ("a folder in its place", |progress| {
            std::fs::remove_file(progress).unwrap();
            std::fs::create_dir(progress).unwrap();
        }),
        ("far too long", |progress| {
            let file = std::fs::OpenOptions::new().write(true).open(progress).unwrap();
            file.set_len(1 << 34).unwrap();
        }),
    ];
    for (damage, harm) in damages {
        let fixture = Fixture::new();
        let seat = fixture.seats.create(&state(1, 1)).unwrap();
        seat.with_lock(SOON, |state| -> Result<(), SeatError> {
            state.cursor = 5;
            Ok(())
        })
        .await
        .unwrap();
        let file = fixture.home.seat_file(seat.session(), seat.participant());
        let progress = file.with_extension("progress");
        harm(&progress);

        let next = fixture.elsewhere(&seat);
        let read = next.read().unwrap();
        assert_eq!((read.cursor, read.progress_lost), (0, true), "{damage}");
        let kept = || {
            let names = std::fs::read_dir(file.parent().unwrap()).unwrap().flatten();
            names
                .filter(|entry| entry.file_name().to_string_lossy().contains(".progress.damaged-"))
                .count()
        };
        assert_eq!(kept(), 1, "{damage}");
        next.with_lock(SOON, |state| -> Result<(), SeatError> {
            state.cursor = 3;
            Ok(())
        })
        .await
        .unwrap();
        let after = fixture.elsewhere(&seat).read().unwrap();
        assert_eq!((after.cursor, after.progress_lost), (3, true), "{damage}");
        assert_eq!(kept(), 1, "{damage}: once");
    }
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
