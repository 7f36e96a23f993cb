//! Random event strings against the real plane, over HTTP: after each event the answer, the records it appended and
//! what everybody is told are what the naive model says. On Postgres two processes take turns.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::test_runner::{Config, FileFailurePersistence, RngSeed, TestRunner};

use crate::fixture::{Engine, Plane, wide};
use crate::mode_strings::{Act, Model, Turn, turns};
use crate::over_http::Process;
use crate::party::{Party, Seen, Stage};
use crate::postgres::postgres_is_here;

/// Strings of a seed. A store plays those of two seeds: one that shows each way into auto and out of it, and one that
/// nobody has seen before.
const STRINGS: u32 = 32;
/// Seeds that are asked for one that shows everything.
const SEEDS: u64 = 200;
/// The variable that names the one seed to play.
const SEED: &str = "PLANE_STRINGS_SEED";
/// How auto is entered, and all the ways it is left.
const CAUSES: [&str; 10] = [
    "accepted",
    "requested",
    "budget_spent",
    "ttl_expired",
    "all_done",
    "blocked",
    "stopped",
    "left",
    "rekeyed",
    "ended",
];
/// Strings that failed once are kept and come first.
const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/modes/strings.regressions");

fn limits() -> plane::limits::Limits {
    plane::limits::Limits {
        rekeys_per_hour: 1_000_000,
        view_records_per_hour: 1_000_000,
        ..wide()
    }
}

fn stage(engine: Engine) -> Stage {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let (plane, services, processes) = runtime.block_on(async {
        let limits = limits();
        let plane = Plane::with(engine, limits.clone()).await;
        let mut services = vec![plane.service.clone()];
        if engine == Engine::Postgres {
            services.push(plane.second(&limits).await);
        }
        let mut processes = Vec::new();
        for service in &services {
            processes.push(Process::of(service, &limits).await);
        }
        (plane, services, processes)
    });
    Stage {
        plane,
        services,
        processes,
        runtime,
    }
}

/// How often each cause was seen: of entering auto, and of leaving it.
type Seldom = BTreeMap<String, u32>;

fn count(seen: &[Seen], counts: &mut Seldom) {
    for one in seen {
        let Seen::Notice(text) = one else { continue };
        let notice: serde_json::Value = serde_json::from_str(text).unwrap();
        if notice["from"] == "auto" || notice["to"] == "auto" {
            let cause = notice["cause"].as_str().unwrap().to_owned();
            *counts.entry(cause).or_default() += 1;
        }
    }
}

async fn play(stage: &Stage, turns: &[Turn], counts: &RefCell<Seldom>) {
    let mut party = Party::begin(stage).await;
    let mut model = Model::default();
    for (n, turn) in turns.iter().enumerate() {
        party.next_turn();
        stage.plane.clock.advance_millis(turn.pause);
        let now = party.millis();
        let current = (model.auto || model.pending).then_some(model.id);
        let act = turn.act(current);
        let due = model.sweep(now);
        if n % 2 == 0 {
            party.sweep().await;
        } else {
            // Nobody has swept: readers treat what is overdue as over, and the call itself must apply it first.
            party.check_own_view(&model).await;
        }
        let expected = model.act(&act, now);
        let (told, made) = party.act(&act).await;
        let notice = match (&told, expected) {
            (Ok(answer), Ok(notice)) => {
                if let Some(answer) = answer {
                    party.check_answer(answer, &act, &model);
                }
                notice
            }
            (Err(code), Err(expected)) => {
                assert_eq!(code, expected, "{act:?}");
                None
            }
            (told, expected) => panic!("{act:?}: told {told:?}, the model says {expected:?}"),
        };
        party.sweep().await;
        let mut records: Vec<Seen> = due.into_iter().map(Seen::Notice).collect();
        records.extend(made);
        records.extend(notice.map(Seen::Notice));
        let (news, mode) = party.news().await;
        let news: Vec<Seen> = news.into_iter().filter(|one| !party.is_onlookers(one)).collect();
        assert_eq!(news, records, "{act:?}");
        party.check_mode(&mode, &model);
        party.check_own_view(&model).await;
        count(&news, &mut counts.borrow_mut());
        if matches!(act, Act::End) {
            party = Party::begin(stage).await;
            model = Model::default();
        }
    }
}

/// Gives the strings of a seed, one by one.
fn each(seed: u64, see: impl Fn(&[Turn])) {
    let mut runner = TestRunner::new(Config {
        cases: STRINGS,
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_iters: 100,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(KEPT))),
        ..Config::default()
    });
    let done = runner.run(&turns(4, 20..45), |turns| {
        see(&turns);
        Ok(())
    });
    if let Err(failed) = done {
        panic!("{failed}\nthe same strings again: {SEED}={seed}");
    }
}

/// Plays the strings of a seed.
fn run(stage: &Stage, seed: u64, counts: &RefCell<Seldom>) {
    each(seed, |turns| stage.runtime.block_on(play(stage, turns, counts)));
}

/// What the model alone makes of a string.
fn foretell(turns: &[Turn], counts: &mut Seldom) {
    let mut model = Model::default();
    let mut now = 0;
    for turn in turns {
        now += turn.pause;
        let current = (model.auto || model.pending).then_some(model.id);
        let act = turn.act(current);
        let due = model.sweep(now);
        let notice = model.act(&act, now).ok().flatten();
        let notices: Vec<Seen> = due.into_iter().chain(notice).map(Seen::Notice).collect();
        count(&notices, counts);
        if matches!(act, Act::End) {
            model = Model::default();
            now = 0;
        }
    }
}

fn shows_everything(counts: &Seldom) -> bool {
    CAUSES.iter().all(|cause| counts.contains_key(*cause))
}

/// The first seed whose strings show each cause, by the model.
fn telling_seed() -> u64 {
    let tells = |seed: &u64| {
        let counts = RefCell::new(Seldom::new());
        each(*seed, |turns| foretell(turns, &mut counts.borrow_mut()));
        shows_everything(&counts.into_inner())
    };
    (0..SEEDS).find(tells).expect("strings that say little")
}

fn the_plane_does_what_the_model_does(engine: Engine) {
    let stage = stage(engine);
    let counts = RefCell::new(Seldom::new());
    if let Ok(given) = std::env::var(SEED) {
        return run(&stage, given.parse().unwrap(), &counts);
    }
    let telling = telling_seed();
    run(&stage, telling, &counts);
    eprintln!("{engine:?}, seed {telling}: {:?}", counts.borrow());
    assert!(shows_everything(&counts.borrow()), "{counts:?}");
    run(&stage, u64::from_le_bytes(crate::fixture::random()), &counts);
}

#[test]
fn random_strings_do_on_sqlite_what_the_model_says() {
    the_plane_does_what_the_model_does(Engine::Sqlite);
}

#[test]
fn random_strings_do_on_postgres_by_two_processes_what_the_model_says() {
    if postgres_is_here() {
        the_plane_does_what_the_model_does(Engine::Postgres);
    }
}
