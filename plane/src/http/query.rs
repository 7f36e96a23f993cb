//! Strict query strings: each route declares its names, and every other name is refused, so that a token in a URL
//! never goes unnoticed (`plane-api.md`, Credentials).

use http::HeaderMap;
use utoipa::PartialSchema;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{Required, schema};
use wire::sizes::SEQ_MAX;

use super::refusal::Refusal;

/// The query of a route.
pub(super) trait Query: Sized + Send + 'static {
    /// The names it may have; `None`: whatever stands there is ignored.
    const NAMES: Option<&'static [&'static str]>;

    /// Reads the values. The names have been checked. A header may say the same as one of them.
    ///
    /// # Errors
    /// A value of another form or out of bounds.
    fn read(pairs: &Pairs<'_>, headers: &HeaderMap) -> Result<Self, Refusal>;

    /// How the OpenAPI document says it.
    fn described() -> Vec<Parameter>;
}

/// The pairs of a query string, as they stand there.
pub(super) struct Pairs<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Pairs<'a> {
    /// Splits a query string and checks its names.
    ///
    /// # Errors
    /// A name that the route does not have, or one that stands twice.
    pub(super) fn of(text: Option<&'a str>, names: Option<&[&str]>) -> Result<Self, Refusal> {
        let Some(names) = names else {
            return Ok(Self(Vec::new()));
        };
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for pair in text
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty())
        {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            if !names.contains(&name) || pairs.iter().any(|(known, _)| *known == name) {
                return Err(Refusal::Form(said_of(names)));
            }
            pairs.push((name, value));
        }
        Ok(Self(pairs))
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        self.0
            .iter()
            .find_map(|(known, value)| (*known == name).then_some(*value))
    }

    /// A whole number within bounds.
    ///
    /// # Errors
    /// Another form, or out of bounds.
    fn number(&self, name: &'static str, least: u64, most: u64) -> Result<Option<u64>, Refusal> {
        let Some(text) = self.value(name) else {
            return Ok(None);
        };
        match whole_number(text, least, most) {
            Some(number) => Ok(Some(number)),
            None => Err(Refusal::Form(format!(
                "`{name}` in the query must be a whole number from {least} to {most}."
            ))),
        }
    }
}

fn whole_number(text: &str, least: u64, most: u64) -> Option<u64> {
    let digits = text.bytes().all(|symbol| symbol.is_ascii_digit());
    let number = text.parse().ok()?;
    (digits && (least..=most).contains(&number)).then_some(number)
}

fn said_of(names: &[&str]) -> String {
    let allowed = match names {
        [] => "This call takes no query.".to_owned(),
        names => format!("The query may have `{}`, each once.", names.join("`, `")),
    };
    format!("{allowed} Tokens go into the Authorization header and never into a URL.")
}

fn described(name: &str, text: &str, number: bool) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(text))
        .schema(Some(if number { u64::schema() } else { bool::schema() }))
        .build()
}

/// No query at all.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoQuery;

impl Query for NoQuery {
    const NAMES: Option<&'static [&'static str]> = Some(&[]);

    fn read(_: &Pairs<'_>, _: &HeaderMap) -> Result<Self, Refusal> {
        Ok(Self)
    }

    fn described() -> Vec<Parameter> {
        Vec::new()
    }
}

/// `GET …/records`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReadQuery {
    /// Records after this seq.
    pub(super) after: u64,
    /// At most so many.
    pub(super) limit: u32,
    /// Hold the request up to so many seconds.
    pub(super) wait_s: Option<u64>,
}

/// Records in an answer when the caller does not say.
const DEFAULT_LIMIT: u64 = 200;
/// Records in an answer at most.
const MOST_RECORDS: u64 = 1_000;
/// Seconds a request may be held at most.
const LONGEST_WAIT_S: u64 = 50;

impl Query for ReadQuery {
    const NAMES: Option<&'static [&'static str]> = Some(&["after", "limit", "wait"]);

    fn read(pairs: &Pairs<'_>, _: &HeaderMap) -> Result<Self, Refusal> {
        let limit = pairs.number("limit", 1, MOST_RECORDS)?.unwrap_or(DEFAULT_LIMIT);
        Ok(Self {
            after: pairs.number("after", 0, SEQ_MAX)?.unwrap_or(0),
            limit: u32::try_from(limit).unwrap_or(u32::MAX),
            wait_s: pairs
                .number("wait", 0, LONGEST_WAIT_S)?
                .filter(|seconds| *seconds > 0),
        })
    }

    fn described() -> Vec<Parameter> {
        vec![
            described("after", "Records with a greater seq; default 0.", true),
            described("limit", "At most so many records, 1 to 1,000; default 200.", true),
            described(
                "wait",
                "Hold the request up to so many seconds, 0 to 50, until there is something.",
                true,
            ),
        ]
    }
}

/// `GET …/events`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EventsQuery {
    /// Records after this seq.
    pub(super) after: u64,
}

/// What a client that lost its stream received last. It counts and not the query, which is of the first try.
const LAST_EVENT_ID: &str = "Last-Event-ID";

impl Query for EventsQuery {
    const NAMES: Option<&'static [&'static str]> = Some(&["after"]);

    fn read(pairs: &Pairs<'_>, headers: &HeaderMap) -> Result<Self, Refusal> {
        let after = pairs.number("after", 0, SEQ_MAX)?.unwrap_or(0);
        let Some(value) = headers.get(LAST_EVENT_ID) else {
            return Ok(Self { after });
        };
        let last = value
            .to_str()
            .ok()
            .and_then(|text| whole_number(text, 0, SEQ_MAX));
        last.map(|after| Self { after }).ok_or_else(|| {
            Refusal::Form(format!(
                "`{LAST_EVENT_ID}` must be the id of a record: a whole number from 0 to {SEQ_MAX}."
            ))
        })
    }

    fn described() -> Vec<Parameter> {
        let text = "The `id` of the last record received; counts instead of `after`.";
        let header = ParameterBuilder::new()
            .name(LAST_EVENT_ID)
            .parameter_in(ParameterIn::Header)
            .required(Required::False)
            .description(Some(text))
            .schema(Some(u64::schema()))
            .build();
        vec![
            described("after", "Records with a greater seq; default 0.", true),
            header,
        ]
    }
}

/// `GET …/participants`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ProfilesQuery {
    /// With profiles and epoch records from this epoch on.
    pub(super) profiles_from_epoch: Option<u32>,
}

impl Query for ProfilesQuery {
    const NAMES: Option<&'static [&'static str]> = Some(&["profiles_from_epoch"]);

    fn read(pairs: &Pairs<'_>, _: &HeaderMap) -> Result<Self, Refusal> {
        let epoch = pairs.number("profiles_from_epoch", 1, u64::from(u32::MAX))?;
        Ok(Self {
            profiles_from_epoch: epoch.and_then(|epoch| u32::try_from(epoch).ok()),
        })
    }

    fn described() -> Vec<Parameter> {
        let text = "With sealed profiles and epoch records from this epoch on, at least 1.";
        vec![described("profiles_from_epoch", text, true)]
    }
}

/// `DELETE /v1/sessions/{id}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct EndQuery {
    /// Delete the rows now.
    pub(super) purge: bool,
}

impl Query for EndQuery {
    const NAMES: Option<&'static [&'static str]> = Some(&["purge"]);

    fn read(pairs: &Pairs<'_>, _: &HeaderMap) -> Result<Self, Refusal> {
        match pairs.value("purge") {
            None | Some("false") => Ok(Self { purge: false }),
            Some("true") => Ok(Self { purge: true }),
            Some(_) => Err(Refusal::Form(
                "`purge` in the query must be `true` or `false`.".to_owned(),
            )),
        }
    }

    fn described() -> Vec<Parameter> {
        vec![described(
            "purge",
            "Delete the session's rows now; default false.",
            false,
        )]
    }
}

/// An id of the path, for the OpenAPI document.
pub(super) fn in_path(name: &str, schema: impl Into<utoipa::openapi::RefOr<schema::Schema>>) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(schema))
        .build()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]

    use super::*;

    fn read<Q: Query>(text: &str) -> Result<Q, Refusal> {
        Q::read(&Pairs::of(Some(text), Q::NAMES)?, &HeaderMap::new())
    }

    fn events(query: &str, last: &'static str) -> Option<u64> {
        let headers = HeaderMap::from_iter([("last-event-id".parse().unwrap(), last.parse().unwrap())]);
        let pairs = Pairs::of(Some(query), EventsQuery::NAMES).unwrap();
        EventsQuery::read(&pairs, &headers).ok().map(|query| query.after)
    }

    #[test]
    fn what_was_received_last_counts_and_not_where_the_first_try_began() {
        assert_eq!(read::<EventsQuery>("").unwrap().after, 0);
        assert_eq!(read::<EventsQuery>("after=7").unwrap().after, 7);
        assert_eq!(events("after=7", "9"), Some(9));
        assert_eq!(events("after=7", "0"), Some(0));
        assert_eq!(events("", "4294967295"), Some(4_294_967_295));
        for bad in ["", "-1", "+1", "1.0", "x", "1 ", "4294967296", "1,2"] {
            assert_eq!(events("after=7", bad), None, "{bad:?}");
        }
        assert_eq!(events("after=x", "9"), None, "both must be right");
        assert!(read::<EventsQuery>("after=1&wait=5").is_err());
    }

    #[test]
    fn what_is_left_out_has_its_default() {
        let query: ReadQuery = read("").unwrap();
        assert_eq!(
            query,
            ReadQuery {
                after: 0,
                limit: 200,
                wait_s: None
            }
        );
        let query: ReadQuery = read("wait=0&after=7").unwrap();
        assert_eq!(
            query,
            ReadQuery {
                after: 7,
                limit: 200,
                wait_s: None
            }
        );
    }

    #[test]
    fn bounds_are_where_the_specification_has_them() {
        for good in ["limit=1", "limit=1000", "wait=50", "after=4294967295"] {
            assert!(read::<ReadQuery>(good).is_ok(), "{good}");
        }
        for bad in [
            "limit=0",
            "limit=1001",
            "limit=-1",
            "limit=x",
            "limit=",
            "limit",
            "limit=+5",
            "limit=%31",
            "wait=51",
            "wait=1.5",
            "after=-1",
            "after=4294967296",
            "after=18446744073709551616",
            "after=1&after=1",
        ] {
            assert!(read::<ReadQuery>(bad).is_err(), "{bad}");
        }
        assert!(read::<ProfilesQuery>("profiles_from_epoch=1").is_ok());
        assert!(read::<ProfilesQuery>("profiles_from_epoch=0").is_err());
        assert!(read::<EndQuery>("purge=true").unwrap().purge);
        assert!(read::<EndQuery>("purge=1").is_err());
    }

    #[test]
    fn a_token_in_the_query_is_refused_and_not_repeated() {
        for name in ["token", "access_token", "session_token", "authorization", "Limit"] {
            match read::<ReadQuery>(&format!("{name}=dps_secret")) {
                Err(Refusal::Form(said)) => {
                    assert!(!said.contains("secret") && said.contains("Authorization"))
                }
                other => panic!("{name}: {other:?}"),
            }
        }
        assert!(read::<NoQuery>("x").is_err());
    }
}
