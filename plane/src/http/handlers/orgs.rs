//! Orgs, machines, people (`plane-api.md`, Orgs, machines, people).

use wire::api;

use crate::http::body::{Json, JsonOrNothing, NoBody};
use crate::http::call::{Call, Handled};
use crate::http::credential::Stranger;
use crate::http::query::NoQuery;
use crate::http::reply::Found;
use crate::http::routes::CONNECT_PAGE;
use crate::service::MachineCaller;

pub(in crate::http) async fn me(call: Call<MachineCaller, NoBody, NoQuery, ()>) -> Handled<Found<api::Me>> {
    let MachineCaller {
        user_id,
        org_id,
        role,
        scopes,
    } = call.caller;
    Ok(Found(api::Me {
        user: user_id,
        org: org_id,
        role: role.word().to_owned(),
        scopes: scopes.iter().map(|scope| scope.word().to_owned()).collect(),
    }))
}

pub(in crate::http) async fn connect(
    call: Call<Stranger, JsonOrNothing<api::Connect>, NoQuery, ()>,
) -> Handled<Found<api::Connecting>> {
    let origin = call.app.options().origin.as_deref().unwrap_or_default();
    let page = format!("{origin}{CONNECT_PAGE}");
    Ok(Found(
        call.app.service().connect(call.from, page, call.body.0).await?,
    ))
}

pub(in crate::http) async fn connect_token(
    call: Call<Stranger, Json<api::ConnectToken>, NoQuery, ()>,
) -> Handled<Found<api::Connected>> {
    Ok(Found(
        call.app.service().connect_token(call.from, &call.body.0).await?,
    ))
}
