//! The transcript (`plane-api.md`, The transcript).

use std::time::Duration;

use wire::api;

use crate::http::body::{Json, NoBody};
use crate::http::call::{Call, Handled};
use crate::http::page::FoundPage;
use crate::http::query::{EventsQuery, ReadQuery};
use crate::http::sse::Streaming;
use crate::service::{Outcome, Poster, SessionCaller};

pub(in crate::http) async fn post(call: Call<Poster, Json<api::Post>>) -> Handled<Outcome<api::Posted>> {
    Ok(call.app.service().post(&call.caller, call.body.0).await?)
}

pub(in crate::http) async fn read(call: Call<SessionCaller, NoBody, ReadQuery>) -> Handled<FoundPage> {
    let ReadQuery { after, limit, wait_s } = call.query;
    let service = call.app.service();
    let page = match wait_s {
        // Boxed, or every wait would have the room for it.
        None => Box::pin(service.read(&call.caller, after, limit)).await?,
        Some(seconds) => {
            service
                .wait(&call.caller, after, limit, Duration::from_secs(seconds))
                .await?
        }
    };
    Ok(FoundPage(page))
}

pub(in crate::http) async fn events(call: Call<SessionCaller, NoBody, EventsQuery>) -> Handled<Streaming> {
    let app = &call.app;
    let stream = app.service().events(&call.caller, call.query.after).await?;
    Ok(Streaming::new(stream, app.limits()))
}
