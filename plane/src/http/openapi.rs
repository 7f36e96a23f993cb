//! The OpenAPI document, made from the route table.

use std::collections::BTreeMap;

use utoipa::ToSchema;
use utoipa::openapi::path::{HttpMethod, Operation, PathsBuilder};
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, Paths, Ref,
    RefOr, Response, ResponseBuilder, ResponsesBuilder,
};
use wire::problem::Problem;

use super::credential::{MACHINE_SCHEME, SESSION_SCHEME};
use super::route::Route;

/// The answers of an operation: status and description.
pub(super) type Responses = Vec<(String, RefOr<Response>)>;

/// Schemas that operations refer to, by name.
#[derive(Default)]
pub(super) struct Schemas(BTreeMap<String, RefOr<Schema>>);

impl Schemas {
    /// Keeps the schema of `T` and of all it refers to; answers the reference.
    pub(super) fn reference<T: ToSchema>(&mut self) -> RefOr<Schema> {
        let mut inner = Vec::new();
        T::schemas(&mut inner);
        self.0.extend(inner);
        let name = T::name().into_owned();
        self.0.insert(name.clone(), T::schema());
        RefOr::Ref(Ref::from_schema_name(name))
    }
}

/// The answers of an operation, and the problem that every other status is.
pub(super) fn responses(good: Responses, schemas: &mut Schemas) -> utoipa::openapi::Responses {
    let content = ContentBuilder::new()
        .schema(Some(schemas.reference::<Problem>()))
        .build();
    let problem = ResponseBuilder::new()
        .description("Refused: a problem document (RFC 9457).")
        .content("application/problem+json", content)
        .build();
    ResponsesBuilder::new()
        .responses_from_iter(good)
        .response("default", problem)
        .build()
}

fn method_name(method: &HttpMethod) -> &'static str {
    match method {
        HttpMethod::Post => "post",
        HttpMethod::Put => "put",
        HttpMethod::Delete => "delete",
        _ => "get",
    }
}

/// A name of its own for each operation, from method and path.
pub(super) fn operation_id(method: &HttpMethod, path: &str) -> String {
    let words: Vec<&str> = path
        .split(|symbol: char| !symbol.is_ascii_alphanumeric())
        .filter(|word| !matches!(*word, "" | "v1" | "id"))
        .collect();
    format!("{}_{}", method_name(method), words.join("_"))
}

/// The chapter of a path.
pub(super) fn tag(path: &str) -> &'static str {
    match path {
        _ if path.ends_with("/records") || path.ends_with("/events") => "transcript",
        _ if path.ends_with("/mode") || path.contains("/auto") => "modes",
        _ if path.contains("/attachments") => "attachments",
        _ if path.starts_with("/v1/sessions") => "sessions",
        "/v1/openapi.json" => "service",
        _ if path.starts_with("/v1/") => "orgs",
        _ => "service",
    }
}

fn bearer(prefix: &str, text: &str) -> SecurityScheme {
    let mut scheme = Http::new(HttpAuthScheme::Bearer);
    scheme.bearer_format = Some(format!("{prefix} and 43 symbols of base64url"));
    scheme.description = Some(text.to_owned());
    SecurityScheme::Http(scheme)
}

/// The document of these routes.
pub(super) fn document<'a>(routes: impl Iterator<Item = &'a Route>) -> OpenApi {
    let mut paths = Paths::new();
    let mut schemas = BTreeMap::new();
    for route in routes {
        let operation: Operation = route.operation.clone();
        paths.add_path_operation(route.path, vec![route.method.clone()], operation);
        schemas.extend(route.schemas.0.clone());
    }
    let components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .security_scheme(
            SESSION_SCHEME,
            bearer(
                "dps_",
                "Bound to a session, a participant, a capability and an epoch.",
            ),
        )
        .security_scheme(
            MACHINE_SCHEME,
            bearer("dpm_", "A machine of an org's user, with scopes."),
        )
        .build();
    OpenApiBuilder::new()
        .info(
            InfoBuilder::new()
                .title("DevPilot session plane")
                .version(env!("CARGO_PKG_VERSION"))
                .description(Some(
                    "Relays ordered, end-to-end encrypted transcripts that it can't read. Unknown fields in requests are \
                     refused; readers of answers ignore what they don't know.",
                ))
                .license(Some(LicenseBuilder::new().name("MIT").build()))
                .build(),
        )
        .paths(PathsBuilder::from(paths).build())
        .components(Some(components))
        .build()
}
