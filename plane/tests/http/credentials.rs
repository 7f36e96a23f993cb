//! Route × credential: default deny (`plane-api.md`, Credentials).

use serde_json::{Value, json};

use crate::server::{Seat, Server, new_id};

/// What a route takes, by the names in the OpenAPI document.
fn takes(operation: &Value) -> Vec<&str> {
    let requirements = operation["security"].as_array().into_iter().flatten();
    requirements
        .flat_map(|one| one.as_object().unwrap().keys())
        .map(String::as_str)
        .collect()
}

/// Every call under /v1: method, path with real ids, and its description.
async fn calls(server: &Server, session: &str) -> Vec<(String, String, Value)> {
    let document = server.get("/v1/openapi.json").send().await.ok(200);
    let mut calls = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let path = path
                .replace("{session_id}", session)
                .replace("{participant_id}", &new_id());
            if path.starts_with("/v1/") {
                calls.push((method.to_uppercase(), path, operation.clone()));
            }
        }
    }
    assert!(calls.len() >= 13, "only {} calls", calls.len());
    calls
}

#[tokio::test]
async fn a_route_that_takes_a_credential_is_closed_without_it() {
    let server = Server::start().await;
    let (seat, other) = (server.create().await, server.create().await);
    let made_up = "A".repeat(43);
    for (method, path, operation) in calls(&server, &seat.session).await {
        let kinds = takes(&operation);
        if kinds.is_empty() {
            continue;
        }
        let mut wrong = vec![
            String::new(),
            "Bearer".to_owned(),
            format!("Basic {}", seat.token),
            seat.token.clone(),
            format!("Bearer dps_{made_up}"),
            format!("Bearer dpm_{made_up}"),
            format!("Bearer dpa_{made_up}"),
            "Bearer dps_".to_owned(),
            format!("Bearer {}=", seat.token),
        ];
        if !kinds.contains(&"machine_token") {
            wrong.push(format!("Bearer {}", server.machine));
        }
        if kinds.contains(&"session_token") {
            wrong.push(format!("Bearer {}", other.token));
        } else {
            wrong.push(format!("Bearer {}", seat.token));
        }
        for credential in wrong {
            let mut request = server.request(&method, &path);
            if !credential.is_empty() {
                request = request.header("Authorization", &credential);
            }
            let said = request
                .json(&json!({ "nonsense": 1 }))
                .send()
                .await
                .problem(401, "unauthorized");
            assert!(!said.to_string().contains(&made_up), "{method} {path}");
        }
    }
}

#[tokio::test]
async fn two_credentials_are_none() {
    let server = Server::start().await;
    let seat = server.create().await;
    let twice = server.call(&seat, "GET", "").bearer(&seat.token);
    twice.send().await.problem(401, "unauthorized");
}

#[tokio::test]
async fn a_machine_token_without_the_scope_is_forbidden() {
    let server = Server::start().await;
    let seat = server.create().await;
    let create = server
        .request("POST", "/v1/sessions")
        .bearer(&server.admin)
        .json(&Seat::create_body());
    create.send().await.problem(403, "forbidden");
    server
        .request("DELETE", &seat.path(""))
        .bearer(&server.admin)
        .send()
        .await
        .ok(200);
}

#[tokio::test]
async fn another_orgs_session_does_not_exist() {
    let server = Server::start().await;
    let seat = server.create().await;
    // Bodies that are not even well-formed: the session comes first.
    for (method, tail) in [
        ("DELETE", ""),
        ("POST", "/rekey"),
        ("GET", "/door"),
        ("PUT", "/door"),
        ("POST", "/auto/stop"),
    ] {
        let ask = async |session: &str| {
            let path = format!("/v1/sessions/{session}{tail}");
            let request = server
                .request(method, &path)
                .bearer(&server.stranger)
                .json(&json!({ "nonsense": 1 }));
            request.send().await.problem(404, "not_found")
        };
        assert_eq!(ask(&seat.session).await, ask(&new_id()).await, "{method} {tail}");
    }
}

#[tokio::test]
async fn a_view_token_writes_nothing() {
    let server = Server::start().await;
    let seat = server.create().await;
    let viewer = server.join(&seat, true).await;
    for (method, tail, body) in [
        ("POST", "/records", Seat::message()),
        (
            "PUT",
            "/title",
            json!({ "title": { "participant_id": viewer.id, "epoch": 1, "sealed": "AA" } }),
        ),
        ("POST", "/mode", json!({ "set": "relay" })),
    ] {
        server
            .call(&viewer, method, tail)
            .json(&body)
            .send()
            .await
            .problem(403, "view_only");
    }
    server.call(&viewer, "GET", "").send().await.ok(200);
    // The order of a post's checks: its shape comes before the capability.
    server
        .call(&viewer, "POST", "/records")
        .json(&json!({}))
        .send()
        .await
        .problem(400, "bad_request");
}

#[tokio::test]
async fn a_token_in_a_url_is_refused_and_not_repeated() {
    let server = Server::start().await;
    let seat = server.create().await;
    for name in ["token", "access_token", "session_token", "authorization"] {
        for request in [
            server.get(&format!("{}?{name}={}", seat.path(""), seat.token)),
            server.call(&seat, "GET", &format!("?{name}={}", seat.token)),
        ] {
            let said = request.send().await.problem(400, "bad_request");
            assert!(!said.to_string().contains(&seat.token));
        }
    }
}

#[tokio::test]
async fn a_path_that_is_no_session_id_is_refused() {
    let server = Server::start().await;
    let seat = server.create().await;
    for id in [
        "x",
        &seat.session.to_uppercase(),
        &seat.session.replace('-', ""),
        "..%2f..",
        "%00",
        "%32",
    ] {
        let path = format!("/v1/sessions/{id}");
        server
            .get(&path)
            .bearer(&seat.token)
            .send()
            .await
            .problem(400, "bad_request");
        server.get(&path).send().await.problem(401, "unauthorized");
    }
}

#[tokio::test]
async fn wrong_proofs_can_not_be_told_apart() {
    let server = Server::start().await;
    let seat = server.create().await;
    let (_, mut body) = seat.joining(false);
    body["proof"] = json!("A".repeat(43));
    let join = async |path: &str, body: &Value| {
        let mut answer = server.request("POST", path).json(body).send().await;
        answer.problem(403, "bad_proof");
        answer
            .headers
            .retain(|(name, _)| !["date", "x-request-id"].contains(&name.as_str()));
        answer
    };
    let known = join(&seat.path("/participants"), &body).await;
    let unknown = join(&format!("/v1/sessions/{}/participants", new_id()), &body).await;
    assert_eq!(known, unknown);
    body["epoch"] = json!(7);
    assert_eq!(join(&seat.path("/participants"), &body).await, known);
}

#[tokio::test]
async fn me_says_whose_token_it_is() {
    let server = Server::start().await;
    let me = server.get("/v1/me").bearer(&server.machine).send().await.ok(200);
    assert_eq!(
        (&me["role"], &me["scopes"]),
        (&json!("member"), &json!(["rekey", "share"]))
    );
    let me = server.get("/v1/me").bearer(&server.admin).send().await.ok(200);
    assert_eq!((&me["role"], &me["scopes"]), (&json!("admin"), &json!(["admin"])));
}
