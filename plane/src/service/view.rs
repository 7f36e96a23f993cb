//! `GET /v1/sessions/{id}`: where the session stands, and its sealed title.

use wire::api::SessionView;

use super::{Answer, Service, ServiceError, SessionCaller};
use crate::store::{session, titles};

impl Service {
    /// `GET /v1/sessions/{id}`
    ///
    /// # Errors
    /// `Unauthorized`: the session is gone.
    pub async fn view(&self, by: &SessionCaller) -> Answer<SessionView> {
        let mut tx = self.shared.store.begin_read().await?;
        let row = session::load(&mut tx.on(), by.session_id)
            .await?
            .ok_or(ServiceError::Unauthorized)?;
        let title = titles::find(&mut tx.on(), by.session_id).await?;
        drop(tx);
        Ok(SessionView {
            state: self.shared.state_for(&row, by.into()),
            title,
        })
    }
}
