//! The program itself: what its operator types, and what comes back.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "support/process.rs"]
mod process;

use std::net::TcpListener;
use std::process::Command;

use serde_json::{Value, json};

use process::{Home, Running, text};

#[cfg(unix)]
#[test]
fn serve_makes_a_token_once_for_the_client_of_this_user() {
    let home = Home::new();
    let running = Running::start(home.command(&["serve", "--listen", "127.0.0.1:0"]));
    let origin = format!("http://{}", running.address);
    let stored = home.credentials();
    assert_eq!(
        (&stored["version"], &stored["default"]),
        (&json!(1), &json!(origin))
    );
    let token = stored["planes"][&origin]["token"].as_str().unwrap().to_owned();
    assert!(!running.first_lines.contains(&token), "the token is in the log");
    let (status, me) = running.get("/v1/me", &token);
    assert_eq!((status, &me["scopes"]), (200, &json!(["rekey", "share"])));
    assert!(home.path().join(".devpilot/plane/plane.sqlite").exists());

    let listen = running.address.to_string();
    assert_eq!(running.terminate(), Some(0));
    let again = Running::start(home.command(&["serve", "--listen", &listen]));
    assert_eq!(home.credentials(), stored, "a token that counts was replaced");
    drop(again);

    // A token of a database that is gone counts no more.
    std::fs::remove_dir_all(home.path().join(".devpilot/plane")).unwrap();
    let fresh = Running::start(home.command(&["serve", "--listen", &listen]));
    let renewed = home.credentials()["planes"][&origin]["token"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_ne!(renewed, token);
    assert_eq!(fresh.get("/v1/me", &renewed).0, 200);
}

#[cfg(target_os = "linux")]
#[test]
fn a_log_that_can_t_be_written_is_counted_and_nothing_more() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut command = home.command(&["serve", "--listen", &free.to_string()]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let running = Running::unheard(command.stderr(full), free);
    let lost = || -> u64 {
        let metrics = running.text("/metrics");
        let name = "devpilot_plane_log_lines_lost_total ";
        let value = metrics.lines().find_map(|line| line.strip_prefix(name));
        value.map_or(0, |value| value.parse().unwrap())
    };
    for _ in 0..50 {
        running.text("/v1/assets.json");
    }
    while lost() == 0 {
        std::thread::yield_now();
    }
    for _ in 0..50 {
        running.text("/v1/assets.json");
    }
    // Its start, a line for each request, and a few for the questions.
    let lost = lost();
    assert!(lost < 1_000, "{lost} lines are lost of a hundred requests");
}

#[cfg(unix)]
#[test]
fn the_last_lines_are_written_before_it_ends() {
    let home = Home::new();
    let log = home.path().join("log");
    let mut command = home.command(&["serve", "--listen", "127.0.0.1:0", "--log-format", "json"]);
    let mut child = command
        .stderr(std::fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(&log).unwrap();
        let whole = text.rsplit_once('\n').map_or("", |(lines, _)| lines).lines();
        whole.map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    while !lines().iter().any(|line| line["message"] == "listening") {
        assert!(child.try_wait().unwrap().is_none(), "it ended early");
        std::thread::yield_now();
    }
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .unwrap()
            .success()
    );
    assert!(child.wait().unwrap().success());
    let last: Vec<Value> = lines()
        .iter()
        .rev()
        .take(2)
        .map(|line| line["message"].clone())
        .collect();
    assert_eq!(last, ["stopped", "going down"]);
}

#[test]
fn a_taken_port_names_the_flag() {
    let home = Home::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let said = home.bad(&["serve", "--listen", &taken.local_addr().unwrap().to_string()]);
    assert!(said.contains("--listen") && said.contains("in use"), "{said}");
    assert!(
        !home.path().join(".devpilot").exists(),
        "it touched the data before it could listen"
    );
}

#[test]
fn what_would_fail_open_is_refused_at_the_start() {
    let home = Home::new();
    let limits = home.path().join("limits.json");
    let file = limits.to_str().unwrap();
    for content in [
        "{\"append_burst\": 0}",
        "{\"append_burst\": -1}",
        "{\"bursts\": 5}",
        "{\"epochs\": 1e99}",
        "oops",
    ] {
        std::fs::write(&limits, content).unwrap();
        let said = home.bad(&["serve", "--listen", "127.0.0.1:0", "--limits", file]);
        assert!(said.contains("limits.json"), "{said}");
    }
    assert!(
        home.bad(&["serve", "--limits", "/nowhere/limits.json"])
            .contains("/nowhere/limits.json")
    );
    assert!(
        home.bad(&["serve", "--listen", "0.0.0.0:0"])
            .contains("DATABASE_URL")
    );
    assert!(
        home.bad(&["serve", "--public-url", "http://plane.example.org"])
            .contains("https")
    );
    assert!(
        home.bad(&["serve", "--trusted-proxies", "nobody"])
            .contains("--trusted-proxies")
    );
    assert!(
        home.bad(&["serve", "--database-url", "mysql://h/d"])
            .contains("postgres://")
    );
    assert_eq!(home.run(&["serve", "--nonsense"]).status.code(), Some(2));
}

#[test]
fn the_same_name_is_a_flag_a_variable_and_a_line_of_the_file() {
    let home = Home::new();
    let file = home.path().join("plane.toml");
    std::fs::write(
        &file,
        "public_url = \"https://from-file.example\"\nlisten = \"127.0.0.1:1111\"\n",
    )
    .unwrap();
    let file = file.to_str().unwrap();
    let config = |command: &mut Command| -> Value {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let shown = config(&mut home.command(&["config", "--json", "--config", file]));
    assert_eq!(
        (&shown["public_url"], &shown["listen"]),
        (&json!("https://from-file.example"), &json!("127.0.0.1:1111"))
    );
    let mut with_variable = home.command(&["config", "--json", "--config", file]);
    let shown = config(with_variable.env("DEVPILOT_PLANE_LISTEN", "127.0.0.1:2222"));
    assert_eq!(shown["listen"], "127.0.0.1:2222");
    let mut with_flag = home.command(&["config", "--json", "--config", file, "--listen", "127.0.0.1:3333"]);
    let shown = config(with_flag.env("DEVPILOT_PLANE_LISTEN", "127.0.0.1:2222"));
    assert_eq!(shown["listen"], "127.0.0.1:3333");
    assert_eq!(shown["limits"]["append_burst"], 20);
}

#[test]
fn a_password_is_shown_nowhere() {
    let home = Home::new();
    let url = "postgres://ada:s3cret@127.0.0.1:1/plane?password=s3cret";
    for arguments in [
        ["config"].as_slice(),
        &["config", "--json"],
        &["serve", "--help"],
        &["migrate"],
        &["admin", "org", "list"],
    ] {
        let output = home.command(arguments).env("DATABASE_URL", url).output().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.contains("s3cret"), "{arguments:?}: {said}");
    }
}

#[test]
fn an_operator_sets_up_an_org_and_revokes_a_token() {
    let home = Home::new();
    let data = home.path().join("data");
    let admin = |arguments: &[&str]| {
        let place = ["admin", "--data", data.to_str().unwrap()];
        [place.as_slice(), arguments]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let good = |arguments: &[&str]| {
        let line = admin(arguments);
        home.good(&line.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let bad = |arguments: &[&str]| {
        let line = admin(arguments);
        home.bad(&line.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(good(&["org", "list"]).trim(), "none");
    good(&["org", "create", "acme"]);
    assert!(bad(&["org", "create", "acme"]).contains("exists"));
    good(&[
        "member", "create", "--org", "acme", "--name", "ada", "--role", "admin",
    ]);
    good(&["member", "create", "--org", "acme", "--name", "ben"]);
    let token = good(&[
        "token",
        "create",
        "--org",
        "acme",
        "--member",
        "ada",
        "--scopes",
        "share,rekey,admin",
    ]);
    let token = token.strip_suffix('\n').unwrap();
    assert!(
        token.starts_with("dpm_") && token.len() == 47,
        "more than the token on standard output: {token}"
    );
    assert!(
        bad(&[
            "token", "create", "--org", "acme", "--member", "ben", "--scopes", "admin"
        ])
        .contains("role is admin")
    );
    assert!(bad(&["member", "list", "--org", "nobody"]).contains("none of that name"));

    let running = Running::start(home.command(&[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        data.to_str().unwrap(),
    ]));
    let (status, me) = running.get("/v1/me", token);
    assert_eq!(
        (status, &me["role"], &me["scopes"]),
        (200, &json!("admin"), &json!(["admin", "rekey", "share"]))
    );

    let listed: Value = serde_json::from_str(&good(&["token", "list", "--org", "acme", "--json"])).unwrap();
    assert!(!listed.to_string().contains(token));
    let id = listed[0]["token_id"].as_str().unwrap();
    good(&["token", "revoke", id]);
    assert_eq!(
        running.get("/v1/me", token).0,
        401,
        "revoked while the plane runs"
    );
    assert!(
        bad(&["token", "revoke", id]).contains("none"),
        "revoking what is not there is no success"
    );
    let audit = good(&["audit", "--org", "acme"]);
    assert!(
        audit.contains("token.revoke") && audit.contains("operator"),
        "{audit}"
    );
    assert_eq!(good(&["session", "list", "--org", "acme"]).trim(), "none");
}

#[test]
fn an_operator_approves_a_machine_that_shows_a_code() {
    let home = Home::new();
    let running = Running::start(home.command(&["serve", "--listen", "127.0.0.1:0"]));
    let ask = |name: &str| running.post("/v1/connect", &json!({ "machine_name": name })).1;
    let poll = |codes: &Value| {
        running.post(
            "/v1/connect/token",
            &json!({ "device_code": codes["device_code"] }),
        )
    };
    let code = |codes: &Value| codes["user_code"].as_str().unwrap().to_owned();

    // The plane of a laptop has one org and one member.
    let laptop = ask("ada-laptop");
    let unasked = home.bad(&["admin", "approve", &code(&laptop)]);
    assert!(
        unasked.contains("no terminal to ask at") && unasked.contains("--yes"),
        "{unasked}"
    );
    let said = home.run(&["admin", "approve", &code(&laptop), "--yes"]);
    assert!(said.status.success(), "{}", text(&said.stderr));
    assert!(text(&said.stderr).contains("calls itself “ada-laptop”, from 127.0.0.1, since 2"));
    assert!(text(&said.stdout).starts_with("Approved as a machine of owner in local, to rekey and share"));
    assert!(
        !text(&said.stdout).contains("dpm_"),
        "the token is for the machine alone"
    );
    let (status, connected) = poll(&laptop);
    assert_eq!((status, &connected["member"]), (200, &json!("owner")));
    let token = connected["machine_token"].as_str().unwrap();
    assert_eq!(running.get("/v1/me", token).0, 200);

    // What the answer says about ending it is right.
    let end = text(&said.stdout);
    let id = end.trim().rsplit(' ').next().unwrap();
    home.good(&["admin", "token", "revoke", id]);
    assert_eq!(running.get("/v1/me", token).0, 401);
    assert!(
        home.bad(&["admin", "approve", &code(&laptop), "--yes"])
            .contains("answered already")
    );

    let other = ask("stranger");
    let denied: Value =
        serde_json::from_str(&home.good(&["admin", "approve", &code(&other), "--deny", "--json"])).unwrap();
    assert_eq!(denied["machine_name"], "stranger");
    assert_eq!(poll(&other).1["code"], "access_denied");

    home.good(&["admin", "member", "create", "--org", "local", "--name", "ben"]);
    let bens = ask("ben-desktop");
    assert!(
        home.bad(&["admin", "approve", &code(&bens)])
            .contains("--org ORG --member NAME")
    );
    let line = [
        "admin",
        "approve",
        &code(&bens),
        "--org",
        "local",
        "--member",
        "ben",
        "--scopes",
        "share",
        "--json",
        "--yes",
    ];
    let approved: Value = serde_json::from_str(&home.good(&line)).unwrap();
    assert_eq!(
        (&approved["member"], &approved["scopes"]),
        (&json!("ben"), &json!(["share"]))
    );
    assert_eq!(poll(&bens).1["scopes"], json!(["share"]));
    let audit = home.good(&["admin", "audit", "--org", "local"]);
    for act in ["machine.approve", "machine.deny", "token.create"] {
        assert!(audit.contains(act), "{audit}");
    }

    for _ in 0..5 {
        assert!(
            home.bad(&["admin", "approve", "BBBB-BBBB"])
                .contains("No machine waits")
        );
    }
    assert!(
        home.bad(&["admin", "approve", "BBBB-BBBB"])
            .contains("one wrong code too many")
    );
}

/// The operator knows whose machine it becomes and what it may do then before saying yes, and says the whole word.
#[cfg(target_os = "linux")]
#[test]
fn an_operator_is_asked_with_the_member_and_the_rights_and_takes_back_nothing_by_a_letter() {
    let home = Home::new();
    let running = Running::start(home.command(&["serve", "--listen", "127.0.0.1:0"]));
    home.good(&["admin", "member", "create", "--org", "local", "--name", "ben"]);
    let ask = || {
        let codes = running
            .post("/v1/connect", &json!({ "machine_name": "a-laptop" }))
            .1;
        codes["user_code"].as_str().unwrap().to_owned()
    };
    let code = ask();
    let owners = format!("admin approve {code} --member owner");
    for typed in ["y\n", "no\n", "\n", "Yes please\n"] {
        let (right, screen) = home.at_terminal(&owners, typed);
        assert!(
            !right && screen.contains("nothing was approved"),
            "{typed:?}: {screen}"
        );
        for part in [
            "calls itself “a-laptop”",
            "a machine of the member owner in the org local",
            "create sessions, and to re-key, stop and end every session that a machine of owner created",
            "Type yes to approve it: ",
        ] {
            assert!(screen.contains(part), "{part}: {screen}");
        }
    }
    let (right, screen) = home.at_terminal(&owners, "yes\n");
    assert!(
        right && screen.contains("Approved as a machine of owner in local"),
        "{screen}"
    );

    let share = format!("admin approve {} --member ben --scopes share", ask());
    let (right, screen) = home.at_terminal(&share, "yes\n");
    assert!(
        right && screen.contains("of the member ben in the org local, and able to create sessions."),
        "{screen}"
    );
    let all = format!("admin approve {} --member owner --scopes admin,rekey", ask());
    let (_, screen) = home.at_terminal(&all, "no\n");
    assert!(
        screen.contains("able to re-key, stop and end every session of the org local"),
        "{screen}"
    );
    // What can't be is refused before anybody is asked.
    let (right, screen) = home.at_terminal(&format!("admin approve {}", ask()), "yes\n");
    assert!(
        !right && screen.contains("several members") && !screen.contains("Type yes"),
        "{screen}"
    );
}

#[test]
fn a_health_check_says_whether_the_plane_serves() {
    let home = Home::new();
    let running = Running::start(home.command(&["serve", "--listen", "127.0.0.1:0"]));
    let listen = running.address.to_string();
    assert_eq!(home.good(&["healthcheck", "--listen", &listen]).trim(), "ready");
    assert_eq!(
        home.good(&["healthcheck", "--url", &format!("http://{listen}")])
            .trim(),
        "ready"
    );
    drop(running);
    assert!(home.bad(&["healthcheck", "--listen", &listen]).contains(&listen));
}

#[test]
fn failures_are_json_for_programs() {
    let home = Home::new();
    let said: Value = serde_json::from_str(&home.bad(&["serve", "--listen", "0.0.0.0:0", "--json"])).unwrap();
    assert!(said["error"].as_str().unwrap().contains("DATABASE_URL"));
}

#[test]
fn migrate_makes_the_schema() {
    let home = Home::new();
    home.good(&["migrate"]);
    assert!(home.path().join(".devpilot/plane/plane.sqlite").exists());
    home.good(&["migrate"]);
}
