//! Asking this machine's human through the host, in both ways the protocol has.
//!
//! Up to 2025-11-25 the server sends the question while the call waits. From 2026-07-28 on a server may not: the call
//! ends with the question, and the host calls again with the answer. The host's second call is untrusted. Its
//! `requestState` is only the name of a question kept here; a yes counts if that name is known, not used before, not
//! older than [`ANSWER_WITHIN`], and the verb, run again with the same arguments, arrives at the very same question.
//!
//! A yes is never read from silence: the form has one field, and only an explicit `true` in it is a yes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    BooleanSchema, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
    InputRequest, InputRequests, InputRequiredResult, InputResponses, JsonObject, PrimitiveSchemaDefinition,
};
use rmcp::service::{Peer, RoleServer, ServiceError};
use serde_json::Value;
use tokio::time::Instant;

use crate::verbs::{Ask, Purpose, Question};

/// How long the human has (`mcp-client.md`, `devpilot_session_mode`). Hosts give a call about 60 s.
pub(crate) const ANSWER_WITHIN: Duration = Duration::from_secs(45);

/// Most questions kept open for a later call; the oldest goes first.
const OPEN_AT_MOST: usize = 32;

/// The form's only field.
const FIELD: &str = "confirm";

/// The name of the one question in a later round.
const REQUEST: &str = "consent";

/// Asks while the call waits (up to 2025-11-25).
pub(crate) async fn ask_now(peer: &Peer<RoleServer>, question: &Question) -> Ask {
    let asked = peer
        .create_elicitation_with_timeout(form(question), Some(ANSWER_WITHIN))
        .await;
    match asked {
        Ok(result) => read(&result),
        Err(ServiceError::Timeout { .. }) => Ask::TimedOut,
        Err(ServiceError::Cancelled { .. }) => Ask::Dismissed,
        // The host can ask, it said so, and no answer of a human's came of it.
        Err(_) => Ask::Empty,
    }
}

/// The answer in a host's result.
fn read(result: &ElicitResult) -> Ask {
    let confirmed = result.content.as_ref().and_then(|content| content.get(FIELD));
    match (&result.action, confirmed) {
        (ElicitationAction::Accept, Some(Value::Bool(true))) => Ask::Yes,
        (ElicitationAction::Accept, Some(Value::Bool(false))) | (ElicitationAction::Decline, _) => Ask::No,
        (ElicitationAction::Cancel, _) => Ask::Dismissed,
        _ => Ask::Empty,
    }
}

fn form(question: &Question) -> ElicitRequestParams {
    let yes = match question.purpose {
        Purpose::Post => "Yes, send this text",
        Purpose::Relay => "Yes, go to relay",
        Purpose::Rekey => "Yes, re-key",
        Purpose::End => "Yes, end it",
        Purpose::Propose => "Yes, propose auto",
        Purpose::Accept => "Yes, accept auto",
        Purpose::Door(_) => "Yes, set the door",
        Purpose::Admit => "Yes, let in",
        Purpose::Refuse => "Yes, turn away",
        Purpose::Secrets => "Yes, send it all the same",
        Purpose::Acknowledge => "Yes, go on",
    };
    let field = BooleanSchema::new()
        .title(yes)
        .description("Nothing happens without a yes.");
    let mut schema = ElicitationSchema::new(BTreeMap::from([(
        FIELD.to_owned(),
        PrimitiveSchemaDefinition::Boolean(field),
    )]));
    schema.required = Some(vec![FIELD.to_owned()]);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text.clone(),
        requested_schema: schema,
    }
}

/// Questions that a host answers by calling again (from 2026-07-28).
#[derive(Default)]
pub(crate) struct Questions {
    open: Mutex<HashMap<String, Open>>,
}

/// One question that was shown, and the answers that its call already had.
struct Open {
    call: String,
    question: String,
    asked: Instant,
    earlier: Answers,
}

/// The answers that a later call brought, each to one question of that same call.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Answers(Vec<(String, Ask)>);

impl Answers {
    /// The answer, if `question` is the very question that was shown.
    pub(crate) fn to(&self, question: &Question) -> Option<Ask> {
        let id = question.id();
        self.0
            .iter()
            .find(|(shown, _)| *shown == id)
            .map(|(_, answer)| *answer)
    }
}

impl Questions {
    /// Ends a call with `question`; the answer is expected with the same tool and arguments. `earlier` are the answers
    /// this call had already: a verb with two questions gets both in its last round.
    pub(crate) fn put(
        &self,
        tool: &str,
        arguments: Option<&JsonObject>,
        question: &Question,
        earlier: Answers,
    ) -> InputRequiredResult {
        let name = uuid::Uuid::new_v4().to_string();
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, question| question.asked.elapsed() <= 2 * ANSWER_WITHIN);
        if open.len() >= OPEN_AT_MOST
            && let Some(oldest) = open
                .iter()
                .min_by_key(|(_, question)| question.asked)
                .map(|(name, _)| name.clone())
        {
            open.remove(&oldest);
        }
        open.insert(
            name.clone(),
            Open {
                call: call(tool, arguments),
                question: question.id(),
                asked: Instant::now(),
                earlier,
            },
        );
        let request = InputRequest::Elicitation(ElicitRequest::new(form(question)));
        InputRequiredResult::new(
            Some(InputRequests::from([(REQUEST.to_owned(), request)])),
            Some(name),
        )
    }

    /// Takes the answer that a second call brings. Each question is answered once, whatever the answer. Empty where
    /// the call brings none or its question is not known here, so that the human is asked anew.
    pub(crate) fn take(
        &self,
        tool: &str,
        arguments: Option<&JsonObject>,
        state: Option<&str>,
        responses: Option<&InputResponses>,
    ) -> Answers {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shown) = state.and_then(|state| open.remove(state)) else {
            return Answers::default();
        };
        if shown.call != call(tool, arguments) {
            return Answers::default();
        }
        let answer = if shown.asked.elapsed() > ANSWER_WITHIN {
            Ask::TimedOut
        } else {
            responses
                .and_then(|responses| responses.get(REQUEST))
                .and_then(|response| serde_json::from_value::<ElicitResult>(response.clone()).ok())
                .map_or(Ask::Empty, |result| read(&result))
        };
        let mut answers = shown.earlier;
        answers.0.push((shown.question, answer));
        answers
    }
}

/// Names a call by everything in it that decides what it does.
fn call(tool: &str, arguments: Option<&JsonObject>) -> String {
    serde_json::json!([tool, arguments]).to_string()
}

#[cfg(test)]
#[allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]
mod tests {
    use super::*;
    use serde_json::json;

    fn question(text: &str) -> Question {
        Question {
            purpose: Purpose::Relay,
            session: "A title".into(),
            text: text.into(),
            subject: "relay".into(),
        }
    }

    fn arguments(set: &str) -> JsonObject {
        json!({ "set": set }).as_object().unwrap().clone()
    }

    fn accepted(content: Value) -> InputResponses {
        InputResponses::from([(REQUEST.into(), json!({ "action": "accept", "content": content }))])
    }

    fn answer(responses: &InputResponses) -> Option<Ask> {
        let questions = Questions::default();
        let state = questions
            .put(
                "mode",
                Some(&arguments("relay")),
                &question("Relay?"),
                Answers::default(),
            )
            .request_state;
        questions
            .take(
                "mode",
                Some(&arguments("relay")),
                state.as_deref(),
                Some(responses),
            )
            .to(&question("Relay?"))
    }

    #[tokio::test]
    async fn only_an_explicit_true_is_a_yes() {
        assert_eq!(answer(&accepted(json!({ "confirm": true }))), Some(Ask::Yes));
        assert_eq!(answer(&accepted(json!({ "confirm": false }))), Some(Ask::No));
        for not_an_answer in [
            json!({}),
            json!(null),
            json!({ "confirm": "true" }),
            json!({ "yes": true }),
        ] {
            assert_eq!(answer(&accepted(not_an_answer)), Some(Ask::Empty));
        }
        let declined = InputResponses::from([(REQUEST.into(), json!({ "action": "decline" }))]);
        assert_eq!(answer(&declined), Some(Ask::No));
        let dismissed = InputResponses::from([(REQUEST.into(), json!({ "action": "cancel" }))]);
        assert_eq!(answer(&dismissed), Some(Ask::Dismissed));
        assert_eq!(answer(&InputResponses::new()), Some(Ask::Empty));
    }

    #[tokio::test]
    async fn a_yes_counts_once_for_what_was_shown_and_for_its_call() {
        let questions = Questions::default();
        let yes = accepted(json!({ "confirm": true }));
        let (shown, relay) = (question("Relay?"), arguments("relay"));
        let put = || {
            questions
                .put("mode", Some(&relay), &shown, Answers::default())
                .request_state
                .unwrap()
        };
        let take = |tool: &str, arguments: &JsonObject, state: Option<&str>| {
            questions.take(tool, Some(arguments), state, Some(&yes))
        };

        let name = put();
        let answers = take("mode", &relay, Some(&name));
        assert_eq!(answers.to(&shown), Some(Ask::Yes));
        assert_eq!(answers.to(&question("Relay for another session?")), None);
        assert_eq!(take("mode", &relay, Some(&name)), Answers::default());
        assert_eq!(take("post", &relay, Some(&put())), Answers::default());
        assert_eq!(take("mode", &arguments("auto"), Some(&put())), Answers::default());
        assert_eq!(take("mode", &relay, Some("made up")), Answers::default());
        assert_eq!(take("mode", &relay, None), Answers::default());
    }

    #[tokio::test]
    async fn a_verb_with_two_questions_gets_both_answers() {
        let questions = Questions::default();
        let yes = accepted(json!({ "confirm": true }));
        let (first, second) = (question("Histories differ. Go on?"), question("Send this?"));
        let one = questions
            .put("post", None, &first, Answers::default())
            .request_state;
        let answers = questions.take("post", None, one.as_deref(), Some(&yes));
        let two = questions.put("post", None, &second, answers).request_state;
        let answers = questions.take("post", None, two.as_deref(), Some(&yes));
        assert_eq!(answers.to(&first), Some(Ask::Yes));
        assert_eq!(answers.to(&second), Some(Ask::Yes));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_yes_is_a_time_out() {
        let questions = Questions::default();
        let shown = question("Relay?");
        let name = questions
            .put("mode", None, &shown, Answers::default())
            .request_state;
        tokio::time::advance(ANSWER_WITHIN + Duration::from_secs(1)).await;
        let yes = accepted(json!({ "confirm": true }));
        let answers = questions.take("mode", None, name.as_deref(), Some(&yes));
        assert_eq!(answers.to(&shown), Some(Ask::TimedOut));
    }
}
