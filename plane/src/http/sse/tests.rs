#![allow(clippy::unwrap_used, clippy::panic)]

use wire::api::{Presence, Record};
use wire::encoding::Blob;
use wire::ids::{MessageId, ParticipantId};
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use super::*;

fn text(event: StreamEvent) -> String {
    let written = written(StreamItem::Event(event)).unwrap();
    String::from_utf8(written.to_vec()).unwrap()
}

#[test]
fn a_record_has_its_seq_as_id_and_one_line_of_data() {
    let record = Record {
        seq: 7,
        at: Timestamp::from_millis(0),
        epoch: 1,
        class: RecordClass::Message,
        sender: Some(ParticipantId::from_bytes([0x11; 16])),
        item_id: Some(MessageId::from_bytes([0x22; 16])),
        sealed: Some(Blob(vec![1, 2, 3])),
        signal: None,
        body: None,
        epoch_record: None,
    };
    assert_eq!(
        text(StreamEvent::Record(record)),
        "event: record\nid: 7\ndata: {\"seq\":7,\"at\":\"1970-01-01T00:00:00.000Z\",\"epoch\":1,\
         \"class\":\"message\",\"sender\":\"11111111-1111-1111-1111-111111111111\",\
         \"item_id\":\"22222222-2222-2222-2222-222222222222\",\"sealed\":\"AQID\"}\n\n"
    );
}

#[test]
fn other_events_have_no_id() {
    let here = Presence {
        participant_id: ParticipantId::from_bytes([0x11; 16]),
        listening: true,
        last_seen_at: Timestamp::from_millis(0),
        fetched_seq: 3,
    };
    assert_eq!(
        text(StreamEvent::Presence(vec![here])),
        "event: presence\ndata: [{\"participant_id\":\"11111111-1111-1111-1111-111111111111\",\
         \"listening\":true,\"last_seen_at\":\"1970-01-01T00:00:00.000Z\",\"fetched_seq\":3}]\n\n"
    );
    for (code, word) in [
        (ByeCode::Rekeyed, "rekeyed"),
        (ByeCode::SessionEnded, "session_ended"),
        (ByeCode::TooSlow, "too_slow"),
    ] {
        let expected = format!("event: bye\ndata: {{\"code\":\"{word}\"}}\n\n");
        assert_eq!(text(StreamEvent::Bye(code.into())), expected);
    }
    assert_eq!(written(StreamItem::Comment).unwrap(), ":\n\n");
}

#[test]
fn who_is_sent_away_by_a_drain_is_told_when_to_come_back() {
    let bye = text(StreamEvent::Bye(ByeCode::Draining.into()));
    let data = bye.strip_prefix("event: bye\ndata: ").unwrap();
    let data: Bye = serde_json::from_str(data).unwrap();
    assert_eq!(data.code, ByeCode::Draining);
    assert!((1..=5).contains(&data.retry_after_s.unwrap()));
}

#[test]
fn a_piece_is_late_when_the_next_is_asked_for_after_its_time() {
    let start = Instant::now();
    let mut pace = Pace::new(Duration::from_secs(20));
    assert!(
        !pace.is_late(start + Duration::from_secs(3_600)),
        "nothing is on its way"
    );
    pace.offered(start);
    assert!(!pace.is_late(start + Duration::from_secs(20)));
    assert!(pace.is_late(start + Duration::from_millis(20_001)));
    pace.offered(start + Duration::from_secs(19));
    assert!(!pace.is_late(start + Duration::from_secs(39)));
}
