//! `connect`: gets this machine a token for a plane, by a code that the plane's operator says yes to (device login, RFC
//! 8628). For the command line alone.
//!
//! The plane may be anybody's: what it answers is checked before it is shown.
//!
//! - `asking`: a code is asked for and checked
//! - `waiting`: for the operator's yes
//! - `keeping`: the token, and what it means for sharing here

mod asking;
mod keeping;
mod waiting;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wire::problem::Code;

pub use self::waiting::Waiting;

use super::app::App;
use super::delivered::{Answer, Delivered};
use super::failure::{Failure, code};
use super::host::Host;
use super::reach;
use crate::credentials::Credentials;
use crate::plane::{MachineToken, Origin, Plane, within};

/// How long one request may take, in seconds.
const CALL_S: u64 = 15;

/// What to connect to.
#[derive(Debug, Clone)]
pub struct ConnectArgs {
    /// The plane's address.
    pub plane: String,
    /// Make a plane that is connected already the one to share on.
    pub make_default: bool,
    /// Get a new token although there is one that counts.
    pub replace: bool,
}

/// The code that is waiting for a yes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectCode {
    /// Always `waiting`.
    pub state: String,
    /// The plane.
    pub plane: String,
    /// The code, in two groups of four.
    pub user_code: String,
    /// The plane's own page that says what to do with it.
    pub page: String,
    /// What the plane's operator runs.
    pub operator_command: String,
    /// How this machine calls itself there.
    pub machine_name: Option<String>,
    /// How long the code counts, in seconds.
    pub expires_in_s: u64,
}

/// A machine that is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectAnswer {
    /// `connected`, or `already_connected`: nothing was fetched.
    pub state: String,
    /// The plane.
    pub plane: String,
    /// The org that the machine belongs to, by name; only of a new token.
    pub org: Option<String>,
    /// The member whose machine it is, by name; only of a new token.
    pub member: Option<String>,
    /// What the token may do.
    pub scopes: Vec<String>,
    /// Whether sessions are shared there unless something says otherwise.
    pub is_default: bool,
    /// What to do next.
    pub next: String,
    /// What else to know.
    pub warnings: Vec<String>,
}

/// How far `connect` came at once.
#[derive(Debug)]
pub enum Begun {
    /// There is a token that counts.
    Connected(Box<Delivered<ConnectAnswer>>),
    /// Somebody has to say yes first.
    Waiting(Box<Waiting>),
}

impl Answer for ConnectCode {
    fn text(&self) -> String {
        let name = self.machine_name.as_deref().unwrap_or("this machine");
        format!(
            "Connecting {name} to {}.\n\n  Code:  {}\n  Page:  {}\n\nGive the code to whoever runs that plane; they run\n  {}\nWaiting \
             for their yes, {} min at most; Ctrl-C ends it.",
            self.plane,
            self.user_code,
            self.page,
            self.operator_command,
            self.expires_in_s.div_ceil(60),
        )
    }
}

impl Answer for ConnectAnswer {
    fn text(&self) -> String {
        let may = match self.scopes.as_slice() {
            [] => "nothing yet".to_owned(),
            scopes => scopes.join(", "),
        };
        let first = match (&self.member, &self.org) {
            (Some(member), Some(org)) => format!(
                "Connected to {} as a machine of \"{member}\" in \"{org}\"; its token may: {may}.",
                self.plane
            ),
            _ => format!(
                "This machine is connected to {} already, and its token counts; it may: {may}.",
                self.plane
            ),
        };
        let mut lines = vec![first, self.next.clone()];
        lines.extend(self.warnings.iter().cloned());
        lines.join("\n")
    }
}

/// Looks whether this machine is connected, and asks the plane for a code if it is not.
///
/// # Errors
/// No plane's address; the plane can't be reached or connects no machines; the token could not be stored.
pub async fn begin(app: &App, arguments: ConnectArgs, host: &dyn Host) -> Result<Begun, Failure> {
    let origin: Origin = arguments.plane.parse().map_err(|bad| {
        let text = format!("That is {bad}. Nothing was sent. It is to be like this:");
        Failure::new(code::BAD_ARGUMENT, text).with_command("connect https://plane.example.org")
    })?;
    let stored = app
        .credentials()?
        .stored_token(&origin)
        .map(|token| wire::api::TokenText(token.expose().to_owned()));
    let plane = Plane::new(app.http.clone(), origin.clone());
    let had_token = stored.is_some();
    if let Some(token) = stored.filter(|_| !arguments.replace) {
        let token = MachineToken::new(origin.clone(), token);
        match or_cancelled(host, plane.me(&token, within(CALL_S))).await? {
            Ok(me) => return already(app, &origin, me.scopes, arguments.make_default),
            // It counts no more, so a new one takes its place.
            Err(error) if error.code() == Some(Code::Unauthorized) => {}
            Err(error) => return Err(asking::not_reached(&error)),
        }
    }
    Credentials::try_storing(&app.home).map_err(|error| reach::credentials(&error))?;
    let waiting = asking::ask(&plane, had_token, host).await?;
    Ok(Begun::Waiting(Box::new(waiting)))
}

fn already(app: &App, origin: &Origin, scopes: Vec<String>, make_default: bool) -> Result<Begun, Failure> {
    if make_default {
        Credentials::make_default(&app.home, origin).map_err(|error| reach::credentials(&error))?;
    }
    let (is_default, warnings) = keeping::standing(app, origin)?;
    let replace = format!(
        "To replace its token: {}",
        app.command(&format!("connect {origin} --replace"))
    );
    let next = if is_default {
        format!("Sessions are shared there. {replace}")
    } else {
        let default = app.command(&format!("connect {origin} --default"));
        format!("To share there: {default}\n{replace}")
    };
    Ok(Begun::Connected(Box::new(Delivered::plain(ConnectAnswer {
        state: "already_connected".to_owned(),
        plane: origin.to_string(),
        org: None,
        member: None,
        scopes: keeping::known(&scopes),
        is_default,
        next,
        warnings,
    }))))
}

/// Its end, unless the person gives up first.
async fn or_cancelled<T>(host: &dyn Host, work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::select! {
        done = work => Ok(done),
        () = host.cancelled().cancelled() => Err(Failure::new(
            code::CANCELLED,
            "Interrupted. Nothing was stored, and the code is of no more use.",
        )),
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]

    use wire::api::Connecting;
    use wire::encoding::Secret32;

    use crate::plane::Origin;

    /// What a plane answers.
    pub(in crate::verbs::connect) fn codes(user_code: &str, page: &str) -> Connecting {
        Connecting {
            device_code: Secret32::new([1; 32]),
            user_code: user_code.to_owned(),
            verification_uri: page.to_owned(),
            expires_in: u64::MAX,
            interval: 0,
        }
    }

    /// The plane.
    pub(in crate::verbs::connect) fn origin() -> Origin {
        "https://plane.example.org".parse().unwrap()
    }
}
