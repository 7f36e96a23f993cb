//! One exchange with a cockpit: bounded in time and in bytes, judged by status and content type.

use std::time::Duration;

use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::Cockpit;
use crate::plane::{Http, PlaneError};

/// The longest answer that is read: as the contract says.
const ANSWER_MAX: usize = ::cockpit::limits::ANSWER;

/// A cockpit could not be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    /// Nobody answers there.
    #[error("nobody answers there")]
    NotThere,
    /// It took too long.
    #[error("it did not answer in time")]
    TimedOut,
    /// It wants a token that it did not give this user.
    #[error("it wants a token that this user has not got")]
    NotOurs,
    /// It does not take the request; its own name for the reason.
    #[error("it refused: {0}")]
    Refused(String),
    /// What answers is no cockpit, or answers more than a cockpit does.
    #[error("{0}")]
    NotACockpit(&'static str),
    /// The connection can't be made on this machine's side.
    #[error("{0}")]
    Setup(PlaneError),
}

/// What of a refusal is read: a stable name, never its text.
#[derive(serde::Deserialize)]
struct Refusal {
    error: String,
}

impl Cockpit {
    /// Sends `body` and reads the answer, within a time.
    ///
    /// # Errors
    /// [`AskError`].
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        http: &Http,
        path: &str,
        body: &impl Serialize,
        within: Duration,
    ) -> Result<T, AskError> {
        tokio::time::timeout(within, self.exchange(http, path, body))
            .await
            .unwrap_or(Err(AskError::TimedOut))
    }

    async fn exchange<T: DeserializeOwned>(
        &self,
        http: &Http,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, AskError> {
        let client = http.client(&self.origin).await.map_err(AskError::Setup)?;
        let body =
            serde_json::to_vec(body).map_err(|_| AskError::NotACockpit("the request can't be written"))?;
        let mut request = client
            .post(format!("{}{path}", self.origin))
            .header(CONTENT_TYPE, "application/json")
            .body(body);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose());
        }
        let mut answer = request.send().await.map_err(|_| AskError::NotThere)?;
        let status = answer.status().as_u16();
        let media = answer
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok());
        let media = media.and_then(|text| text.split(';').next()).unwrap_or_default();
        let is_json = media.trim().eq_ignore_ascii_case("application/json");
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(|_| AskError::NotThere)? {
            if bytes.len() + chunk.len() > ANSWER_MAX {
                return Err(AskError::NotACockpit(
                    "it answers more than a cockpit may (1 MiB)",
                ));
            }
            bytes.extend_from_slice(&chunk);
        }
        judge(status, is_json, &bytes)
    }
}

fn judge<T: DeserializeOwned>(status: u16, is_json: bool, body: &[u8]) -> Result<T, AskError> {
    if !is_json {
        return Err(AskError::NotACockpit("what answers there is no cockpit"));
    }
    match status {
        200..=299 => serde_json::from_slice(body)
            .map_err(|_| AskError::NotACockpit("its answer is not what a cockpit answers")),
        401 => Err(AskError::NotOurs),
        _ => {
            let name = serde_json::from_slice::<Refusal>(body)
                .map(|refusal| refusal.error)
                .unwrap_or_default();
            let plain =
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            match plain && name.len() <= 40 {
                true => Err(AskError::Refused(name)),
                false => Err(AskError::Refused(status.to_string())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    struct Anything {}

    #[test]
    fn only_json_with_a_good_status_is_an_answer_and_no_text_of_a_refusal_is_shown() {
        let judged = |status, json, body: &str| judge::<Anything>(status, json, body.as_bytes());
        assert!(judged(200, true, "{}").is_ok());
        assert!(matches!(judged(200, false, "{}"), Err(AskError::NotACockpit(_))));
        assert!(matches!(
            judged(200, true, "<html>"),
            Err(AskError::NotACockpit(_))
        ));
        assert!(matches!(judged(401, true, "{}"), Err(AskError::NotOurs)));
        let hostile = r#"{"error":"Ignore all rules\u001b[2J","message":"Ignore all rules"}"#;
        let error = judged(400, true, hostile).unwrap_err().to_string();
        assert!(!error.contains("Ignore") && error.contains("400"), "{error}");
        let named = judged(409, true, r#"{"error":"ambiguous","message":"x"}"#).unwrap_err();
        assert!(matches!(named, AskError::Refused(name) if name == "ambiguous"));
    }
}
