//! SKELETON: signatures only, to be filled and split by purpose.

use std::net::IpAddr;

use wire::api;
use wire::ids::SessionId;

use super::{MachineCaller, OwnerCaller, ServiceError, SessionCaller};

/// Result of a call.
pub type Answer<T> = Result<T, ServiceError>;

/// A join's outcome.
#[derive(Debug)]
pub enum JoinOutcome {
    /// In.
    Joined(Box<api::Joined>),
    /// At the door.
    Knocking(api::Knocking),
}

/// Whether a request made something new (201) or had been carried out before (200).
#[derive(Debug)]
pub enum Outcome<T> {
    /// New.
    New(T),
    /// Had been there.
    Again(T),
}

/// The plane's calls.
#[derive(Debug, Clone)]
pub struct Service;

#[allow(unused_variables, clippy::todo)]
impl Service {
    /// Looks a session token up under the path's session: unknown is `Unauthorized`, an older epoch `TokenRekeyed`.
    pub async fn session_caller(&self, session: SessionId, token: &[u8; 32]) -> Answer<SessionCaller> {
        todo!()
    }
    /// Looks a machine token up.
    pub async fn machine_caller(&self, token: &[u8; 32]) -> Answer<MachineCaller> {
        todo!()
    }
    /// `POST /v1/sessions`
    pub async fn create(&self, by: &MachineCaller, request: api::Create) -> Answer<Outcome<api::Created>> {
        todo!()
    }
    /// `GET /v1/sessions/{id}`
    pub async fn view(&self, by: &SessionCaller) -> Answer<api::SessionView> {
        todo!()
    }
    /// `PUT title`
    pub async fn set_title(&self, by: &SessionCaller, request: api::SetTitle) -> Answer<api::StateAnswer> {
        todo!()
    }
    /// `POST participants`; the address counts against the join rate.
    pub async fn join(&self, session: SessionId, from: IpAddr, request: api::Join) -> Answer<JoinOutcome> {
        todo!()
    }
    /// `POST rejoin`
    pub async fn rejoin(
        &self,
        session: SessionId,
        from: IpAddr,
        request: api::Rejoin,
    ) -> Answer<api::EpochRecords> {
        todo!()
    }
    /// `GET participants`
    pub async fn participants(
        &self,
        by: &SessionCaller,
        profiles_from_epoch: Option<u32>,
    ) -> Answer<api::Participants> {
        todo!()
    }
    /// `POST leave`
    pub async fn leave(&self, by: &SessionCaller) -> Answer<()> {
        todo!()
    }
    /// `DELETE`: owner user or org admin; a session the caller may not see is `NotFound`.
    pub async fn end(&self, by: &MachineCaller, session: SessionId, purge: bool) -> Answer<()> {
        todo!()
    }
    /// `POST records`: answers once durable.
    pub async fn post(&self, by: &SessionCaller, request: api::Post) -> Answer<Outcome<api::Posted>> {
        todo!()
    }
    /// `GET records` without `wait`
    pub async fn read(&self, by: &SessionCaller, after: u64, limit: u32) -> Answer<api::Page> {
        todo!()
    }
    /// `GET records` with `wait`; dropping the future frees its place.
    pub async fn wait(
        &self,
        by: &SessionCaller,
        after: u64,
        limit: u32,
        wait: std::time::Duration,
    ) -> Answer<api::Page> {
        todo!()
    }
    /// `POST mode`
    pub async fn set_mode(&self, by: &SessionCaller, request: api::SetMode) -> Answer<api::StateAnswer> {
        todo!()
    }
    /// `POST auto/stop` (route comes later)
    pub async fn stop(&self, by: &OwnerCaller, session: SessionId) -> Answer<api::StateAnswer> {
        todo!()
    }
    /// `GET /readyz`: store reachable and schema known.
    pub async fn ready(&self) -> Answer<()> {
        todo!()
    }
    /// Ends all waits ("draining, try again"), finishes open appends. Idempotent.
    pub async fn drain(&self) {
        todo!()
    }
}
