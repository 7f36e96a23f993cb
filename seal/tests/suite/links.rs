//! Links in every state that people paste them in (`crypto.md` section 4.1, `field-cases.md`).

use seal::Error;
use seal::link::{Link, find, redact};
use seal::secret::{LinkKind, LinkSecret};
use wire::ids::SessionId;
use wire::transcript::sha256;

/// The same ones in each run.
fn generated(number: u32) -> Link {
    let bytes = |what: u8| sha256(&[&number.to_be_bytes()[..], &[what]].concat());
    let kind = if number.is_multiple_of(2) {
        LinkKind::Full
    } else {
        LinkKind::View
    };
    let [_, id @ .., _] = bytes(1);
    Link {
        origin: [
            "https://plane.example",
            "https://a-b.example.org:8443",
            "http://localhost:8080",
            "http://[::1]:3000",
        ][number as usize % 4]
            .to_owned(),
        session_id: SessionId::from_bytes(id[..16].try_into().unwrap()),
        epoch: 1 + number * 7_919 % 100_000,
        secret: LinkSecret::from_bytes(kind, bytes(2)),
    }
}

#[track_caller]
fn finds(text: &str, link: &Link) {
    match find(text) {
        Ok(found) => assert!(
            found.origin == link.origin
                && found.session_id == link.session_id
                && found.epoch == link.epoch
                && found.secret.same(&link.secret),
            "another link in {text:?}"
        ),
        Err(error) => panic!("{error} in {text:?}"),
    }
}

#[test]
fn ten_thousand_links_are_found_before_whatever_people_put_behind_them() {
    let after = [
        ".",
        ",",
        ")",
        ">",
        "\"",
        "](https://elsewhere.example/)",
        "&utm_source=x",
    ];
    for number in 0..10_000 {
        let link = generated(number);
        let text = link.to_text();
        for after in after {
            finds(&format!("<{}{after} and more", *text), &link);
        }
    }
}

#[test]
fn a_link_broken_at_any_offset_is_found() {
    let link = generated(3);
    let text = link.to_text();
    for at in 1..text.len() {
        let (before, after) = text.split_at(at);
        for broken in [
            "\n    ", "\r\n", "\r\n> ", "\u{00A0}", "\u{200B}", "\u{FEFF}", "=\r\n", " \\\n",
        ] {
            finds(&format!("see {before}{broken}{after} please"), &link);
        }
    }
}

#[test]
fn a_hash_that_was_encoded_once_or_twice_is_found() {
    let link = generated(0);
    for hash in ["%23", "%2523", "%252523"] {
        finds(&link.to_text().replace('#', hash), &link);
    }
    let all: String = link
        .to_text()
        .bytes()
        .map(|byte| format!("%{byte:02X}"))
        .collect();
    finds(&all, &link);
}

#[test]
fn a_query_of_512_symbols_is_passed_over_however_many_bytes_they_have() {
    let link = generated(3);
    for symbol in ["q", "\u{e9}", "\u{4e2d}", "\u{1f600}"] {
        let with = |count| {
            link.to_text()
                .replace('#', &format!("?{}#", symbol.repeat(count)))
        };
        finds(&with(512), &link);
        assert_eq!(
            find(&with(513)).unwrap_err(),
            Error::LinkTruncated,
            "513 of {symbol}"
        );
    }
}

#[test]
fn two_links_are_refused_and_the_same_one_twice_is_not() {
    let (one, two) = (generated(1), generated(2));
    let both = format!("{} or {}", *one.to_text(), *two.to_text());
    assert_eq!(find(&both).unwrap_err(), Error::LinkAmbiguous);
    finds(
        &format!("{} again {}", *one.to_text(), one.to_text().to_uppercase()),
        &one,
    );
}

#[test]
fn a_link_without_its_end_says_so_and_never_quotes_it() {
    let text = generated(5).to_text();
    for cut in text.len() - 64..text.len() {
        let error = find(&text[..cut]).unwrap_err();
        assert_eq!(error, Error::LinkTruncated);
        assert!(!error.to_string().contains(&text[text.len() - 64..]));
    }
}

#[test]
fn redaction_withholds_every_token_and_keeps_all_else() {
    for number in 0..100 {
        let text = generated(number).to_text();
        let around = format!("é {} — {}é", *text, *text);
        let shown = redact(&around);
        let token = &text[text.find("dp1").unwrap()..];
        assert!(!shown.contains(token));
        assert_eq!(shown, around.replace(token, "[session link withheld]"));
    }
    assert!(matches!(
        redact("dp1fshort and dp1"),
        std::borrow::Cow::Borrowed(_)
    ));
    assert_eq!(
        redact("dp1dp1fdp1vaaaaaaaaaaaaaaaa1"),
        "dp1dp1f[session link withheld]1"
    );
}
