//! Somebody who holds a link and speaks to the plane without the client: what a person who writes their own program, or
//! one in league with the plane, can make.

use reqwest::{Client, StatusCode};
use seal::identity::{Identity, PeerKeys};
use seal::json::Object;
use seal::keys::EpochKeys;
use seal::link::Link;
use seal::random::{self, Nonce};
use seal::record::message::{self, Head};
use seal::record::title;
use seal::secret::{FullSecret, LinkKind, LinkSecret};
use serde_json::{Value, json};
use wire::encoding::to_base64url;
use wire::epoch_record::EpochRecord;
use wire::ids::{ParticipantId, SessionId};

/// A participant made by hand.
pub(crate) struct Outsider {
    http: Client,
    origin: String,
    pub(crate) me: Identity,
    pub(crate) keys: EpochKeys,
    token: String,
}

impl Outsider {
    /// Joins with a link as its bytes say.
    pub(crate) async fn join(link: &str, name: &str) -> Self {
        let link = seal::link::find(link).unwrap();
        let me = Identity::random(link.session_id).unwrap();
        let http = http();
        let profile = profile(&link, &me, name);
        let join = json!({
            "proof": to_base64url(seal::keys::proof(&link.session_id, link.epoch, &link.secret).expose()),
            "epoch": link.epoch,
            "participant": {
                "participant_id": me.participant_id().to_string(), "kind": "human",
                "rejoin_verifier": to_base64url(&me.rejoin_verifier()), "sealed_profile": to_base64url(&profile),
            }
        });
        let url = format!("{}/v1/sessions/{}/participants", link.origin, link.session_id);
        let answer = http
            .post(url)
            .header("Content-Type", "application/json")
            .body(join.to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::CREATED);
        let joined: Value = answer.json().await.unwrap();
        let record = wire::encoding::from_base64url(joined["epoch_records"][0].as_str().unwrap()).unwrap();
        Self {
            http,
            keys: EpochKeys::check(&EpochRecord::parse(&record).unwrap(), link.secret).unwrap(),
            origin: link.origin,
            me,
            token: joined["session_token"].as_str().unwrap().to_owned(),
        }
    }

    /// A message of its own, sealed and signed as the rules say, at a head; as a record without seq and time.
    pub(crate) fn message(&self, text: &str, head: Head) -> Value {
        self.sealed(&json!({ "kind": "chat", "text": text }), head)
    }

    /// As [`Outsider::message`], with every member as given.
    pub(crate) fn sealed(&self, message: &Value, head: Head) -> Value {
        let id = random::message_id().unwrap();
        let json = message.to_string();
        let sealed =
            message::seal(&self.keys, &self.me, &id, &head, &json, Nonce::random().unwrap()).unwrap();
        record(self.me.participant_id().to_string(), id.to_string(), &sealed)
    }

    /// The public keys of somebody in the session, out of the profile that the plane hands to everybody.
    pub(crate) async fn keys_of(&self, who: &ParticipantId) -> PeerKeys {
        let url = format!(
            "{}/v1/sessions/{}/participants?profiles_from_epoch=1",
            self.origin,
            self.me.session_id()
        );
        let answer = self.http.get(url).bearer_auth(&self.token).send().await.unwrap();
        let answer: Value = answer.json().await.unwrap();
        let shown = answer["sealed_profiles"].as_array().unwrap().iter();
        let theirs = shown
            .clone()
            .find(|profile| profile["participant_id"] == who.to_string())
            .unwrap();
        let sealed = wire::encoding::from_base64url(theirs["sealed"].as_str().unwrap()).unwrap();
        seal::profile::open(&self.keys, who, &sealed).unwrap().keys
    }

    /// Gives the session another title.
    pub(crate) async fn set_title(&self, title: &str) {
        let sealed = title::seal(&self.keys, &self.me, title, Nonce::random().unwrap()).unwrap();
        let body = json!({ "title": {
            "participant_id": self.me.participant_id().to_string(), "epoch": 1, "sealed": to_base64url(&sealed),
        } });
        let url = format!("{}/v1/sessions/{}/title", self.origin, self.me.session_id());
        let request = self.http.put(url).header("Content-Type", "application/json");
        let answer = request
            .bearer_auth(&self.token)
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    }

    /// Its token.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// All records as the plane serves them.
    pub(crate) async fn records(&self) -> Vec<Value> {
        let url = format!(
            "{}/v1/sessions/{}/records?after=0",
            self.origin,
            self.me.session_id()
        );
        let answer = self.http.get(url).bearer_auth(&self.token).send().await.unwrap();
        answer.json::<Value>().await.unwrap()["records"]
            .as_array()
            .unwrap()
            .clone()
    }

    /// Leaves.
    pub(crate) async fn leave(&self) {
        let url = format!("{}/v1/sessions/{}/leave", self.origin, self.me.session_id());
        let answer = self.http.post(url).bearer_auth(&self.token).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    }

    /// Asks the plane itself to append a record; its answer.
    pub(crate) async fn post(&self, record: &Value) -> (StatusCode, Value) {
        let url = format!("{}/v1/sessions/{}/records", self.origin, self.me.session_id());
        let body = json!({ "message_id": record["item_id"], "epoch": 1, "sealed": record["sealed"] });
        let answer = self
            .http
            .post(url)
            .header("Content-Type", "application/json")
            .bearer_auth(&self.token)
            .body(body.to_string())
            .send()
            .await
            .unwrap();
        (answer.status(), answer.json().await.unwrap())
    }
}

/// The head of somebody who has read nothing: always right.
pub(crate) fn start_of(session: &SessionId) -> Head {
    Head {
        seq: 0,
        hash: wire::transcript::start(session),
    }
}

/// A message record of epoch 1 as the plane serves it, but for seq.
pub(crate) fn record(sender: String, item_id: String, sealed: &[u8]) -> Value {
    json!({
        "at": "2026-01-02T03:04:05.678Z", "epoch": 1, "class": "message", "sender": sender, "item_id": item_id,
        "sealed": to_base64url(sealed),
    })
}

/// The view link that the holder of a full link can make.
pub(crate) fn view_link(full: &str) -> String {
    let link = seal::link::find(full).unwrap();
    let secret = FullSecret::from_bytes(*link.secret.expose());
    let (keys, _) = EpochKeys::open_epoch(&link.session_id, link.epoch, secret);
    let view = Link {
        secret: keys.link_secret(LinkKind::View).unwrap(),
        ..link
    };
    assert!(matches!(view.secret, LinkSecret::View(_)));
    view.to_text().to_string()
}

/// Without the pooling and retries of the client.
pub(crate) fn http() -> Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().build().unwrap()
}

fn profile(link: &Link, me: &Identity, name: &str) -> Vec<u8> {
    let nonce = Nonce::random().unwrap();
    seal::profile::seal_for_entry(link.epoch, &link.secret, me, name, Object::new(), nonce).unwrap()
}
