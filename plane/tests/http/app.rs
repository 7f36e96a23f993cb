//! Serving the web app (`web.md`, Security): a made-up one, so that none has to be built for it.

use std::collections::BTreeMap;

use plane::http::Options;
use plane::pages::{BuiltApp, BuiltFile};
use wire::transcript::sha256;

use crate::client::Answer;
use crate::server::{Server, wide};

const ID: &str = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";
const SCRIPT: &str = "/assets/session-B2c_9-x.js";

static APP: BuiltApp = BuiltApp {
    page: BuiltFile {
        name: "session.html",
        plain: b"<!doctype html><script type=\"module\" src=\"/assets/session-B2c_9-x.js\"></script>",
        brotli: Some(b"the page in brotli"),
        gzip: None,
    },
    assets: &[
        BuiltFile {
            name: "session-B2c_9-x.js",
            plain: b"let it = 'be';",
            brotli: Some(b"the script in brotli"),
            gzip: Some(b"the script in gzip"),
        },
        BuiltFile {
            name: "session-D8.css",
            plain: b"p { margin: 0 }",
            brotli: None,
            gzip: None,
        },
    ],
};

async fn start() -> Server {
    Server::with(Options {
        limits: wide(),
        app: Some(&APP),
        ..Options::default()
    })
    .await
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The directives of the policy, by name.
fn policy(answer: &Answer) -> BTreeMap<&str, Vec<&str>> {
    let policy = answer.header("content-security-policy").unwrap();
    policy
        .split(';')
        .map(|directive| {
            let mut words = directive.split_whitespace();
            (words.next().unwrap(), words.collect())
        })
        .collect()
}

#[tokio::test]
async fn the_page_runs_our_scripts_and_nothing_else() {
    let server = start().await;
    let page = server.get(&format!("/s/{ID}")).send().await;
    assert_eq!((page.status, page.body.as_slice()), (200, APP.page.plain));
    let expected = [
        ("default-src", vec!["'none'"]),
        ("script-src", vec!["'self'"]),
        ("style-src", vec!["'self'"]),
        ("img-src", vec!["'self'", "data:"]),
        ("connect-src", vec!["'self'"]),
        ("require-trusted-types-for", vec!["'script'"]),
        ("trusted-types", vec!["'none'"]),
        ("base-uri", vec!["'none'"]),
        ("form-action", vec!["'none'"]),
        ("frame-ancestors", vec!["'none'"]),
    ];
    assert_eq!(policy(&page), BTreeMap::from(expected));
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("cache-control", "no-cache"),
        ("referrer-policy", "no-referrer"),
        ("x-robots-tag", "noindex, nofollow"),
        ("x-content-type-options", "nosniff"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.header(name), Some(value), "{name}");
    }
    assert!(page.header("set-cookie").is_none() && page.header("access-control-allow-origin").is_none());
    // The same for every id, and a damaged link never runs a script.
    let other = server.get(&format!("/s/{}/", ID.replace('-', ""))).send().await;
    assert_eq!(other.body, page.body);
    let damaged = server.get(&format!("/s/{ID}%23dp1f")).send().await;
    assert_eq!(damaged.status, 400);
    assert!(!policy(&damaged).contains_key("script-src"));
    assert_eq!(damaged.header("cache-control"), Some("no-store"));
}

#[tokio::test]
async fn what_has_a_hash_in_its_name_is_kept_for_good_in_the_form_the_browser_takes() {
    let server = start().await;
    let mut tags = Vec::new();
    for (takes, coding, body) in [
        ("gzip, deflate, br", Some("br"), &b"the script in brotli"[..]),
        ("gzip", Some("gzip"), b"the script in gzip"),
        ("identity", None, b"let it = 'be';"),
    ] {
        let answer = server.get(SCRIPT).header("Accept-Encoding", takes).send().await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, body));
        assert_eq!(answer.header("content-encoding"), coding);
        for (name, value) in [
            ("content-type", "text/javascript; charset=utf-8"),
            ("cache-control", "public, max-age=31536000, immutable"),
            ("vary", "accept-encoding"),
            ("x-content-type-options", "nosniff"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        let tag = answer.header("etag").unwrap().to_owned();
        let again = server.get(SCRIPT).header("Accept-Encoding", takes);
        let again = again.header("If-None-Match", &tag).send().await;
        assert_eq!((again.status, again.body.len()), (304, 0));
        assert_eq!(again.header("etag"), Some(tag.as_str()));
        assert!(!tags.contains(&tag), "one tag for two forms");
        tags.push(tag);
    }
    let plain = server
        .get("/assets/session-D8.css")
        .header("Accept-Encoding", "br")
        .send()
        .await;
    assert_eq!(plain.body, b"p { margin: 0 }");
    assert_eq!(
        (plain.header("content-encoding"), plain.header("vary")),
        (None, None)
    );
    let own = server.get("/assets/style.css").send().await;
    assert_eq!(
        own.header("cache-control"),
        Some("public, max-age=300"),
        "its name stays"
    );
}

#[tokio::test]
async fn the_head_alone_is_the_same_head() {
    let server = start().await;
    for path in [SCRIPT.to_owned(), format!("/s/{ID}"), "/".to_owned()] {
        let whole = server.get(&path).send().await;
        let mut head = Vec::new();
        {
            use tokio::io::AsyncReadExt as _;
            let mut connection = server.request("HEAD", &path).start().await;
            connection.read_to_end(&mut head).await.unwrap();
        }
        let head = String::from_utf8(head).unwrap();
        let (lines, body) = head.split_once("\r\n\r\n").unwrap();
        assert!(lines.starts_with("HTTP/1.1 200 "), "{lines}");
        assert_eq!(body, "", "{path}");
        for name in ["etag", "cache-control", "content-type", "content-length"] {
            let line = format!("{name}: {}", whole.header(name).unwrap());
            assert!(
                lines.lines().any(|known| known == line),
                "{line} is not in {lines}"
            );
        }
    }
}

#[tokio::test]
async fn what_is_not_in_the_list_is_not_there() {
    let server = start().await;
    for path in [
        "/assets/",
        "/assets/session-B2c_9-y.js",
        "/assets/session.html",
        "/assets/..%2fsession.html",
        "/assets/..%2f..%2fstatic%2flanding.html",
        "/assets/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/assets/..\\\\session.html",
        "/assets/../assets/style.css",
        "/assets//style.css",
        "/assets/style.css/",
        "/assets/style%2ecss",
        "/assets/STYLE.css",
        "/assets/style.css%00",
        "/session.html",
    ] {
        server.get(path).send().await.problem(404, "not_found");
    }
    server
        .request("POST", SCRIPT)
        .send()
        .await
        .problem(404, "not_found");
}

#[tokio::test]
async fn the_hashes_published_are_those_of_what_is_served() {
    let server = start().await;
    let listed = server.get("/v1/assets.json").send().await.ok(200);
    let listed = listed["assets"].as_object().unwrap().clone();
    for path in [
        "/",
        "/connect",
        "/s/{session_id}",
        "/s/",
        "/{other}",
        SCRIPT,
        "/assets/style.css",
        "/favicon.ico",
    ] {
        assert!(listed.contains_key(path), "{path}");
    }
    for (path, hash) in listed {
        let target = path.replace("{session_id}", ID).replace("{other}", "other");
        let served = server.get(&target).header("Accept", "text/html").send().await;
        let status = match path.as_str() {
            "/s/" => 400,
            "/{other}" => 404,
            _ => 200,
        };
        assert_eq!(served.status, status, "{path}");
        assert_eq!(hash, hex(&sha256(&served.body)), "{path}");
    }
}
