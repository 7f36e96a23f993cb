#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::read;
use wire::api;

fn refused<T: serde::de::DeserializeOwned>(body: &[u8]) -> String {
    match read::<T>(body) {
        Ok(_) => panic!("taken: {}", String::from_utf8_lossy(body)),
        Err(refusal) => refusal.to_string(),
    }
}

const ID: &str = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";
const WORD32: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

fn join(inner: &str, outer: &str) -> String {
    format!(
        r#"{{"proof":"{WORD32}","epoch":1,"participant":{{"participant_id":"{ID}","kind":"agent","rejoin_verifier":"{WORD32}","sealed_profile":"AAAA"{inner}}}{outer}}}"#
    )
}

#[test]
fn a_whole_request_is_read() {
    let request: api::Join = read(join("", "").as_bytes()).unwrap();
    assert_eq!(request.epoch, 1);
    assert_eq!(request.participant.participant_id.to_string(), ID);
    assert!(request.participant.rejoin_secret.is_none());
}

#[test]
fn escapes_in_names_and_texts_are_read() {
    let request: api::SetMode = read(br#"{"\u0073et":"\u0072elay"}"#).unwrap();
    assert_eq!(request.set, api::SettableMode::Relay);
}

#[test]
fn unknown_fields_are_refused_wherever_they_stand_and_not_repeated() {
    for body in [join("", r#","surprise":1"#), join(r#","surprise":1"#, "")] {
        let said = refused::<api::Join>(body.as_bytes());
        assert!(
            !said.contains("surprise") && said.contains("it may have `"),
            "{said}"
        );
    }
}

#[test]
fn a_nested_refusal_names_the_field_by_its_path() {
    let body = join("", "").replace("\"agent\"", "\"robot\"");
    let said = refused::<api::Join>(body.as_bytes());
    assert_eq!(
        said,
        "The field `participant.kind` can't be taken: it must be `agent` or `human`."
    );
}

#[test]
fn a_secret_of_a_wrong_form_is_not_repeated() {
    let secret = "s3cr3t".repeat(9);
    let body = join("", "").replacen(WORD32, &secret, 1);
    let said = refused::<api::Join>(body.as_bytes());
    assert!(
        said.starts_with("The field `proof`") && !said.contains("s3cr3t"),
        "{said}"
    );
}

#[test]
fn a_field_twice_is_refused() {
    refused::<api::SetMode>(br#"{"set":"relay","set":"observe"}"#);
    refused::<api::SetMode>(br#"{"set":"relay","\u0073et":"relay"}"#);
    refused::<api::Join>(join(&format!(r#","participant_id":"{ID}""#), "").as_bytes());
}

#[test]
fn null_is_not_absence() {
    let said = refused::<api::Join>(join(r#","rejoin_secret":null"#, "").as_bytes());
    assert!(
        said.contains("participant.rejoin_secret") && said.contains("null"),
        "{said}"
    );
    refused::<api::Propose>(
        format!(r#"{{"proposal_id":"{ID}","epoch":1,"sealed_goal":"AA","budget":null}}"#).as_bytes(),
    );
}

#[test]
fn an_array_is_no_object() {
    refused::<api::SetMode>(br#"["relay"]"#);
    refused::<api::Nothing>(b"[]");
    let title = format!(r#"{{"title":["{ID}",1,"AA"]}}"#);
    assert!(refused::<api::SetTitle>(title.as_bytes()).contains("an object"));
}

#[test]
fn wrong_types_and_numbers_out_of_range_are_refused() {
    for epoch in [
        "-1",
        "1.0",
        "1e0",
        "4294967296",
        "1180591620717411303424",
        "true",
        "\"1\"",
        "[]",
        "{}",
        "1e999",
    ] {
        refused::<api::Join>(
            join("", "")
                .replace("\"epoch\":1", &format!("\"epoch\":{epoch}"))
                .as_bytes(),
        );
    }
    for set in [
        "1",
        "true",
        "[]",
        "{}",
        "\"\"",
        "\"Relay\"",
        "{\"relay\":null}",
        "null",
    ] {
        refused::<api::SetMode>(format!("{{\"set\":{set}}}").as_bytes());
    }
}

#[test]
fn what_is_not_one_json_document_is_refused() {
    let deep = format!("{{\"set\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    for body in [
        &b""[..],
        b"hello",
        b"{\"set\":\"relay\"",
        b"\"relay\"",
        b"null",
        b"{\"set\":\"\xff\"}",
        b"{\"set\":NaN}",
        b"{\"set\":\"relay\"}{}",
        b"{\"set\":\"\\ud800\"}",
        b"\xef\xbb\xbf{\"set\":\"relay\"}",
        deep.as_bytes(),
    ] {
        refused::<api::SetMode>(body);
    }
    assert!(read::<api::SetMode>(b" {\"set\" : \"relay\"}\n ").is_ok());
}

#[test]
fn a_great_many_fields_end_early() {
    let body = format!(
        "{{{}}}",
        (0..100_000)
            .map(|n| format!("\"f{n}\":0"))
            .collect::<Vec<_>>()
            .join(",")
    );
    refused::<api::SetMode>(body.as_bytes());
}
