//! All calls of the plane, top to bottom: method and path, what it is for, the credential it takes, the names its
//! query may have, its body with the limit on it, and who carries it out.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::Method;
use wire::api;

use super::app::{App, MetricsAt};
use super::body::{Arriving, BodyLimit};
use super::credential::{
    full_session, human_session, machine, nobody_in_particular, poster, session, session_or_machine,
};
use super::edge::edge;
use super::file::Wanted;
use super::handlers::{door, modes, orgs, pages, participants, records, service, sessions};
use super::query::{EndQuery, EventsQuery, ProfilesQuery, ReadQuery};
use super::refusal::Refusal;
use super::reply::Reply as _;
use super::route::{Route, delete, get, post, put};
use crate::service::Scope::{Admin, Rekey, Share};

/// The page that a machine's code is shown with.
pub(super) const CONNECT_PAGE: &str = "/connect";

/// The API (`plane-api.md`).
#[rustfmt::skip]
pub(super) fn api() -> Vec<Route> {
    vec![
        // Sessions
        post("/v1/sessions", "Create a session")
            .takes(machine(&[Share])).json::<api::Create>(BodyLimit::Create).to(sessions::create),
        get("/v1/sessions/{session_id}", "See the session's state and title")
            .takes(session()).to(sessions::view),
        delete("/v1/sessions/{session_id}", "End the session")
            .takes(machine(&[Rekey, Admin])).query::<EndQuery>().to(sessions::end),
        put("/v1/sessions/{session_id}/title", "Set the sealed title")
            .takes(full_session()).json::<api::SetTitle>(BodyLimit::Other).to(sessions::set_title),
        post("/v1/sessions/{session_id}/participants", "Join or return; the body carries the proof")
            .takes(nobody_in_particular()).json::<api::Join>(BodyLimit::Other).to(participants::join),
        post("/v1/sessions/{session_id}/rejoin", "Ask for the epoch records since; the body carries the rejoin secret")
            .takes(nobody_in_particular()).json::<api::Rejoin>(BodyLimit::Other).to(participants::rejoin),
        get("/v1/sessions/{session_id}/participants", "See who is here")
            .takes(session()).query::<ProfilesQuery>().to(participants::list),
        post("/v1/sessions/{session_id}/leave", "Leave")
            .takes(session()).to(participants::leave),
        post("/v1/sessions/{session_id}/rekey", "Start the next epoch, which ends the link and every token")
            .takes(machine(&[Rekey, Admin])).json::<api::Rekey>(BodyLimit::Create).to(sessions::rekey),

        // The door
        get("/v1/sessions/{session_id}/door", "See who may come in and who knocks")
            .takes(session_or_machine(&[Rekey, Admin])).to(door::see),
        put("/v1/sessions/{session_id}/door", "Open the door, close it, or have newcomers knock")
            .takes(session_or_machine(&[Rekey, Admin])).json::<api::SetDoor>(BodyLimit::Other).to(door::set),
        post("/v1/sessions/{session_id}/door/{participant_id}", "Admit or refuse somebody who knocks")
            .takes(session_or_machine(&[Rekey, Admin])).json::<api::Decide>(BodyLimit::Other).to(door::decide),

        // The transcript. A view token may not post either; the service says so after what comes first in the order
        // of checks (a retry of a stored message, the end of the session, the epoch).
        post("/v1/sessions/{session_id}/records", "Append a sealed message")
            .takes(poster()).json::<api::Post>(BodyLimit::Records).to(records::post),
        get("/v1/sessions/{session_id}/records", "Read records, or wait for new ones")
            .takes(session()).query::<ReadQuery>().to(records::read),
        get("/v1/sessions/{session_id}/events", "Follow the session live; server-sent events, for people")
            .takes(human_session()).query::<EventsQuery>().to(records::events),

        // Modes
        post("/v1/sessions/{session_id}/mode", "Set observe or relay")
            .takes(full_session()).json::<api::SetMode>(BodyLimit::Other).to(modes::set),
        post("/v1/sessions/{session_id}/auto", "Propose auto")
            .takes(full_session()).json::<api::Propose>(BodyLimit::Other).to(modes::propose),
        post("/v1/sessions/{session_id}/auto/accept", "Accept the proposal")
            .takes(full_session()).json::<api::ProposalRef>(BodyLimit::Other).to(modes::accept),
        post("/v1/sessions/{session_id}/auto/decline", "Decline the proposal")
            .takes(full_session()).json::<api::ProposalRef>(BodyLimit::Other).to(modes::decline),
        post("/v1/sessions/{session_id}/auto/stop", "Stop auto; open to everybody who may see the session")
            .takes(session_or_machine(&[Rekey, Admin])).to(modes::stop),

        // Orgs, machines, people
        post("/v1/connect", "Ask to connect this machine; somebody approves it by the code that is answered")
            .takes(nobody_in_particular()).json_or_nothing::<api::Connect>(BodyLimit::Other).to(orgs::connect),
        post("/v1/connect/token", "Ask for the token of a machine that was approved; the body carries its code")
            .takes(nobody_in_particular()).json::<api::ConnectToken>(BodyLimit::Other).to(orgs::connect_token),
        get("/v1/me", "See whose token this is")
            .takes(machine(&[])).to(orgs::me),
    ]
}

/// Service routes (`plane-api.md`, Service).
#[rustfmt::skip]
pub(super) fn service_routes(metrics_at: MetricsAt) -> Vec<Route> {
    let mut routes = vec![
        get("/healthz", "See whether the process is up")
            .takes(nobody_in_particular()).to(service::healthz),
        get("/readyz", "See whether requests can be served")
            .takes(nobody_in_particular()).to(service::readyz),
        get("/v1/openapi.json", "This document")
            .takes(nobody_in_particular()).to(service::openapi),
        get("/v1/assets.json", "The hashes of what browsers get, to be compared with a build of one's own")
            .takes(nobody_in_particular()).to(service::assets),
    ];
    if metrics_at == MetricsAt::Here {
        routes.push(metrics());
    }
    routes
}

/// The figures, for a listener of their own as well.
#[rustfmt::skip]
pub(super) fn metrics() -> Route {
    get("/metrics", "Figures for Prometheus")
        .takes(nobody_in_particular()).to(service::metrics)
}

/// Pages for people, and what they load. Not in the OpenAPI document.
#[rustfmt::skip]
pub(super) fn pages() -> Vec<Route> {
    vec![
        get("/", "What this is")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::landing),
        get("/s", "A link without its session")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::session),
        get("/s/", "A link without its session")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::session),
        get("/s/{*rest}", "The page behind a link")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::session),
        get("/S/{*rest}", "The page behind a link that a program wrote in capitals")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::session),
        get(CONNECT_PAGE, "What a machine's code is for")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::connect),
        get("/assets/{name}", "Scripts, styles and images")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::asset),
        get("/favicon.svg", "The icon")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::asset),
        get("/favicon.ico", "The icon, where browsers look for it")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::asset),
        get("/robots.txt", "Nothing here is for search engines")
            .takes(nobody_in_particular()).query::<Wanted>().to(pages::asset),
    ]
}

/// What is not there: a page where a browser opens it, and a problem for whatever means the API.
async fn no_route(State(app): State<App>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    Arriving::new(body, &parts.headers).discard().await;
    let is_opened =
        matches!(parts.method, Method::GET | Method::HEAD) && !parts.uri.path().starts_with("/v1/");
    let page = is_opened.then(|| pages::missing(app.files(), Wanted::by(&parts.headers)));
    match page.flatten() {
        Some(page) => page.into_response(),
        None => Refusal::NoRoute.into_response(),
    }
}

/// Mounts routes. Whatever is not among them, by path or by method, is `not_found`.
pub(super) fn mounted(routes: Vec<Route>, app: App) -> Router {
    let mut router = Router::new();
    for route in routes {
        router = router.route(route.path, route.handler);
    }
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_route)
        .layer(axum::middleware::from_fn_with_state(app.clone(), edge))
        .with_state(app)
}

#[cfg(test)]
mod tests;
