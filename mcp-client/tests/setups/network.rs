//! Ways to this machine itself, and a clock that is wrong.

use serde_json::json;

use crate::scene::{self, CONTEXT, TITLE};
use crate::stdio::caddy::Caddy;
use crate::stdio::plane::{Plane, Store, free_port};
use crate::stdio::proxy::Proxy;
use crate::stdio::{Machine, Ran, binary};

/// The link as it leads elsewhere.
fn through(link: &str, plane: &Plane, host: &str, port: u16) -> String {
    link.replace(
        &format!("http://127.0.0.1:{}/", plane.port()),
        &format!("http://{host}:{port}/"),
    )
}

/// Joins where `localhost` is ::1 and 127.0.0.1, as on most machines; none where that can't be made so.
async fn join_where_localhost_is_two(machine: &Machine, link: &str) -> Option<Ran> {
    if !scene::may_mount() {
        return None;
    }
    let hosts = machine.home().join("hosts");
    std::fs::write(&hosts, "::1 localhost\n127.0.0.1 localhost\n").unwrap();
    let mut command = tokio::process::Command::new("unshare");
    machine.surround(&mut command);
    command
        .args([
            "--mount",
            "sh",
            "-c",
            "mount --bind \"$1\" /etc/hosts && exec \"$2\" join -",
            "sh",
        ])
        .args([&*hosts, binary()]);
    Some(scene::finish(command, link.as_bytes()).await)
}

#[tokio::test]
async fn a_plane_that_is_reached_by_ipv6_alone_is_joined() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    let Ok(six) = Proxy::at("[::1]:0", plane.port()).await else {
        eprintln!("SKIPPED: IPv6, since there is no ::1 here");
        return;
    };
    let ben = scene::joined("Ben", &through(&link, &plane, "[::1]", six.port())).await;
    assert_eq!(scene::texts(&scene::read_all(&ben).await), [CONTEXT]);
    let link = through(&link, &plane, "localhost", six.port());
    if let Some(ran) = join_where_localhost_is_two(&Machine::new(), &link).await {
        assert_eq!(ran.code(), 0, "{ran}");
    }
}

#[tokio::test]
async fn of_a_name_with_several_addresses_the_one_that_answers_is_used() {
    let plane = Plane::start(Store::Sqlite).await;
    let (_, link) = scene::shared(&plane).await;
    // Nobody listens on ::1, which comes first.
    let link = through(&link, &plane, "localhost", plane.port());
    if let Some(ran) = join_where_localhost_is_two(&Machine::new(), &link).await {
        assert_eq!(ran.code(), 0, "{ran}");
    }
}

/// Debian's libfaketime, if it is here.
fn faketime() -> Option<String> {
    let found = ["x86_64", "aarch64"]
        .map(|machine| format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketime.so.1"))
        .into_iter()
        .find(|path| std::path::Path::new(path).exists());
    if found.is_none() {
        eprintln!("SKIPPED: wrong clocks, since libfaketime is not installed");
    }
    found
}

fn by_a_wrong_clock(machine: Machine, library: &str, skew: &str) -> Machine {
    machine
        .with("LD_PRELOAD", library)
        .with("FAKETIME", skew)
        .with("FAKETIME_DONT_FAKE_MONOTONIC", "1")
}

#[tokio::test]
async fn a_certificate_that_is_not_valid_by_this_machines_clock_says_to_look_at_the_clock() {
    let Some(library) = faketime() else { return };
    let port = free_port();
    let plane = Plane::start_behind(&format!("https://localhost:{port}")).await;
    let Some(caddy) = Caddy::before(plane.port(), "localhost", port).await else {
        return;
    };
    let ada = caddy.trusted_by(plane.owner());
    let ran = ada.run(["share", "--title", TITLE], CONTEXT.as_bytes()).await;
    assert_eq!(ran.code(), 0, "{ran}");
    for skew in ["-40d", "+4000d"] {
        let machine = by_a_wrong_clock(caddy.trusted_by(Machine::new()), &library, skew);
        let ran = scene::join(&machine, &ada.link()).await;
        scene::assert_said(
            &ran,
            &["is not valid at this time", "date and clock", "Nothing was sent"],
        );
    }
}

#[tokio::test]
async fn a_clock_that_is_a_day_wrong_breaks_nothing_that_need_not_break() {
    let Some(library) = faketime() else { return };
    let plane = Plane::start(Store::Sqlite).await;
    for skew in ["-1d", "+1d"] {
        let wrong = |machine: Machine| by_a_wrong_clock(machine, &library, skew);
        let ada = wrong(plane.owner().with("DEVPILOT_NAME", "Ada"));
        let shared = ada
            .run(["share", "--title", TITLE, "--json"], CONTEXT.as_bytes())
            .await;
        assert_eq!(shared.code(), 0, "{skew}: {shared}");
        // The same call again is the same session, by a clock that is wrong but goes on.
        let again = ada
            .run(["share", "--title", TITLE, "--json"], CONTEXT.as_bytes())
            .await;
        assert_eq!(
            again.json()["session"],
            shared.json()["session"],
            "{skew}: {again}"
        );
        let note = std::fs::read_dir(ada.devpilot().join("handoffs"))
            .unwrap()
            .flatten()
            .next()
            .unwrap();
        let link = crate::stdio::link_in(&std::fs::read_to_string(note.path()).unwrap());
        let ben_machine = wrong(Machine::new().with("DEVPILOT_SESSION_LINK", &link));
        let mut ben = ben_machine.server();
        ben.initialize("2025-06-18", json!({ "elicitation": {} })).await;
        let joined = ben.call("join", json!({})).await;
        assert_eq!(joined.structured()["card"]["handoff"]["text"], CONTEXT, "{skew}");
        scene::post(&ada, "by a wrong clock").await;
        let read = ben.call("read", json!({})).await;
        assert_eq!(
            read.structured()["messages"][0]["text"],
            "by a wrong clock",
            "{skew}"
        );
        assert_eq!(read.structured()["integrity"]["state"], "ok", "{skew}");
        let (relayed, _) = ben.call_agreed("mode", json!({ "set": "relay" })).await;
        assert_eq!(relayed.structured()["mode"], "relay", "{skew}");
    }
}
