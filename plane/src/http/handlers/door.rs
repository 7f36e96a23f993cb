//! The door (`plane-api.md`, Sessions).

use wire::api;
use wire::ids::{ParticipantId, SessionId};

use crate::http::body::{Json, NoBody};
use crate::http::call::{Call, Handled};
use crate::http::query::NoQuery;
use crate::http::reply::Found;
use crate::service::OwnerCaller;

pub(in crate::http) async fn see(call: Call<OwnerCaller, NoBody>) -> Handled<Found<api::Door>> {
    Ok(Found(call.app.service().door(&call.caller, call.path).await?))
}

pub(in crate::http) async fn set(call: Call<OwnerCaller, Json<api::SetDoor>>) -> Handled<Found<api::Door>> {
    let door = call
        .app
        .service()
        .set_door(&call.caller, call.path, call.body.0)
        .await?;
    Ok(Found(door))
}

pub(in crate::http) async fn decide(
    call: Call<OwnerCaller, Json<api::Decide>, NoQuery, (SessionId, ParticipantId)>,
) -> Handled<Found<api::Nothing>> {
    let (session, who) = call.path;
    call.app
        .service()
        .decide(&call.caller, session, who, call.body.0)
        .await?;
    Ok(Found(api::Nothing {}))
}
