//! Pages for people and what they load, with the headers that keep them closed (`web.md`, Security; `crypto.md`
//! section 4.2).

use http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use utoipa::openapi::path::Parameter;

use crate::http::body::NoBody;
use crate::http::call::{Call, Handled};
use crate::http::credential::Stranger;
use crate::http::file::{FileReply, Wanted};
use crate::http::path::FromPath;
use crate::http::refusal::Refusal;
use crate::pages::{Files, LinkPath, Page};

type Visit<P = ()> = Call<Stranger, NoBody, Wanted, P>;

/// A page of text and style alone.
const TEXT: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; img-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);
/// The app: scripts of ours and the API, and no way from text to a script.
const APP: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
     require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);
static OPENER: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
static RESOURCE: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
static ROBOTS: HeaderName = HeaderName::from_static("x-robots-tag");
const SAME_ORIGIN: HeaderValue = HeaderValue::from_static("same-origin");

const FOR_GOOD: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const FOR_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");

fn page(page: &Page, wanted: Wanted) -> FileReply {
    FileReply::new(&page.file, wanted).with([
        (
            header::CONTENT_SECURITY_POLICY,
            if page.is_app { APP } else { TEXT },
        ),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (OPENER.clone(), SAME_ORIGIN),
        (RESOURCE.clone(), SAME_ORIGIN),
        (ROBOTS.clone(), HeaderValue::from_static("noindex, nofollow")),
    ])
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

/// A path as it stands in the request line.
pub(in crate::http) struct AssetPath(String);

impl FromPath for AssetPath {
    fn read(_: &str, uri: &Uri) -> Result<Self, Refusal> {
        Ok(Self(uri.path().to_owned()))
    }

    fn described() -> Vec<Parameter> {
        Vec::new()
    }
}

pub(in crate::http) async fn landing(visit: Visit) -> Handled<FileReply> {
    Ok(page(&visit.app.files().landing, visit.query))
}

pub(in crate::http) async fn session(visit: Visit<LinkPath>) -> Handled<FileReply> {
    let files = visit.app.files();
    Ok(match visit.path {
        LinkPath::Session => page(&files.session, visit.query),
        LinkPath::Damaged => page(&files.damaged, visit.query).failing(StatusCode::BAD_REQUEST),
    })
}

pub(in crate::http) async fn connect(visit: Visit) -> Handled<FileReply> {
    Ok(page(&visit.app.files().connect, visit.query))
}

/// What somebody gets to see where nothing is; `None` for a program, which reads a problem.
pub(in crate::http) fn missing(files: &Files, wanted: Wanted) -> Option<FileReply> {
    wanted
        .is_page()
        .then(|| page(&files.missing, wanted).failing(StatusCode::NOT_FOUND))
}

pub(in crate::http) async fn asset(visit: Visit<AssetPath>) -> Handled<FileReply> {
    let files = visit.app.files();
    let Some(file) = files.asset(&visit.path.0) else {
        return missing(files, visit.query).ok_or(Refusal::NoRoute);
    };
    let kept = if file.hashed { FOR_GOOD } else { FOR_MINUTES };
    Ok(FileReply::new(file, visit.query)
        .kept(kept)
        .with([(RESOURCE.clone(), SAME_ORIGIN)]))
}
