//! The audit: each act of an owner, an admin or the operator is there, and nothing else is.

use plane::service::{AuditEntry, MachineCaller, OwnerCaller, Role, Scope};
use plane::store::StoreUrl;
use wire::api::{Decide, DoorState, SetDoor, SettableMode};
use wire::event::{Capability, Kind};
use wire::timestamp::Timestamp;

use crate::fixture::*;
use crate::process::{Home, text};
use crate::rekeys::{by_admin, by_owner};

const FULL: Capability = Capability::Full;

/// All entries, oldest first.
async fn entries(plane: &Plane) -> Vec<AuditEntry> {
    let mut entries = plane.service.admin_audit("org", None, 1_000).await.unwrap();
    entries.reverse();
    entries
}

/// The entries since `from`, as who, what and to whom. Each act comes at a time of its own.
async fn since(plane: &Plane, from: Timestamp) -> Vec<(String, String, Option<String>)> {
    let entries = entries(plane).await.into_iter().filter(|entry| entry.at >= from);
    entries
        .map(|entry| (entry.actor, entry.action, entry.subject))
        .collect()
}

fn line(actor: &str, action: &str, subject: Option<&str>) -> (String, String, Option<String>) {
    (actor.to_owned(), action.to_owned(), subject.map(str::to_owned))
}

fn door(state: DoorState) -> SetDoor {
    SetDoor {
        state,
        joins_left: None,
        until: None,
    }
}

fn machine(by: &MachineCaller) -> OwnerCaller {
    OwnerCaller::Machine(by.clone())
}

on_both! {
    async fn every_act_on_a_session_is_there_with_who_did_it_to_which(engine: Engine) {
        let plane = Plane::new(engine).await;
        let service = &plane.service;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let session = owner.session;
        plane.advance(1);
        let from = service.view(&owner.me().await).await.unwrap().state.created_at.plus_millis(1_000);
        let (me, user, admin) =
            (owner.me().await, plane.machine.user_id.to_string(), plane.admin.user_id.to_string());
        let participant = format!("participant {}", owner.id);
        let step = || plane.advance(1);

        service.set_door(&OwnerCaller::Participant(me.clone()), session, door(DoorState::Ask)).await.unwrap();
        let (kim, sam) = (owner.stranger(Kind::Human), owner.stranger(Kind::Agent));
        kim.try_join(FULL, false).await.unwrap();
        sam.try_join(FULL, false).await.unwrap();
        step();
        service.decide(&machine(&plane.machine), session, kim.id, Decide { admit: true }).await.unwrap();
        step();
        service.decide(&machine(&plane.admin), session, sam.id, Decide { admit: false }).await.unwrap();
        step();
        service.set_door(&machine(&plane.admin), session, door(DoorState::Closed)).await.unwrap();
        step();
        owner.start_auto(&guest, 10, 600).await;
        service.stop(&machine(&plane.machine), session).await.unwrap();
        step();
        service.rekey(&plane.machine, session, by_owner(&Link::new(2), &owner, &[&owner])).await.unwrap();
        step();
        service.rekey(&plane.admin, session, by_admin(&Link::new(3), session)).await.unwrap();
        step();
        service.end(&plane.machine, session, false).await.unwrap();
        step();
        service.end(&plane.admin, session, true).await.unwrap();

        let (kim, sam) = (kim.id.to_string(), sam.id.to_string());
        let expected = [
            line(&participant, "door.set", Some("ask")),
            line(&user, "door.admit", Some(&kim)),
            line(&admin, "door.refuse", Some(&sam)),
            line(&admin, "door.set", Some("closed")),
            line(&user, "session.stop", None),
            line(&user, "session.rekey", Some("epoch 2")),
            line(&admin, "session.rekey", Some("epoch 3")),
            line(&user, "session.end", None),
            line(&admin, "session.purge", None),
        ];
        assert_eq!(since(&plane, from).await, expected);
        let of_sessions = entries(&plane).await.into_iter().filter(|entry| entry.at >= from);
        assert!(of_sessions.map(|entry| entry.session_id).all(|named| named == Some(session)));
    }

    async fn what_was_refused_or_changed_nothing_is_not_there(engine: Engine) {
        let plane = Plane::new(engine).await;
        let service = &plane.service;
        service.admin_create_member("org", "other", Role::Member).await.unwrap();
        let other = token(service, "other", &[Scope::Share, Scope::Rekey]).await;
        let owner = plane.create().await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        let session = owner.session;
        plane.advance(1);
        let from = owner.state().await.created_at.plus_millis(1_000);
        let by_guest = OwnerCaller::Participant(guest.me().await);
        let theirs = machine(&other);

        assert_eq!(code(service.set_door(&by_guest, session, door(DoorState::Closed)).await), "forbidden");
        assert_eq!(code(service.set_door(&theirs, session, door(DoorState::Closed)).await), "not_found");
        let nobody = owner.stranger(Kind::Agent).id;
        let kept = machine(&plane.machine);
        assert_eq!(code(service.decide(&kept, session, nobody, Decide { admit: true }).await), "not_found");
        assert_eq!(code(service.rekey(&other, session, by_admin(&Link::new(2), session)).await), "not_found");
        assert_eq!(code(service.rekey(&plane.machine, session, by_admin(&Link::new(9), session)).await), "epoch_moved");
        assert_eq!(code(service.end(&other, session, false).await), "not_found");
        assert_eq!(code(service.stop(&theirs, session).await), "not_found");
        service.stop(&kept, session).await.unwrap();
        owner.set(SettableMode::Relay).await.unwrap();
        guest.stop().await;
        assert_eq!(since(&plane, from).await, []);

        let link = Link::new(2);
        let ask = by_admin(&link, session);
        for _ in 0..3 {
            service.rekey(&plane.admin, session, ask.clone()).await.unwrap();
        }
        plane.advance(1);
        for _ in 0..3 {
            service.end(&plane.machine, session, false).await.unwrap();
        }
        let acts: Vec<_> = since(&plane, from).await.into_iter().map(|(_, action, _)| action).collect();
        assert_eq!(acts, ["session.rekey", "session.end"], "a repeated request is the same act");
    }

    async fn an_end_that_came_after_the_sessions_own_is_nobodys_act(engine: Engine) {
        let plane = Plane::new(engine).await;
        let limits = plane::limits::Limits { session_life_s: 60, ..wide() };
        let service = plane.second(&limits).await;
        let (request, seat) = Seat::creating(&plane, Kind::Agent);
        let created = new(service.create(&plane.machine, request).await.unwrap());
        let owner = seat.over(&service).with_token(&created.session_token).await;
        let guest = owner.invite(Kind::Agent, FULL).await;
        owner.start_auto(&guest, 10, 60).await;
        plane.advance(61);
        service.end(&plane.machine, owner.session, false).await.unwrap();
        assert!(entries(&plane).await.iter().all(|entry| entry.action != "session.end"));
    }

    async fn acts_of_the_operator_are_there_and_no_name_is(engine: Engine) {
        let plane = Plane::new(engine).await;
        let service = &plane.service;
        let from = Timestamp::from_millis(1_800_000_000_000).plus_millis(1_000);
        plane.advance(1);
        let member = service.admin_create_member("org", "Grace Hopper", Role::Member).await.unwrap();
        plane.advance(1);
        let made = service.admin_create_token("org", "Grace Hopper", &[Scope::Share], Some("her laptop")).await.unwrap();
        plane.advance(1);
        service.admin_revoke_token(made.token_id).await.unwrap();
        plane.advance(1);
        service.admin_disable_member("org", "Grace Hopper", true).await.unwrap();
        plane.advance(1);
        service.admin_disable_member("org", "Grace Hopper", false).await.unwrap();
        plane.advance(1);
        let owner = plane.create().await;
        service.admin_end_session(owner.session, false).await.unwrap();
        assert_eq!(code(service.admin_revoke_token(made.token_id).await), "not_found");
        assert_eq!(code(service.admin_create_member("org", "Grace Hopper", Role::Admin).await), "bad_request");

        let (user, id) = (member.user_id.to_string(), made.token_id.to_string());
        let expected = [
            line("operator", "member.create", Some(&user)),
            line("operator", "token.create", Some(&id)),
            line("operator", "token.revoke", Some(&id)),
            line("operator", "member.disable", Some(&user)),
            line("operator", "member.enable", Some(&user)),
            line("operator", "session.end", None),
        ];
        assert_eq!(since(&plane, from).await, expected);
        let all = serde_json::to_string(&entries(&plane).await).unwrap();
        for name in ["Grace", "Hopper", "laptop", "\"org\"", "owner"] {
            assert!(!all.contains(name), "{name} in {all}");
        }
    }
}

/// The program's own answer, as the operator of this database sees it.
fn admin(plane: &Plane, arguments: &[&str]) -> String {
    let home = Home::new();
    let mut command = home.command(&["admin"]);
    match &plane.database.url {
        StoreUrl::Sqlite(file) => command.arg("--data").arg(file.parent().unwrap()),
        StoreUrl::Postgres(url) => command.env("DATABASE_URL", url),
    };
    let output = command.args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

on_both! {
    async fn an_operator_sees_who_did_what_to_which_session_and_when(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        plane.advance(1);
        let by = machine(&plane.machine);
        plane.service.set_door(&by, owner.session, door(DoorState::Closed)).await.unwrap();
        let (user, session) = (plane.machine.user_id.to_string(), owner.session.to_string());

        let shown = admin(&plane, &["audit", "--org", "org", "--json"]);
        let shown: Vec<serde_json::Value> = serde_json::from_str(&shown).unwrap();
        let newest = serde_json::json!({
            "at": "2027-01-15T08:00:01.000Z", "actor": user, "action": "door.set", "session_id": session,
            "subject": "closed",
        });
        assert_eq!(shown[0], newest);
        assert_eq!(shown.len(), entries(&plane).await.len());

        let table = admin(&plane, &["audit", "--org", "org", "--limit", "1"]);
        let lines: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["AT", "WHO", "DID", "SESSION", "TO"]);
        assert_eq!(lines[1], ["2027-01-15T08:00:01.000Z", &user, "door.set", &session, "closed"]);
        assert_eq!(lines.len(), 2);
        assert!(admin(&plane, &["member", "list", "--org", "org"]).contains(&user), "and whose id that is");
    }
}

/// Append-only: no statement of the store changes or deletes a line.
#[test]
fn no_statement_touches_a_line_that_was_written() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let mut writes = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let statements = source.replace("\\\n", " ");
        let words: Vec<&str> = statements
            .split([' ', '"', '\n'])
            .filter(|word| !word.is_empty())
            .collect();
        let said = words.join(" ");
        for touch in [
            "UPDATE audit",
            "DELETE FROM audit",
            "TRUNCATE audit",
            "ALTER TABLE audit",
        ] {
            assert!(!said.contains(touch), "{touch}");
        }
        writes += said.matches("INSERT INTO audit (").count();
    }
    assert_eq!(writes, 1, "this test looks at the wrong place");
}
