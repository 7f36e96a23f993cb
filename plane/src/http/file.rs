//! Files as answers: in the form that the browser takes, or the word that it has it already.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use utoipa::openapi::path::Parameter;

use super::openapi::{Responses, Schemas};
use super::query::{Pairs, Query};
use super::refusal::Refusal;
use super::reply::Reply;
use crate::pages::File;

/// Which forms a browser takes, and which it has. Opened with whatever a chat program appends to the address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    brotli: bool,
    gzip: bool,
    /// Somebody looks at the answer: a program that reads it does not ask for a page.
    page: bool,
    /// The entity tags of `If-None-Match`.
    has: Option<String>,
}

impl Query for Wanted {
    const NAMES: Option<&'static [&'static str]> = None;

    fn read(_: &Pairs<'_>, headers: &HeaderMap) -> Result<Self, Refusal> {
        Ok(Self::by(headers))
    }

    fn described() -> Vec<Parameter> {
        Vec::new()
    }
}

impl Wanted {
    /// By what the head of a request says.
    pub(super) fn by(headers: &HeaderMap) -> Self {
        let texts = |name| {
            headers
                .get_all(name)
                .iter()
                .filter_map(|value| value.to_str().ok())
        };
        let takes = |coding: &str| texts(header::ACCEPT_ENCODING).any(|text| takes(text, coding));
        let has: Vec<&str> = texts(header::IF_NONE_MATCH).collect();
        Self {
            brotli: takes("br"),
            gzip: takes("gzip"),
            page: texts(header::ACCEPT).any(|text| self::takes(text, "text/html")),
            has: (!has.is_empty()).then(|| has.join(",")),
        }
    }

    /// Whether a page is asked for, as a browser does for what it shows by itself.
    pub(super) const fn is_page(&self) -> bool {
        self.page
    }
}

/// Whether an `Accept-Encoding` names a coding, or an `Accept` a type, and does not rule it out.
fn takes(text: &str, coding: &str) -> bool {
    text.split(',').any(|part| {
        let mut words = part.split(';').map(str::trim);
        let named = words.next().is_some_and(|name| name.eq_ignore_ascii_case(coding));
        let weight = words.find_map(|word| word.strip_prefix("q=")).unwrap_or("1");
        named && weight.parse::<f32>().is_ok_and(|weight| weight > 0.0)
    })
}

/// A file on its way.
pub(super) struct FileReply {
    status: StatusCode,
    content_type: &'static str,
    content: &'static [u8],
    coding: Option<&'static str>,
    /// Whether other browsers get another form.
    varies: bool,
    tag: String,
    has: Option<String>,
    cache: HeaderValue,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl FileReply {
    /// The form of a file that is wanted. By default it is asked for anew each time, and sent only if it changed.
    pub(super) fn new(file: &File, wanted: Wanted) -> Self {
        let forms = [
            file.brotli.filter(|_| wanted.brotli).zip(Some("br")),
            file.gzip.filter(|_| wanted.gzip).zip(Some("gzip")),
        ];
        let (content, coding) = match forms.into_iter().flatten().next() {
            Some((content, coding)) => (content, Some(coding)),
            None => (file.plain, None),
        };
        let form = coding.map(|coding| format!("-{coding}")).unwrap_or_default();
        Self {
            status: StatusCode::OK,
            content_type: file.content_type,
            content,
            coding,
            varies: file.brotli.is_some() || file.gzip.is_some(),
            tag: format!("\"{}{form}\"", file.sha256),
            has: wanted.has,
            cache: HeaderValue::from_static("no-cache"),
            headers: Vec::new(),
        }
    }

    /// With another status, which is not to be kept.
    pub(super) fn failing(self, status: StatusCode) -> Self {
        Self {
            status,
            has: None,
            cache: HeaderValue::from_static("no-store"),
            ..self
        }
    }

    /// To be kept in this way.
    pub(super) fn kept(self, cache: HeaderValue) -> Self {
        Self { cache, ..self }
    }

    /// With further headers.
    pub(super) fn with(mut self, headers: impl IntoIterator<Item = (HeaderName, HeaderValue)>) -> Self {
        self.headers.extend(headers);
        self
    }

    /// Whether one of the tags that the browser has is this form's. A weak tag of it is as good.
    fn is_known(&self) -> bool {
        self.has.as_deref().is_some_and(|tags| {
            let mut tags = tags.split(',').map(str::trim);
            tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
        })
    }
}

impl Reply for FileReply {
    fn into_response(self) -> Response {
        let known = self.is_known();
        let mut response = Response::new(if known {
            Body::empty()
        } else {
            Body::from(Bytes::from_static(self.content))
        });
        *response.status_mut() = if known {
            StatusCode::NOT_MODIFIED
        } else {
            self.status
        };
        let headers = response.headers_mut();
        headers.extend(self.headers);
        headers.insert(header::CACHE_CONTROL, self.cache);
        if let Ok(tag) = HeaderValue::from_str(&self.tag) {
            headers.insert(header::ETAG, tag);
        }
        if self.varies {
            headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        }
        if !known {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.content_type));
            if let Some(coding) = self.coding {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
            }
        }
        response
    }

    /// Files are not in the document.
    fn described(_: &mut Schemas) -> Responses {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn wanted(headers: &[(HeaderName, &'static str)]) -> Wanted {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name, HeaderValue::from_static(value));
        }
        Wanted::read(&Pairs::of(None, None).unwrap(), &map).unwrap()
    }

    #[test]
    fn a_form_is_taken_that_is_named_and_not_ruled_out() {
        for (text, brotli, gzip) in [
            ("gzip, deflate, br, zstd", true, true),
            ("GZIP", false, true),
            ("br;q=0, gzip;q=0.5", false, true),
            ("br; q=0.001", true, false),
            ("br;q=x", false, false),
            ("bro, xgzip", false, false),
            ("identity", false, false),
            ("", false, false),
        ] {
            let wanted = wanted(&[(header::ACCEPT_ENCODING, text)]);
            assert_eq!((wanted.brotli, wanted.gzip), (brotli, gzip), "{text}");
        }
        let twice = wanted(&[(header::ACCEPT_ENCODING, "gzip"), (header::ACCEPT_ENCODING, "br")]);
        assert!(twice.brotli && twice.gzip);
    }

    fn file() -> File {
        File {
            content_type: "text/css; charset=utf-8",
            plain: b"plain",
            brotli: Some(b"b"),
            gzip: None,
            sha256: "ab12".to_owned(),
            hashed: true,
        }
    }

    #[test]
    fn each_form_has_a_tag_of_its_own() {
        let plain = FileReply::new(&file(), Wanted::default());
        assert_eq!((plain.content, plain.tag.as_str()), (&b"plain"[..], "\"ab12\""));
        let gzip_alone = wanted(&[(header::ACCEPT_ENCODING, "gzip")]);
        assert_eq!(
            FileReply::new(&file(), gzip_alone).coding,
            None,
            "there is no such form"
        );
        let brotli = FileReply::new(&file(), wanted(&[(header::ACCEPT_ENCODING, "gzip, br")]));
        assert_eq!((brotli.content, brotli.tag.as_str()), (&b"b"[..], "\"ab12-br\""));
    }

    #[test]
    fn what_a_browser_has_is_not_sent_again() {
        for (tags, known) in [
            ("\"ab12\"", true),
            ("W/\"ab12\"", true),
            ("\"x\", \"ab12\"", true),
            ("*", true),
            ("\"ab12-br\"", false),
            ("ab12", false),
            ("", false),
        ] {
            let reply = FileReply::new(&file(), wanted(&[(header::IF_NONE_MATCH, tags)]));
            assert_eq!(reply.is_known(), known, "{tags}");
        }
        let damaged = FileReply::new(&file(), wanted(&[(header::IF_NONE_MATCH, "*")]));
        assert!(!damaged.failing(StatusCode::BAD_REQUEST).is_known());
    }
}
