//! Group `link`.

use libtest_mimic::Trial;
use seal::link::{Link, find, redact};
use seal::secret::{LinkKind, LinkSecret};
use serde_json::Value;

use crate::support::{array, error, number, rows, session, text};

pub(crate) fn cases(group: &'static Value) -> Vec<Trial> {
    let mut trials = rows("link ok", &group["ok"], ok);
    trials.extend(rows("link bad", &group["bad"], bad));
    trials.extend(rows("link format", &group["format"], format));
    trials.extend(rows("link redact", &group["redact"], |row| {
        assert_eq!(redact(text(&row["text"])), text(&row["out"]));
    }));
    trials
}

fn kind(row: &Value) -> LinkKind {
    match text(&row["kind"]) {
        "f" => LinkKind::Full,
        "v" => LinkKind::View,
        other => panic!("kind {other}"),
    }
}

fn ok(row: &Value) {
    let link = find(text(&row["text"])).unwrap();
    assert_eq!(link.origin, text(&row["origin"]));
    assert_eq!(link.secret.kind(), kind(row));
    assert_eq!(link.session_id, session(&row["session"]));
    assert_eq!(link.epoch, number::<u32>(&row["epoch"]));
    assert_eq!(*link.secret.expose(), array(&row["secret"]));
}

fn bad(row: &Value) {
    let spaces = row["append_spaces"].as_u64().unwrap_or(0);
    let text = text(&row["text"]).to_owned() + &" ".repeat(usize::try_from(spaces).unwrap());
    assert_eq!(find(&text).unwrap_err(), error(row));
}

fn format(row: &Value) {
    let link = Link {
        origin: text(&row["origin"]).to_owned(),
        session_id: session(&row["session"]),
        epoch: number(&row["epoch"]),
        secret: LinkSecret::from_bytes(kind(row), array(&row["secret"])),
    };
    assert_eq!(*link.to_text(), text(&row["text"]));
}
