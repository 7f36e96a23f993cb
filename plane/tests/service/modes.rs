//! Modes through the service; the machine itself is tested where it is.

use wire::api::SettableMode;
use wire::event::{Capability, Kind, ModeName};
use wire::transcript::RecordClass;

use crate::fixture::*;

on_both! {
    async fn setting_a_mode_appends_one_notice_and_setting_it_again_none(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let state = owner.set(SettableMode::Relay).await.unwrap().state;
        assert_eq!((state.mode.name, state.head_seq), (ModeName::Relay, 3));
        assert_eq!(owner.set(SettableMode::Relay).await.unwrap().state.head_seq, 3);
        let last = owner.transcript().await.pop().unwrap();
        assert_eq!((last.class, last.sender), (RecordClass::Notice, None));
        assert_eq!(
            last.body.unwrap(),
            r#"{"event":"mode_changed","from":"observe","to":"relay","cause":"requested"}"#
        );
    }

    async fn a_view_participant_sets_nothing_and_may_stop(engine: Engine) {
        let plane = Plane::new(engine).await;
        let owner = plane.create().await;
        let viewer = owner.invite(Kind::Human, Capability::View).await;
        assert_eq!(code(viewer.set(SettableMode::Relay).await), "view_only");
        assert_eq!(viewer.stop().await.head_seq, 3, "not in auto: nothing appended");
    }
}
