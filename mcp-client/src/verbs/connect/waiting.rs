//! Waits for the yes and fetches the token (RFC 8628, 3.4 and 3.5).

use std::time::Duration;

use tokio::time::Instant;
use wire::encoding::Secret32;
use wire::problem::Code;

use super::{CALL_S, ConnectAnswer, ConnectCode, keeping, or_cancelled};
use crate::plane::{Origin, Plane, PlaneError, within};
use crate::verbs::app::App;
use crate::verbs::delivered::Delivered;
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::Host;
use crate::verbs::wording;

/// RFC 8628, 3.5: who is told to slow down waits so much longer from then on.
const SLOWER: Duration = Duration::from_secs(5);
/// How often the person sees that it goes on.
const SHOW_EVERY: Duration = Duration::from_secs(1);

/// A code that waits for a yes, and what the token is fetched with.
#[derive(Debug)]
pub struct Waiting {
    pub(super) origin: Origin,
    pub(super) device_code: Secret32,
    pub(super) interval: Duration,
    pub(super) ends: Instant,
    pub(super) code: ConnectCode,
    pub(super) had_token: bool,
}

impl Waiting {
    /// What to show whoever sits there.
    pub fn code(&self) -> &ConnectCode {
        &self.code
    }

    /// Waits for the yes, fetches the token and stores it.
    ///
    /// # Errors
    /// Refused, out of time, interrupted; the token can't be stored, and then its owner is told to have it ended.
    pub async fn wait(mut self, app: &App, host: &dyn Host) -> Result<Delivered<ConnectAnswer>, Failure> {
        let plane = Plane::new(app.http.clone(), self.origin.clone());
        loop {
            self.pause(host).await?;
            let asked = plane.connect_token(&self.device_code, within(CALL_S));
            match or_cancelled(host, asked).await? {
                Ok(connected) => return keeping::keep(app, &self.origin, connected, self.had_token),
                Err(error) => self.judge(&error)?,
            }
        }
    }

    /// Waits for the interval, in sight of whoever sits there.
    async fn pause(&self, host: &dyn Host) -> Result<(), Failure> {
        let next = Instant::now() + self.interval;
        loop {
            let now = Instant::now();
            if now >= self.ends {
                return Err(self.too_late());
            }
            if now >= next {
                return Ok(());
            }
            let left = self.ends.duration_since(now).as_secs();
            let message = format!("{}: waiting for a yes", self.code.user_code);
            let gone = self.code.expires_in_s.saturating_sub(left);
            host.progress(gone, self.code.expires_in_s, &message).await;
            let until = next.min(now + SHOW_EVERY).min(self.ends);
            or_cancelled(host, tokio::time::sleep_until(until)).await?;
        }
    }

    /// Whether to go on after a refusal.
    fn judge(&mut self, error: &PlaneError) -> Result<(), Failure> {
        match error.code() {
            Some(Code::AuthorizationPending) => Ok(()),
            Some(Code::SlowDown) => {
                self.interval += SLOWER;
                Ok(())
            }
            Some(Code::AccessDenied) => Err(Failure::new(
                code::NOT_CONNECTED,
                format!(
                    "The operator of {} refused this machine. Ask them before you run it again.",
                    self.origin
                ),
            )),
            Some(Code::ExpiredToken) => Err(self.too_late()),
            // Whoever was asked may say yes while the plane is away.
            _ if error.is_passing()
                || matches!(
                    error,
                    PlaneError::TimedOut { .. } | PlaneError::Unreachable { .. }
                ) =>
            {
                Ok(())
            }
            _ => Err(wording::plane(error)),
        }
    }

    fn too_late(&self) -> Failure {
        Failure::new(
            code::NOT_CONNECTED,
            "Nobody said yes in time, or the token was fetched and its answer got lost. Nothing was stored. Run it again for a new \
             code:",
        )
        .with_command(format!("connect {}", self.origin))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::verbs::connect::asking::waiting;
    use crate::verbs::connect::tests::{codes, origin};

    #[tokio::test]
    async fn who_is_told_to_slow_down_does_so_for_good() {
        let mut waiting = waiting(origin(), codes("WDJBMJHT", ""), None, false).unwrap();
        let problem = |code| PlaneError::Problem {
            status: 400,
            code,
            extras: Box::default(),
        };
        waiting.judge(&problem(Code::AuthorizationPending)).unwrap();
        assert_eq!(waiting.interval, Duration::from_secs(1));
        waiting.judge(&problem(Code::SlowDown)).unwrap();
        waiting.judge(&problem(Code::SlowDown)).unwrap();
        assert_eq!(waiting.interval, Duration::from_secs(11));
        for code in [Code::AccessDenied, Code::ExpiredToken, Code::BadRequest] {
            assert!(waiting.judge(&problem(code)).is_err());
        }
    }

    #[tokio::test]
    async fn a_plane_that_is_away_for_a_while_ends_no_waiting_for_the_yes() {
        let mut waiting = waiting(origin(), codes("WDJBMJHT", ""), None, false).unwrap();
        for error in [
            PlaneError::TimedOut { origin: origin() },
            PlaneError::Unreachable {
                origin: "http://127.0.0.1:8787".parse().unwrap(),
                reason: "refused".to_owned(),
                refused: true,
                sent: false,
            },
            PlaneError::NotApi {
                origin: origin(),
                status: 503,
            },
            PlaneError::Problem {
                status: 503,
                code: Code::StoreUnavailable,
                extras: Box::default(),
            },
        ] {
            assert!(waiting.judge(&error).is_ok(), "{error}");
        }
        let page = PlaneError::NotApi {
            origin: origin(),
            status: 404,
        };
        assert!(waiting.judge(&page).is_err());
    }
}
