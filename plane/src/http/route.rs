//! How a route is declared. A route has a credential or it does not exist: only [`Unguarded::takes`] leads from a
//! path to something with a handler.
//!
//! The declaration mounts the route and describes it, so the OpenAPI document can't differ from what is served.

use std::future::Future;
use std::marker::PhantomData;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::routing::{MethodFilter, MethodRouter, on};
use utoipa::openapi::path::{HttpMethod, Operation, OperationBuilder};

use super::app::App;
use super::body::{BodyLimit, Json, JsonOrNothing, NoBody, RequestBody};
use super::call::{Call, Declared, Handled, carry_out};
use super::credential::{Caller, Takes};
use super::openapi::{self, Schemas};
use super::path::FromPath;
use super::query::{NoQuery, Query};
use super::reply::Reply;

/// A route, ready to be mounted, with its description.
pub(super) struct Route {
    pub(super) method: HttpMethod,
    pub(super) path: &'static str,
    pub(super) operation: Operation,
    pub(super) schemas: Schemas,
    pub(super) handler: MethodRouter<App>,
}

/// A path without a credential: not a route yet.
pub(super) struct Unguarded {
    method: HttpMethod,
    path: &'static str,
    about: &'static str,
}

/// A read.
pub(super) fn get(path: &'static str, about: &'static str) -> Unguarded {
    Unguarded {
        method: HttpMethod::Get,
        path,
        about,
    }
}

/// A call that makes or changes something.
pub(super) fn post(path: &'static str, about: &'static str) -> Unguarded {
    Unguarded {
        method: HttpMethod::Post,
        path,
        about,
    }
}

/// A call that sets something.
pub(super) fn put(path: &'static str, about: &'static str) -> Unguarded {
    Unguarded {
        method: HttpMethod::Put,
        path,
        about,
    }
}

/// A call that ends something.
pub(super) fn delete(path: &'static str, about: &'static str) -> Unguarded {
    Unguarded {
        method: HttpMethod::Delete,
        path,
        about,
    }
}

impl Unguarded {
    /// Declares the credential.
    pub(super) fn takes<C: Caller>(self, credential: Takes<C>) -> Guarded<C> {
        Guarded {
            at: self,
            demand: credential.0,
            limit: BodyLimit::Other,
            rest: PhantomData,
        }
    }
}

/// A path with its credential; by default without query and without fields in the body.
pub(super) struct Guarded<C: Caller, B = NoBody, Q = NoQuery> {
    at: Unguarded,
    demand: C::Demand,
    limit: BodyLimit,
    rest: PhantomData<fn() -> (B, Q)>,
}

impl<C: Caller, B, Q> Guarded<C, B, Q> {
    /// Declares the names of the query.
    pub(super) fn query<N: Query>(self) -> Guarded<C, B, N> {
        Guarded {
            at: self.at,
            demand: self.demand,
            limit: self.limit,
            rest: PhantomData,
        }
    }

    /// Declares a JSON body and how large it may be.
    pub(super) fn json<T>(self, limit: BodyLimit) -> Guarded<C, Json<T>, Q> {
        Guarded {
            at: self.at,
            demand: self.demand,
            limit,
            rest: PhantomData,
        }
    }
}

impl<C: Caller, B, Q> Guarded<C, B, Q> {
    /// Declares a JSON body that may be left out, and how large it may be.
    pub(super) fn json_or_nothing<T>(self, limit: BodyLimit) -> Guarded<C, JsonOrNothing<T>, Q> {
        Guarded {
            at: self.at,
            demand: self.demand,
            limit,
            rest: PhantomData,
        }
    }
}

impl<C: Caller, B: RequestBody, Q: Query> Guarded<C, B, Q> {
    /// Declares who carries it out.
    pub(super) fn to<P, R, F, H>(self, handler: H) -> Route
    where
        P: FromPath,
        R: Reply + Send + 'static,
        F: Future<Output = Handled<R>> + Send + 'static,
        H: Fn(Call<C, B, Q, P>) -> F + Clone + Send + Sync + 'static,
    {
        let Unguarded { method, path, about } = self.at;
        let declared = Declared {
            template: path,
            demand: self.demand,
            body: self.limit,
        };
        let mut schemas = Schemas::default();
        let operation = OperationBuilder::new()
            .operation_id(Some(openapi::operation_id(&method, path)))
            .tag(openapi::tag(path))
            .summary(Some(about))
            .parameters(Some(P::described().into_iter().chain(Q::described())))
            .request_body(B::described(&mut schemas))
            .responses(openapi::responses(R::described(&mut schemas), &mut schemas))
            .securities(Some(C::described(self.demand)))
            .build();
        let filter = match method {
            HttpMethod::Post => MethodFilter::POST,
            HttpMethod::Put => MethodFilter::PUT,
            HttpMethod::Delete => MethodFilter::DELETE,
            _ => MethodFilter::GET,
        };
        let handler = on(filter, move |State(app): State<App>, request: Request<Body>| {
            carry_out(app, request, declared, handler.clone())
        });
        Route {
            method,
            path,
            operation,
            schemas,
            handler,
        }
    }
}
