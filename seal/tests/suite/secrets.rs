//! What Debug shows of everything that holds a secret or a plaintext: its name.

use seal::attachment::Sealer;
use seal::keys::{EpochKeys, Keyring};
use seal::link::{Link, find};
use seal::random::{self, Nonce};
use seal::record::message::{self, Head};
use seal::secret::{AttachmentKey, ContentKey, EphemeralKey, FullSecret, LinkKind, LinkSecret, ViewSecret};

use wire::ids::SessionId;

use crate::world::session;

/// A byte that shows in hex as `a5` and in decimal as 165.
const BYTE: u8 = 0xa5;

#[test]
fn secrets_show_their_name_alone() {
    let bytes = [BYTE; 32];
    let (_, owner) = session();
    let shown = [
        (format!("{:?}", FullSecret::from_bytes(bytes)), "FullSecret"),
        (format!("{:?}", ViewSecret::from_bytes(bytes)), "ViewSecret"),
        (format!("{:?}", ContentKey::from_bytes(bytes)), "ContentKey"),
        (format!("{:?}", AttachmentKey::from_bytes(bytes)), "AttachmentKey"),
        (format!("{:?}", EphemeralKey::from_bytes(bytes)), "EphemeralKey"),
        (
            format!("{:?}", LinkSecret::from_bytes(LinkKind::Full, bytes)),
            "Full(FullSecret)",
        ),
        (
            format!("{:?}", LinkSecret::from_bytes(LinkKind::View, bytes)),
            "View(ViewSecret)",
        ),
        (format!("{:?}", owner.me), "Identity"),
        (format!("{:?}", owner.me.rejoin_secret()), "Secret32"),
    ];
    for (shown, expected) in shown {
        assert_eq!(shown, expected);
    }
}

#[test]
fn what_holds_secrets_shows_none() {
    // A drawn one may hold the digits that are looked for.
    let id = SessionId::from_bytes([7; 16]);
    let keys = || EpochKeys::open_epoch(&id, 3, FullSecret::from_bytes([BYTE; 32])).0;
    assert_eq!(
        format!("{:?}", keys()),
        format!(
            "EpochKeys {{ session_id: {id}, epoch: 3, secret: Full(FullSecret, ViewSecret), content: ContentKey, \
             posting: VerificationKey }}"
        )
    );
    let mut ring = Keyring::new();
    ring.insert(keys());
    let link = Link {
        origin: "https://plane.example".to_owned(),
        session_id: id,
        epoch: 3,
        secret: LinkSecret::from_bytes(LinkKind::Full, [BYTE; 32]),
    };
    let sealer = Sealer::new(&AttachmentKey::from_bytes([BYTE; 32]), 10).unwrap();
    for shown in [format!("{ring:?}"), format!("{link:?}"), format!("{sealer:?}")] {
        assert!(!shown.contains("165") && !shown.contains("a5a5"), "{shown}");
    }
    let token = &link.to_text()[link.to_text().len() - 64..];
    assert!(!format!("{:?}", find(&link.to_text()).unwrap()).contains(token));
}

#[test]
fn plaintext_shows_its_length_alone() {
    let (_, owner) = session();
    let (keys, id) = (owner.keys.newest().unwrap(), random::message_id().unwrap());
    let head = Head {
        seq: 2,
        hash: [0; 32],
    };
    let json = r#"{"kind":"chat","text":"zanzibar"}"#;
    let sealed = message::seal(keys, &owner.me, &id, &head, json, Nonce::random().unwrap()).unwrap();
    let message = message::open(keys, &owner.id(), &id, &sealed, &owner.roster).unwrap();
    assert_eq!(message.json.as_str(), json);
    assert!(format!("{message:?}").contains("Text(33 bytes)"));
    assert!(!format!("{message:?}{:?}", owner.roster.get(&owner.id())).contains("zanzibar"));
    assert!(
        !format!("{:?}", owner.roster).contains("somebody"),
        "names are plaintext as well"
    );
}

/// The feature leaves out rules that keep people safe: tests of this crate are its only user.
#[test]
fn no_crate_is_built_with_the_feature_hazmat() {
    let others = [
        include_str!("../../../Cargo.toml"),
        include_str!("../../../mcp-client/Cargo.toml"),
        include_str!("../../../plane/Cargo.toml"),
        include_str!("../../../wire/Cargo.toml"),
    ];
    assert!(others.iter().all(|manifest| !manifest.contains("hazmat")));
    let (built, tests) = include_str!("../../Cargo.toml")
        .split_once("[dev-dependencies]")
        .unwrap();
    assert!(!built.contains("hazmat") && !tests.contains("default ="));
}
