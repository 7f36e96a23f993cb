//! What the plane was told: flags, environment and one TOML file, with the same names everywhere, in this order of
//! precedence, then defaults (`architecture.md`, Configuration).
//!
//! [`settings`] is what may be said, [`Config`] what follows from it. Whatever would fail open is refused here, before
//! anything listens.

mod public_url;
mod settings;
mod shown;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub use public_url::{BadPublicUrl, PublicUrl};
pub use settings::{ListenSettings, ServeSettings, StoreSettings};
pub use shown::Shown;

use crate::http::{BadProxy, TrustedProxies};
use crate::limits::{BadLimits, Limits};
use crate::logging::{LogFormat, LogLevel};
use crate::store::StoreUrl;

/// Where the plane listens unless told otherwise.
const DEFAULT_LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 8787);
/// The embedded database's file in the data folder.
const DATABASE_FILE: &str = "plane.sqlite";

/// Why the plane can't start as it was told.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file can't be read.
    #[error("{} can't be read: {error}", path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The TOML file has another form.
    #[error("{}: {message}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong, without the file's text: it may hold a password.
        message: String,
    },
    /// The limits file was refused.
    #[error("{}: {error}", path.display())]
    Limits {
        /// Which.
        path: PathBuf,
        /// Why.
        error: BadLimits,
    },
    /// A proxy is no address.
    #[error("--trusted-proxies: {0}")]
    Proxy(#[from] BadProxy),
    /// Links can't be built from that.
    #[error("--public-url: {0}")]
    PublicUrl(#[from] BadPublicUrl),
    /// `--database-url` is for Postgres.
    #[error(
        "--database-url (DATABASE_URL) must start with postgres:// ; for the embedded database leave it out and name a folder with --data"
    )]
    NotPostgres,
    /// The embedded store on a public address.
    #[error(
        "{listen} can be reached from other machines, and the embedded database is for this machine alone. Set DATABASE_URL \
         to a Postgres database, or listen on 127.0.0.1 (a proxy with TLS on this machine can pass requests on)."
    )]
    EmbeddedInPublic {
        /// The address.
        listen: SocketAddr,
    },
    /// There is no home folder to keep data in.
    #[error("HOME is not set: name a folder with --data")]
    NoHome,
}

/// Where the data lives.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// The database.
    pub store: StoreUrl,
}

impl StoreConfig {
    /// Whether it is the embedded database.
    pub fn is_embedded(&self) -> bool {
        matches!(self.store, StoreUrl::Sqlite(_))
    }
}

/// What `serve` goes by.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where the data lives.
    pub store: StoreConfig,
    /// For the API and the pages.
    pub listen: SocketAddr,
    /// For the figures alone.
    pub metrics_listen: Option<SocketAddr>,
    /// What links are built from, if it is not the address listened on.
    pub public_url: Option<PublicUrl>,
    /// Whose word on a client's address counts.
    pub trusted_proxies: TrustedProxies,
    /// The limits in force.
    pub limits: Limits,
    /// How log lines look.
    pub log_format: LogFormat,
    /// How much is logged.
    pub log_level: LogLevel,
}

impl StoreConfig {
    /// The store of these settings.
    ///
    /// # Errors
    /// A URL of another database; no folder.
    pub fn of(settings: &StoreSettings) -> Result<Self, ConfigError> {
        let store = match &settings.database_url {
            Some(url) => match StoreUrl::parse(url.expose()) {
                store @ StoreUrl::Postgres(_) => store,
                StoreUrl::Sqlite(_) => return Err(ConfigError::NotPostgres),
            },
            None => StoreUrl::Sqlite(data_folder(settings)?.join(DATABASE_FILE)),
        };
        Ok(Self { store })
    }
}

fn data_folder(settings: &StoreSettings) -> Result<PathBuf, ConfigError> {
    if let Some(folder) = &settings.data {
        return Ok(folder.clone());
    }
    let home = std::env::var_os("HOME")
        .filter(|home| !home.is_empty())
        .ok_or(ConfigError::NoHome)?;
    Ok(Path::new(&home).join(".devpilot").join("plane"))
}

/// The address of these settings.
pub fn listen(settings: &ListenSettings) -> SocketAddr {
    settings.listen.unwrap_or(DEFAULT_LISTEN)
}

impl Config {
    /// What follows from these settings.
    ///
    /// # Errors
    /// A file that can't be read; anything that would fail open.
    pub fn of(store: &StoreSettings, serve: &ServeSettings, on_terminal: bool) -> Result<Self, ConfigError> {
        let store = StoreConfig::of(store)?;
        let listen = listen(&serve.listen);
        if store.is_embedded() && !listen.ip().is_loopback() {
            return Err(ConfigError::EmbeddedInPublic { listen });
        }
        let proxies = serve.trusted_proxies.iter().flatten().map(String::as_str);
        let default_format = if on_terminal {
            LogFormat::Plain
        } else {
            LogFormat::Json
        };
        Ok(Self {
            store,
            listen,
            metrics_listen: serve.metrics_listen,
            public_url: serve.public_url.as_deref().map(str::parse).transpose()?,
            trusted_proxies: TrustedProxies::parse(proxies)?,
            limits: serve
                .limits
                .as_deref()
                .map_or_else(|| Ok(Limits::default()), limits)?,
            log_format: serve.log_format.unwrap_or(default_format),
            log_level: serve.log_level.unwrap_or(LogLevel::Info),
        })
    }
}

fn limits(path: &Path) -> Result<Limits, ConfigError> {
    let text = read(path)?;
    Limits::from_json(&text).map_err(|error| ConfigError::Limits {
        path: path.to_owned(),
        error,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, ConfigError> {
    std::fs::read(path).map_err(|error| ConfigError::Unreadable {
        path: path.to_owned(),
        error,
    })
}

#[cfg(test)]
mod tests;
