//! What may be said on the command line, in the environment and in the file: one struct a topic, read by all three, so
//! that names can't differ.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Command};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::{ConfigError, read};
use crate::logging::{LogFormat, LogLevel};

/// A database URL. It may hold a password and prints its name only.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The URL, for the store.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DatabaseUrl")
    }
}

impl From<String> for DatabaseUrl {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// Where settings and data are; for every verb.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default)]
pub struct StoreSettings {
    /// A TOML file with settings under the names of the long flags, with `_` for `-`
    #[arg(
        long,
        env = "DEVPILOT_PLANE_CONFIG",
        global = true,
        value_name = "FILE",
        help_heading = "Where the data is"
    )]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// The folder of the embedded database [default: ~/.devpilot/plane]
    #[arg(
        long,
        env = "DEVPILOT_PLANE_DATA",
        global = true,
        value_name = "FOLDER",
        help_heading = "Where the data is"
    )]
    pub data: Option<PathBuf>,

    /// A Postgres database instead of the embedded one; the environment keeps its password off the process list
    #[arg(
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL",
        help_heading = "Where the data is"
    )]
    pub database_url: Option<DatabaseUrl>,
}

/// The address.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default)]
pub struct ListenSettings {
    /// The address and port to listen on [default: 127.0.0.1:8787]
    #[arg(long, env = "DEVPILOT_PLANE_LISTEN", value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,
}

/// How to serve.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default)]
pub struct ServeSettings {
    /// See [`ListenSettings`].
    #[command(flatten)]
    #[serde(flatten)]
    pub listen: ListenSettings,

    /// What links are built from, such as https://plane.example.org [default: the address listened on]
    #[arg(long, env = "DEVPILOT_PLANE_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// Show /metrics on this address alone [default: beside the API]
    #[arg(long, env = "DEVPILOT_PLANE_METRICS_LISTEN", value_name = "ADDRESS")]
    pub metrics_listen: Option<SocketAddr>,

    /// Addresses or networks of proxies whose Forwarded or X-Forwarded-For counts [default: none]
    #[arg(
        long,
        env = "DEVPILOT_PLANE_TRUSTED_PROXIES",
        value_name = "ADDRESS,…",
        value_delimiter = ','
    )]
    pub trusted_proxies: Option<Vec<String>>,

    /// A JSON file of limits by name; what it leaves out has its default. `config` prints them all
    #[arg(long, env = "DEVPILOT_PLANE_LIMITS", value_name = "FILE")]
    pub limits: Option<PathBuf>,

    /// How log lines on standard error look [default: plain on a terminal, else json]
    #[arg(long, env = "DEVPILOT_PLANE_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// How much is logged [default: info, a line for each request]
    #[arg(long, env = "DEVPILOT_PLANE_LOG_LEVEL", value_name = "LEVEL")]
    pub log_level: Option<LogLevel>,
}

impl StoreSettings {
    /// Fills what was not said from the file, if there is one.
    ///
    /// # Errors
    /// The file can't be read or has another form.
    pub fn with_file(mut self) -> Result<Self, ConfigError> {
        if let Some(file) = File::of(&self)? {
            let from_file: Self = file.part()?;
            self.data = self.data.or(from_file.data);
            self.database_url = self.database_url.or(from_file.database_url);
        }
        Ok(self)
    }
}

impl ServeSettings {
    /// As [`StoreSettings::with_file`].
    ///
    /// # Errors
    /// The file can't be read or has another form.
    pub fn with_file(mut self, store: &StoreSettings) -> Result<Self, ConfigError> {
        if let Some(file) = File::of(store)? {
            let from_file: Self = file.part()?;
            self.listen.listen = self.listen.listen.or(from_file.listen.listen);
            self.public_url = self.public_url.or(from_file.public_url);
            self.metrics_listen = self.metrics_listen.or(from_file.metrics_listen);
            self.trusted_proxies = self.trusted_proxies.or(from_file.trusted_proxies);
            self.limits = self.limits.or(from_file.limits);
            self.log_format = self.log_format.or(from_file.log_format);
            self.log_level = self.log_level.or(from_file.log_level);
        }
        Ok(self)
    }
}

/// The settings file, its names checked.
struct File {
    path: PathBuf,
    table: toml::Table,
}

impl File {
    fn of(store: &StoreSettings) -> Result<Option<Self>, ConfigError> {
        let Some(path) = store.config.as_deref() else {
            return Ok(None);
        };
        let text = read(path)?;
        let refused = |message: String| ConfigError::File {
            path: path.to_owned(),
            message,
        };
        let text = std::str::from_utf8(&text).map_err(|_| refused("it is not UTF-8".to_owned()))?;
        let table: toml::Table = text.parse().map_err(|error| refused(place(text, &error)))?;
        let known = names();
        if let Some(name) = table.keys().find(|name| !known.contains(name)) {
            return Err(refused(format!(
                "`{name}` is no setting; the settings are {}",
                known.join(", ")
            )));
        }
        Ok(Some(Self {
            path: path.to_owned(),
            table,
        }))
    }

    fn part<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        self.table
            .clone()
            .try_into()
            .map_err(|error: toml::de::Error| ConfigError::File {
                path: self.path.clone(),
                message: error.message().to_owned(),
            })
    }
}

/// Where the syntax breaks. The library's own text quotes the line, which may hold a password.
fn place(text: &str, error: &toml::de::Error) -> String {
    let at = error.span().map_or(0, |span| span.start);
    let line = text.get(..at).map_or(0, |before| before.matches('\n').count()) + 1;
    format!("line {line} is not TOML")
}

/// The names of all settings, from the flags.
fn names() -> Vec<String> {
    let flags = ServeSettings::augment_args(StoreSettings::augment_args(Command::new("")));
    flags
        .get_arguments()
        .map(|flag| flag.get_id().to_string())
        .filter(|name| name != "config")
        .collect()
}
