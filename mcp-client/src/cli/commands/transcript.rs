//! `read`, `post` and `wait`.

use super::Setting;
use super::onward::{self, Filters, Place};
use crate::cli::arguments::{Post, Read, Wait};
use crate::cli::input;
use crate::cli::interrupted;
use crate::verbs::{self, Failure, PostArgs, ReadArgs, WaitArgs};

/// In place of a value: it is read from standard input, where other programs do not see it.
pub(super) const STANDARD_INPUT: &str = "-";

/// `wait`: the time was up.
const TIME_UP: u8 = 2;

pub(super) async fn read(setting: Setting<'_>, read: Read) -> Result<u8, Failure> {
    let filters = onward::filters(&read);
    let query = match read.query.as_deref() {
        Some(STANDARD_INPUT) => Some(input::text("what to search for").await?),
        _ => read.query,
    };
    let arguments = ReadArgs {
        since: read.since,
        offset: read.offset,
        limit: read.limit,
        max_bytes: read.max_bytes,
        kind: read.kind,
        topic: read.topic,
        from: read.from,
        query,
        session: setting.common.session.clone(),
    };
    let delivered = verbs::read::run(setting.app, arguments, setting.host).await?;
    let answer = &delivered.answer;
    let place = Place::of(answer.more, answer.counts, answer.next_since, answer.next_offset);
    let last = onward::line(&setting, &answer.session, &filters, place).await;
    setting.deliver_with(delivered, last).await
}

pub(super) async fn post(setting: Setting<'_>, post: Post) -> Result<u8, Failure> {
    let mut arguments = PostArgs {
        text: String::new(),
        kind: post.kind,
        topic: post.topic,
        to: post.to,
        reply_to: post.reply_to,
        paths: post.paths,
        pin: post.pin,
        signal: post.signal,
        session: setting.common.session.clone(),
    };
    // Before anybody writes a text that could not be posted.
    setting.hand_for_secrets().await?;
    verbs::post::prepare(setting.app, &arguments, setting.host).await?;
    arguments.text = input::text("your message").await?;
    let answer = verbs::post::run(setting.app, arguments, setting.host).await?;
    setting.deliver(answer).await
}

pub(super) async fn wait(setting: Setting<'_>, wait: Wait) -> Result<u8, Failure> {
    let arguments = WaitArgs {
        timeout_s: wait.timeout,
        for_me: wait.for_me,
        session: setting.common.session.clone(),
    };
    let waiting = verbs::wait::run(setting.app, arguments, setting.host);
    let delivered = interrupted::or_told(setting.host.token(), waiting).await?;
    let answer = &delivered.answer;
    let timed_out = answer.woke_by == "timed_out";
    let place = Place::of(answer.more, answer.counts, answer.next_since, answer.next_offset);
    let last = onward::line(&setting, &answer.session, &Filters::default(), place).await;
    let code = setting.deliver_with(delivered, last).await?;
    Ok(if timed_out { TIME_UP } else { code })
}
