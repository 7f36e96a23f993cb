//! The table with what it was measured on, as Markdown and as JSON.

use std::fmt;
use std::io;
use std::path::Path;

use serde_json::{Value, json};

use super::series::Series;
use super::{Condition, Measured, conditions};
use crate::figures::{Bound, Goal};
use crate::options::Options;

/// All rows, measured.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Measured>,
    /// Nothing is said of goals.
    is_look: bool,
    /// On what, and how: name and value.
    conditions: Vec<Condition>,
}

impl Table {
    /// A table of rows.
    pub(crate) fn new(options: &Options, rows: Vec<Measured>) -> Self {
        Self {
            rows,
            is_look: options.is_look(),
            conditions: conditions(options),
        }
    }

    /// Whether every row that can be measured was.
    pub(crate) fn is_whole(&self) -> bool {
        self.rows.iter().all(|row| !row.failed)
    }

    /// Keeps it as `table.md` and `table.json`.
    ///
    /// # Errors
    /// The folder can't be written to.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("table.md"), format!("{self}"))?;
        std::fs::write(folder.join("table.json"), format!("{:#}\n", self.json()))
    }

    fn json(&self) -> Value {
        let conditions: serde_json::Map<String, Value> = self
            .conditions
            .iter()
            .map(|(name, value)| ((*name).to_owned(), json!(value)))
            .collect();
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let goals: Vec<Value> = row
                    .met()
                    .map(|(goal, judged, met)| json!({ "of": goal.of, "goal": goal.to_string(), "median": judged.median(),
                        "rounds": judged.rounds, "met": met }))
                    .collect();
                json!({ "row": row.name, "title": row.title, "store": row.store, "without": row.without, "values": row.values, "goals": goals,
                    "fdatasync_us": row.sync.rounds, "cores": row.cores })
            })
            .collect();
        json!({ "conditions": conditions, "rows": rows })
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bound {
            Bound::AtLeast(least) => write!(f, "at least {}", self.unit.show(least)),
            Bound::AtMost(most) => write!(f, "at most {}", self.unit.show(most)),
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "# What the plane and its client reach\n")?;
        for (name, value) in &self.conditions {
            writeln!(f, "- {name}: {value}")?;
        }
        writeln!(
            f,
            "\n| figure | store | measured | beside it | held against the goal | goal | met | fdatasync |"
        )?;
        writeln!(f, "| --- | --- | --- | --- | --- | --- | --- | --- |")?;
        for row in &self.rows {
            row.write(f, self.is_look)?;
        }
        writeln!(f, "\nCores used:\n")?;
        for row in self.rows.iter().filter(|row| !row.cores.is_empty()) {
            let cores: Vec<String> = row
                .cores
                .iter()
                .map(|series| format!("{} {}", series.name, series.show()))
                .collect();
            writeln!(f, "- {}, {}: {}", row.name, row.store, cores.join(" · "))?;
        }
        writeln!(f, "\nHow each row is measured:\n")?;
        let mut told = "";
        for row in &self.rows {
            if row.name != told {
                writeln!(f, "- {}: {}", row.name, row.method)?;
            }
            told = row.name;
        }
        Ok(())
    }
}

impl Measured {
    /// One line a goal; the first has the figure.
    fn write(&self, f: &mut fmt::Formatter<'_>, is_look: bool) -> fmt::Result {
        if let Some(why) = &self.without {
            return writeln!(f, "| {} | {} | {why} |  |  |  |  |  |", self.title, self.store);
        }
        let mut values = self.values.iter();
        let figure = values.next().map(Series::show).unwrap_or_default();
        let beside: Vec<String> = values
            .map(|series| format!("{} {}", series.name, series.show()))
            .collect();
        let mut before = [self.title, self.store, &figure, &beside.join("<br>")].join(" | ");
        let mut sync = if self.sync.rounds.is_empty() {
            String::new()
        } else {
            self.sync.show()
        };
        if self.goals.is_empty() {
            return writeln!(f, "| {before} |  | reported |  | {sync} |");
        }
        for (goal, judged, met) in self.met() {
            let met = match met {
                _ if is_look => "–",
                true => "yes",
                false => "**no**",
            };
            writeln!(
                f,
                "| {before} | {} {} | {goal} | {met} | {sync} |",
                judged.show(),
                goal.of
            )?;
            before = [""; 4].join(" | ");
            sync.clear();
        }
        Ok(())
    }
}
