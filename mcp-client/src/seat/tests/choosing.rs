//! Which session and which seat are meant.

use super::*;

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
}

#[test]
fn where_none_was_last_used_here_those_elsewhere_are_named_and_only_what_does_no_harm_takes_the_only_one() {
    let seats = summaries(&[(1, "A", "/r/one", 10), (3, "C", "/r/two", 30)]);
    let other = Place::of(Some(Path::new("/r/three")));
    let ask = asking(&seats, &other);
    let error = choose::session(&ask).unwrap_err();
    let said = error.to_string();
    assert!(matches!(error, ChooseError::NotHere { .. }), "{said}");
    for part in ["\"A\" (01010101)", "\"C\" (03030303)"] {
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(
        choose::session_to_calm(&ask),
        Err(error),
        "one of two is not meant"
    );

    let (alone, _) = seats.split_at(1);
    let ask = asking(alone, &other);
    assert!(matches!(choose::session(&ask), Err(ChooseError::NotHere { .. })));
    assert_eq!(choose::session_to_calm(&ask), Ok(session(3)));
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

/// A clock that is a month fast says of every session that its time is over; only the plane knows.
#[test]
fn where_all_is_over_by_this_machine_s_clock_alone_the_last_one_here_is_meant() {
    let mut seats = summaries(&[
        (1, "A", "/r/one", 10),
        (2, "B", "/r/one", 20),
        (3, "C", "/r/two", 30),
    ]);
    for seat in &mut seats {
        seat.expires_at = Some(NOW);
    }
    let place = Place::of(Some(Path::new("/r/one")));
    assert_eq!(choose::session(&asking(&seats, &place)), Ok(session(2)));
    assert_eq!(choose::session_to_read(&asking(&seats, &place)), Ok(session(2)));
    assert!(matches!(
        choose::session_for_post(&asking(&seats, &place)),
        Err(ChooseError::Which { .. })
    ));
    let elsewhere = Place::of(Some(Path::new("/r/three")));
    assert_eq!(
        choose::session(&asking(&seats, &elsewhere)),
        Err(ChooseError::NoSession)
    );
    let over = Ended {
        at: NOW,
        cause: "ended".to_owned(),
    };
    seats[1].ended = Some(over.clone());
    assert_eq!(choose::session(&asking(&seats, &place)), Ok(session(1)));
    seats[0].ended = Some(over);
    assert_eq!(choose::session_for_post(&asking(&seats, &place)), Ok(session(1)));
}

#[test]
fn who_was_removed_is_told_so_while_nothing_else_is_alive_here() {
    let mut seats = summaries(&[(1, "A", "/r/one", 10), (2, "B", "/r/one", 20)]);
    let place = Place::of(Some(Path::new("/r/one")));
    let over = |cause: &str| Ended {
        at: NOW,
        cause: cause.to_owned(),
    };
    // The one last used first: that is B.
    seats[0].ended = Some(over("removed"));
    assert_eq!(choose::session(&asking(&seats, &place)), Ok(session(1)));
    seats[1].ended = Some(over("left"));
    let error = choose::session(&asking(&seats, &place)).unwrap_err();
    assert!(matches!(&error, ChooseError::Removed { .. }), "{error}");
    let said = error.to_string();
    assert!(
        said.contains("\"B\"") && said.contains("ask the owner for a new link"),
        "{said}"
    );
    let elsewhere = Place::of(Some(Path::new("/r/two")));
    assert_eq!(
        choose::session(&asking(&seats, &elsewhere)),
        Err(ChooseError::NoSession)
    );
    seats[0].ended = Some(over("ended"));
    let said = choose::session(&asking(&seats, &place)).unwrap_err().to_string();
    assert!(said.contains("\"B\"") && said.contains("is over"), "{said}");
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
    assert!(matches!(error, ChooseError::Which { by_id: true, .. }));
    let text = error.to_string();
    assert!(text.contains("01010101") && text.contains("02020202"), "{text}");
}

#[test]
fn a_post_with_several_alive_and_none_used_asks() {
    let seats = summaries(&[(1, "A", "/r/one", 10), (2, "B\u{202E}<b>", "/r/two", 20)]);
    let place = Place::of(Some(Path::new("/r/one")));
    let ask = asking(&seats, &place);
    let Err(ChooseError::Which {
        candidates, by_id, ..
    }) = choose::session_for_post(&ask)
    else {
        panic!("must ask");
    };
    assert!(!by_id, "their titles differ");
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

/// A seat whose way in is not finished: the request is out, and no token came.
fn outside(byte: u8, used: i64, entry: PendingEntry, at_the_door: Option<AtTheDoor>) -> SeatSummary {
    let mut state = state(byte, byte);
    state.token = None;
    state.title = None;
    state.pending.entry = Some(entry);
    state.at_the_door = at_the_door;
    state.last_used = LastUsed {
        at: Timestamp::from_millis(used),
        place: "/r/one".to_owned(),
    };
    serde_json::from_value(serde_json::to_value(&state).unwrap()).unwrap()
}

fn create() -> PendingEntry {
    let body = serde_json::json!({
        "session_id": session(9), "epoch_record": "AA", "title": { "participant_id": participant(9), "epoch": 1, "sealed": "AA" },
        "participant": { "participant_id": participant(9), "kind": "agent", "sealed_profile": "AA" }
    });
    PendingEntry::Create(serde_json::from_value(body).unwrap())
}

#[test]
fn a_seat_that_never_got_in_is_not_chosen_beside_one_that_did() {
    let mut seats = summaries(&[(1, "A", "/r/one", 10)]);
    seats.insert(0, outside(2, 20, PendingEntry::Join { epoch: 1 }, None));
    seats.insert(0, outside(3, 30, create(), None));
    let place = Place::of(Some(Path::new("/r/one")));
    let ask = asking(&seats, &place);
    assert_eq!(choose::session(&ask), Ok(session(1)));
    assert_eq!(
        choose::session_for_post(&ask),
        Ok(session(1)),
        "nobody asks which"
    );
    for seat in &mut seats {
        seat.session = session(1);
    }
    let ask = asking(&seats, &place);
    let chosen = choose::seat(&ask, &session(1), Kind::Agent, None).unwrap();
    assert_eq!(chosen.participant, participant(1));
    let outside = choose::seat_outside(&ask, &session(1), Kind::Agent, None).unwrap();
    assert_eq!(outside.participant, participant(3));
    assert_eq!(
        choose::seat(&ask, &session(1), Kind::Agent, Some("02020202")),
        None
    );
}

#[test]
fn where_no_seat_got_in_the_way_on_is_named() {
    let place = Place::of(Some(Path::new("/r/one")));
    let join = || PendingEntry::Join { epoch: 1 };
    for (seat, standing, said) in [
        (outside(2, 20, join(), None), Standing::Joining, "not answered"),
        (
            outside(2, 20, join(), Some(AtTheDoor::Knocking(NOW))),
            Standing::Knocking,
            "still knocking",
        ),
        (
            outside(2, 20, join(), Some(AtTheDoor::TurnedAway(NOW))),
            Standing::TurnedAway,
            "not let into",
        ),
        (
            outside(2, 20, create(), None),
            Standing::Creating,
            "still being made",
        ),
    ] {
        let seats = [seat];
        let ask = asking(&seats, &place);
        for named in [None, Some("02020202")] {
            let error = choose::session(&Asking { named, ..ask }).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
            assert!(
                matches!(error, ChooseError::NotIn { session: id, standing: found, .. }
                    if id == session(2) && found == standing)
            );
        }
        assert_eq!(choose::seat(&ask, &session(2), Kind::Agent, None), None);
    }
}

#[test]
fn a_return_that_was_not_answered_leaves_a_seat_in() {
    let seat = outside(2, 20, PendingEntry::Return { epoch: 2 }, None);
    assert!(seat.is_in());
}

#[test]
fn what_looks_on_takes_the_only_session_and_the_last_one_here_that_is_over() {
    let mut seats = summaries(&[(1, "A", "/r/one", 10), (3, "C", "/r/two", 30)]);
    let one = Place::of(Some(Path::new("/r/one")));
    let three = Place::of(Some(Path::new("/r/three")));
    let (alone, _) = seats.split_at(1);
    assert_eq!(choose::session_to_read(&asking(alone, &three)), Ok(session(3)));
    assert!(
        choose::session_to_read(&asking(&seats, &three)).is_err(),
        "one of two is not meant"
    );
    let over = |cause: &str| Ended {
        at: NOW,
        cause: cause.to_owned(),
    };
    seats[1].ended = Some(over("ended"));
    assert!(
        matches!(
            choose::session_to_read(&asking(&seats, &one)),
            Err(ChooseError::NotHere { .. })
        ),
        "the one that is over, or the one elsewhere"
    );
    seats[0].ended = Some(over("ended"));
    assert_eq!(choose::session_to_read(&asking(&seats, &one)), Ok(session(1)));
    assert!(matches!(
        choose::session_for_post(&asking(&seats, &one)),
        Err(ChooseError::Over { .. })
    ));
    assert_eq!(
        choose::session_to_read(&asking(&seats, &three)),
        Err(ChooseError::NoSession)
    );
    seats[1].ended = Some(over("left"));
    let left = choose::session_to_read(&asking(&seats, &one)).unwrap_err();
    assert!(
        matches!(left, ChooseError::Left { session: of, .. } if of == session(1)),
        "who left reads it by name: {left}"
    );
    let said = left.to_string();
    assert!(
        said.contains("\"A\"") && said.contains("name the session") && said.contains("join with the link"),
        "{said}"
    );
    seats[1].ended = None;
    seats[1].expires_at = Some(NOW);
    assert_eq!(choose::session_to_read(&asking(&seats, &one)), Ok(session(1)));
}

#[test]
fn who_left_is_told_so_before_another_session_is_meant() {
    let mut seats = summaries(&[(1, "A", "/r/one", 10), (3, "C", "/r/two", 30)]);
    seats[1].ended = Some(Ended {
        at: NOW,
        cause: "left".to_owned(),
    });
    let one = Place::of(Some(Path::new("/r/one")));
    let ask = asking(&seats, &one);
    let chosen = || choose::session_for_post(&ask);
    for chosen in [chosen(), choose::or_the_only_one(&ask, chosen())] {
        assert!(
            matches!(chosen, Err(ChooseError::Left { session: of, .. }) if of == session(1)),
            "{chosen:?}"
        );
    }
}

#[test]
fn what_decides_takes_the_only_session_where_none_was_ever_used() {
    let mut seats = summaries(&[(1, "A", "/r/one", 10), (3, "C", "/r/two", 30)]);
    let three = Place::of(Some(Path::new("/r/three")));
    let only = |seats: &[SeatSummary], place: &Place| {
        let ask = asking(seats, place);
        choose::or_the_only_one(&ask, choose::session(&ask))
    };
    assert!(
        matches!(only(&seats, &three), Err(ChooseError::NotHere { .. })),
        "one of two"
    );
    seats[1].ended = Some(Ended {
        at: NOW,
        cause: "ended".to_owned(),
    });
    assert_eq!(only(&seats, &three), Ok(session(3)));
    let one = Place::of(Some(Path::new("/r/one")));
    assert!(
        matches!(only(&seats, &one), Err(ChooseError::NotHere { .. })),
        "the one that is over may be meant"
    );
}
