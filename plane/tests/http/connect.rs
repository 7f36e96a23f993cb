//! Device login as a machine sees it: bodies, problems, the page (`plane-api.md`, Orgs, machines, people; RFC 8628).

use plane::http::Options;
use plane::limits::Limits;
use serde_json::{Value, json};
use wire::encoding::to_base64url;

use crate::client::{Answer, Request};
use crate::server::{Server, wide};

async fn ask(server: &Server, body: &Value) -> Value {
    server
        .request("POST", "/v1/connect")
        .json(body)
        .send()
        .await
        .ok(200)
}

async fn poll(server: &Server, codes: &Value) -> Answer {
    let body = json!({ "device_code": codes["device_code"] });
    server
        .request("POST", "/v1/connect/token")
        .json(&body)
        .send()
        .await
}

#[tokio::test]
async fn a_machine_asks_waits_and_gets_its_token_once() {
    let server = Server::start().await;
    let codes = ask(&server, &json!({ "machine_name": "laptop" })).await;
    assert_eq!(
        (&codes["expires_in"], &codes["interval"]),
        (&json!(600), &json!(5))
    );
    assert_eq!(
        codes["verification_uri"],
        format!("http://{}/connect", server.address)
    );
    poll(&server, &codes).await.problem(400, "authorization_pending");
    let soon = poll(&server, &codes).await;
    assert_eq!(soon.problem(400, "slow_down")["retry_after_s"], 10);
    assert_eq!(soon.header("retry-after"), Some("10"));

    server.approve(codes["user_code"].as_str().unwrap()).await;
    let connected = poll(&server, &codes).await;
    assert_eq!(connected.header("cache-control"), Some("no-store"));
    let connected = connected.ok(200);
    assert_eq!(
        (&connected["org"], &connected["member"], &connected["scopes"]),
        (&json!("one"), &json!("ada"), &json!(["rekey", "share"]))
    );
    let token = connected["machine_token"].as_str().unwrap();
    let me = server.get("/v1/me").bearer(token).send().await.ok(200);
    assert_eq!(me["scopes"], json!(["rekey", "share"]));

    poll(&server, &codes).await.problem(400, "expired_token");
}

#[tokio::test]
async fn unknown_codes_are_answered_like_spent_ones_to_the_letter() {
    let server = Server::start().await;
    let spent = ask(&server, &json!({})).await;
    server.approve(spent["user_code"].as_str().unwrap()).await;
    poll(&server, &spent).await.ok(200);
    let unknown = json!({ "device_code": to_base64url(&[7; 32]) });
    let (unknown, spent) = (poll(&server, &unknown).await, poll(&server, &spent).await);
    assert_eq!((unknown.status, &unknown.body), (spent.status, &spent.body));
    let headers = |answer: &Answer| -> Vec<(String, String)> {
        let own = ["x-request-id", "date"];
        answer
            .headers
            .iter()
            .filter(|(name, _)| !own.contains(&name.as_str()))
            .cloned()
            .collect()
    };
    assert_eq!(headers(&unknown), headers(&spent));
}

#[tokio::test]
async fn a_request_without_a_name_needs_no_body() {
    let server = Server::start().await;
    assert_eq!(server.request("POST", "/v1/connect").send().await.status, 200);
    for body in [
        json!({ "machine_name": null }),
        json!({ "machine_name": 1 }),
        json!({ "client_id": "x" }),
        json!([]),
    ] {
        let refused = server.request("POST", "/v1/connect").json(&body).send().await;
        refused.problem(400, "bad_request");
    }
    for body in [
        json!({}),
        json!({ "device_code": "x" }),
        json!({ "device_code": to_base64url(&[1; 31]) }),
    ] {
        let refused = server
            .request("POST", "/v1/connect/token")
            .json(&body)
            .send()
            .await;
        refused.problem(400, "bad_request");
    }
    let form = server
        .request("POST", "/v1/connect/token")
        .header("Content-Type", "application/x-www-form-urlencoded")
        .raw(b"device_code=x".to_vec());
    form.send().await.problem(400, "bad_request");
}

#[tokio::test]
async fn eleven_machines_a_minute_are_one_too_many_for_an_address() {
    let server = Server::with_limits(Limits::default()).await;
    for _ in 0..10 {
        ask(&server, &json!({})).await;
    }
    let refused = server.request("POST", "/v1/connect").send().await;
    let problem = refused.problem(429, "rate_limited");
    assert_eq!(problem["limit"], "connects_per_minute_address");
    assert!(refused.header("retry-after").is_some());
}

#[tokio::test]
async fn the_page_is_named_by_the_address_that_links_are_built_from() {
    let server = Server::with(Options {
        limits: wide(),
        origin: Some("https://plane.example.org".to_owned()),
        ..Options::default()
    })
    .await;
    let codes = ask(&server, &json!({})).await;
    assert_eq!(codes["verification_uri"], "https://plane.example.org/connect");
}

#[tokio::test]
async fn a_token_is_not_what_connecting_takes() {
    let server = Server::start().await;
    let codes = Request::new(server.address, "POST", "/v1/connect")
        .bearer("dpm_nonsense")
        .send()
        .await;
    assert_eq!(
        codes.status, 200,
        "an old token must not be in the way of a new one"
    );
}
