//! The protocol's requests, answered: both eras, tools, and nothing that touches network or disk before a tool is called.

use std::path::PathBuf;
use std::sync::{Arc, Once, OnceLock};

use rmcp::ServerHandler;
#[allow(deprecated, reason = "hosts in use still set a log level")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio_util::sync::CancellationToken;

use super::background::Background;
use super::call;
use super::consent::Questions;
use super::delivery::Deliveries;
use super::host::CallHost;
use super::toolbox::{Entry, Toolbox};
use crate::folder;
use crate::home::{Environment, Home};
use crate::redact;
use crate::verbs::{App, Failure};

/// The server's side of one connection.
pub(crate) struct SessionServer {
    app: OnceLock<Result<Arc<App>, Failure>>,
    folder: OnceLock<Arc<Option<PathBuf>>>,
    instructions: String,
    toolbox: Toolbox,
    deliveries: Deliveries,
    questions: Questions,
    closing: CancellationToken,
    background: Background,
    kept: Once,
}

impl SessionServer {
    /// A server of these tools. Calls that still run when `closing` fires are brought to their end.
    pub(crate) fn new(
        instructions: String,
        toolbox: Toolbox,
        deliveries: Deliveries,
        closing: CancellationToken,
    ) -> Self {
        Self {
            app: OnceLock::new(),
            folder: OnceLock::new(),
            instructions,
            toolbox,
            deliveries,
            questions: Questions::default(),
            closing,
            background: Background::new(),
            kept: Once::new(),
        }
    }

    /// Keeps this program where commands in answers name it. Once, in the background, after the handshake: a host
    /// that only looks whether the server starts leaves nothing behind.
    fn keep_program(&self) {
        self.kept.call_once(|| {
            tokio::task::spawn_blocking(|| {
                let home = Home::from_environment(&Environment::process());
                let kept = std::env::current_exe()
                    .map_err(|source| source.to_string())
                    .and_then(|program| {
                        home.and_then(|home| home.keep_program(&program))
                            .map_err(|error| error.to_string())
                    });
                if let Err(error) = kept {
                    tracing::warn!(error, "the program could not be kept in the home folder");
                }
            });
        });
    }

    /// Made at the first call: a setting that can't be understood is then told to the model, where somebody sees it.
    fn app(&self) -> Result<Arc<App>, Failure> {
        self.app
            .get_or_init(|| App::from_environment().map(Arc::new))
            .clone()
    }

    fn folder(&self) -> Arc<Option<PathBuf>> {
        self.folder
            .get_or_init(|| Arc::new(folder::of_this_process()))
            .clone()
    }

    async fn answer(
        &self,
        entry: &Entry,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let arguments = request.arguments;
        let answers = self.questions.take(
            &request.name,
            arguments.as_ref(),
            request.request_state.as_deref(),
            request.input_responses.as_ref(),
        );
        let id = context.id.clone();
        let host = Arc::new(CallHost::new(context, self.folder(), answers));
        let app = self.app();
        if let Ok(app) = &app {
            self.background.called(app, &self.closing);
        }
        let finished = call::run(entry, app, arguments.clone(), host.clone(), &self.closing).await;
        if let Some((question, earlier)) = host.deferred() {
            return self
                .questions
                .put(&request.name, arguments.as_ref(), &question, earlier)
                .into();
        }
        if let Some(due) = finished.due {
            self.deliveries.attach(&id, due);
        }
        if host.abandoned() {
            self.deliveries.forget(&id);
        }
        finished.result.into()
    }
}

impl ServerHandler for SessionServer {
    fn get_info(&self) -> ServerConfig {
        let about =
            Implementation::new("devpilot-session", env!("CARGO_PKG_VERSION")).with_title("DevPilot session");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(about)
            .with_instructions(self.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.keep_program();
        Ok(ListToolsResult::with_all_items(self.toolbox.list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.toolbox.get(name).map(|entry| entry.tool().clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.toolbox.get(&request.name) else {
            if self.toolbox.leaves_out(&request.name) {
                return Ok(call::left_out(&request.name).into());
            }
            let message = format!("there is no tool `{}` here", redact::text(&request.name));
            return Err(ErrorData::invalid_params(message, None));
        };
        let id = context.id.clone();
        self.deliveries.settled().await;
        if !self.deliveries.begin(&id) {
            return Err(ErrorData::invalid_request(
                "a request with this id is still being answered; ids must be unique",
                None,
            ));
        }
        Ok(self.answer(entry, request, context).await)
    }

    /// Hosts set a level without asking whether there is one. Nothing is ever sent, so every level is kept to.
    #[allow(deprecated, reason = "hosts in use still send it")]
    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn on_cancelled(
        &self,
        cancelled: CancelledNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) {
        if let Some(id) = cancelled.request_id {
            self.deliveries.forget(&id);
        }
    }
}
