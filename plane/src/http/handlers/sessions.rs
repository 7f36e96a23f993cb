//! Sessions as a whole (`plane-api.md`, Sessions).

use wire::api;

use crate::http::body::{Json, NoBody};
use crate::http::call::{Call, Handled};
use crate::http::query::{EndQuery, NoQuery};
use crate::http::reply::Found;
use crate::service::{MachineCaller, Outcome, SessionCaller};

pub(in crate::http) async fn create(
    call: Call<MachineCaller, Json<api::Create>, NoQuery, ()>,
) -> Handled<Outcome<api::Created>> {
    Ok(call.app.service().create(&call.caller, call.body.0).await?)
}

pub(in crate::http) async fn view(call: Call<SessionCaller>) -> Handled<Found<api::SessionView>> {
    Ok(Found(call.app.service().view(&call.caller).await?))
}

pub(in crate::http) async fn end(
    call: Call<MachineCaller, NoBody, EndQuery>,
) -> Handled<Found<api::Nothing>> {
    call.app
        .service()
        .end(&call.caller, call.path, call.query.purge)
        .await?;
    Ok(Found(api::Nothing {}))
}

pub(in crate::http) async fn set_title(
    call: Call<SessionCaller, Json<api::SetTitle>>,
) -> Handled<Found<api::StateAnswer>> {
    Ok(Found(
        call.app.service().set_title(&call.caller, call.body.0).await?,
    ))
}

pub(in crate::http) async fn rekey(
    call: Call<MachineCaller, Json<api::Rekey>>,
) -> Handled<Outcome<api::Rekeyed>> {
    Ok(call
        .app
        .service()
        .rekey(&call.caller, call.path, call.body.0)
        .await?)
}
