//! Everybody there is to decide about at a re-key.

use std::collections::{BTreeMap, BTreeSet};

use seal::transcript::MemberKind;
use serde::Serialize;
use wire::api::ParticipantRow;
use wire::event::ModeName;
use wire::ids::ParticipantId;

use super::answers::Before;
use crate::session::view::What;
use crate::session::{EarlierRekey, Keepable, Session};
use crate::verbs::failure::{Failure, code};
use crate::verbs::present::{Presenter, kind_word, short};

/// How much of an id names a participant here. Names don't: two may claim the same.
const SHORT_ID: usize = 8;

/// Everybody, as of one moment.
#[derive(Debug, Clone, Serialize)]
pub struct RekeyList {
    /// The session's id.
    pub session: String,
    /// Its title.
    pub title: String,
    /// The epoch in force.
    pub epoch: u32,
    /// Everybody, this seat first, then in the order of joining.
    pub participants: Vec<RekeyParticipant>,
    /// How many earlier re-keys put out, who have not come back: there is nothing to decide about them.
    pub out_earlier: u64,
    /// How far back a new link can open what came before.
    pub before: Before,
    /// Auto is on, by the plane's word; it ends.
    pub auto: bool,
    /// An earlier re-key of this machine, whose answer was lost, is in force.
    pub finished_earlier: bool,
    /// An earlier re-key of this machine, whose answer was lost, did not take effect and was forgotten.
    pub forgot_earlier: bool,
}

/// One of them. The name is its own claim, made safe for display.
#[derive(Debug, Clone, Serialize)]
pub struct RekeyParticipant {
    /// The claimed name.
    pub name: String,
    /// The first eight hex digits of the id.
    pub short_id: String,
    /// The id.
    pub id: String,
    /// This seat itself.
    pub me: bool,
    /// agent or human, by its own word; none where the plane does not name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// full or view: what it holds, by its certificate and this epoch's record.
    pub capability: String,
    /// Whether a new secret can be sealed to it.
    pub can_be_kept: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
    /// When it first joined, by the plane's word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub joined_at: Option<String>,
    /// The seq of its last message that is still there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_post_seq: Option<u64>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_post_at: Option<String>,
    /// When it was last heard of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_seen_at: Option<String>,
    /// When it left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_at: Option<String>,
    /// It came in after what this seat's reader has been shown.
    pub new: bool,
}

impl RekeyList {
    /// Everybody's id.
    pub fn ids(&self) -> impl Iterator<Item = ParticipantId> {
        self.participants.iter().filter_map(|one| one.id.parse().ok())
    }

    /// The one participant that an id, or its first 8 characters or more, names.
    ///
    /// # Errors
    /// None or several fit. Names are not taken: two participants may claim the same.
    pub fn find(&self, named: &str) -> Result<&RekeyParticipant, Failure> {
        let bare = |text: &str| text.trim_start_matches('#').replace('-', "").to_ascii_lowercase();
        let wanted = bare(named.trim());
        let mut fitting = self
            .participants
            .iter()
            .filter(|one| wanted.len() >= SHORT_ID && bare(&one.id).starts_with(&wanted));
        let problem = match (fitting.next(), fitting.next()) {
            (Some(one), None) => return Ok(one),
            (None, _) => "is nobody's id here. Take one, or its first 8 characters, from `who`",
            (Some(_), Some(_)) => "is the beginning of several ids. Give the whole id",
        };
        let shown = crate::render::name(named);
        Err(Failure::new(
            code::BAD_ARGUMENT,
            format!("\"{shown}\" {problem}. Nothing was changed."),
        )
        .with_command(format!("who --session {}", short(&self.session))))
    }
}

impl RekeyParticipant {
    pub(super) fn participant_id(&self) -> Result<ParticipantId, Failure> {
        self.id
            .parse()
            .map_err(|_| Failure::new(code::INTERNAL, "A participant's id can't be read."))
    }
}

/// From what the plane says and what was checked here. Who is known by a valid profile and not named by the plane is on
/// it as well: the plane does not decide who can be kept.
pub(super) fn make(
    session: &Session,
    rows: &[ParticipantRow],
    earlier: &EarlierRekey,
) -> Result<RekeyList, Failure> {
    let presenter = Presenter::new(session);
    let posts = last_posts(session);
    let kept = session.kept()?;
    let mut unseen = joined_after(session, kept.cursor);
    // Whoever was let in at the door by a person's own hand is nothing new to them.
    unseen.retain(|id| !kept.let_in.contains(id));
    let unnamed = session.roster().iter().map(|(id, _)| *id).filter(|id| {
        let named = rows.iter().any(|row| row.participant_id == *id);
        !named && !session.is_out(id) && session.keepable(id) != Keepable::Out
    });
    let (out, named): (Vec<_>, Vec<_>) = rows.iter().partition(|row| session.is_out(&row.participant_id));
    let mut all: Vec<(ParticipantId, Option<&ParticipantRow>)> = named
        .into_iter()
        .map(|row| (row.participant_id, Some(row)))
        .collect();
    all.extend(unnamed.map(|id| (id, None)));
    let me = session.my_id();
    all.sort_by_key(|(id, row)| (id != me, row.is_none(), row.map(|row| row.joined_at)));
    let participants = all.into_iter().map(|(id, row)| {
        let keepable = session.keepable(&id);
        let post = posts.get(&id);
        RekeyParticipant {
            name: presenter.name(&id),
            short_id: short(&id),
            id: id.to_string(),
            me: id == *me,
            kind: row.map(|row| kind_word(row.kind).to_owned()),
            capability: match keepable {
                Keepable::Full => "full",
                Keepable::View => "view",
                Keepable::Out | Keepable::NoProfile => "none",
            }
            .to_owned(),
            can_be_kept: matches!(keepable, Keepable::Full | Keepable::View),
            why_not: match keepable {
                Keepable::Full | Keepable::View => None,
                Keepable::Out => Some("no valid profile since an earlier re-key: it is out".to_owned()),
                Keepable::NoProfile => Some("no valid profile to seal to".to_owned()),
            },
            joined_at: row.map(|row| row.joined_at.to_string()),
            last_post_seq: post.map(|(seq, _)| *seq),
            last_post_at: post.map(|(_, at)| at.clone()),
            last_seen_at: row.map(|row| row.last_seen_at.to_string()),
            left_at: row.and_then(|row| row.left_at).map(|at| at.to_string()),
            new: unseen.contains(&id),
        }
    });
    Ok(RekeyList {
        session: session.id().to_string(),
        title: presenter.title(),
        epoch: session.epoch(),
        participants: participants.collect(),
        out_earlier: out.len() as u64,
        before: Before::of(session.reach()?),
        auto: session
            .plane_state()
            .is_some_and(|state| state.mode.name == ModeName::Auto),
        finished_earlier: matches!(earlier, EarlierRekey::InForce(_)),
        forgot_earlier: matches!(earlier, EarlierRekey::NotInForce),
    })
}

fn last_posts(session: &Session) -> BTreeMap<ParticipantId, (u64, String)> {
    session
        .view()
        .messages()
        .filter(|(_, posted)| posted.content.is_ok())
        .map(|(entry, posted)| (posted.author, (entry.seq, entry.at.to_string())))
        .collect()
}

fn joined_after(session: &Session, seq: u64) -> BTreeSet<ParticipantId> {
    let joined = |what: &What| match what {
        What::Member(Some(member)) if matches!(member.kind, MemberKind::Joined { .. }) => {
            Some(member.participant_id)
        }
        _ => None,
    };
    let after = session.view().after(seq).iter();
    after
        .filter_map(|entry| joined(&entry.what))
        .filter(|id| id != session.my_id())
        .collect()
}
