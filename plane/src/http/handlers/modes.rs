//! Modes (`plane-api.md`, Modes).

use wire::api;

use crate::http::body::Json;
use crate::http::call::{Call, Handled};
use crate::http::reply::Found;
use crate::service::SessionCaller;

pub(in crate::http) async fn set(
    call: Call<SessionCaller, Json<api::SetMode>>,
) -> Handled<Found<api::StateAnswer>> {
    Ok(Found(
        call.app.service().set_mode(&call.caller, call.body.0).await?,
    ))
}
