//! Orgs, machines, people (`plane-api.md`, Orgs, machines, people).

use wire::api;

use crate::http::body::NoBody;
use crate::http::call::{Call, Handled};
use crate::http::query::NoQuery;
use crate::http::reply::Found;
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
