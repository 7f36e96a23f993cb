//! On what, and how, everything was measured.

use crate::fixture::RAISED;
use crate::options::Options;
use crate::system::machine;

/// A name and a value.
pub(crate) type Condition = (&'static str, String);

/// All of them, as they are now.
pub(crate) fn conditions(options: &Options) -> Vec<Condition> {
    let limits: Vec<String> = RAISED
        .iter()
        .map(|(name, value)| format!("{name} {value}"))
        .collect();
    let mut conditions: Vec<Condition> = vec![
        ("machine", machine::machine()),
        ("load at the end", machine::load()),
        (
            "plane",
            format!(
                "{}, profile {}, log level info into a file in memory; client, profile {}",
                machine::first_line(&options.plane.to_string_lossy(), &["--version"]),
                options.plane_profile,
                options.client_profile
            ),
        ),
        (
            "source",
            machine::first_line("git", &["log", "-1", "--format=commit %h of %cs"]),
        ),
        ("database", machine::first_line("postgres", &["--version"])),
        (
            "rounds",
            format!(
                "{} of {} s a part; median (least–most)",
                options.rounds, options.seconds
            ),
        ),
        ("limits raised", limits.join(", ")),
    ];
    if options.brief {
        let brief = "a tenth of the records and of the clients' messages that the figures name, a fifth of the idle time";
        conditions.push(("brief", brief.to_owned()));
    }
    if options.is_look() {
        let look =
            "not all of it, or not the programs as they are published: no figure is held against its goal";
        conditions.push(("for a look", look.to_owned()));
    }
    if let Some(remark) = &options.remark {
        conditions.push(("remark", remark.clone()));
    }
    conditions
}
