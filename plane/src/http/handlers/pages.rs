//! Pages for people, with the headers that keep them closed (`web.md`, Security; `crypto.md` section 4.2).

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use utoipa::openapi::path::Parameter;

use crate::http::body::NoBody;
use crate::http::call::{Call, Handled};
use crate::http::credential::Stranger;
use crate::http::path::FromPath;
use crate::http::query::AnyQuery;
use crate::http::refusal::Refusal;
use crate::http::reply::Served;
use crate::pages::{self, LinkPath};

type Visit<P = ()> = Call<Stranger, NoBody, AnyQuery, P>;

const CLOSED: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

static PAGE_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, CLOSED),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("x-robots-tag"),
        HeaderValue::from_static("noindex, nofollow"),
    ),
];

static ASSET_HEADERS: [(HeaderName, HeaderValue); 2] = [
    (
        header::CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

fn page(status: StatusCode, text: &'static str) -> Served {
    Served {
        status,
        content_type: "text/html; charset=utf-8",
        headers: &PAGE_HEADERS,
        content: Bytes::from_static(text.as_bytes()),
    }
}

fn asset(content_type: &'static str, text: &'static str) -> Served {
    Served {
        status: StatusCode::OK,
        content_type,
        headers: &ASSET_HEADERS,
        content: Bytes::from_static(text.as_bytes()),
    }
}

/// Decided on the request line as it came: nothing is decoded, nothing of it goes on from here.
impl FromPath for LinkPath {
    fn read(_: &str, uri: &Uri) -> Result<Self, Refusal> {
        Ok(Self::of(uri.path(), uri.query()))
    }

    fn described() -> Vec<Parameter> {
        Vec::new()
    }
}

pub(in crate::http) async fn landing(_: Visit) -> Handled<Served> {
    Ok(page(StatusCode::OK, pages::LANDING))
}

pub(in crate::http) async fn session(visit: Visit<LinkPath>) -> Handled<Served> {
    Ok(match visit.path {
        LinkPath::Session => page(StatusCode::OK, pages::SESSION),
        LinkPath::Damaged => page(StatusCode::BAD_REQUEST, pages::DAMAGED),
    })
}

pub(in crate::http) async fn connect(_: Visit) -> Handled<Served> {
    Ok(page(StatusCode::OK, pages::CONNECT))
}

pub(in crate::http) async fn style(_: Visit) -> Handled<Served> {
    Ok(asset("text/css; charset=utf-8", pages::STYLE))
}

pub(in crate::http) async fn icon(_: Visit) -> Handled<Served> {
    Ok(asset("image/svg+xml", pages::ICON))
}

pub(in crate::http) async fn robots(_: Visit) -> Handled<Served> {
    Ok(asset("text/plain; charset=utf-8", pages::ROBOTS))
}
