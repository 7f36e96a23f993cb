//! What an append and a page cost with a thousand, a hundred thousand and a million records stored: the same load on each
//! of three databases in turn, so that what the machine does meanwhile meets all of them.

use std::slice;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::figures::Unit;
use crate::fixture::{Fixture, Grown};
use crate::load::append::{self, micros};
use crate::load::history;
use crate::report::{Series, conditions, print, say};
use crate::system::disk;

const CONNECTIONS: usize = 64;
/// Sessions and records; each session has a page of them at the least.
const SIZES: [(usize, usize); 3] = [(20, 1_000), (2_000, 100_000), (10_000, 1_000_000)];
/// Sessions that are posted to, the same number in each database.
const SPREAD: usize = 20;

/// More than this is not made anew for each round: a round adds little to it.
const MANY: usize = 500_000;

/// A database of one size, and what was measured on it.
struct Size {
    /// Sessions and records.
    size: (usize, usize),
    grown: Option<Grown>,
    appends: Series,
    one: Series,
    page: Series,
    sync: Series,
}

impl Size {
    const fn new(size: (usize, usize)) -> Self {
        Self {
            size,
            grown: None,
            appends: Series::new("appends", Unit::PerSecond),
            one: Series::new("one append, p50", Unit::Micros),
            page: Series::new("page of 50, p50", Unit::Micros),
            sync: Series::new("fdatasync", Unit::Micros),
        }
    }

    async fn round(&mut self, fixture: &Fixture<'_>, round: usize) -> Result<()> {
        let (options, homes) = (fixture.options, fixture.folder.path());
        let grown = match self.grown.take().filter(|grown| grown.records > MANY) {
            Some(grown) => grown,
            None => {
                let name = format!("grown_{}_{round}", self.size.1);
                Grown::open(options, homes, &name, self.size, SPREAD).await?
            }
        };
        let part = options.part();
        let (address, posts) = (grown.plane.address, slice::from_ref(&grown.some));
        self.sync.rounds.push(disk::sync_time(&fixture.options.disk)?);
        let page = history::read(address, &grown.seats, grown.each, 1, part).await?;
        self.page.rounds.push(micros(&page.latency, 0.5));
        let one = append::run(address, posts, 1, part).await?;
        self.one.rounds.push(micros(&one.latency, 0.5));
        let many = append::run(address, posts, CONNECTIONS, part).await?;
        self.appends.rounds.push(many.rate);
        self.grown = Some(grown);
        Ok(())
    }

    fn row(&self) -> String {
        let shown = [&self.appends, &self.one, &self.page, &self.sync].map(Series::show);
        let (sessions, records) = self.size;
        format!("| {records} | {sessions} | {} |", shown.join(" | "))
    }
}

/// Measures all sizes and keeps `growth.json` and `growth.md` where results are kept.
///
/// # Errors
/// A database, a plane or the folder for results is not there.
pub(crate) async fn run(fixture: &mut Fixture<'_>) -> Result<()> {
    let largest = if fixture.options.brief { 2 } else { SIZES.len() };
    let mut sizes: Vec<Size> = SIZES.into_iter().take(largest).map(Size::new).collect();
    for round in 0..fixture.options.rounds {
        // Of every other round, the large one comes first.
        if round % 2 == 1 {
            sizes.reverse();
        }
        for size in &mut sizes {
            size.round(fixture, round).await?;
        }
        if round % 2 == 1 {
            sizes.reverse();
        }
        say(&format!("round {} is done", round + 1));
    }
    let mut text = String::from("# What an append and a page cost as a database grows\n\n");
    let conditions = conditions(fixture.options);
    for (name, value) in &conditions {
        text += &format!("- {name}: {value}\n");
    }
    text += "\n| records before | sessions | appends, 64 connections | one append, p50 | page of 50, p50 | fdatasync |\n\
             | --- | --- | --- | --- | --- | --- |\n";
    for size in &sizes {
        text += &size.row();
        text.push('\n');
    }
    text += &format!(
        "\nEach size is a database and a plane of its own on one cluster. Posts go to the same {SPREAD} sessions all the \
         time, pages are read from anywhere in all sessions. Appends add to the database, so the smaller ones are made anew for \
         each round; what is named is what a database held at the beginning.\n"
    );
    print(&text);
    let Some(folder) = &fixture.options.output else {
        return Ok(());
    };
    let sizes: Vec<_> = sizes
        .iter()
        .map(|size| {
            json!({ "records": size.size.1, "sessions": size.size.0, "appends_per_s": size.appends.rounds,
                "one_append_us": size.one.rounds, "page_us": size.page.rounds, "fdatasync_us": size.sync.rounds })
        })
        .collect();
    let conditions: serde_json::Map<_, _> = conditions
        .into_iter()
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    let kept = json!({ "conditions": conditions, "sizes": sizes });
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("growth.md"), text)
        .and_then(|()| std::fs::write(folder.join("growth.json"), format!("{kept:#}\n")))
        .with_context(|| format!("{} can't be written", folder.display()))
}
