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
        let brief =
            "a tenth of the records and of the clients' messages, a fifth of the idle time, for a look";
        conditions.push(("brief", brief.to_owned()));
    }
    if let Some(remark) = &options.remark {
        conditions.push(("remark", remark.clone()));
    }
    conditions
}
