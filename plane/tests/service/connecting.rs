//! Device login: a machine asks, the operator says yes or no, the machine gets its token once (RFC 8628;
//! `plane-api.md`, Orgs, machines, people).

use std::net::{IpAddr, Ipv6Addr};

use plane::limits::Limits;
use plane::service::{Role, Scope, Service, ServiceError};
use plane::store::StoreUrl;
use wire::api::{Connect, ConnectToken, Connected, Connecting};
use wire::encoding::Secret32;
use wire::timestamp::Timestamp;
use wire::token::TokenKind;

use crate::fixture::*;

const PAGE: &str = "https://plane.example.org/connect";
const SCOPES: [Scope; 2] = [Scope::Share, Scope::Rekey];

async fn ask(service: &Service, from: IpAddr, name: Option<&str>) -> Result<Connecting, ServiceError> {
    let request = Connect {
        machine_name: name.map(str::to_owned),
    };
    service.connect(from, PAGE.to_owned(), request).await
}

async fn asking(plane: &Plane) -> Connecting {
    ask(&plane.service, ADDRESS, Some("laptop")).await.unwrap()
}

async fn poll(service: &Service, codes: &Connecting) -> Result<Connected, ServiceError> {
    let request = ConnectToken {
        device_code: codes.device_code.clone(),
    };
    service.connect_token(ADDRESS, &request).await
}

/// What an operator is shown before the yes.
async fn machine_under(
    service: &Service,
    code: &str,
) -> Result<plane::service::ConnectRequest, ServiceError> {
    let approval = service
        .admin_approval(code, Some("org"), Some("owner"), &SCOPES)
        .await?;
    assert_eq!(
        (approval.org.as_str(), approval.member.as_str()),
        ("org", "owner")
    );
    Ok(approval.machine)
}

async fn approve(service: &Service, code: &str) -> Result<plane::service::Approved, ServiceError> {
    service
        .admin_approve(code, Some("org"), Some("owner"), &SCOPES)
        .await
}

async fn actions(plane: &Plane) -> Vec<(String, String, Option<String>)> {
    let mut entries = plane.service.admin_audit("org", None, 1_000).await.unwrap();
    entries.reverse();
    entries
        .into_iter()
        .map(|entry| (entry.actor, entry.action, entry.subject))
        .collect()
}

on_both! {
    async fn a_machine_that_is_approved_gets_a_token_that_counts_and_both_acts_are_written_down(engine: Engine) {
        let plane = Plane::new(engine).await;
        let codes = asking(&plane).await;
        assert_eq!((codes.expires_in, codes.interval, codes.verification_uri.as_str()), (600, 5, PAGE));
        assert_eq!(codes.user_code.len(), 8);
        assert_eq!(code(poll(&plane.service, &codes).await), "authorization_pending");
        let before = actions(&plane).await.len();

        let shown = machine_under(&plane.service, &codes.user_code).await.unwrap();
        let start = Timestamp::from_millis(1_800_000_000_000);
        assert_eq!(shown.machine_name.as_deref(), Some("laptop"));
        assert_eq!(shown.address.as_deref(), Some("192.0.2.1"));
        assert_eq!((shown.since, shown.expires_at), (start, start.plus_millis(600_000)));
        plane.advance(1);
        let typed = format!("{}-{}", &codes.user_code[..4], &codes.user_code[4..]).to_lowercase();
        let approved = approve(&plane.service, &typed).await.unwrap();
        assert_eq!((approved.org.as_str(), approved.member.as_str()), ("org", "owner"));
        plane.advance(1);
        let connected = poll(&plane.service, &codes).await.unwrap();
        assert_eq!((connected.org.as_str(), connected.member.as_str()), ("org", "owner"));
        assert_eq!(connected.scopes, ["rekey", "share"]);
        let (kind, token) = TokenKind::parse(&connected.machine_token.0).unwrap();
        assert_eq!(kind, TokenKind::Machine);
        let caller = plane.service.machine_caller(&token).await.unwrap();
        assert_eq!(caller.user_id, plane.machine.user_id);

        let listed = plane.service.admin_tokens("org").await.unwrap();
        let kept = listed.iter().find(|row| row.token_id == approved.token_id).unwrap();
        assert_eq!(kept.name.as_deref(), Some("laptop"));
        let (id, user) = (approved.token_id.to_string(), plane.machine.user_id.to_string());
        let expected = [
            ("operator".to_owned(), "machine.approve".to_owned(), Some(id.clone())),
            (user, "token.create".to_owned(), Some(id)),
        ];
        assert_eq!(actions(&plane).await[before..], expected);
        plane.service.admin_revoke_token(approved.token_id).await.unwrap();
        assert_eq!(code(plane.service.machine_caller(&token).await), "unauthorized");
    }

    async fn the_token_is_handed_out_once_though_many_ask_for_it_in_two_processes(engine: Engine) {
        let plane = Plane::new(engine).await;
        let second = plane.second(&wide()).await;
        for _ in 0..5 {
            let codes = asking(&plane).await;
            approve(&plane.service, &codes.user_code).await.unwrap();
            let mut asks = tokio::task::JoinSet::new();
            for nth in 0..8 {
                let service = if nth % 2 == 0 { plane.service.clone() } else { second.clone() };
                let codes = codes.clone();
                asks.spawn(async move { poll(&service, &codes).await });
            }
            let answers = asks.join_all().await;
            let (given, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
            assert_eq!(given.len(), 1);
            for answer in refused {
                assert_eq!(code(answer), "expired_token");
            }
            plane.advance(60);
        }
        second.drain().await;
    }

    async fn what_one_process_was_told_another_one_knows(engine: Engine) {
        let plane = Plane::new(engine).await;
        let second = plane.second(&wide()).await;
        let codes = asking(&plane).await;
        assert_eq!(code(poll(&plane.service, &codes).await), "authorization_pending");
        assert_eq!(code(poll(&second, &codes).await), "slow_down");
        plane.advance(5);
        assert_eq!(code(poll(&second, &codes).await), "authorization_pending");
        approve(&second, &codes.user_code).await.unwrap();
        poll(&plane.service, &codes).await.unwrap();
        second.drain().await;
    }

    async fn a_machine_that_is_refused_is_told_so_also_after_a_yes(engine: Engine) {
        let plane = Plane::new(engine).await;
        let codes = asking(&plane).await;
        plane.advance(1);
        plane.service.admin_deny(&codes.user_code, Some("org")).await.unwrap();
        assert_eq!(code(poll(&plane.service, &codes).await), "access_denied");
        assert_eq!(code(approve(&plane.service, &codes.user_code).await), "bad_request");
        assert_eq!(actions(&plane).await.last().unwrap().1, "machine.deny");

        let codes = asking(&plane).await;
        plane.advance(1);
        let approved = approve(&plane.service, &codes.user_code).await.unwrap();
        plane.advance(1);
        plane.service.admin_deny(&codes.user_code, None).await.unwrap();
        assert_eq!(code(poll(&plane.service, &codes).await), "access_denied");
        let last = actions(&plane).await.pop().unwrap();
        assert_eq!((last.1.as_str(), last.2), ("machine.deny", Some(approved.token_id.to_string())));

        // With the token out a no comes too late, and says what does help.
        let codes = asking(&plane).await;
        approve(&plane.service, &codes.user_code).await.unwrap();
        poll(&plane.service, &codes).await.unwrap();
        let late = plane.service.admin_deny(&codes.user_code, None).await.unwrap_err();
        assert!(late.to_string().contains("token revoke"), "{late}");
    }

    async fn codes_end_on_time_and_the_sweeper_forgets_them(engine: Engine) {
        let plane = Plane::new(engine).await;
        let codes = asking(&plane).await;
        plane.advance(599);
        assert_eq!(code(poll(&plane.service, &codes).await), "authorization_pending");
        plane.advance(1);
        assert_eq!(code(poll(&plane.service, &codes).await), "expired_token");
        assert_eq!(code(approve(&plane.service, &codes.user_code).await), "bad_request");

        let approved = asking(&plane).await;
        approve(&plane.service, &approved.user_code).await.unwrap();
        plane.advance(600);
        assert_eq!(code(poll(&plane.service, &approved).await), "expired_token");

        let fresh = asking(&plane).await;
        plane.service.sweep().await.unwrap();
        assert_eq!(count(&plane, "connect_requests").await, 1, "old ones stay, or one that counts went");
        assert_eq!(code(poll(&plane.service, &fresh).await), "authorization_pending");
    }

    async fn an_unknown_code_is_like_one_that_is_over(engine: Engine) {
        let plane = Plane::new(engine).await;
        let unknown = Connecting { device_code: Secret32::new(random()), ..asking(&plane).await };
        let spent = asking(&plane).await;
        approve(&plane.service, &spent.user_code).await.unwrap();
        poll(&plane.service, &spent).await.unwrap();
        let old = asking(&plane).await;
        plane.advance(600);
        for codes in [&unknown, &spent, &old] {
            assert_eq!(poll(&plane.service, codes).await.unwrap_err().to_string(), "expired_token");
        }
    }

    async fn of_a_disabled_member_a_machine_gets_nothing(engine: Engine) {
        let plane = Plane::new(engine).await;
        let codes = asking(&plane).await;
        approve(&plane.service, &codes.user_code).await.unwrap();
        plane.service.admin_disable_member("org", "owner", true).await.unwrap();
        assert_eq!(code(poll(&plane.service, &codes).await), "access_denied");
        let codes = asking(&plane).await;
        assert_eq!(code(approve(&plane.service, &codes.user_code).await), "bad_request");
    }

    async fn whose_machine_it_is_need_not_be_said_where_there_is_one_member(engine: Engine) {
        let plane = Plane::new(engine).await;
        let service = &plane.service;
        let codes = asking(&plane).await;
        let several = service.admin_approve(&codes.user_code, None, None, &SCOPES).await.unwrap_err();
        assert!(several.to_string().contains("--member"), "{several}");
        assert_eq!(code(service.admin_approve(&codes.user_code, Some("no"), None, &SCOPES).await), "not_found");
        let nobody = service.admin_approve(&codes.user_code, None, Some("no"), &SCOPES).await.unwrap_err();
        assert!(nobody.to_string().contains("member create"), "{nobody}");
        let admin = service.admin_approve(&codes.user_code, None, Some("owner"), &[Scope::Admin]).await;
        assert_eq!(code(admin), "bad_request");

        service.admin_disable_member("org", "admin", true).await.unwrap();
        let approved = service.admin_approve(&codes.user_code, None, None, &SCOPES).await.unwrap();
        assert_eq!(approved.member, "owner");

        service.admin_create_org("other").await.unwrap();
        service.admin_create_member("other", "owner", Role::Member).await.unwrap();
        let codes = asking(&plane).await;
        assert_eq!(code(service.admin_approve(&codes.user_code, None, Some("owner"), &SCOPES).await), "bad_request");
        let approved = service.admin_approve(&codes.user_code, Some("other"), None, &SCOPES).await.unwrap();
        assert_eq!((approved.org.as_str(), approved.member.as_str()), ("other", "owner"));
    }

    async fn an_approver_has_five_wrong_codes_and_a_right_one_gives_none_back(engine: Engine) {
        let plane = Plane::new(engine).await;
        let codes = asking(&plane).await;
        let wrong = if codes.user_code == "BBBBBBBB" { "CCCCCCCC" } else { "BBBB-BBBB" };
        for _ in 0..2 {
            assert_eq!(code(machine_under(&plane.service, wrong).await), "bad_request");
        }
        plane.advance(1);
        machine_under(&plane.service, &codes.user_code).await.unwrap();
        // What can't be a code can't hit one either.
        assert_eq!(code(machine_under(&plane.service, "1234").await), "bad_request");
        for _ in 0..3 {
            assert_eq!(code(approve(&plane.service, wrong).await), "bad_request");
        }
        for given in [wrong, &codes.user_code] {
            let refused = machine_under(&plane.service, given).await.unwrap_err();
            assert!(
                matches!(refused, ServiceError::RateLimited { limit: "connect_tries", retry_after_s: 599 }),
                "{refused:?}"
            );
        }
        assert_eq!(code(plane.service.admin_deny(&codes.user_code, None).await), "rate_limited");
        plane.advance(599);
        let codes = asking(&plane).await;
        machine_under(&plane.service, &codes.user_code).await.unwrap();
    }

    async fn an_address_is_held_to_its_rates_and_no_other_one_is(engine: Engine) {
        let limits = Limits { connect_requests: 15, ..Limits::default() };
        let plane = Plane::with(engine, limits).await;
        let v6 = |last: u16, network: u16| IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, network, 0, 0, 0, last));
        for nth in 0..10 {
            ask(&plane.service, v6(nth, 1), None).await.unwrap();
        }
        assert_eq!(code(ask(&plane.service, v6(99, 1), None).await), "rate_limited", "a /64 is one host");
        for nth in 0..5 {
            ask(&plane.service, v6(nth, 2), None).await.unwrap();
        }
        let crowded = ask(&plane.service, v6(9, 3), None).await.unwrap_err();
        assert!(matches!(crowded, ServiceError::RateLimited { limit: "connect_requests", .. }), "{crowded:?}");
        plane.advance(600);
        asking(&plane).await;

        let unknown = ConnectToken { device_code: Secret32::new(random()) };
        for _ in 0..120 {
            assert_eq!(code(plane.service.connect_token(ADDRESS, &unknown).await), "expired_token");
        }
        assert_eq!(code(plane.service.connect_token(ADDRESS, &unknown).await), "rate_limited");
        assert_eq!(code(plane.service.connect_token(v6(1, 1), &unknown).await), "expired_token");
    }

    async fn a_request_that_is_decided_or_spent_keeps_no_other_machine_out(engine: Engine) {
        let limits = Limits { connect_requests: 3, ..Limits::default() };
        let plane = Plane::with(engine, limits).await;
        let crowded = async || ask(&plane.service, ADDRESS, None).await.is_err();
        let (approved, denied, spent) = (asking(&plane).await, asking(&plane).await, asking(&plane).await);
        assert!(crowded().await);

        plane.service.admin_deny(&denied.user_code, None).await.unwrap();
        asking(&plane).await;
        assert!(crowded().await);

        approve(&plane.service, &approved.user_code).await.unwrap();
        asking(&plane).await;
        assert!(crowded().await);

        approve(&plane.service, &spent.user_code).await.unwrap();
        poll(&plane.service, &spent).await.unwrap();
        asking(&plane).await;
        assert!(crowded().await);
    }

    async fn what_a_machine_calls_itself_is_cut_and_cleaned_before_it_is_kept(engine: Engine) {
        let plane = Plane::new(engine).await;
        let name = format!("\u{1b}[2J\u{202e}{}", "x".repeat(10_000));
        let codes = ask(&plane.service, ADDRESS, Some(&name)).await.unwrap();
        let shown = machine_under(&plane.service, &codes.user_code).await.unwrap().machine_name.unwrap();
        assert_eq!(shown, format!("2J{}", "x".repeat(62)));
        let codes = ask(&plane.service, ADDRESS, Some("\u{1b}\u{7}")).await.unwrap();
        assert_eq!(machine_under(&plane.service, &codes.user_code).await.unwrap().machine_name, None);
    }
}

/// The rows of a table.
async fn count(plane: &Plane, table: &str) -> i64 {
    use sqlx::{Connection as _, PgConnection, SqliteConnection};
    let statement = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    let (rows,): (i64,) = match &plane.database.direct {
        StoreUrl::Postgres(url) => {
            let mut conn = PgConnection::connect(url).await.unwrap();
            sqlx::query_as(statement).fetch_one(&mut conn).await.unwrap()
        }
        StoreUrl::Sqlite(path) => {
            let mut conn = SqliteConnection::connect(path.to_str().unwrap()).await.unwrap();
            sqlx::query_as(statement).fetch_one(&mut conn).await.unwrap()
        }
    };
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_holds_neither_code_nor_token() {
    let plane = Plane::new(Engine::Sqlite).await;
    let codes = asking(&plane).await;
    approve(&plane.service, &codes.user_code).await.unwrap();
    let connected = poll(&plane.service, &codes).await.unwrap();
    let (_, token) = TokenKind::parse(&connected.machine_token.0).unwrap();
    let StoreUrl::Sqlite(path) = &plane.database.url else {
        panic!("it is a file")
    };
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        bytes.extend(std::fs::read(entry.unwrap().path()).unwrap());
    }
    let holds = |needle: &[u8]| bytes.windows(needle.len()).any(|part| part == needle);
    assert!(holds(b"laptop"), "this test looks at the wrong files");
    for secret in [
        codes.device_code.expose().as_slice(),
        codes.user_code.as_bytes(),
        &token,
        connected.machine_token.0.as_bytes(),
    ] {
        assert!(!holds(secret));
    }
}
