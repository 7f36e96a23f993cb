//! What this machine's human is asked before a mode is raised, and what it means that they can't be asked.

use wire::event::Kind;
use wire::ids::ParticipantId;

use super::terms::Terms;
use crate::render;
use crate::session::{Session, goal_hash};
use crate::verbs::failure::{Failure, code};
use crate::verbs::host::{Ask, Face, Host, Purpose, Question};
use crate::verbs::present::{Presenter, short};
use crate::verbs::proposals::{duration, who};
use crate::verbs::{compose, counted, secrets};

/// Stands before every line of a goal: it can't pass for our own words.
const GUTTER: &str = "  | ";

/// A question, and what to say where it can't be put.
pub(super) struct Asking {
    pub(super) question: Question,
    /// That nothing was done, as the refusal says it.
    pub(super) nothing: &'static str,
    /// What a person runs in their own terminal instead, without the program.
    pub(super) command: String,
}

impl Asking {
    /// Whether relay may be set.
    pub(super) fn relay(session: &Session) -> Self {
        let title = Presenter::new(session).title();
        let text = format!(
            "Set the session \"{title}\" to relay? Agents in it may then wait for messages, and post texts that their own \
             human has said yes to, each one."
        );
        Self {
            question: Question {
                purpose: Purpose::Relay,
                session: title,
                text,
                subject: format!("relay {}", session.id()),
            },
            nothing: "The mode was not changed.",
            command: format!("mode relay --session {}", short(session.id())),
        }
    }

    /// Whether auto may be proposed on these terms.
    ///
    /// # Errors
    /// What in the goal is not to be shown can't be told.
    pub(super) fn propose(session: &Session, terms: &Terms, reader: Kind) -> Result<Self, Failure> {
        let presenter = Presenter::new(session);
        let title = presenter.title();
        let open = session
            .plane_state()
            .and_then(|state| state.mode.proposal.as_ref());
        let replaces = open.map_or_else(String::new, |open| {
            format!(
                " This replaces the open proposal by {}.",
                who(&presenter, &open.by)
            )
        });
        let text = format!(
            "Propose auto for the session \"{title}\"? If somebody else accepts within 10 min, your agent and theirs may wait \
             and post without asking you again: at most {budget} by everybody together, for at most {time}. Stop \
             ends it at any time.{replaces}\n\n{whose}:\n{goal}",
            budget = counted(terms.budget, "message"),
            time = duration(terms.ttl_s),
            whose = match reader {
                Kind::Agent => "What for, in your agent's words",
                Kind::Human => "What for",
            },
            goal = quoted(&secrets::shown("goal", &terms.goal)?),
        );
        let subject =
            serde_json::json!([session.id(), terms.budget, terms.ttl_s, goal_hash(&terms.goal)]).to_string();
        Ok(Self {
            question: Question {
                purpose: Purpose::Propose,
                session: title,
                text,
                subject,
            },
            nothing: "Nothing was proposed.",
            command: format!(
                "mode auto{} --session {} --seat {}",
                terms.options(),
                short(session.id()),
                short(session.my_id()),
            ),
        })
    }

    /// Whether this proposal may be accepted, and no other. Two agents of one person are two sides to a plane: where the proposer
    /// `is_here`, on this same machine, only this person can tell that nobody else said yes.
    pub(super) fn accept(session: &Session, shown: &Shown, is_here: bool) -> Self {
        let presenter = Presenter::new(session);
        let title = presenter.title();
        let state = match &shown.ends_at {
            Some(end) => format!(", which is on already and ends at {end} at the latest"),
            None => String::new(),
        };
        let both = match is_here {
            true => {
                " The proposer is a participant of this same machine: if nobody else uses it, your yes is the only one, and both \
                 sides of this auto are yours."
            }
            false => "",
        };
        let text = format!(
            "Accept auto in the session \"{title}\"{state}? {by} proposes it.{both} Your agent may then wait and post without asking \
             you again: at most {budget} by everybody together, for at most {time}. Stop ends it at any time.\n\n\
             What for, in the proposer's words:\n{goal}",
            by = who(&presenter, &shown.by),
            budget = counted(shown.budget, "message"),
            time = duration(shown.ttl_s),
            goal = quoted(&shown.goal),
        );
        let subject = serde_json::json!([session.id(), shown.id, shown.budget, shown.ttl_s]).to_string();
        Self {
            question: Question {
                purpose: Purpose::Accept,
                session: title,
                text,
                subject,
            },
            nothing: "Nothing was accepted.",
            command: format!(
                "mode accept --session {} --seat {}",
                short(session.id()),
                short(session.my_id())
            ),
        }
    }

    /// Asks. Nothing but a yes is one.
    pub(super) async fn put(self, host: &dyn Host) -> Result<(), Failure> {
        match host.ask(&self.question).await {
            Ask::Yes => Ok(()),
            Ask::CannotAsk if host.face() == Face::CommandLine => {
                Err(compose::no_terminal(self.nothing, self.command))
            }
            Ask::CannotAsk => {
                let nothing = self.nothing;
                Err(Failure::new(
                    code::CANNOT_ASK,
                    format!(
                        "This host can't ask its human. {nothing} Ask your human to run this in their own terminal; do not run \
                         it yourself."
                    ),
                )
                .with_command(self.command))
            }
            other => Err(compose::refused(other, self.nothing)),
        }
    }
}

/// A proposal as it is shown to be accepted.
pub(super) struct Shown {
    pub(super) id: wire::ids::ProposalId,
    pub(super) by: ParticipantId,
    pub(super) budget: u32,
    pub(super) ttl_s: u32,
    /// Of an auto that is on already.
    pub(super) ends_at: Option<wire::timestamp::Timestamp>,
    pub(super) goal: String,
}

fn quoted(goal: &str) -> String {
    let shown = render::text(goal);
    let mut lines: Vec<String> = shown.text.lines().map(|line| format!("{GUTTER}{line}")).collect();
    lines.extend(shown.remark().map(|remark| format!("({remark})")));
    lines.join("\n")
}
