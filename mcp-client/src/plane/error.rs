//! What can go wrong between this client and a plane.

use wire::problem::{Code, Extras};

use super::origin::Origin;
use super::proxy::{ProxyName, ProxyTrouble};
use super::tls::Distrust;

/// A call that did not succeed. Nothing in it was written by the plane as text: a hostile one could steer a model.
#[derive(Debug, thiserror::Error)]
pub enum PlaneError {
    /// No answer: no connection, or it broke.
    #[error("{origin} can't be reached ({reason})")]
    Unreachable {
        /// Which plane.
        origin: Origin,
        /// Why, in the words of this machine's libraries.
        reason: String,
        /// Nobody listens there.
        refused: bool,
        /// The request may have reached the plane, so its effect is open.
        sent: bool,
    },
    /// The server can't prove that it is this host. Nothing was sent, and trying again changes nothing.
    #[error("{origin} can't prove that it is that host ({why:?})")]
    Untrusted {
        /// Which plane.
        origin: Origin,
        /// What is wrong with its certificate.
        why: Distrust,
        /// Who issued it, in the words of whoever answered: to be shown like any stranger's text.
        issuer: Option<String>,
    },
    /// The proxy on the way did not let the connection through. Nothing was sent to the plane.
    #[error("{origin} can't be reached through the proxy {proxy} ({reason})")]
    Proxy {
        /// Which plane.
        origin: Origin,
        /// Which proxy.
        proxy: ProxyName,
        /// How it fails.
        trouble: ProxyTrouble,
        /// Why, in the words of this machine's libraries.
        reason: String,
        /// Nobody listens there.
        refused: bool,
    },
    /// No answer in the call's time.
    #[error("{origin} did not answer in time")]
    TimedOut {
        /// Which plane.
        origin: Origin,
    },
    /// A problem document of the API.
    #[error("the plane refused: {}", .code.title())]
    Problem {
        /// Its status.
        status: u16,
        /// Its code.
        code: Code,
        /// Its named extras.
        extras: Box<Extras>,
    },
    /// An answer that is not the API's: an HTML page of a proxy, a redirect, a code this version does not know.
    #[error("{origin} answered HTTP {status} with something that is not the plane's API")]
    NotApi {
        /// Which plane.
        origin: Origin,
        /// The status.
        status: u16,
    },
    /// A good status with a body that is not what the API says.
    #[error("{origin} sent an answer this version does not understand")]
    BadAnswer {
        /// Which plane.
        origin: Origin,
    },
    /// The body would be over the plane's limit; nothing was sent.
    #[error("{size} bytes are over the plane's limit of {limit}")]
    TooLarge {
        /// The body's size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// A machine token of another plane; nothing was sent.
    #[error("the machine token belongs to another plane than {origin}")]
    ForeignToken {
        /// Where the call was to go.
        origin: Origin,
    },
    /// Proxy or certificate settings that don't work.
    #[error("the HTTP client can't be set up ({reason})")]
    Setup {
        /// Why.
        reason: String,
    },
}

/// A call that did not succeed, with what its earlier attempts leave open: a refusal of the last one says nothing of one
/// before it whose answer was lost.
#[derive(Debug)]
pub struct Unsettled {
    /// What the last attempt gave.
    pub error: PlaneError,
    /// Whether one of the attempts may have taken effect.
    pub is_open: bool,
}

impl Unsettled {
    /// As one error: of a request that now finds nobody, an earlier attempt may have reached the plane.
    pub(super) fn into_one(mut self) -> PlaneError {
        if let PlaneError::Unreachable { sent, .. } = &mut self.error {
            *sent |= self.is_open;
        }
        self.error
    }
}

impl From<PlaneError> for Unsettled {
    fn from(error: PlaneError) -> Self {
        let is_open = error.is_effect_open();
        Self { error, is_open }
    }
}

impl PlaneError {
    /// The problem's code, if it is one.
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Problem { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// Whether nothing listens at an address of this machine: a program that is starting again, or one that does not run.
    pub fn is_refused_here(&self) -> bool {
        match self {
            Self::Unreachable { refused, origin, .. } => *refused && origin.is_loopback(),
            Self::Proxy { refused, proxy, .. } => *refused && proxy.is_loopback(),
            _ => false,
        }
    }

    /// Whether the same request may succeed a little later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Proxy { trouble, .. } => !matches!(trouble, ProxyTrouble::WantsLogin),
            Self::Problem { code, .. } => matches!(
                code,
                Code::RateLimited | Code::StoreUnavailable | Code::Draining | Code::TimeOut
            ),
            Self::NotApi { status, .. } => matches!(status, 429 | 502 | 503 | 504),
            Self::TimedOut { .. }
            | Self::Untrusted { .. }
            | Self::BadAnswer { .. }
            | Self::TooLarge { .. }
            | Self::ForeignToken { .. }
            | Self::Setup { .. } => false,
        }
    }

    /// Whether the request may have taken effect although no answer came.
    pub fn is_effect_open(&self) -> bool {
        match self {
            Self::Unreachable { sent, .. } => *sent,
            Self::TimedOut { .. } | Self::BadAnswer { .. } => true,
            Self::NotApi { status, .. } => *status >= 500,
            Self::Problem { code, .. } => matches!(code, Code::Internal | Code::StoreUnavailable),
            Self::Untrusted { .. }
            | Self::Proxy { .. }
            | Self::TooLarge { .. }
            | Self::ForeignToken { .. }
            | Self::Setup { .. } => false,
        }
    }

    /// How long the plane asks to wait, in seconds.
    pub fn retry_after_s(&self) -> Option<u64> {
        match self {
            Self::Problem { extras, .. } => extras.retry_after_s,
            _ => None,
        }
    }
}
