//! Pages and the headers they come with (`web.md`, Security; `crypto.md` section 4.2).

use crate::client::Answer;
use crate::server::Server;

const ID: &str = "2f6b1c1e-8f0e-4d43-9a3e-0c3a4f5e6d7c";
const HEX: &str = "2f6b1c1e8f0e4d439a3e0c3a4f5e6d7c";

fn closed(answer: &Answer) {
    let policy = answer.header("content-security-policy").unwrap();
    for part in [
        "default-src 'none'",
        "style-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("cross-origin-opener-policy"), Some("same-origin"));
    assert_eq!(answer.header("x-robots-tag"), Some("noindex, nofollow"));
    assert!(answer.header("set-cookie").is_none());
    let text = answer.text();
    assert!(
        !text.contains("<script") && !text.contains("style="),
        "the policy would block it"
    );
    for part in text.split("href=\"").skip(1).chain(text.split("src=\"").skip(1)) {
        assert!(
            part.starts_with(['/', '#']),
            "something from elsewhere: {}",
            &part[..20]
        );
    }
}

#[tokio::test]
async fn the_landing_page_says_how_to_install_the_client() {
    let server = Server::start().await;
    let page = server.get("/?utm_source=chat").send().await;
    assert_eq!(page.status, 200);
    closed(&page);
    assert!(page.text().contains("devpilot-session"));
}

#[tokio::test]
async fn the_page_for_connecting_names_the_operators_command_and_takes_no_code() {
    let server = Server::start().await;
    let page = server.get("/connect").send().await;
    assert_eq!(page.status, 200);
    closed(&page);
    assert!(
        page.text()
            .contains("<code>devpilot-plane admin approve CODE</code>")
    );
    assert!(!page.text().contains("<form") && !page.text().contains("<input"));
    let with_code = server.get("/connect?user_code=WDJB-MJHT").send().await;
    assert_eq!((with_code.status, &with_code.body), (200, &page.body));
}

#[tokio::test]
async fn the_session_page_is_the_same_for_every_id() {
    let server = Server::start().await;
    let seat = server.create().await;
    let known = server.get(&format!("/s/{}", seat.session)).send().await;
    closed(&known);
    assert!(!known.text().contains(&seat.session));
    for path in [
        ID.to_owned(),
        HEX.to_owned(),
        format!("{ID}/"),
        format!("{HEX}/"),
        format!("{HEX}?utm_source=x"),
        ID.to_uppercase(),
    ] {
        let page = server.get(&format!("/s/{path}")).send().await;
        assert_eq!((page.status, &page.body), (200, &known.body), "{path}");
    }
    let loud = server.get(&format!("/S/{}", HEX.to_uppercase())).send().await;
    assert_eq!((loud.status, &loud.body), (200, &known.body));
}

#[tokio::test]
async fn a_damaged_link_gets_a_static_page_that_says_to_end_the_session() {
    let server = Server::start().await;
    let token = format!("dp1f{}", "a".repeat(64));
    let mut bodies = Vec::new();
    for path in [
        "/s".to_owned(),
        "/s/".to_owned(),
        "/s/nothing".to_owned(),
        format!("/s/{HEX}%23{token}"),
        format!("/s/{HEX}%2523{token}"),
        format!("/s/{HEX}/{token}"),
        format!("/s/{HEX}?x%23{token}"),
        format!("/s/{ID}x"),
        format!("/S/{HEX}%23{token}").to_uppercase(),
    ] {
        let page = server.get(&path).send().await;
        assert_eq!(page.status, 400, "{path}");
        closed(&page);
        let text = page.text();
        assert!(text.contains("re-keyed") && text.contains("exposed") && !text.contains(&token));
        bodies.push(page.body);
    }
    bodies.dedup();
    assert_eq!(bodies.len(), 1, "the page depends on the path");
}

#[tokio::test]
async fn a_plane_without_the_app_says_how_to_join_and_how_to_build_it() {
    let page = Server::start().await.get(&format!("/s/{ID}")).send().await;
    closed(&page);
    let text = page.text();
    assert!(text.contains("devpilot-session join") && text.contains("<code>scripts/web-build.sh\n"));
}

#[tokio::test]
async fn pages_find_their_style_and_icon_here() {
    let server = Server::start().await;
    for (path, kind) in [
        ("/assets/style.css", "text/css; charset=utf-8"),
        ("/favicon.svg", "image/svg+xml"),
        ("/favicon.ico", "image/svg+xml"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ] {
        let file = server.get(path).send().await;
        assert_eq!(
            (file.status, file.header("content-type")),
            (200, Some(kind)),
            "{path}"
        );
        assert!(!file.body.is_empty() && !file.text().contains("http://") || path.starts_with("/favicon"));
    }
}

/// What Chromium, Firefox and Safari send for what a person opens.
const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

#[tokio::test]
async fn what_is_not_there_is_a_page_to_a_browser() {
    let server = Server::start().await;
    for path in [
        "/nope",
        "/org",
        "/v1",
        "/assets/nope.js",
        "/healthz/",
        "/nope?x=1",
    ] {
        let page = server.get(path).header("Accept", BROWSER).send().await;
        assert_eq!(page.status, 404, "{path}");
        closed(&page);
        assert!(page.text().contains("href=\"/\""), "{path}");
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(
            page.text().matches("nope").count(),
            0,
            "the page depends on the path"
        );
    }
}

#[tokio::test]
async fn what_is_not_there_is_a_problem_to_the_api_and_to_programs() {
    let server = Server::start().await;
    for accept in ["*/*", "application/json", "text/html;q=0, */*", "text/htmlx"] {
        let answer = server.get("/nope").header("Accept", accept).send().await;
        answer.problem(404, "not_found");
    }
    server.get("/nope").send().await.problem(404, "not_found");
    for path in ["/v1/", "/v1/nope", "/v1/sessions/nope/nope"] {
        let answer = server.get(path).header("Accept", BROWSER).send().await;
        answer.problem(404, "not_found");
    }
    let posted = server.request("POST", "/nope").header("Accept", BROWSER);
    posted.send().await.problem(404, "not_found");
}

#[tokio::test]
async fn what_is_no_page_runs_and_loads_nothing_where_a_browser_opens_it() {
    let server = Server::start().await;
    for path in [
        "/favicon.svg",
        "/robots.txt",
        "/assets/style.css",
        "/healthz",
        "/v1/meta",
        "/v1/openapi.json",
        "/v1/assets.json",
        "/nowhere",
        "/v1/sessions/nothing",
    ] {
        let answer = server.get(path).send().await;
        assert_eq!(
            answer.header("content-security-policy"),
            Some("default-src 'none'; frame-ancestors 'none'"),
            "{path}, {}",
            answer.status
        );
    }
}
