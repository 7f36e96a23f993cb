//! Seats between real processes: who holds a lock or a lease, what is left when the holder is killed.
//!
//! Each process is this same program with the name of an ignored test.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mcp_client::home::Home;
use mcp_client::seat::{IdentitySecrets, LastUsed, Seat, SeatError, SeatState, Seats};
use wire::encoding::Secret32;
use wire::event::{Capability, Kind};
use wire::ids::{ParticipantId, SessionId};
use wire::timestamp::Timestamp;

const HOME: &str = "DEVPILOT_HOME";
/// A process that was killed must hold nobody up longer than this.
const SOON: Duration = Duration::from_secs(1);

const fn session() -> SessionId {
    SessionId::from_bytes([1; 16])
}

const fn participant() -> ParticipantId {
    ParticipantId::from_bytes([2; 16])
}

fn create(home: &Path) -> Seat {
    let state = SeatState::new(
        "https://plane.example".parse().unwrap(),
        session(),
        participant(),
        Kind::Agent,
        Capability::Full,
        IdentitySecrets {
            sk: Secret32::new([3; 32]),
            seed: Secret32::new([4; 32]),
        },
        LastUsed {
            at: Timestamp::from_millis(1),
            place: String::new(),
        },
    );
    Seats::new(Home::at(home)).create(&state).unwrap()
}

fn open(home: &Path) -> Seat {
    Seats::new(Home::at(home))
        .open(&session(), &participant())
        .unwrap()
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
        .block_on(future)
}

/// Another process, once it has said that it is ready.
struct Other(Child);

impl Other {
    fn start(home: &Path, part: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", part, "--ignored", "--nocapture"])
            .env(HOME, home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(
            lines.any(|line| line.unwrap().contains("ready")),
            "{part} is not ready"
        );
        Self(child)
    }

    /// `kill -9`.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

fn ready_and_wait() {
    println!("\nready");
    std::io::stdout().flush().unwrap();
    // Until killed.
    std::io::stdin().lines().for_each(drop);
}

#[test]
fn a_lease_is_free_again_when_its_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let seat = create(&home);
    let other = Other::start(&home, "part_holds_the_lease");
    assert!(seat.try_lease().unwrap().is_none());
    // Commands and hooks act for a leased seat without the lease.
    run(seat.with_lock(SOON, |state| -> Result<(), SeatError> {
        state.cursor = 5;
        Ok(())
    }))
    .unwrap();
    other.kill();
    assert!(seat.try_lease().unwrap().is_some());
}

#[test]
#[ignore = "a process of another test"]
fn part_holds_the_lease() {
    let seat = open(Path::new(&std::env::var_os(HOME).unwrap()));
    let _lease = seat.try_lease().unwrap().unwrap();
    ready_and_wait();
}

#[test]
fn a_lock_is_free_again_when_its_process_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let seat = create(&home);
    let other = Other::start(&home, "part_holds_the_lock");
    let busy = run(seat.lock(Duration::from_millis(50)));
    assert!(matches!(busy, Err(SeatError::Busy)));
    other.kill();
    let start = Instant::now();
    assert_eq!(
        run(seat.lock(SOON)).unwrap().cursor,
        0,
        "what was not saved is not there"
    );
    assert!(start.elapsed() < SOON);
}

#[test]
#[ignore = "a process of another test"]
fn part_holds_the_lock() {
    let seat = open(Path::new(&std::env::var_os(HOME).unwrap()));
    let mut lock = run(seat.lock(SOON)).unwrap();
    lock.cursor = 9;
    ready_and_wait();
}

#[test]
fn a_writer_killed_at_any_moment_leaves_a_whole_seat_that_never_goes_back() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    create(&home);
    let mut last = 0;
    for _ in 0..10 {
        let other = Other::start(&home, "part_writes_without_end");
        // Killed in the middle of whatever it does once it has got on.
        while open(&home).read().unwrap().cursor < last + 20 {
            std::thread::yield_now();
        }
        other.kill();
        let start = Instant::now();
        let state = run(open(&home).lock(SOON)).unwrap();
        assert!(start.elapsed() < SOON);
        assert!(state.cursor >= last + 20);
        assert_eq!(
            state.name.parse::<u64>().unwrap_or(0) / 5,
            state.cursor / 5,
            "a step is whole or not there"
        );
        last = state.cursor;
    }
    let left = std::fs::read_dir(home.join("sessions").join(session().to_string())).unwrap();
    let damaged = left
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().contains("damaged"))
        .count();
    assert_eq!(damaged, 0);
}

#[test]
#[ignore = "a process of another test"]
fn part_writes_without_end() {
    let seat = open(Path::new(&std::env::var_os(HOME).unwrap()));
    println!("\nready");
    std::io::stdout().flush().unwrap();
    loop {
        let step = |state: &mut SeatState| -> Result<(), SeatError> {
            state.cursor += 1;
            // Every fifth step replaces the file, the others only append.
            if state.cursor.is_multiple_of(5) {
                state.name = state.cursor.to_string();
            }
            Ok(())
        };
        run(seat.with_lock(SOON, step)).unwrap();
    }
}
