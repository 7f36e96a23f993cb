//! Health, figures, the API's description, and what every answer has (`plane-api.md`, Service).

use plane::http::{Listeners, Options};
use serde_json::json;
use tokio::net::TcpListener;

use crate::client::Request;
use crate::server::{Server, wide};

#[tokio::test]
async fn every_answer_of_the_api_is_kept_by_nobody_and_has_a_name() {
    let server = Server::start().await;
    let seat = server.create().await;
    let mut names = std::collections::BTreeSet::new();
    for request in [
        server.call(&seat, "GET", ""),
        server.get("/v1/nothing"),
        server.get(&seat.path("")),
    ] {
        let answer = request.header("X-Request-Id", "mine").send().await;
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        let name = answer.header("x-request-id").unwrap();
        assert!(
            name.len() == 16 && name.bytes().all(|symbol| symbol.is_ascii_hexdigit()),
            "{name}"
        );
        names.insert(name.to_owned());
    }
    assert_eq!(names.len(), 3);
}

#[tokio::test]
async fn health_says_ok_and_the_version() {
    let server = Server::start().await;
    for path in ["/healthz", "/readyz"] {
        let health = server.get(path).send().await.ok(200);
        assert_eq!(
            health,
            json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") })
        );
    }
}

#[tokio::test]
async fn figures_have_routes_and_no_ids() {
    let server = Server::start().await;
    let seat = server.create().await;
    server.call(&seat, "GET", "").send().await.ok(200);
    server
        .get("/v1/private-word")
        .send()
        .await
        .problem(404, "not_found");
    let figures = server.get("/metrics").send().await.text();
    assert!(
        figures.contains("# TYPE devpilot_plane_http_requests_total counter"),
        "{figures}"
    );
    assert!(figures.contains(r#"route="/v1/sessions/{session_id}""#));
    assert!(figures.contains(r#"route="unmatched""#));
    assert!(figures.contains("devpilot_plane_http_request_seconds_bucket"));
    assert!(!figures.contains(&seat.session) && !figures.contains("private-word"));
}

#[tokio::test]
async fn figures_can_be_shown_elsewhere_alone() {
    let plane = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let metrics = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let aside = metrics.local_addr().unwrap();
    let listeners = Listeners {
        plane,
        metrics: Some(metrics),
    };
    let server = Server::on(
        listeners,
        Options {
            limits: wide(),
            ..Options::default()
        },
    )
    .await;
    server.get("/metrics").send().await.problem(404, "not_found");
    assert_eq!(Request::new(aside, "GET", "/metrics").send().await.status, 200);
    Request::new(aside, "GET", "/v1/me")
        .send()
        .await
        .problem(404, "not_found");
    let document = server.get("/v1/openapi.json").send().await.ok(200);
    assert!(document["paths"]["/metrics"].is_null(), "described and not there");
}

#[tokio::test]
async fn the_document_says_which_credential_each_call_takes() {
    let server = Server::start().await;
    let document = server.get("/v1/openapi.json").send().await.ok(200);
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    let security = |path: &str, method: &str| document["paths"][path][method]["security"].clone();
    assert_eq!(
        security("/v1/sessions", "post"),
        json!([{ "machine_token": ["share"] }])
    );
    assert_eq!(
        security("/v1/sessions/{session_id}", "get"),
        json!([{ "session_token": [] }])
    );
    assert_eq!(
        security("/v1/sessions/{session_id}", "delete"),
        json!([{ "machine_token": ["rekey", "admin"] }])
    );
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    assert_eq!(
        schemes.keys().collect::<Vec<_>>(),
        ["machine_token", "session_token"]
    );
    let post = &document["paths"]["/v1/sessions/{session_id}/records"]["post"];
    let body = &post["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(body, "#/components/schemas/Post");
    assert!(post["responses"]["201"].is_object() && post["responses"]["200"].is_object());
}

#[tokio::test]
async fn a_forwarded_address_counts_only_from_a_trusted_proxy() {
    use plane::http::TrustedProxies;
    use plane::limits::Limits;

    let limits = Limits {
        joins_per_minute_address: 1,
        ..wide()
    };
    for (trusted, expected) in [
        (TrustedProxies::default(), 429),
        (TrustedProxies::parse(["127.0.0.1"]).unwrap(), 201),
    ] {
        let server = Server::with(Options {
            limits: limits.clone(),
            trusted_proxies: trusted,
            ..Options::default()
        })
        .await;
        let seat = server.create().await;
        let mut statuses = Vec::new();
        for client in ["198.51.100.1", "198.51.100.2"] {
            let (_, body) = seat.joining(false);
            let join = server
                .request("POST", &seat.path("/participants"))
                .header("X-Forwarded-For", client);
            statuses.push(join.json(&body).send().await.status);
        }
        assert_eq!(statuses, [201, expected]);
    }
}
