//! What is in force, to be printed: the settings' own names, secrets hidden.

use serde::Serialize;

use super::Config;
use crate::limits::Limits;
use crate::logging::{LogFormat, LogLevel};
use crate::store::StoreUrl;

/// A [`Config`] without its secrets.
#[derive(Debug, Serialize)]
pub struct Shown {
    database_url: Option<String>,
    database_file: Option<String>,
    listen: String,
    metrics_listen: Option<String>,
    public_url: String,
    trusted_proxies: Vec<String>,
    log_format: LogFormat,
    log_level: LogLevel,
    limits: Limits,
}

impl From<&Config> for Shown {
    fn from(config: &Config) -> Self {
        let (database_url, database_file) = match &config.store.store {
            StoreUrl::Postgres(url) => (Some(without_secrets(url)), None),
            StoreUrl::Sqlite(path) => (None, Some(path.display().to_string())),
        };
        let public_url = match &config.public_url {
            Some(url) => url.to_string(),
            None => format!("http://{}", config.listen),
        };
        Self {
            database_url,
            database_file,
            listen: config.listen.to_string(),
            metrics_listen: config.metrics_listen.map(|address| address.to_string()),
            public_url,
            trusted_proxies: config.trusted_proxies.shown(),
            log_format: config.log_format,
            log_level: config.log_level,
            limits: config.limits.clone(),
        }
    }
}

/// Host and database of a URL. User, password and parameters, which may hold a password too, are hidden.
fn without_secrets(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let (rest, parameters) = rest
        .split_once('?')
        .map_or((rest, ""), |(rest, _)| (rest, "?[hidden]"));
    let (user, place) = rest
        .rsplit_once('@')
        .map_or(("", rest), |(_, place)| ("[hidden]@", place));
    format!("{scheme}://{user}{place}{parameters}")
}

#[cfg(test)]
mod tests {
    use super::without_secrets;

    #[test]
    fn passwords_are_hidden_wherever_they_stand() {
        for url in [
            "postgres://ada:s3cret@db.example/plane",
            "postgres://ada:p@s3cret@db.example/plane",
            "postgres://db.example/plane?password=s3cret&user=ada",
            "postgres://ada:s3cret@db.example/plane?sslmode=require",
        ] {
            let shown = without_secrets(url);
            assert!(
                !shown.contains("s3cret") && shown.contains("db.example/plane"),
                "{shown}"
            );
        }
    }
}
