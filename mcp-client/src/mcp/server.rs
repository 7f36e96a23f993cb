//! The protocol's requests, answered: both eras, tools, and nothing that touches network or disk before a tool is called.

use std::path::PathBuf;
use std::sync::{Arc, Once, OnceLock};

use rmcp::ServerHandler;
#[allow(deprecated, reason = "hosts in use still set a log level")]
use rmcp::model::SetLevelRequestParams;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomRequest, CustomResult,
    ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::model::{
    ConstString, GetPromptRequestMethod, ListPromptsRequestMethod, ListResourceTemplatesRequestMethod,
    ListResourcesRequestMethod, ReadResourceRequestMethod, SubscribeRequestMethod, UnsubscribeRequestMethod,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use tokio_util::sync::CancellationToken;
use wire::ids::SessionId;

use super::background::Background;
use super::call;
use super::consent::Questions;
use super::delivery::Deliveries;
use super::groups::Shown;
use super::host::CallHost;
use super::subscriptions::Subscriptions;
use super::toolbox::Entry;
use super::{parameters, prompts, resources};
use crate::folder;
use crate::home::{Environment, Home};
use crate::verbs::{self, App, Failure};

/// The server's side of one connection.
pub(crate) struct SessionServer {
    app: OnceLock<Result<Arc<App>, Failure>>,
    folder: OnceLock<Arc<Option<PathBuf>>>,
    shown: Shown,
    deliveries: Deliveries,
    questions: Questions,
    closing: CancellationToken,
    input_ended: CancellationToken,
    subscriptions: Subscriptions,
    background: Background,
    kept: Once,
}

impl SessionServer {
    /// A server that shows this. Calls that still run when `closing` fires are brought to their end, and who listens is
    /// told no more once the input has ended.
    pub(crate) fn new(
        shown: Shown,
        deliveries: Deliveries,
        closing: CancellationToken,
        input_ended: CancellationToken,
    ) -> Self {
        let subscriptions = Subscriptions::default();
        Self {
            app: OnceLock::new(),
            folder: OnceLock::new(),
            shown,
            deliveries,
            questions: Questions::default(),
            closing,
            input_ended,
            background: Background::new(subscriptions.clone()),
            subscriptions,
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

    /// Prompts and resources are there with the tools of sessions alone.
    fn about_sessions<M: ConstString>(&self) -> Result<(), ErrorData> {
        match self.shown.sessions {
            true => Ok(()),
            false => Err(ErrorData::method_not_found::<M>()),
        }
    }

    fn look(&self) -> Result<Arc<App>, ErrorData> {
        self.app().map_err(|failure| resources::refused(&failure))
    }

    /// The newest message of a session that somebody begins to follow, who hears of later ones from then on.
    async fn followed(&self, session: &SessionId) -> Result<u64, ErrorData> {
        let app = self.look()?;
        let newest = app.newest_by_others(session, self.folder().as_deref()).await;
        let newest = newest.map_err(|failure| resources::refused(&failure))?;
        self.background.called(&app, &self.closing);
        Ok(newest)
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

fn closing() -> ErrorData {
    ErrorData::internal_error("the connection is being closed; nothing was lost", None)
}

impl ServerHandler for SessionServer {
    fn get_info(&self) -> ServerConfig {
        let about =
            Implementation::new("devpilot-session", env!("CARGO_PKG_VERSION")).with_title("DevPilot session");
        let tools = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.shown.sessions {
            true => tools
                .enable_prompts()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
            false => tools.build(),
        };
        ServerConfig::new(capabilities)
            .with_server_info(about)
            .with_instructions(self.shown.instructions.clone())
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.keep_program();
        Ok(ListToolsResult::with_all_items(self.shown.toolbox.list()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shown.toolbox.get(name).map(Entry::tool)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.shown.toolbox.get(&request.name) else {
            if self.shown.toolbox.leaves_out(&request.name) {
                return Ok(call::left_out(&request.name).into());
            }
            let message = format!("there is no tool `{}` here", verbs::repeated(&request.name));
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

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.about_sessions::<ListPromptsRequestMethod>()?;
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.about_sessions::<GetPromptRequestMethod>()?;
        Ok(prompts::get(&request)?.into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.about_sessions::<ListResourcesRequestMethod>()?;
        let there = self
            .look()?
            .transcripts()
            .map_err(|failure| resources::refused(&failure))?;
        Ok(ListResourcesResult::with_all_items(resources::list(there)))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.about_sessions::<ListResourceTemplatesRequestMethod>()?;
        Ok(ListResourceTemplatesResult::with_all_items(vec![
            resources::template(),
        ]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.about_sessions::<ReadResourceRequestMethod>()?;
        let session = resources::session(&request.uri).ok_or_else(resources::not_found)?;
        let (app, folder) = (self.look()?, self.folder());
        let reading = app.transcript(&session, folder.as_deref());
        let ended = tokio::select! {
            ended = reading => ended,
            () = self.closing.cancelled() => return Err(closing()),
            () = context.ct.cancelled() => return Err(closing()),
        };
        let transcript = ended.map_err(|failure| resources::refused(&failure))?;
        Ok(resources::contents(request.uri, &transcript).into())
    }

    /// Up to 2025-11-25.
    #[allow(deprecated, reason = "what hosts in use send")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.about_sessions::<SubscribeRequestMethod>()?;
        let session = resources::session(&request.uri).ok_or_else(resources::not_found)?;
        let newest = self.followed(&session).await?;
        match self.subscriptions.subscribe(context.peer, session, newest) {
            true => Ok(()),
            false => Err(ErrorData::invalid_request("too many subscriptions", None)),
        }
    }

    /// Up to 2025-11-25.
    #[allow(deprecated, reason = "what hosts in use send")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.about_sessions::<UnsubscribeRequestMethod>()?;
        let session = resources::session(&request.uri).ok_or_else(resources::not_found)?;
        self.subscriptions.unsubscribe(&session);
        Ok(())
    }

    /// From 2026-07-28 on: transcripts that this machine has; lists do not announce that they changed.
    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        if !self.shown.sessions {
            return None;
        }
        let wanted = requested.resource_subscriptions.iter().flatten();
        let there = self
            .look()
            .ok()
            .and_then(|app| app.transcripts().ok())
            .unwrap_or_default();
        let accepted = wanted.filter(|uri| {
            resources::session(uri).is_some_and(|id| there.iter().any(|item| item.session == id))
        });
        let accepted = SubscriptionFilter::builder().resource_subscriptions(accepted.cloned());
        Some(accepted.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let accepted = context.accepted().resource_subscriptions.iter().flatten();
        let mut sessions = Vec::new();
        for session in accepted.filter_map(|uri| resources::session(uri)) {
            sessions.push((session, self.followed(&session).await?));
        }
        let _listening = self.subscriptions.listen(context.sink().clone(), sessions);
        tokio::select! {
            () = context.cancelled() => {}
            () = self.input_ended.cancelled() => {}
            () = self.closing.cancelled() => {}
        }
        Ok(())
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

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(parameters::refused(&request, self.shown.sessions))
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
