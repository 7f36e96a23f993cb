//! `who`: who is here, who may write, who has read and confirmed how far, and the head to compare by voice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::app::App;
use super::choose::{CALL_S, Intent};
use super::delivered::{Answer, Delivered};
use super::failure::Failure;
use super::host::Host;
use super::items::{IntegrityItem, ParticipantItem};
use super::present::Presenter;
use super::reach::in_turn;
use super::text::Text;
use super::{doorbell, modes};
use crate::plane::within;

/// Which session.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhoArgs {
    /// Another session: id, its first 8 characters, or title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    pub session: Option<String>,
}

/// The participants.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct WhoAnswer {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// Everybody in the order of joining; last, who is not in the epoch in force.
    pub participants: Vec<ParticipantItem>,
    /// This seat's participant id.
    pub my_id: String,
    /// The seq of this seat's head.
    pub head_seq: u64,
    /// The transcript hash there: 32 hex digits in groups of four, to compare over another channel.
    pub head_hash: String,
    /// The mode as it is for this seat.
    pub mode: String,
    /// Integrity.
    pub integrity: IntegrityItem,
    /// What else to know.
    pub warnings: Vec<String>,
}

impl Answer for WhoAnswer {
    fn text(&self) -> String {
        let mut text = Text::about(&self.title, &self.session);
        text.line(format_args!("Mode: {}", self.mode));
        text.integrity(&self.integrity);
        text.participants(&self.participants);
        text.line(format_args!(
            "Head: {} {} (compare seq and digits by voice: the same on both sides means the same history)",
            self.head_seq, self.head_hash
        ));
        text.closing(&self.warnings, "");
        text.finish()
    }
}

/// Tells who is here.
///
/// # Errors
/// No such session, or the plane can't be asked.
pub async fn run(app: &App, args: WhoArgs, host: &dyn Host) -> Result<Delivered<WhoAnswer>, Failure> {
    let until = within(CALL_S);
    let session = app
        .pick(host, args.session.as_deref(), Intent::Read, until)
        .await?;
    let mut session = in_turn(&session, until).await?;
    let mut warnings = app.sync_softly(&mut session, until).await?;
    warnings.extend(doorbell::ring(app, host, &mut session));
    let kept = session.kept()?;
    let rows = app.participants(&mut session, until).await;
    let presenter = Presenter::new(&session);
    let mut participants: Vec<_> = rows.iter().map(|row| presenter.participant(row)).collect();
    // Who is out is no longer here, and still in the transcript.
    participants.sort_by_key(|one| !one.in_epoch);
    let head = session.head();
    let mode = modes::of(&session, &kept, app.clock.now());
    warnings.extend(modes::session_over(mode));
    Ok(Delivered::plain(WhoAnswer {
        session: session.id().to_string(),
        title: presenter.title(),
        participants,
        my_id: session.my_id().to_string(),
        head_seq: head.seq,
        head_hash: in_groups(&head.hash),
        mode: modes::word(mode.mine).to_owned(),
        integrity: presenter.integrity(),
        warnings,
    }))
}

/// The first 32 hex digits in groups of four (`crypto.md` section 9.5: shorter will not do).
pub(super) fn in_groups(hash: &[u8; 32]) -> String {
    let groups: Vec<String> = hash
        .chunks(2)
        .take(8)
        .map(|pair| pair.iter().map(|byte| format!("{byte:02x}")).collect())
        .collect();
    groups.join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_head_is_32_digits_in_groups_of_four() {
        let mut hash = [0xff; 32];
        hash[..3].copy_from_slice(&[0x01, 0xab, 0x00]);
        let expected = "01ab 00ff ffff ffff ffff ffff ffff ffff";
        assert_eq!(super::in_groups(&hash), expected);
    }
}
