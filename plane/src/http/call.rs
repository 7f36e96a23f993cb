//! The way of every request: query names, credential, path, query values, body, handler, answer. One function, so
//! that no route can take a short cut.

use std::future::Future;
use std::net::IpAddr;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::header;
use http::request::Parts;
use wire::ids::SessionId;

use super::app::App;
use super::body::{Arriving, BodyLimit, NoBody, RequestBody};
use super::credential::{Bearer, Caller};
use super::edge::{ClientAddress, Subject};
use super::path::{self, FromPath};
use super::query::{NoQuery, Pairs, Query};
use super::refusal::Refusal;
use super::reply::Reply;
use crate::service::ServiceError;

/// What a handler gets.
pub(super) struct Call<C, B = NoBody, Q = NoQuery, P = SessionId> {
    /// Who asks.
    pub(super) caller: C,
    /// The body.
    pub(super) body: B,
    /// The query.
    pub(super) query: Q,
    /// The ids of the path.
    pub(super) path: P,
    /// From where.
    pub(super) from: IpAddr,
    /// The plane.
    pub(super) app: App,
}

/// What a handler hands back.
pub(super) type Handled<R> = Result<R, Refusal>;

/// What the route table declares, as far as requests meet it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared<D> {
    pub(super) template: &'static str,
    pub(super) demand: D,
    pub(super) body: BodyLimit,
}

/// Takes a request to its handler, and the handler's word back.
///
/// Not an `async fn`, and the way to the handler in a box of its own: else the future that is left while the handler waits
/// would have the room of all that came before.
pub(super) fn carry_out<C, B, Q, P, R, F>(
    app: App,
    request: Request<Body>,
    declared: Declared<C::Demand>,
    handler: impl FnOnce(Call<C, B, Q, P>) -> F + Send,
) -> impl Future<Output = Response> + Send
where
    C: Caller,
    B: RequestBody,
    Q: Query,
    P: FromPath,
    R: Reply + Send,
    F: Future<Output = Handled<R>> + Send,
{
    let admitted = Box::pin(async move {
        let (parts, body) = request.into_parts();
        let mut body = Arriving::new(body, &parts.headers);
        let call = admit::<C, B, Q, P>(app, &parts, &mut body, declared).await;
        (call, body)
    });
    async move {
        let (admitted, mut body) = admitted.await;
        let (subject, outcome) = match admitted {
            Ok(call) => (call.caller.subject(), handler(call).await),
            Err(refusal) => (Subject::Nobody, Err(refusal)),
        };
        let mut response = match outcome {
            Ok(reply) => reply.into_response(),
            Err(refusal) => {
                Box::pin(body.discard()).await;
                refusal.into_response()
            }
        };
        response.extensions_mut().insert(subject);
        response
    }
}

async fn admit<C: Caller, B: RequestBody, Q: Query, P: FromPath>(
    app: App,
    parts: &Parts,
    body: &mut Arriving,
    declared: Declared<C::Demand>,
) -> Result<Call<C, B, Q, P>, Refusal> {
    // The service routes go on answering, so that a load balancer sees what is going on.
    if app.is_draining() && declared.template.starts_with("/v1/") {
        return Err(ServiceError::Draining.into());
    }
    let pairs = Pairs::of(parts.uri.query(), Q::NAMES)?;
    let session = path::session_id(declared.template, parts.uri.path());
    let bearer = Bearer::of(&parts.headers);
    let caller = C::identify(app.service(), bearer, session, declared.demand).await?;
    let asked = async {
        let path = P::read(declared.template, &parts.uri)?;
        let query = Q::read(&pairs, &parts.headers)?;
        let bytes = body.read(declared.body, app.limits()).await?;
        let body = B::read(parts.headers.get(header::CONTENT_TYPE), &bytes)?;
        Ok::<_, Refusal>((path, query, body))
    };
    let (path, query, body) = match asked.await {
        Ok(asked) => asked,
        Err(refusal) => {
            caller.confirm(app.service()).await?;
            return Err(refusal);
        }
    };
    let from = ClientAddress::of(parts);
    Ok(Call {
        caller,
        body,
        query,
        path,
        from,
        app,
    })
}
