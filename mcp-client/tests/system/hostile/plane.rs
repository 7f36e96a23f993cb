//! The hostile plane: it passes everything on to a real one, and tells those who come through it something else.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use reqwest::Client;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::outsider;

/// The longest request.
const BODY_MAX: usize = 1 << 20;

/// A history that is told instead of the true one. It gets all records there are, in order.
type History = Arc<dyn Fn(&mut Vec<Value>) + Send + Sync>;
/// Any other answer, told differently.
type Reply = Arc<dyn Fn(&Asked, &mut Answer) + Send + Sync>;

/// What was asked.
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    query: String,
}

impl Asked {
    /// Whether this is a call of a session, such as `participants`, by its last part.
    pub(crate) fn is(&self, method: Method, call: &str) -> bool {
        self.method == method && self.path.ends_with(&format!("/{call}"))
    }

    fn after(&self) -> u64 {
        let after = self.query.split('&').find_map(|pair| pair.strip_prefix("after="));
        after.map_or(0, |after| after.parse().unwrap())
    }
}

/// What is answered.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Null: a page that is not the API's.
    pub(crate) body: Value,
}

#[derive(Default)]
struct Lies {
    history: Option<History>,
    reply: Option<Reply>,
}

/// The way to the real plane, and what is told instead.
#[derive(Clone)]
struct Way {
    http: Client,
    plane: String,
    lies: Arc<Mutex<Lies>>,
}

/// A plane that lies to everybody who comes through its port.
pub(crate) struct HostilePlane {
    port: u16,
    lies: Arc<Mutex<Lies>>,
}

impl HostilePlane {
    /// In front of the real plane at `port`. It tells the truth until it is told otherwise.
    pub(crate) async fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let hostile = Self {
            port: listener.local_addr().unwrap().port(),
            lies: Arc::default(),
        };
        let way = Way {
            http: outsider::http(),
            plane: format!("http://127.0.0.1:{port}"),
            lies: hostile.lies.clone(),
        };
        let router = Router::new().fallback(tell).with_state(way);
        tokio::spawn(async move { axum::serve(listener, router).await });
        hostile
    }

    /// Its port.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// From now on tells this history.
    pub(crate) fn tell_history(&self, history: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) {
        self.lies.lock().unwrap().history = Some(Arc::new(history));
    }

    /// From now on changes answers.
    pub(crate) fn tell(&self, reply: impl Fn(&Asked, &mut Answer) + Send + Sync + 'static) {
        self.lies.lock().unwrap().reply = Some(Arc::new(reply));
    }

    /// From now on answers one call of a session with a page, as a proxy in between would.
    pub(crate) fn answer_with_a_page(&self, method: Method, call: &'static str, status: StatusCode) {
        self.tell(move |asked, answer| {
            if asked.is(method.clone(), call) {
                answer.status = status;
                answer.body = Value::Null;
            }
        });
    }

    /// The truth again.
    pub(crate) fn tell_the_truth(&self) {
        *self.lies.lock().unwrap() = Lies::default();
    }
}

/// An answer of the real plane.
struct Truth {
    status: StatusCode,
    kind: Option<axum::http::HeaderValue>,
    body: Bytes,
}

impl Way {
    async fn ask(&self, method: Method, target: &str, headers: &HeaderMap, body: Bytes) -> Truth {
        let mut request = self.http.request(method, format!("{}{target}", self.plane));
        for name in [AUTHORIZATION, CONTENT_TYPE] {
            if let Some(value) = headers.get(&name) {
                request = request.header(name, value);
            }
        }
        let answer = request.body(body).send().await.unwrap();
        Truth {
            status: answer.status(),
            kind: answer.headers().get(CONTENT_TYPE).cloned(),
            body: answer.bytes().await.unwrap(),
        }
    }

    /// All records there are, as the plane tells them.
    async fn history(&self, asked: &Asked, credential: &HeaderMap) -> Option<Vec<Value>> {
        let session: Vec<&str> = asked.path.split('/').take(4).collect();
        let all = format!("{}/records?after=0&limit=1000", session.join("/"));
        let page = self.ask(Method::GET, &all, credential, Bytes::new()).await;
        let page: Value = serde_json::from_slice(&page.body).ok()?;
        page["records"].as_array().cloned()
    }
}

async fn tell(State(way): State<Way>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = axum::body::to_bytes(body, BODY_MAX).await.unwrap();
    let asked = Asked {
        method: head.method.clone(),
        path: head.uri.path().to_owned(),
        query: head.uri.query().unwrap_or_default().to_owned(),
    };
    let truth = way
        .ask(head.method, &head.uri.to_string(), &head.headers, body.clone())
        .await;
    let (history, reply) = {
        let lies = way.lies.lock().unwrap();
        (lies.history.clone(), lies.reply.clone())
    };
    let mut response = Response::builder();
    let mut answer = match serde_json::from_slice(&truth.body) {
        Ok(body) if history.is_some() || reply.is_some() => Answer {
            status: truth.status,
            body,
        },
        _ => {
            if let Some(kind) = truth.kind {
                response = response.header(CONTENT_TYPE, kind);
            }
            return response
                .status(truth.status)
                .body(Body::from(truth.body))
                .unwrap();
        }
    };
    if let Some(history) = history.filter(|_| truth.status.is_success()) {
        let mut credential = head.headers.clone();
        if let Some(token) = answer.body.get("session_token").and_then(Value::as_str) {
            credential.insert(AUTHORIZATION, format!("Bearer {token}").parse().unwrap());
        }
        if let Some(mut records) = way.history(&asked, &credential).await {
            history(&mut records);
            retell(&asked, &body, &records, &mut answer.body);
        }
    }
    if let Some(reply) = reply {
        reply(&asked, &mut answer);
    }
    let (kind, body) = match &answer.body {
        Value::Null => ("text/html", "<html>a page</html>".to_owned()),
        body if answer.status.is_success() => ("application/json", body.to_string()),
        body => ("application/problem+json", body.to_string()),
    };
    response
        .status(answer.status)
        .header(CONTENT_TYPE, kind)
        .body(Body::from(body))
        .unwrap()
}

/// Fits an answer to a history: the records, the newest seq, the seq of what was just posted.
fn retell(asked: &Asked, sent: &[u8], history: &[Value], answer: &mut Value) {
    let head = history.last().map_or(0, |record| record["seq"].as_u64().unwrap());
    if let Some(told) = answer.pointer_mut("/state/head_seq") {
        *told = json!(head);
    }
    if asked.is(Method::GET, "records") {
        let after = |record: &&Value| record["seq"].as_u64().unwrap() > asked.after();
        answer["records"] = history.iter().filter(after).cloned().collect();
        answer["more"] = json!(false);
    }
    if asked.is(Method::POST, "records") {
        let sent: Value = serde_json::from_slice(sent).unwrap();
        if let Some(own) = history
            .iter()
            .find(|record| record["item_id"] == sent["message_id"])
        {
            answer["seq"] = own["seq"].clone();
        }
    }
}

/// The record at a seq.
pub(crate) fn at(records: &mut [Value], seq: u64) -> &mut Value {
    records
        .iter_mut()
        .find(|record| record["seq"] == seq)
        .unwrap_or_else(|| panic!("no record {seq}"))
}

/// Seqs without gaps, as they stand.
pub(crate) fn renumber(records: &mut [Value]) {
    for (seq, record) in (1_u64..).zip(records) {
        record["seq"] = json!(seq);
    }
}
