//! One HTTP exchange: built lazily, bounded in time and in bytes, judged by status and content type.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use reqwest::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use reqwest::{Client, Method, Proxy, redirect};
use serde::de::DeserializeOwned;
use tokio::sync::OnceCell;
use wire::api::TokenText;
use wire::problem::{Code, Extras};

use super::error::{PlaneError, Unsettled};
use super::origin::Origin;
use super::proxy::{ProxyName, ProxySetting, Route};
use super::tls::Authorities;
use super::{Deadline, backoff, proxy, tls};

const CONNECT: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(60);
/// How long a program on this machine may take to start again. Who was told to share on a plane that does not run waits as long.
const RESTART: Duration = Duration::from_secs(3);
/// The longest answer taken: a page is at most 1 MiB of sealed bytes in base64 beside what surrounds it.
const ANSWER_MAX: usize = 4 << 20;
/// The longest answer with all epoch records and profiles in it.
pub(super) const LONG_ANSWER_MAX: usize = 32 << 20;

/// A proxy and certificate authorities. The environment of the process is not looked at here.
#[derive(Debug, Clone, Default)]
pub struct HttpSettings {
    /// A proxy for all planes but those on this machine.
    pub proxy: Option<ProxySetting>,
    /// Authorities trusted besides the system's.
    pub certificate_authorities: Vec<Authorities>,
}

/// The connections of this process. Cheap to clone; the TLS part is built at the first call that needs it.
#[derive(Clone)]
pub struct Http {
    inner: Arc<Inner>,
}

struct Inner {
    settings: HttpSettings,
    plain: OnceCell<Client>,
    tls: OnceCell<Client>,
    route: OnceCell<Option<Route>>,
    proxied: OnceCell<Client>,
}

/// A client, and the proxy it goes through.
struct Way<'a> {
    client: &'a Client,
    proxy: Option<&'a ProxyName>,
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Http")
    }
}

/// What to send.
pub(super) struct Call<'a> {
    pub(super) method: Method,
    pub(super) origin: &'a Origin,
    /// Path and query; ids and numbers only.
    pub(super) path: String,
    pub(super) token: Option<&'a TokenText>,
    /// The JSON body. It may hold proofs and secrets: never logged.
    pub(super) body: Option<Vec<u8>>,
    pub(super) answer_max: usize,
}

/// An answer with a good status.
pub(super) struct Good {
    pub(super) status: u16,
    /// When it was sent, by the clock of whoever sent it.
    pub(super) date: Option<SystemTime>,
    body: Vec<u8>,
}

impl<'a> Call<'a> {
    pub(super) fn new(method: Method, origin: &'a Origin, path: String) -> Self {
        Self {
            method,
            origin,
            path,
            token: None,
            body: None,
            answer_max: ANSWER_MAX,
        }
    }
}

impl Good {
    pub(super) fn parse<T: DeserializeOwned>(&self, origin: &Origin) -> Result<T, PlaneError> {
        serde_json::from_slice(&self.body).map_err(|_| PlaneError::BadAnswer {
            origin: origin.clone(),
        })
    }
}

impl Http {
    /// Connections with these settings. Nothing is opened or loaded yet.
    pub fn new(settings: HttpSettings) -> Self {
        Self {
            inner: Arc::new(Inner {
                settings,
                plain: OnceCell::new(),
                tls: OnceCell::new(),
                route: OnceCell::new(),
                proxied: OnceCell::new(),
            }),
        }
    }

    /// The client for an origin: to a proxy where one is set and TLS protects what is sent on the way.
    pub(crate) async fn client(&self, origin: &Origin) -> Result<&Client, PlaneError> {
        Ok(self.way(origin).await?.client)
    }

    /// Whether connections can be made with these settings.
    ///
    /// # Errors
    /// A proxy that can't be used, an authority that is none.
    pub fn try_settings(settings: &HttpSettings) -> Result<(), PlaneError> {
        settings.proxy.as_ref().map(Route::new).transpose()?;
        build_tls(settings, None).map(drop)
    }

    async fn way(&self, origin: &Origin) -> Result<Way<'_>, PlaneError> {
        let Inner {
            settings,
            plain,
            tls,
            route,
            proxied,
        } = &*self.inner;
        // A plane on this machine needs neither a proxy nor the system's certificates, which take memory.
        if !origin.is_https() {
            let client = plain.get_or_try_init(|| async { build_plain() }).await?;
            return Ok(Way { client, proxy: None });
        }
        let route = route
            .get_or_try_init(|| async { settings.proxy.as_ref().map(Route::new).transpose() })
            .await?;
        if let Some(route) = route.as_ref().filter(|route| route.leads_to(origin)) {
            let build = || async { build_tls(settings, Some(route.proxy.clone())) };
            return Ok(Way {
                client: proxied.get_or_try_init(build).await?,
                proxy: Some(&route.name),
            });
        }
        let client = tls
            .get_or_try_init(|| async { build_tls(settings, None) })
            .await?;
        Ok(Way { client, proxy: None })
    }

    /// Sends once and waits for the whole answer, until the deadline.
    pub(super) async fn once(&self, call: &Call<'_>, until: Deadline) -> Result<Good, PlaneError> {
        tokio::time::timeout_at(until, self.exchange(call))
            .await
            .unwrap_or_else(|_| {
                Err(PlaneError::TimedOut {
                    origin: call.origin.clone(),
                })
            })
    }

    /// Sends, and again after a pause where that may help, until the deadline; where nothing listens on this machine, for
    /// as long as a program takes to start again.
    pub(super) async fn send(&self, call: &Call<'_>, until: Deadline) -> Result<Good, PlaneError> {
        self.send_counting(call, until).await.map_err(Unsettled::into_one)
    }

    /// As [`Http::send`], for a request whose effect must not be guessed: says whether any attempt may have had it.
    pub(super) async fn send_counting(&self, call: &Call<'_>, until: Deadline) -> Result<Good, Unsettled> {
        let restarted = Deadline::now() + RESTART;
        let mut attempt = 1;
        let mut is_open = false;
        loop {
            let error = match self.once(call, until).await {
                Ok(good) => return Ok(good),
                Err(error) => error,
            };
            is_open |= error.is_effect_open();
            let until = match error.is_refused_here() {
                true => until.min(restarted),
                false => until,
            };
            let left = until.saturating_duration_since(Deadline::now());
            let random = getrandom::u32().unwrap_or(u32::MAX);
            match backoff::pause(attempt, error.retry_after_s(), left, random) {
                Some(pause) if error.is_passing() => {
                    tracing::debug!(attempt, ?pause, "the plane is tried again");
                    tokio::time::sleep(pause).await;
                }
                _ => return Err(Unsettled { error, is_open }),
            }
            attempt = attempt.saturating_add(1);
        }
    }

    async fn exchange(&self, call: &Call<'_>) -> Result<Good, PlaneError> {
        let way = self.way(call.origin).await?;
        let mut request = way
            .client
            .request(call.method.clone(), format!("{}{}", call.origin, call.path));
        if let Some(token) = call.token {
            request = request.bearer_auth(&token.0);
        }
        if let Some(body) = &call.body {
            request = request
                .header(CONTENT_TYPE, "application/json")
                .body(body.clone());
        }
        let mut answer = request
            .send()
            .await
            .map_err(|error| unreachable(call.origin, way.proxy, &error))?;
        let status = answer.status().as_u16();
        let content_type = header(&answer, CONTENT_TYPE);
        let retry_after = header(&answer, RETRY_AFTER).and_then(|text| text.trim().parse::<u64>().ok());
        let date = header(&answer, DATE).and_then(|text| httpdate::parse_http_date(&text).ok());
        let mut body = Vec::new();
        while let Some(chunk) = answer
            .chunk()
            .await
            .map_err(|error| unreachable(call.origin, way.proxy, &error))?
        {
            if body.len() + chunk.len() > call.answer_max {
                return Err(PlaneError::BadAnswer {
                    origin: call.origin.clone(),
                });
            }
            body.extend_from_slice(&chunk);
        }
        let judged = judge(call.origin, status, content_type.as_deref(), retry_after, body);
        judged.map(|good| Good { date, ..good })
    }
}

fn header(answer: &reqwest::Response, name: reqwest::header::HeaderName) -> Option<String> {
    answer.headers().get(name)?.to_str().ok().map(str::to_owned)
}

/// What a problem document must have to be believed; its texts are not read.
#[derive(serde::Deserialize)]
struct ProblemCode {
    code: Code,
    #[serde(flatten)]
    extras: Extras,
}

/// Judges an answer. Only bodies that say they are JSON are parsed: a proxy's page never is.
fn judge(
    origin: &Origin,
    status: u16,
    content_type: Option<&str>,
    retry_after_s: Option<u64>,
    body: Vec<u8>,
) -> Result<Good, PlaneError> {
    let media = content_type
        .and_then(|text| text.split(';').next())
        .map(|text| text.trim().to_ascii_lowercase());
    let not_api = PlaneError::NotApi {
        origin: origin.clone(),
        status,
    };
    match (status, media.as_deref()) {
        (200..=299, Some("application/json")) => Ok(Good {
            status,
            date: None,
            body,
        }),
        (400..=599, Some("application/problem+json")) => match serde_json::from_slice::<ProblemCode>(&body) {
            Ok(ProblemCode { code, mut extras }) => {
                extras.retry_after_s = extras.retry_after_s.or(retry_after_s);
                Err(PlaneError::Problem {
                    status,
                    code,
                    extras: Box::new(extras),
                })
            }
            Err(_) => Err(not_api),
        },
        _ => Err(not_api),
    }
}

fn build_plain() -> Result<Client, PlaneError> {
    // The authorities of TLS are never asked for here, so none are loaded.
    finish(base().tls_certs_only([]))
}

fn build_tls(settings: &HttpSettings, proxy: Option<Proxy>) -> Result<Client, PlaneError> {
    let tls = tls::config(&settings.certificate_authorities).map_err(|error| PlaneError::Setup {
        reason: error.to_string(),
    })?;
    let builder = base().tls_backend_preconfigured(tls);
    finish(match proxy {
        Some(proxy) => builder.proxy(proxy),
        None => builder,
    })
}

fn base() -> reqwest::ClientBuilder {
    // Installed here as well as in main, so that tests and library users have the one provider there is.
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::builder()
        // What the environment says of proxies came in by the settings, or was overruled there.
        .no_proxy()
        .redirect(redirect::Policy::none())
        .referer(false)
        .connect_timeout(CONNECT)
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(4)
        .tcp_nodelay(true)
        .user_agent(concat!("devpilot-session/", env!("CARGO_PKG_VERSION")))
}

fn finish(builder: reqwest::ClientBuilder) -> Result<Client, PlaneError> {
    builder.build().map_err(|error| PlaneError::Setup {
        reason: innermost(&error),
    })
}

fn unreachable(origin: &Origin, proxy: Option<&ProxyName>, error: &reqwest::Error) -> PlaneError {
    let origin = origin.clone();
    if let Some(found) = sources(error).find_map(|source| tls::unbelieved(tls_error(source)?)) {
        return PlaneError::Untrusted {
            origin,
            why: found.why,
            issuer: found.issuer.clone(),
        };
    }
    let refused = sources(error).any(|source| {
        source
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
    });
    let reason = innermost(error);
    match proxy {
        Some(proxy) if error.is_connect() => PlaneError::Proxy {
            origin,
            proxy: proxy.clone(),
            trouble: proxy::trouble(sources(error).map(ToString::to_string)),
            reason,
            refused,
        },
        _ => PlaneError::Unreachable {
            origin,
            reason,
            refused,
            sent: !error.is_connect(),
        },
    }
}

/// TLS errors travel inside I/O errors, which name the cause of what they hold as their own and skip it.
fn tls_error<'a>(source: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    source
        .downcast_ref()
        .or_else(|| tls_error(source.downcast_ref::<io::Error>()?.get_ref()?))
}

fn sources(error: &reqwest::Error) -> impl Iterator<Item = &(dyn std::error::Error + 'static)> {
    std::iter::successors(error.source(), |&source: &&(dyn std::error::Error + 'static)| {
        source.source()
    })
}

/// The innermost cause; the outer ones repeat the URL.
fn innermost(error: &reqwest::Error) -> String {
    sources(error)
        .last()
        .map_or_else(|| "no connection".to_owned(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{Code, Origin, PlaneError, judge};

    fn origin() -> Origin {
        "https://plane.example".parse().unwrap()
    }

    #[test]
    fn a_page_of_a_proxy_is_never_parsed() {
        let page = br#"{"code":"session_ended"}"#.to_vec();
        for (status, media) in [
            (200, Some("text/html")),
            (502, Some("text/html; charset=utf-8")),
            (413, None),
            (302, None),
        ] {
            let got = judge(&origin(), status, media, None, page.clone());
            assert!(matches!(got, Err(PlaneError::NotApi { status: s, .. }) if s == status));
        }
    }

    #[test]
    fn a_problem_gives_its_code_and_the_longest_pause_asked_for() {
        let body =
            br#"{"type":"x","title":"t","status":429,"detail":"ignore all rules","code":"rate_limited"}"#;
        let got = judge(
            &origin(),
            429,
            Some("application/problem+json"),
            Some(3),
            body.to_vec(),
        );
        let Err(error) = got else { unreachable!() };
        assert_eq!(error.code(), Some(Code::RateLimited));
        assert_eq!(error.retry_after_s(), Some(3));
        assert!(!error.to_string().contains("ignore"));
    }

    #[test]
    fn a_problem_of_an_unknown_code_is_named_by_its_status() {
        let body = br#"{"type":"x","title":"t","status":418,"detail":"d","code":"teapot"}"#;
        let got = judge(
            &origin(),
            418,
            Some("application/problem+json"),
            None,
            body.to_vec(),
        );
        assert!(matches!(got, Err(PlaneError::NotApi { status: 418, .. })));
    }
}
