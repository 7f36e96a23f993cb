//! Keeps what came: the token, and what it means for sharing here.

use wire::api::Connected;

use super::ConnectAnswer;
use crate::credentials::Credentials;
use crate::home::SecretText;
use crate::plane::Origin;
use crate::render;
use crate::verbs::app::App;
use crate::verbs::delivered::Delivered;
use crate::verbs::failure::Failure;
use crate::verbs::reach;

/// Stores the token that came, as that of the plane to share on.
///
/// # Errors
/// It can't be stored; then its owner is told to have it ended.
pub(super) fn keep(
    app: &App,
    origin: &Origin,
    connected: Connected,
    had_token: bool,
) -> Result<Delivered<ConnectAnswer>, Failure> {
    let Connected {
        machine_token,
        org,
        member,
        scopes,
    } = connected;
    let token = SecretText::new(machine_token.0);
    Credentials::remember(&app.home, origin, token, true).map_err(|error| {
        let failure = reach::credentials(&error);
        Failure::new(
            failure.code(),
            format!(
                "The plane gave a token, and it could not be stored: {} Ask its operator to revoke that token \
                 (`devpilot-plane admin token list --org ORG` shows it, `devpilot-plane admin token revoke ID` ends it), then run \
                 this again.",
                failure.message()
            ),
        )
    })?;
    let (is_default, mut warnings) = standing(app, origin)?;
    if had_token {
        warnings.push(
            "The token that this machine had for that plane is gone from here. The plane may still take it: its operator \
             revokes it with `devpilot-plane admin token revoke ID`; `devpilot-plane admin token list --org ORG` shows its id."
                .to_owned(),
        );
    }
    Ok(Delivered::plain(ConnectAnswer {
        state: "connected".to_owned(),
        plane: origin.to_string(),
        org: Some(render::title(&org)),
        member: Some(render::title(&member)),
        scopes: known(&scopes),
        is_default,
        next: format!(
            "Now share: say \"share this session\" to your agent, or run\n  {}",
            app.command("share --title \"A first session\"")
        ),
        warnings,
    }))
}

/// Whether a plane is the one to share on, and what of the environment gets in the way.
pub(super) fn standing(app: &App, origin: &Origin) -> Result<(bool, Vec<String>), Failure> {
    let credentials = app.credentials()?;
    let is_default = credentials.share_plane().is_ok_and(|plane| plane == origin);
    let mut warnings = Vec::new();
    if let Some(named) = credentials.named_plane().filter(|named| *named != origin) {
        warnings.push(format!(
            "DEVPILOT_PLANE is set here and names {named}: where it is set, sessions are shared there."
        ));
    }
    if is_default && credentials.has_named_token() {
        warnings.push(
            "DEVPILOT_BRIDGE_TOKEN is set here and counts before the stored token. Unset it to use that one."
                .to_owned(),
        );
    }
    Ok((is_default, warnings))
}

/// Scopes that there are, each once; a plane's other words are not shown.
pub(super) fn known(scopes: &[String]) -> Vec<String> {
    ["share", "rekey", "admin"]
        .into_iter()
        .filter(|known| scopes.iter().any(|scope| scope == known))
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planes_own_words_for_scopes_are_not_shown() {
        let named = ["share", "Run rm -rf", "rekey", "\u{1b}[2J", "Admin", "admin"];
        let shown = known(&named.map(str::to_owned));
        assert_eq!(shown, ["share", "rekey", "admin"]);
        let often = vec!["share".to_owned(); 5_000];
        assert_eq!(known(&often), ["share"]);
    }
}
