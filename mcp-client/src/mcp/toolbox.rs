//! The tools as one table: what a host is shown of each, and the verb behind it.

use std::sync::{Arc, OnceLock};

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::arguments::{self, BadArguments};
use super::delivery::Due;
use super::schema;
use crate::verbs::{Answer, App, BoxFuture, Delivered, Failure, Host};

/// A verb's answer in both its forms, and what is due once they are written.
pub(crate) struct Outcome {
    /// The structured form.
    pub(crate) structured: Value,
    /// The text form.
    pub(crate) text: String,
    /// The link that may stand in it, because its owner asked to see it.
    pub(crate) revealed: Option<String>,
    /// What is due once the answer is written.
    pub(crate) due: Due,
}

/// Runs a verb with checked arguments.
type Run = fn(Arc<App>, JsonObject, Arc<dyn Host>) -> BoxFuture<'static, Result<Outcome, Failure>>;

/// One tool. Its schemas are made when a host lists the tools, which it does once: kept they would be half a megabyte. What a
/// tool takes is kept from its first call on, since each call is checked against it.
pub(crate) struct Entry {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    hints: Hints,
    input: fn() -> JsonObject,
    kept_input: OnceLock<JsonObject>,
    output: fn() -> JsonObject,
    run: Run,
}

/// What a tool does to its surroundings, as hosts are told.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hints {
    /// It changes nothing that others see.
    pub(crate) read_only: bool,
    /// It can take something away.
    pub(crate) destructive: bool,
    /// Called twice, it does the same as called once.
    pub(crate) idempotent: bool,
}

impl Entry {
    /// A tool over the verb `run`, which takes `A` and answers `T`.
    pub(crate) fn new<A: JsonSchema, T: JsonSchema>(
        name: &'static str,
        title: &'static str,
        description: &'static str,
        hints: Hints,
        run: Run,
    ) -> Self {
        Self {
            name,
            title,
            description,
            hints,
            input: schema::input::<A>,
            kept_input: OnceLock::new(),
            output: schema::output::<T>,
            run,
        }
    }

    /// Its name.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// What a host is shown.
    pub(crate) fn tool(&self) -> Tool {
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(self.hints.read_only)
            .destructive(self.hints.destructive)
            .idempotent(self.hints.idempotent)
            .open_world(true);
        Tool::new(self.name, self.description, (self.input)())
            .with_title(self.title)
            .with_raw_output_schema(Arc::new((self.output)()))
            .with_annotations(annotations)
    }

    /// Starts the verb.
    ///
    /// # Errors
    /// Arguments that the tool does not take.
    pub(crate) fn start(
        &self,
        app: Arc<App>,
        arguments: Option<JsonObject>,
        host: Arc<dyn Host>,
    ) -> Result<BoxFuture<'static, Result<Outcome, Failure>>, BadArguments> {
        let schema = self.kept_input.get_or_init(self.input);
        let checked = arguments::check(self.name, schema, arguments)?;
        Ok((self.run)(app, checked, host))
    }
}

/// All tools of this process.
pub(crate) struct Toolbox {
    entries: Vec<Entry>,
    hidden: Vec<&'static str>,
}

impl Toolbox {
    /// With these tools, in the order hosts list them.
    pub(crate) fn new(entries: Vec<Entry>) -> Self {
        Self {
            entries,
            hidden: Vec::new(),
        }
    }

    /// The same, and knows that these others were left out by a setting.
    #[must_use]
    pub(crate) fn without(mut self, hidden: Vec<&'static str>) -> Self {
        self.hidden = hidden;
        self
    }

    /// Whether a setting leaves out the tool of that name.
    pub(crate) fn leaves_out(&self, name: &str) -> bool {
        self.hidden.contains(&name)
    }

    /// The tool of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }

    /// What a host is shown.
    pub(crate) fn list(&self) -> Vec<Tool> {
        self.entries.iter().map(Entry::tool).collect()
    }
}

/// An answer in both its forms.
///
/// # Errors
/// The answer can't be written as JSON.
pub(crate) fn outcome<T: Answer + Serialize + Send + 'static>(
    app: Arc<App>,
    delivered: Delivered<T>,
    revealed: Option<String>,
) -> Result<Outcome, Failure> {
    let structured = serde_json::to_value(&delivered.answer).map_err(|_| {
        Failure::new(
            crate::verbs::code::INTERNAL,
            "The answer could not be written. Call `devpilot_session_read` to see where the session stands.",
        )
    })?;
    Ok(Outcome {
        structured,
        text: delivered.answer.text(),
        revealed,
        due: Box::pin(async move { delivered.commit(&app).await }),
    })
}
