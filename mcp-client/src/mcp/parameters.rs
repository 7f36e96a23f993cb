//! A request of the protocol whose parameters are not those of its method: what they have to be.
//!
//! The library reads such a request as one of a method it does not know.

use rmcp::model::{CustomRequest, ErrorCode, ErrorData};

use crate::verbs;

/// Why a request that the library could not read is refused. `sessions`: whether prompts and resources are there.
pub(super) fn refused(request: &CustomRequest, sessions: bool) -> ErrorData {
    let method = request.method.as_str();
    let needed = match method {
        "tools/call" => Some("`name`, a string, and may have `arguments`, an object"),
        "prompts/get" if sessions => Some("`name`, a string, and may have `arguments`, an object"),
        "resources/read" | "resources/subscribe" | "resources/unsubscribe" if sessions => {
            Some("`uri`, a string: resources/list names those there are")
        }
        _ => None,
    };
    match needed {
        Some(needed) => ErrorData::invalid_params(format!("{method} needs {needed}"), None),
        None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, verbs::repeated(method), None),
    }
}
