//! Getting a machine its token (device login).

use reqwest::Method;
use wire::api::{Connect, ConnectToken, Connected, Connecting};
use wire::encoding::Secret32;

use super::{BODY_MAX, Plane};
use crate::plane::{Deadline, PlaneError};

impl Plane {
    /// Asks for a pair of codes. A request whose answer is lost leaves codes behind that lapse by themselves.
    ///
    /// # Errors
    /// What the plane or the way to it gives.
    pub async fn connect(
        &self,
        machine_name: Option<String>,
        until: Deadline,
    ) -> Result<Connecting, PlaneError> {
        let path = "/v1/connect".to_owned();
        let connect = Connect { machine_name };
        self.ask(Method::POST, path, None, &connect, BODY_MAX, until)
            .await
    }

    /// Asks once for the token; the caller keeps the interval.
    ///
    /// # Errors
    /// `authorization_pending`, `slow_down`, `access_denied`, `expired_token`; what the way to the plane gives. A token
    /// whose answer was lost is gone: the plane hands out one.
    pub async fn connect_token(
        &self,
        device_code: &Secret32,
        until: Deadline,
    ) -> Result<Connected, PlaneError> {
        let path = "/v1/connect/token".to_owned();
        let ask = ConnectToken {
            device_code: device_code.clone(),
        };
        let call = self.with_body(Method::POST, path, None, &ask, BODY_MAX)?;
        self.parse(&self.http.once(&call, until).await?)
    }
}
