#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeSet;

use bytes::Bytes;
use tower::ServiceExt as _;

use super::*;
use crate::clock::Clock;
use crate::http::app::Options;
use crate::http::call::{Call, Handled};
use crate::http::credential::Stranger;
use crate::http::query::NoQuery;
use crate::http::reply::Served;
use crate::limits::Limits;
use crate::metrics::Exporter;
use crate::service::{Service, ServiceConfig, WakeTimes};
use crate::store::StoreUrl;

fn placeholders(path: &str) -> Vec<&str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
        .map(|name| name.trim_start_matches('*'))
        .collect()
}

#[test]
fn the_document_describes_every_route_of_the_api_once() {
    let routes: Vec<Route> = api().into_iter().chain(service_routes(MetricsAt::Here)).collect();
    let document = serde_json::to_value(crate::http::openapi::document(routes.iter())).unwrap();
    let mut described = BTreeSet::new();
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            described.insert(format!("{method} {path}"));
            assert!(
                names.insert(operation["operationId"].as_str().unwrap().to_owned()),
                "an operation id twice"
            );
            assert!(operation["responses"]["default"]["content"]["application/problem+json"].is_object());
            let in_path: Vec<&str> = operation["parameters"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap())
                .collect();
            assert_eq!(in_path, placeholders(path), "{method} {path}");
        }
    }
    let mounted: BTreeSet<String> = routes
        .iter()
        .map(|route| {
            format!(
                "{} {}",
                serde_json::to_value(&route.method).unwrap().as_str().unwrap(),
                route.path
            )
        })
        .collect();
    assert_eq!(described, mounted);
}

#[test]
fn every_schema_that_is_referred_to_is_there() {
    let document = crate::http::openapi::document(api().iter());
    let text = serde_json::to_string(&document).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let schemas = value["components"]["schemas"].as_object().unwrap();
    let prefix = "#/components/schemas/";
    let names: BTreeSet<&str> = text
        .split(prefix)
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    assert!(names.contains("Post") && names.contains("State") && names.contains("Problem"));
    for name in names {
        assert!(schemas.contains_key(name), "{name} is referred to and missing");
    }
}

#[test]
fn only_what_carries_its_own_proof_is_open() {
    let open: BTreeSet<&str> = api()
        .iter()
        .filter(|route| route.operation.security.as_ref().is_none_or(Vec::is_empty))
        .map(|route| route.path)
        .collect();
    let expected = [
        "/v1/connect",
        "/v1/connect/token",
        "/v1/sessions/{session_id}/participants",
        "/v1/sessions/{session_id}/rejoin",
    ];
    assert_eq!(open, BTreeSet::from(expected));
}

async fn fails(_: Call<Stranger, crate::http::body::NoBody, NoQuery, ()>) -> Handled<Served> {
    panic!("what a caller sent: dps_secret")
}

#[tokio::test]
async fn a_panic_takes_its_own_request_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let config = ServiceConfig {
        store: StoreUrl::Sqlite(folder.path().join("plane.sqlite")),
        limits: Limits::default(),
        clock: Clock::System,
        wakes: WakeTimes::default(),
    };
    let service = Service::open(config).await.unwrap();
    let app = App::new(service, Options::default(), Exporter::start(), Bytes::new());
    let broken = get("/v1/broken", "Fails").takes(nobody_in_particular()).to(fails);
    let router = mounted(vec![broken, metrics()], app);
    let ask = |path: &str| Request::get(path).body(Body::empty()).unwrap();

    let answer = router.clone().oneshot(ask("/v1/broken")).await.unwrap();
    assert_eq!(answer.status(), 500);
    assert_eq!(answer.headers()["content-type"], "application/problem+json");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let body = axum::body::to_bytes(answer.into_body(), 10_000).await.unwrap();
    let problem: wire::problem::Problem = serde_json::from_slice(&body).unwrap();
    assert_eq!(problem.code, wire::problem::Code::Internal);
    assert!(!problem.detail.contains("secret"));

    assert_eq!(router.oneshot(ask("/metrics")).await.unwrap().status(), 200);
}
