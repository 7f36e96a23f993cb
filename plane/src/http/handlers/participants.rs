//! Coming, being listed, going (`plane-api.md`, Sessions).

use wire::api;

use crate::http::body::{Json, NoBody};
use crate::http::call::{Call, Handled};
use crate::http::credential::Stranger;
use crate::http::query::ProfilesQuery;
use crate::http::reply::Found;
use crate::service::{JoinOutcome, SessionCaller};

pub(in crate::http) async fn join(call: Call<Stranger, Json<api::Join>>) -> Handled<JoinOutcome> {
    Ok(call.app.service().join(call.path, call.from, call.body.0).await?)
}

pub(in crate::http) async fn rejoin(
    call: Call<Stranger, Json<api::Rejoin>>,
) -> Handled<Found<api::EpochRecords>> {
    Ok(Found(
        call.app
            .service()
            .rejoin(call.path, call.from, call.body.0)
            .await?,
    ))
}

pub(in crate::http) async fn list(
    call: Call<SessionCaller, NoBody, ProfilesQuery>,
) -> Handled<Found<api::Participants>> {
    let from_epoch = call.query.profiles_from_epoch;
    Ok(Found(
        call.app.service().participants(&call.caller, from_epoch).await?,
    ))
}

pub(in crate::http) async fn leave(call: Call<SessionCaller>) -> Handled<Found<api::Nothing>> {
    call.app.service().leave(&call.caller).await?;
    Ok(Found(api::Nothing {}))
}
