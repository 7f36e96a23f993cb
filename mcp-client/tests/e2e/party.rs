//! Somebody with a machine of their own: a home, a process, a host that answers as told.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_client::home::Environment;
use mcp_client::session::Clock;
use mcp_client::verbs::{
    self, App, Ask, BoxFuture, Failure, Host, JoinAnswer, JoinArgs, ModeAnswer, ModeArgs, PostAnswer,
    PostArgs, Question, ReadAnswer, ReadArgs, SetTo, ShareAnswer, ShareArgs, WaitAnswer, WaitArgs, WhoAnswer,
    WhoArgs,
};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use wire::event::Kind;

use crate::plane::TestPlane;

pub struct TestHost {
    kind: Kind,
    lives_on: bool,
    folder: PathBuf,
    pub cancelled: CancellationToken,
    /// How long it waits at a door.
    pub patience: Duration,
    pub answers: Mutex<VecDeque<Ask>>,
    pub questions: Mutex<Vec<Question>>,
    gate: Mutex<Option<Gate>>,
}

/// The next question stays open until the test answers it.
#[derive(Clone, Default)]
pub struct Gate(Arc<GateState>);

#[derive(Default)]
struct GateState {
    asked: Notify,
    answered: Notify,
    answer: Mutex<Option<Ask>>,
}

impl Gate {
    /// Until the question is there.
    pub async fn asked(&self) {
        self.0.asked.notified().await;
    }

    /// Answers it.
    pub fn answer(&self, answer: Ask) {
        *self.0.answer.lock().unwrap() = Some(answer);
        self.0.answered.notify_one();
    }

    async fn put(&self) -> Ask {
        self.0.asked.notify_one();
        self.0.answered.notified().await;
        self.0.answer.lock().unwrap().unwrap()
    }
}

impl TestHost {
    fn new(kind: Kind, lives_on: bool, folder: PathBuf) -> Self {
        Self {
            kind,
            lives_on,
            folder,
            cancelled: CancellationToken::new(),
            patience: Duration::ZERO,
            answers: Mutex::default(),
            questions: Mutex::default(),
            gate: Mutex::default(),
        }
    }

    /// Holds the next question open.
    pub fn gate(&self) -> Gate {
        let gate = Gate::default();
        *self.gate.lock().unwrap() = Some(gate.clone());
        gate
    }
}

impl Host for TestHost {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn lives_on(&self) -> bool {
        self.lives_on
    }

    fn program(&self) -> Option<String> {
        Some("test-host".to_owned())
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.folder)
    }

    fn cancelled(&self) -> &CancellationToken {
        &self.cancelled
    }

    fn progress<'a>(&'a self, _elapsed_s: u64, _total_s: u64, _message: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async {})
    }

    fn waits_at_door(&self) -> Option<Duration> {
        Some(self.patience)
    }

    fn prompts_for_calls(&self) -> bool {
        self.lives_on
    }

    fn may_allow_secrets(&self) -> bool {
        true
    }

    fn ask<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Ask> {
        self.questions.lock().unwrap().push(question.clone());
        if let Some(gate) = self.gate.lock().unwrap().take() {
            return Box::pin(async move { gate.put().await });
        }
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Ask::CannotAsk);
        Box::pin(async move { answer })
    }
}

pub struct Party {
    pub root: tempfile::TempDir,
    /// How far this machine's clock is ahead, in milliseconds.
    ahead: Arc<AtomicI64>,
    environment: Environment,
    pub app: App,
    pub host: TestHost,
}

/// Ana, Sam and Eve, of whom nobody is in a session.
pub fn three(plane: &TestPlane) -> (Party, Party, Party) {
    let party = |name| Party::new(name, plane);
    (party("Ana"), party("Sam"), party("Eve"))
}

impl Party {
    pub fn new(name: &str, plane: &TestPlane) -> Self {
        Self::of_kind(name, plane, Kind::Agent)
    }

    pub fn of_kind(name: &str, plane: &TestPlane, kind: Kind) -> Self {
        Self::at(name, &plane.origin, &plane.token, kind)
    }

    /// Whose plane is at this origin, with this machine token.
    pub fn at(name: &str, origin: &str, token: &str, kind: Kind) -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let folder = root.path().join("work");
        std::fs::create_dir(&folder).unwrap();
        let environment = Environment::of([
            ("HOME", root.path().to_str().unwrap()),
            ("DEVPILOT_HOME", home.to_str().unwrap()),
            ("DEVPILOT_NAME", name),
            ("DEVPILOT_CLIPBOARD", "off"),
            ("DEVPILOT_PLANE", origin),
            ("DEVPILOT_BRIDGE_TOKEN", token),
        ]);
        let ahead = Arc::default();
        Self {
            app: App::new(environment.clone(), clock(&ahead)).unwrap(),
            ahead,
            host: TestHost::new(kind, true, folder),
            environment,
            root,
        }
    }

    /// Moves this machine's clock, or back with a negative number.
    pub fn move_clock(&self, minutes: i64) {
        self.ahead.fetch_add(minutes * 60_000, Ordering::SeqCst);
    }

    /// The process ends and another begins: memory is gone, files stay.
    pub fn restart(&mut self) {
        self.app = App::new(self.environment.clone(), clock(&self.ahead)).unwrap();
    }

    /// A second process of the same user on the same machine.
    pub fn beside(&self) -> App {
        App::new(self.environment.clone(), clock(&self.ahead)).unwrap()
    }

    /// A process of the same user that was given no machine token.
    pub fn without_token(&self) -> App {
        let environment = Environment::of([
            ("HOME", self.root.path().to_str().unwrap()),
            ("DEVPILOT_HOME", self.home().to_str().unwrap()),
            ("DEVPILOT_PLANE", &self.environment.get("DEVPILOT_PLANE").unwrap()),
        ]);
        App::new(environment, Clock::system()).unwrap()
    }

    /// What a command of the same user sees, in the same folder.
    pub fn command(&self, kind: Kind) -> TestHost {
        TestHost::new(kind, false, self.host.folder.clone())
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    pub fn will_answer(&self, answers: impl IntoIterator<Item = Ask>) {
        self.host.answers.lock().unwrap().extend(answers);
    }

    pub async fn share(&self, title: &str, context: &str) -> ShareAnswer {
        let args = ShareArgs {
            title: Some(title.to_owned()),
            context: Some(context.to_owned()),
            reveal_link: true,
            ..ShareArgs::default()
        };
        let delivered = verbs::share::run(&self.app, args, &self.host).await.unwrap();
        let answer = delivered.answer.clone();
        delivered.commit(&self.app).await.unwrap();
        answer
    }

    /// The link as it is now.
    pub async fn link(&self, session: &str) -> String {
        let args = ShareArgs {
            session: Some(session.to_owned()),
            reveal_link: true,
            ..ShareArgs::default()
        };
        let delivered = verbs::share::run(&self.app, args, &self.host).await.unwrap();
        delivered.answer.link.unwrap()
    }

    pub async fn try_join(&self, link: &str) -> Result<JoinAnswer, Failure> {
        let args = JoinArgs {
            link: Some(link.to_owned()),
            ..JoinArgs::default()
        };
        let delivered = verbs::join::run(&self.app, args, &self.host).await?;
        let answer = delivered.answer.clone();
        delivered.commit(&self.app).await.unwrap();
        Ok(answer)
    }

    pub async fn join(&self, link: &str) -> JoinAnswer {
        self.try_join(link).await.unwrap()
    }

    pub async fn try_read(&self, args: ReadArgs) -> Result<ReadAnswer, Failure> {
        let delivered = verbs::read::run(&self.app, args, &self.host).await?;
        let answer = delivered.answer.clone();
        delivered.commit(&self.app).await.unwrap();
        Ok(answer)
    }

    pub async fn read(&self) -> ReadAnswer {
        self.try_read(ReadArgs::default()).await.unwrap()
    }

    pub async fn read_all(&self) -> ReadAnswer {
        let args = ReadArgs {
            since: Some(0),
            limit: Some(200),
            ..ReadArgs::default()
        };
        self.try_read(args).await.unwrap()
    }

    pub async fn try_post(&self, text: &str) -> Result<PostAnswer, Failure> {
        let args = PostArgs {
            text: text.to_owned(),
            ..PostArgs::default()
        };
        let delivered = verbs::post::run(&self.app, args, &self.host).await?;
        let answer = delivered.answer.clone();
        delivered.commit(&self.app).await.unwrap();
        Ok(answer)
    }

    pub async fn post(&self, text: &str) -> PostAnswer {
        self.try_post(text).await.unwrap()
    }

    pub async fn try_wait(&self, timeout_s: u32) -> Result<WaitAnswer, Failure> {
        let args = WaitArgs {
            timeout_s: Some(timeout_s),
            ..WaitArgs::default()
        };
        let delivered = verbs::wait::run(&self.app, args, &self.host).await?;
        let answer = delivered.answer.clone();
        delivered.commit(&self.app).await.unwrap();
        Ok(answer)
    }

    pub async fn who(&self) -> WhoAnswer {
        verbs::who::run(&self.app, WhoArgs::default(), &self.host)
            .await
            .unwrap()
            .answer
    }

    /// Until the plane says that a participant waits.
    pub async fn until_listening(&self, id: &str) {
        let started = Instant::now();
        let listens = |who: WhoAnswer| who.participants.iter().any(|one| one.id == id && one.listening);
        while !listens(self.who().await) {
            assert!(started.elapsed() < Duration::from_secs(20), "nobody waits");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    pub async fn set_mode(&self, set: SetTo) -> Result<ModeAnswer, Failure> {
        let args = ModeArgs {
            set: Some(set),
            ..ModeArgs::default()
        };
        self.mode(args).await
    }

    pub async fn mode(&self, args: ModeArgs) -> Result<ModeAnswer, Failure> {
        Ok(verbs::mode::run(&self.app, args, &self.host).await?.answer)
    }
}

fn clock(ahead: &Arc<AtomicI64>) -> Clock {
    let ahead = ahead.clone();
    let system = Clock::system();
    Clock::of(move || system.now().plus_millis(ahead.load(Ordering::SeqCst)))
}

/// The texts of an answer's messages; a name of an error in brackets where there is none.
pub fn texts(answer: &ReadAnswer) -> Vec<String> {
    let text = |message: &verbs::MessageItem| match (&message.text, &message.problem) {
        (Some(text), _) => text.clone(),
        (None, problem) => format!("[{}]", problem.as_deref().unwrap_or("?")),
    };
    answer.messages.iter().map(text).collect()
}

/// The same link by another way to the same plane.
pub fn through(link: &str, origin: &str) -> String {
    let at = link.find("/s/").unwrap();
    format!("{origin}{}", &link[at..])
}
