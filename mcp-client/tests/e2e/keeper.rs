//! Somebody at their own terminal: the commands that keep a session, with the word typed.

use std::collections::BTreeMap;

use mcp_client::verbs::rekey::admin::{self, AdminRekeyAnswer};
use mcp_client::verbs::{
    self, App, Ask, Choice, EndAnswer, EndArgs, Failure, RekeyAnswer, RekeyArgs, RekeyList,
};
use wire::event::Kind;
use wire::ids::ParticipantId;

use crate::party::{Party, TestHost};

/// One command line of a party: a process of its own.
pub struct Keeper {
    pub app: App,
    pub host: TestHost,
}

impl Keeper {
    /// A command of this user in the same folder, where the word will be typed.
    pub fn of(party: &Party) -> Self {
        let host = party.command(Kind::Human);
        host.answers.lock().unwrap().push_back(Ask::Yes);
        Self {
            app: party.beside(),
            host,
        }
    }

    pub async fn look(&self) -> Result<RekeyList, Failure> {
        verbs::rekey::look(&self.app, None, &self.host).await
    }

    /// Decides over a list, by id; who is not named is out.
    pub async fn decide(
        &self,
        list: RekeyList,
        stay: &[(&str, Choice)],
        history: bool,
    ) -> Result<RekeyAnswer, Failure> {
        let choice = |id: &str| stay.iter().find(|(who, _)| *who == id).map(|(_, choice)| *choice);
        let choices: BTreeMap<ParticipantId, Choice> = list
            .participants
            .iter()
            .filter(|one| one.can_be_kept && !one.me)
            .map(|one| (one.id.parse().unwrap(), choice(&one.id).unwrap_or(Choice::Drop)))
            .collect();
        let args = RekeyArgs {
            list,
            choices,
            history,
        };
        let delivered = verbs::rekey::run(&self.app, args, &self.host).await?;
        let answer = delivered.answer.clone();
        delivered.commit(&self.app).await?;
        Ok(answer)
    }
}

/// Looks and re-keys in one command; history kept.
pub async fn rekey(owner: &Party, stay: &[&str]) -> Result<RekeyAnswer, Failure> {
    rekey_with(owner, stay, true).await
}

pub async fn rekey_with(owner: &Party, stay: &[&str], history: bool) -> Result<RekeyAnswer, Failure> {
    let keeper = Keeper::of(owner);
    let list = keeper.look().await?;
    let stay: Vec<(&str, Choice)> = stay.iter().map(|id| (*id, Choice::Keep)).collect();
    keeper.decide(list, &stay, history).await
}

/// Re-keys as an administrator. The answer, and the link as the terminal shows it.
pub async fn rekey_as_admin(party: &Party, session: &str) -> Result<(AdminRekeyAnswer, String), Failure> {
    let keeper = Keeper::of(party);
    let rekeyed = admin::run(&keeper.app, session, &keeper.host).await?;
    let link = rekeyed.link().to_string();
    Ok((rekeyed.shown()?.answer, link))
}

pub async fn end(party: &Party, session: &str, purge: bool) -> Result<EndAnswer, Failure> {
    let keeper = Keeper::of(party);
    let args = EndArgs {
        session: Some(session.to_owned()),
        purge,
    };
    Ok(verbs::end::run(&keeper.app, args, &keeper.host).await?.answer)
}
