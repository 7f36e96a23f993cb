//! Opening and verifying ten thousand messages in the client.

use std::time::{Duration, Instant};

use anyhow::Result;
use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use serde_json::json;
use wire::encoding::Blob;
use wire::transcript::RecordClass;

use super::{Figure, Goal, Sample, Unit, Value, count, missed, order};
use crate::baseline::crypto::Bodies;
use crate::fixture::{Archive, Fixture, Store};

/// What is signed of each message, at the least: its text.
const SIGNED: usize = 1_000;
const GOALS: &[Goal] = &[Goal::at_most(1.3, "of the bare loop")];

/// A client that starts with all of it in its cache.
#[derive(Debug, Default)]
pub(crate) struct Open {
    bare: Option<Bodies>,
}

/// As many bytes as the messages of the archive have.
fn bodies(archive: &Archive) -> Result<Bodies> {
    let messages = archive
        .records
        .iter()
        .filter(|record| record.class == RecordClass::Message);
    let sealed = messages.filter_map(|record| record.sealed.as_ref());
    // A first message, with what a session is about, may be short.
    let lengths = sealed.map(Blob::as_slice).map(<[u8]>::len);
    Bodies::new(lengths.map(|length| length.max(SIGNED + 40)), SIGNED)
}

#[allow(
    clippy::cast_precision_loss,
    reason = "microseconds of a run are far below 2^52"
)]
pub(super) fn micros(time: Duration) -> f64 {
    time.as_micros() as f64
}

impl Figure for Open {
    fn name(&self) -> &'static str {
        "open"
    }

    fn title(&self) -> &'static str {
        "opening and verifying 10,000 messages in the client"
    }

    fn store(&self) -> Option<Store> {
        None
    }

    fn goals(&self) -> &'static [Goal] {
        GOALS
    }

    fn method(&self) -> &'static str {
        "A client whose cache has them all is started; from calling `read` for the last one until it answers, which takes all of \
         them through the verifier. The bare loop, in this program: SHA-256 and XChaCha20-Poly1305 over as many bytes, and an \
         Ed25519 check of each text, on one core. Beside it the client's verifier alone, in this program on one core; and a \
         client on a new machine that joins, fetches all of them from a plane over Postgres in memory, and opens them."
    }

    fn round<'a>(
        &'a mut self,
        fixture: &'a mut Fixture<'_>,
        round: usize,
    ) -> LocalBoxFuture<'a, Result<Sample>> {
        async move {
            let archive = fixture.archive().await?;
            if self.bare.is_none() {
                self.bare = Some(bodies(archive)?);
            }
            let bodies = self.bare.as_ref().ok_or_else(missed)?;
            let mut times = [Duration::ZERO; 4];
            for step in order(4, round) {
                let time = match step {
                    0 => bodies.open()?,
                    1 => archive.verify()?,
                    2 => {
                        let mut client = archive.client().await?;
                        let start = Instant::now();
                        client.call("read", json!({ "since": archive.last() })).await?;
                        let elapsed = start.elapsed();
                        client.close().await;
                        elapsed
                    }
                    _ => archive.join().await?,
                };
                if let Some(place) = times.get_mut(step) {
                    *place = time;
                }
            }
            let [bare, verifier, client, joining] = times.map(micros);
            Ok(Sample {
                values: vec![
                    Value::new("the client", Unit::Micros, client),
                    Value::new("bare", Unit::Micros, bare),
                    Value::new("the verifier alone", Unit::Micros, verifier),
                    Value::new("that, of the bare loop", Unit::Ratio, verifier / bare),
                    Value::new("joining anew", Unit::Micros, joining),
                    Value::new("messages", Unit::Count, count(archive.messages)),
                ],
                judged: vec![client / bare],
                ..Sample::default()
            })
        }
        .boxed_local()
    }
}
