//! Where a link comes from: the argument (of a command: its standard input), else the clipboard, else the environment.
//! Other text there is never repeated.

use seal::link::Link;
use wire::event::Kind;
use zeroize::Zeroizing;

use super::failure::{Failure, code};
use super::host::Face;
use super::join::LinkSource;
use super::wording;

/// The variable that may hold a link.
pub(super) const VARIABLE: &str = "DEVPILOT_SESSION_LINK";

/// A link, and where it was found.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) link: Link,
    pub(super) source: &'static str,
}

/// The texts a link may be in.
#[derive(Default)]
pub(super) struct Places {
    pub(super) argument: Option<Zeroizing<String>>,
    pub(super) clipboard: Option<Zeroizing<String>>,
    pub(super) environment: Option<Zeroizing<String>>,
}

/// Finds the link to join with. An argument counts alone; where clipboard and environment hold different links, `choice`
/// decides, and without it nothing is joined.
pub(super) fn find(
    places: &Places,
    choice: Option<LinkSource>,
    face: Face,
    kind: Kind,
) -> Result<Found, Failure> {
    if let Some(text) = &places.argument {
        return seal::link::find(text)
            .map(|link| Found {
                link,
                source: match face {
                    Face::Tools => "argument",
                    Face::CommandLine => "stdin",
                },
            })
            .map_err(|error| wording::link(error, "In the text given"));
    }
    let clipboard = places.clipboard.as_ref().map(|text| seal::link::find(text));
    let environment = places.environment.as_ref().map(|text| seal::link::find(text));
    match choice {
        Some(LinkSource::Clipboard) => from_clipboard(clipboard, face, kind),
        Some(LinkSource::Environment) => from_environment(environment),
        None => match (clipboard, environment) {
            (Some(Ok(one)), Some(Ok(other))) if !same(&one, &other) => Err(Failure::new(
                code::LINK_CONFLICT,
                format!(
                    "The clipboard and {VARIABLE} hold links to different sessions, so nothing was joined. Say which with {}: \
                     clipboard or environment.",
                    face.argument("source")
                ),
            )),
            (clipboard @ Some(Ok(_)), _) => from_clipboard(clipboard, face, kind),
            (_, environment @ Some(Ok(_))) => from_environment(environment),
            // A link that is there and damaged says more than none.
            (clipboard @ Some(Err(error)), environment) if is_nearly(error) || environment.is_none() => {
                from_clipboard(clipboard, face, kind)
            }
            (_, environment @ Some(_)) => from_environment(environment),
            (clipboard, None) => from_clipboard(clipboard, face, kind),
        },
    }
}

fn from_clipboard(
    found: Option<Result<Link, seal::Error>>,
    face: Face,
    kind: Kind,
) -> Result<Found, Failure> {
    match found {
        Some(Ok(link)) => Ok(Found {
            link,
            source: "clipboard",
        }),
        Some(Err(error)) => Err(wording::link(error, "On the clipboard")),
        None => {
            let none = "There is no text on the clipboard, or no clipboard here.";
            let name = seal::Error::LinkMissing.name();
            Err(match face {
                Face::Tools => Failure::new(
                    name,
                    format!(
                        "{none} Ask the user to copy the whole note, or to set {VARIABLE}; as a last resort pass the note itself \
                         as `link`."
                    ),
                ),
                // With its input from a file a command counts as an agent's.
                Face::CommandLine => Failure::new(
                    name,
                    format!(
                        "{none} Copy the whole note, or set {VARIABLE}, or pass the note on standard input:"
                    ),
                )
                .with_command(match kind {
                    Kind::Agent => "join - < note.txt",
                    Kind::Human => "join - --as human < note.txt",
                }),
            })
        }
    }
}

fn from_environment(found: Option<Result<Link, seal::Error>>) -> Result<Found, Failure> {
    match found {
        Some(Ok(link)) => Ok(Found {
            link,
            source: "environment",
        }),
        Some(Err(error)) => Err(wording::link(error, &format!("In {VARIABLE}"))),
        None => Err(Failure::new(
            seal::Error::LinkMissing.name(),
            format!("{VARIABLE} is not set. Copy the note to the clipboard instead."),
        )),
    }
}

/// Something that was a link once.
fn is_nearly(error: seal::Error) -> bool {
    error != seal::Error::LinkMissing
}

fn same(one: &Link, other: &Link) -> bool {
    one.origin == other.origin
        && one.session_id == other.session_id
        && one.epoch == other.epoch
        && one.secret.same(&other.secret)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use seal::secret::{FullSecret, LinkSecret};
    use wire::event::Kind;
    use wire::ids::SessionId;
    use zeroize::Zeroizing;

    use super::{Face, LinkSource, Places, find};

    fn link(byte: u8) -> Zeroizing<String> {
        let link = seal::link::Link {
            origin: "https://plane.example".to_owned(),
            session_id: SessionId::from_bytes([byte; 16]),
            epoch: 1,
            secret: LinkSecret::Full(FullSecret::from_bytes([byte; 32])),
        };
        link.to_text()
    }

    fn text(text: &str) -> Option<Zeroizing<String>> {
        Some(Zeroizing::new(text.to_owned()))
    }

    fn outcome(places: &Places, choice: Option<LinkSource>) -> Result<(u8, &'static str), &'static str> {
        find(places, choice, Face::Tools, Kind::Agent)
            .map(|found| (found.link.session_id.as_bytes()[0], found.source))
            .map_err(|failure| failure.code())
    }

    #[test]
    fn the_argument_counts_alone() {
        let places = Places {
            argument: text(&format!("join this: {} thanks", *link(1))),
            clipboard: Some(link(2)),
            environment: Some(link(3)),
        };
        assert_eq!(outcome(&places, None), Ok((1, "argument")));
        let by_command = find(&places, None, Face::CommandLine, Kind::Agent).map(|found| found.source);
        assert_eq!(
            by_command.ok(),
            Some("stdin"),
            "no command takes a link as an argument"
        );
        let places = Places {
            argument: text("nothing here"),
            ..places
        };
        assert_eq!(outcome(&places, None), Err("link_missing"));
    }

    #[test]
    fn different_links_are_nobodys_choice_but_the_callers() {
        let places = Places {
            argument: None,
            clipboard: Some(link(2)),
            environment: Some(link(3)),
        };
        assert_eq!(outcome(&places, None), Err("link_conflict"));
        assert_eq!(
            outcome(&places, Some(LinkSource::Clipboard)),
            Ok((2, "clipboard"))
        );
        assert_eq!(
            outcome(&places, Some(LinkSource::Environment)),
            Ok((3, "environment"))
        );
        let places = Places {
            environment: Some(link(2)),
            ..places
        };
        assert_eq!(outcome(&places, None), Ok((2, "clipboard")));
    }

    #[test]
    fn other_text_is_passed_over_and_never_repeated() {
        let places = Places {
            argument: None,
            clipboard: text("my password is hunter2"),
            environment: Some(link(3)),
        };
        assert_eq!(outcome(&places, None), Ok((3, "environment")));
        let places = Places {
            environment: None,
            ..places
        };
        let failure = find(&places, None, Face::Tools, Kind::Agent).unwrap_err();
        assert_eq!(failure.code(), "link_missing");
        assert!(!failure.to_string().contains("hunter2"));
    }

    #[test]
    fn the_way_out_is_one_that_the_caller_has() {
        let places = Places {
            argument: None,
            clipboard: Some(link(2)),
            environment: Some(link(3)),
        };
        for (face, conflict, missing) in [
            (Face::Tools, "with `source`:", "as `link`"),
            (Face::CommandLine, "with `--source`:", "join - <"),
        ] {
            let failure = find(&places, None, face, Kind::Agent).unwrap_err();
            assert!(failure.message().contains(conflict), "{failure}");
            let failure = find(&Places::default(), None, face, Kind::Agent).unwrap_err();
            assert!(failure.to_string().contains(missing), "{failure}");
        }
    }

    #[test]
    fn a_damaged_link_is_named_even_beside_an_empty_environment() {
        let whole = link(4);
        let places = Places {
            clipboard: text(&whole[..whole.len() - 5]),
            ..Places::default()
        };
        assert_eq!(outcome(&places, None), Err("link_truncated"));
        assert_eq!(outcome(&Places::default(), None), Err("link_missing"));
    }
}
