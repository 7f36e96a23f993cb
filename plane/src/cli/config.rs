//! `config`: what `serve` would go by, secrets hidden.

use super::Failure;
use super::output::Output;
use crate::config::{Config, ServeSettings, Shown, StoreSettings};

pub(super) fn run(store: StoreSettings, settings: ServeSettings, output: &Output) -> Result<(), Failure> {
    let settings = settings.with_file(&store)?;
    let config = Config::of(&store.with_file()?, &settings, Output::on_terminal())?;
    output.answer(&Shown::from(&config), |shown| {
        toml::to_string(shown).unwrap_or_default().trim_end().to_owned()
    });
    Ok(())
}
