//! Modes (`plane-api.md`, Modes).

use wire::api::{self, StateAnswer};

use crate::http::body::Json;
use crate::http::call::{Call, Handled};
use crate::http::reply::Found;
use crate::service::{OwnerCaller, SessionCaller};

pub(in crate::http) async fn set(
    call: Call<SessionCaller, Json<api::SetMode>>,
) -> Handled<Found<StateAnswer>> {
    Ok(Found(
        call.app.service().set_mode(&call.caller, call.body.0).await?,
    ))
}

pub(in crate::http) async fn propose(
    call: Call<SessionCaller, Json<api::Propose>>,
) -> Handled<Found<StateAnswer>> {
    Ok(Found(
        call.app.service().propose(&call.caller, call.body.0).await?,
    ))
}

pub(in crate::http) async fn accept(
    call: Call<SessionCaller, Json<api::ProposalRef>>,
) -> Handled<Found<StateAnswer>> {
    Ok(Found(call.app.service().accept(&call.caller, call.body.0).await?))
}

pub(in crate::http) async fn decline(
    call: Call<SessionCaller, Json<api::ProposalRef>>,
) -> Handled<Found<StateAnswer>> {
    Ok(Found(
        call.app.service().decline(&call.caller, call.body.0).await?,
    ))
}

pub(in crate::http) async fn stop(call: Call<OwnerCaller>) -> Handled<Found<StateAnswer>> {
    Ok(Found(call.app.service().stop(&call.caller, call.path).await?))
}
