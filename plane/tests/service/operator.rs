//! What the operator does.

use plane::service::{Role, Scope};
use wire::token::TokenKind;

use crate::fixture::*;

on_both! {
    async fn tokens_count_until_they_are_revoked_or_their_member_is_disabled(engine: Engine) {
        let plane = Plane::new(engine).await;
        let service = &plane.service;
        let made = service.admin_create_token("org", "owner", &[Scope::Share], Some("laptop")).await.unwrap();
        let (kind, bytes) = TokenKind::parse(&made.token.0).unwrap();
        assert_eq!(kind, TokenKind::Machine);
        let caller = service.machine_caller(&bytes).await.unwrap();
        assert_eq!((caller.user_id, &caller.scopes[..]), (plane.machine.user_id, &[Scope::Share][..]));
        service.admin_disable_member("org", "owner", true).await.unwrap();
        assert_eq!(code(service.machine_caller(&bytes).await), "unauthorized");
        service.admin_disable_member("org", "owner", false).await.unwrap();
        service.machine_caller(&bytes).await.unwrap();
        service.admin_revoke_token(made.token_id).await.unwrap();
        assert_eq!(code(service.machine_caller(&bytes).await), "unauthorized");
        assert_eq!(code(service.admin_revoke_token(made.token_id).await), "not_found", "never a silent success");
    }

    async fn names_are_unique_where_they_must_be(engine: Engine) {
        let plane = Plane::new(engine).await;
        let service = &plane.service;
        assert_eq!(code(service.admin_create_org("org").await), "bad_request");
        service.admin_create_org("other").await.unwrap();
        assert_eq!(code(service.admin_create_member("org", "owner", Role::Member).await), "bad_request");
        service.admin_create_member("other", "owner", Role::Member).await.unwrap();
        assert_eq!(code(service.admin_create_member("none", "owner", Role::Member).await), "not_found");
        assert_eq!(code(service.admin_create_token("other", "owner", &[Scope::Admin], None).await), "bad_request");
        for bad in ["", " x", "a\nb"] {
            assert_eq!(code(service.admin_create_org(bad).await), "bad_request");
        }
    }

    async fn acts_are_written_down_newest_first(engine: Engine) {
        let plane = Plane::new(engine).await;
        plane.advance(1);
        let owner = plane.create().await;
        plane.service.admin_end_session(owner.session, true).await.unwrap();
        let audit = plane.service.admin_audit("org", None, 1).await.unwrap();
        assert_eq!((audit[0].actor.as_str(), audit[0].action.as_str()), ("operator", "session.purge"));
        assert_eq!(audit[0].session_id, Some(owner.session));
        let earlier = plane.service.admin_audit("org", Some(audit[0].at), 100).await.unwrap();
        assert!(earlier.iter().any(|entry| entry.action == "org.create"));
        assert!(plane.service.admin_sessions("org").await.unwrap().is_empty());
    }
}
