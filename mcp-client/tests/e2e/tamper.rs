//! A machine between client and plane: passes requests on and may change, withhold or lose what comes back.

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What a rule sees of one exchange.
pub struct Exchange<'a> {
    pub method: &'a Method,
    /// Path and query.
    pub path: &'a str,
    /// The request's JSON; null where there is none.
    pub request: &'a Value,
    /// The answer's JSON, to be changed.
    pub answer: &'a mut Value,
}

/// What becomes of the answer.
pub enum Fate {
    Pass,
    /// The connection ends in the middle of the answer.
    Lose,
    /// A proxy's own page.
    Page(u16),
    /// The answer's JSON as a problem of the plane.
    Problem(u16),
}

/// What happens while a request is under way.
struct Overtaken {
    end: String,
    arrived: bool,
    by: Pin<Box<dyn Future<Output = ()> + Send>>,
}

type Rule = Box<dyn FnMut(Exchange<'_>) -> Fate + Send>;

#[derive(Clone)]
struct Way {
    plane: String,
    http: reqwest::Client,
    rule: Arc<Mutex<Rule>>,
    swallowed: Arc<Mutex<String>>,
    held: Arc<Mutex<Vec<Held>>>,
    cut: Arc<Mutex<Option<Cut>>>,
    overtaken: Arc<Mutex<Option<Overtaken>>>,
}

/// A request that was swallowed, and may still arrive.
struct Held {
    path: String,
    headers: HeaderMap,
    body: Bytes,
}

/// The wire breaks.
struct Cut {
    /// Requests until then.
    left: u32,
    /// Whether the one it breaks at still comes to the plane.
    arrives: bool,
}

pub struct Tamper {
    pub origin: String,
    rule: Arc<Mutex<Rule>>,
    swallowed: Arc<Mutex<String>>,
    plane: String,
    http: reqwest::Client,
    held: Arc<Mutex<Vec<Held>>>,
    cut: Arc<Mutex<Option<Cut>>>,
    overtaken: Arc<Mutex<Option<Overtaken>>>,
    stop: CancellationToken,
}

impl Tamper {
    /// In front of a plane; honest until told otherwise.
    pub async fn before(plane: &str) -> Self {
        drop(rustls::crypto::ring::default_provider().install_default());
        let rule: Arc<Mutex<Rule>> = Arc::new(Mutex::new(Box::new(|_| Fate::Pass)));
        let swallowed: Arc<Mutex<String>> = Arc::default();
        let cut: Arc<Mutex<Option<Cut>>> = Arc::default();
        let overtaken: Arc<Mutex<Option<Overtaken>>> = Arc::default();
        let held: Arc<Mutex<Vec<Held>>> = Arc::default();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let way = Way {
            plane: plane.to_owned(),
            http: http.clone(),
            rule: rule.clone(),
            swallowed: swallowed.clone(),
            held: held.clone(),
            cut: cut.clone(),
            overtaken: overtaken.clone(),
        };
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(pass_on).with_state(way);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        tokio::spawn(async move {
            axum::serve(listener, router)
                .with_graceful_shutdown(stopped.cancelled_owned())
                .await
        });
        Self {
            origin,
            rule,
            swallowed,
            plane: plane.to_owned(),
            http,
            held,
            cut,
            overtaken,
            stop,
        }
    }

    /// From now on, each answer of the plane goes by this rule.
    pub fn rule(&self, rule: impl FnMut(Exchange<'_>) -> Fate + Send + 'static) {
        *self.rule.lock().unwrap() = Box::new(rule);
    }

    /// From the request after `requests` more on, nobody hears from the plane; that one may still come to it.
    pub fn cut_after(&self, requests: u32, arrives: bool) {
        *self.cut.lock().unwrap() = Some(Cut {
            left: requests,
            arrives,
        });
    }

    /// Mends the wire. Whether it had broken.
    pub fn mend(&self) -> bool {
        self.cut
            .lock()
            .unwrap()
            .take()
            .is_some_and(|cut| cut.left == 0 && !cut.arrives)
    }

    /// The next post to a path with this end comes to the plane after `by` has happened; where it `arrived`, it came a
    /// first time before that.
    pub fn overtake(&self, end: &str, arrived: bool, by: impl Future<Output = ()> + Send + 'static) {
        *self.overtaken.lock().unwrap() = Some(Overtaken {
            end: end.to_owned(),
            arrived,
            by: Box::pin(by),
        });
    }

    /// Posts to paths with this end never reach the plane; the sender sees a proxy's page. Empty: none.
    pub fn swallow(&self, end: &str) {
        *self.swallowed.lock().unwrap() = end.to_owned();
    }
}

impl Tamper {
    /// What was swallowed arrives after all: the plane's answers, which nobody hears.
    pub async fn deliver_late(&self) -> Vec<u16> {
        let held = std::mem::take(&mut *self.held.lock().unwrap());
        let mut answers = Vec::new();
        for request in held {
            let onward = self.http.post(format!("{}{}", self.plane, request.path));
            let answer = onward.headers(request.headers).body(request.body).send().await;
            answers.push(answer.unwrap().status().as_u16());
        }
        answers
    }
}

impl Drop for Tamper {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

async fn pass_on(State(way): State<Way>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path_and_query().unwrap().as_str().to_owned();
    let swallowed = way.swallowed.lock().unwrap().clone();
    if parts.method == Method::POST && !swallowed.is_empty() && path.ends_with(&swallowed) {
        let mut headers = HeaderMap::new();
        for name in [header::AUTHORIZATION, header::CONTENT_TYPE] {
            if let Some(value) = parts.headers.get(&name) {
                headers.insert(name, value.clone());
            }
        }
        let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
        way.held.lock().unwrap().push(Held { path, headers, body });
        return page(500);
    }
    let mut last = false;
    if let Some(cut) = way.cut.lock().unwrap().as_mut() {
        match cut.left.checked_sub(1) {
            Some(left) => cut.left = left,
            // It breaks here, and stays so.
            None if cut.arrives => {
                cut.arrives = false;
                last = true;
            }
            None => return page(500),
        }
    }
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let mut onward = way
        .http
        .request(parts.method.clone(), format!("{}{path}", way.plane));
    for name in [header::AUTHORIZATION, header::CONTENT_TYPE] {
        if let Some(value) = parts.headers.get(&name) {
            onward = onward.header(name, value);
        }
    }
    let request = serde_json::from_slice(&body).unwrap_or_default();
    let onward = onward.body(body);
    let overtaken = way
        .overtaken
        .lock()
        .unwrap()
        .take_if(|overtaken| parts.method == Method::POST && path.ends_with(&overtaken.end));
    if let Some(overtaken) = overtaken {
        if overtaken.arrived {
            onward.try_clone().unwrap().send().await.unwrap();
        }
        overtaken.by.await;
    }
    let answer = onward.send().await.unwrap();
    let status = answer.status().as_u16();
    let content_type = answer.headers()[header::CONTENT_TYPE].clone();
    let mut json: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
    if last {
        return page(500);
    }
    let fate = (way.rule.lock().unwrap())(Exchange {
        method: &parts.method,
        path: &path,
        request: &request,
        answer: &mut json,
    });
    let response = Response::builder();
    let response = match fate {
        Fate::Pass => response
            .status(status)
            .header(header::CONTENT_TYPE, content_type)
            .body(Body::from(json.to_string())),
        Fate::Page(status) => return page(status),
        Fate::Problem(status) => response
            .status(status)
            .header(header::CONTENT_TYPE, "application/problem+json")
            .body(Body::from(json.to_string())),
        Fate::Lose => {
            let parts = [Ok(Bytes::from_static(b"{")), Err(std::io::Error::other("cut"))];
            response
                .status(StatusCode::OK)
                .header(header::CONTENT_TYPE, "application/json")
                .body(Body::from_stream(futures_util::stream::iter(parts)))
        }
    };
    response.unwrap()
}

/// What a proxy in between says by itself.
fn page(status: u16) -> Response {
    Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, "text/html")
        .body(Body::from("<html>code: session_ended</html>"))
        .unwrap()
}
