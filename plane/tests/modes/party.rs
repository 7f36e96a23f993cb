//! Four participants and an onlooker in one session of a real plane, who do what a random string says.

use plane::service::OwnerCaller;
use serde_json::{Value, json};
use wire::api;
use wire::api::Signal;
use wire::epoch_record::EntryCapability;
use wire::event::{Capability, Kind, ModeName};
use wire::ids::{ParticipantId, ProposalId};
use wire::timestamp::Timestamp;
use wire::transcript::RecordClass;

use crate::client::Answer;
use crate::fixture::{Link, Plane, Seat, random, sealed};
use crate::mode_strings::{Act, HUE, Model};
use crate::over_http::Process;
use crate::rekeys;

/// The plane that strings run against, by all its processes.
pub(crate) struct Stage {
    pub(crate) plane: Plane,
    pub(crate) services: Vec<plane::service::Service>,
    pub(crate) processes: Vec<Process>,
    pub(crate) runtime: tokio::runtime::Runtime,
}

/// One session with its people, and what the transcript must be.
pub(crate) struct Party<'a> {
    stage: &'a Stage,
    seats: Vec<Seat>,
    here: [bool; 4],
    /// Reads only, and sees everything.
    onlooker: Seat,
    /// The owner participant, as long as there is one.
    owned: bool,
    link: Link,
    began: Timestamp,
    /// What has been read.
    read: u64,
    /// Counts turns, to take everybody and every process in turn.
    turn: usize,
}

/// A record, as far as a string determines it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Notice(String),
    Message(ParticipantId),
    Epoch(u32),
    Member(ParticipantId, &'static str),
}

/// What an act was answered, state or code, and the records it must have made before its notice.
pub(crate) type Done = (Result<Option<Value>, String>, Vec<Seen>);

fn proposal(id: u8) -> ProposalId {
    ProposalId::from_bytes([id; 16])
}

fn number(id: ProposalId) -> u8 {
    id.as_bytes()[0]
}

impl<'a> Party<'a> {
    pub(crate) async fn begin(stage: &'a Stage) -> Self {
        let owner = stage.plane.create().await;
        let mut seats = vec![owner.clone()];
        for index in 1..4 {
            let kind = if index == HUE { Kind::Human } else { Kind::Agent };
            seats.push(owner.invite(kind, Capability::Full).await);
        }
        let onlooker = owner.invite(Kind::Human, Capability::View).await;
        let read = onlooker.state().await.head_seq;
        Self {
            began: stage.now(),
            stage,
            link: owner.link,
            seats,
            here: [true; 4],
            onlooker,
            owned: true,
            read,
            turn: 0,
        }
    }

    /// Milliseconds since it began: the time of the model.
    pub(crate) fn millis(&self) -> i64 {
        self.stage.now().millis() - self.began.millis()
    }

    pub(crate) fn next_turn(&mut self) {
        self.turn += 1;
    }

    fn process(&self) -> Process {
        self.stage.processes[self.turn % self.stage.processes.len()]
    }

    fn another_process(&self) -> Process {
        self.stage.processes[(self.turn + 1) % self.stage.processes.len()]
    }

    pub(crate) async fn sweep(&self) {
        let service = &self.stage.services[self.turn % self.stage.services.len()];
        service.sweep().await.unwrap();
    }

    /// Somebody who left, or whose token a re-key ended, returns; the record of it.
    async fn be_here(&mut self, by: u8) -> Option<Seen> {
        let index = usize::from(by);
        if self.here[index] {
            return None;
        }
        self.here[index] = true;
        let seat = self.seats[index].with_link(self.link);
        self.seats[index] = seat.join(Capability::Full, true).await;
        Some(Seen::Member(self.seats[index].id, "joined"))
    }

    /// Whose turn it is where the string leaves that open.
    #[allow(clippy::cast_possible_truncation, reason = "less than four")]
    fn anybody(&self) -> u8 {
        (self.turn % 4) as u8
    }

    /// Does an act as whoever it is.
    pub(crate) async fn act(&mut self, act: &Act) -> Done {
        let by = match *act {
            Act::Propose { by, .. } | Act::Accept { by, .. } | Act::Post { by, .. } | Act::Leave { by } => by,
            Act::Observe | Act::Relay | Act::Decline { .. } | Act::Stop => self.anybody(),
            Act::Rekey => return self.rekey().await,
            Act::End => return self.end().await,
        };
        if matches!(act, Act::Stop) && self.turn.is_multiple_of(3) {
            return self.stop_from_outside().await;
        }
        let mut seen: Vec<Seen> = self.be_here(by).await.into_iter().collect();
        let seat = self.seats[usize::from(by)].clone();
        let (tail, body) = request(act, self.link.epoch);
        let answer = self.process().call(&seat, "POST", tail, body.as_ref()).await;
        let told = told(&answer);
        match act {
            Act::Post { .. } => {
                self.again(&seat, body.as_ref(), &answer).await;
                if told.is_ok() {
                    seen.push(Seen::Message(seat.id));
                }
            }
            Act::Leave { .. } => {
                assert_eq!(answer.ok(200), json!({}));
                self.here[usize::from(by)] = false;
                seen.push(Seen::Member(seat.id, "left"));
            }
            _ => {}
        }
        (told, seen)
    }

    /// The answer got lost and the post comes again, to another process: the first one counts.
    async fn again(&self, seat: &Seat, body: Option<&Value>, first: &Answer) {
        let repeated = self.another_process().call(seat, "POST", "/records", body).await;
        if first.status == 201 {
            assert_eq!(repeated.ok(200)["seq"], first.json()["seq"]);
        } else {
            assert_eq!(
                (repeated.status, &repeated.json()["code"]),
                (first.status, &first.json()["code"])
            );
        }
    }

    async fn stop_from_outside(&mut self) -> Done {
        let by = if self.turn.is_multiple_of(2) {
            &self.stage.plane.machine
        } else {
            &self.stage.plane.admin
        };
        let by = OwnerCaller::Machine(by.clone());
        let state = self
            .stage
            .plane
            .service
            .stop(&by, self.onlooker.session)
            .await
            .unwrap()
            .state;
        assert_eq!(state.capability, None);
        (Ok(None), Vec::new())
    }

    async fn rekey(&mut self) -> Done {
        let plane = &self.stage.plane;
        let next = Link::new(self.link.epoch + 1);
        let owner = &self.seats[0];
        let by_owner = self.owned && (self.turn / 2).is_multiple_of(2);
        let (by, ask) = if by_owner {
            let kept = self.seats.iter().map(|seat| (seat, EntryCapability::Full));
            let kept: Vec<_> = kept.chain([(&self.onlooker, EntryCapability::View)]).collect();
            let record = rekeys::owner_record(&next, owner, &kept);
            (
                &plane.machine,
                rekeys::request(&record, Some(owner.rejoin_secret)),
            )
        } else {
            (&plane.admin, rekeys::by_admin(&next, owner.session))
        };
        plane.service.rekey(by, owner.session, ask).await.unwrap();
        self.owned = by_owner;
        for (seat, _) in self.seats.iter().zip(self.here).filter(|(_, here)| *here) {
            self.process()
                .call(seat, "GET", "", None)
                .await
                .problem(401, "rekeyed");
        }
        (self.here, self.link) = ([false; 4], next);
        self.onlooker = self.onlooker.with_link(next).join(Capability::View, true).await;
        (Ok(None), vec![Seen::Epoch(next.epoch)])
    }

    async fn end(&mut self) -> Done {
        let plane = &self.stage.plane;
        plane
            .service
            .end(&plane.machine, self.onlooker.session, false)
            .await
            .unwrap();
        for (seat, _) in self.seats.iter().zip(self.here).filter(|(_, here)| *here) {
            let body = json!({ "set": "relay" });
            let answer = self.process().call(seat, "POST", "/mode", Some(&body)).await;
            answer.problem(410, "session_ended");
        }
        (Ok(None), Vec::new())
    }

    /// What has been appended since the last time, with the state that was told beside it.
    pub(crate) async fn news(&mut self) -> (Vec<Seen>, api::Mode) {
        let tail = format!("/records?after={}&limit=1000", self.read);
        let page: api::Page =
            serde_json::from_value(self.process().get(&self.onlooker, &tail).await).unwrap();
        assert!(!page.more);
        assert_eq!(page.state.mode.effective, onlookers(page.state.mode.name));
        crate::transcripts::gap_free(&page.records, self.read + 1);
        self.read = page.state.head_seq;
        (page.records.iter().map(seen).collect(), page.state.mode)
    }

    /// The onlooker's own returns are not of the string.
    pub(crate) fn is_onlookers(&self, seen: &Seen) -> bool {
        matches!(seen, Seen::Member(who, _) if *who == self.onlooker.id)
    }

    /// One whose token counts is told the same, and its own effective mode.
    pub(crate) async fn check_own_view(&self, model: &Model) {
        let by = self.anybody();
        if self.here[usize::from(by)] {
            let seat = &self.seats[usize::from(by)];
            let view = self.another_process().get(seat, "").await;
            let mode: api::Mode = serde_json::from_value(view["state"]["mode"].clone()).unwrap();
            assert_eq!(mode.effective, model.effective(by));
            self.check_mode(&mode, model);
        }
    }

    /// A state that was told is what the model says.
    pub(crate) fn check_mode(&self, mode: &api::Mode, model: &Model) {
        let at = |millis: i64| self.began.plus_millis(millis);
        let ascending = |members: &[u8]| {
            let mut ids: Vec<_> = members
                .iter()
                .map(|one| self.seats[usize::from(*one)].id)
                .collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(serde_json::to_value(mode.name).unwrap(), model.mode());
        assert_eq!(mode.budget_left, model.auto.then(|| model.budget - model.spent));
        assert_eq!(mode.expires_at, model.auto.then(|| at(model.deadline)));
        assert_eq!(mode.accepted, model.auto.then(|| ascending(&model.accepted)));
        assert_eq!(mode.done, model.auto.then(|| ascending(&model.done)));
        assert_eq!(mode.proposal_id.map(number), model.auto.then_some(model.id));
        let goal_of = mode
            .goal
            .as_ref()
            .map(|goal| (number(goal.proposal_id), goal.participant_id));
        let by = || self.seats[usize::from(model.by)].id;
        assert_eq!(goal_of, model.auto.then(|| (model.id, by())));
        let open = mode.proposal.as_ref();
        let open = open.map(|one| {
            (
                number(one.proposal_id),
                one.by,
                one.budget,
                one.ttl_s,
                one.lapses_at,
            )
        });
        let pending = || (model.id, by(), model.budget, model.ttl_s, at(model.deadline));
        assert_eq!(open, model.pending.then(pending));
    }

    /// Whoever is told in an answer to their own act.
    pub(crate) fn check_answer(&self, answer: &Value, act: &Act, model: &Model) {
        let mode: api::Mode = serde_json::from_value(answer["state"]["mode"].clone()).unwrap();
        self.check_mode(&mode, model);
        if let Act::Propose { by, .. } | Act::Accept { by, .. } | Act::Post { by, .. } = *act {
            assert_eq!(mode.effective, model.effective(by));
        }
    }
}

impl Stage {
    pub(crate) fn now(&self) -> Timestamp {
        plane::clock::Clock::Set(self.plane.clock.clone()).now()
    }
}

/// The onlooker accepts nothing.
fn onlookers(name: ModeName) -> ModeName {
    if name == ModeName::Auto {
        ModeName::Observe
    } else {
        name
    }
}

fn seen(record: &api::Record) -> Seen {
    let body = record.body.clone().unwrap_or_default();
    match record.class {
        RecordClass::Notice => Seen::Notice(body),
        RecordClass::Message => Seen::Message(record.sender.unwrap()),
        RecordClass::Epoch => Seen::Epoch(record.epoch),
        RecordClass::Member => {
            let event: Value = serde_json::from_str(&body).unwrap();
            let word = ["joined", "left"]
                .into_iter()
                .find(|word| event["event"] == **word)
                .unwrap();
            Seen::Member(record.sender.unwrap(), word)
        }
    }
}

fn told(answer: &Answer) -> Result<Option<Value>, String> {
    let body = answer.json();
    match answer.status {
        200 | 201 => Ok(body.get("state").is_some().then_some(body)),
        _ => Err(body["code"].as_str().unwrap().to_owned()),
    }
}

fn request(act: &Act, epoch: u32) -> (&'static str, Option<Value>) {
    let sealed = || json!(sealed());
    match *act {
        Act::Observe => ("/mode", Some(json!({ "set": "observe" }))),
        Act::Relay => ("/mode", Some(json!({ "set": "relay" }))),
        Act::Propose {
            id, budget, ttl_s, ..
        } => {
            let body = json!({
                "proposal_id": proposal(id), "budget": budget, "ttl_s": ttl_s, "epoch": epoch, "sealed_goal": sealed(),
            });
            ("/auto", Some(body))
        }
        Act::Accept { id, .. } => ("/auto/accept", Some(json!({ "proposal_id": proposal(id) }))),
        Act::Decline { id } => ("/auto/decline", Some(json!({ "proposal_id": proposal(id) }))),
        Act::Post { signal, expect, .. } => {
            let id = ProposalId::from_bytes(random());
            let mut body = json!({ "message_id": id, "epoch": epoch, "sealed": sealed() });
            if let Some(signal) = signal {
                body["signal"] = json!(Signal::word(signal));
            }
            if expect {
                body["expect_mode"] = json!("auto");
            }
            ("/records", Some(body))
        }
        Act::Stop => ("/auto/stop", None),
        Act::Leave { .. } => ("/leave", None),
        Act::Rekey | Act::End => unreachable!("a machine's"),
    }
}
