//! `migrate`: brings the schema up to date, for those who do that before they start new processes.

use serde_json::json;

use super::Failure;
use super::output::Output;
use crate::config::{StoreConfig, StoreSettings};
use crate::store;

pub(super) async fn run(settings: StoreSettings, output: &Output) -> Result<(), Failure> {
    let config = StoreConfig::of(&settings.with_file()?)?;
    store::migrate(&config.store).await?;
    output.answer(&json!({ "migrated": true }), |_| {
        "The schema is up to date.".to_owned()
    });
    Ok(())
}
