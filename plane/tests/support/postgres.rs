//! Whether there is a Postgres to test on.

/// Whether there is a Postgres to test on. In CI nothing is skipped: there its absence is a failure.
pub(crate) fn postgres_is_here() -> bool {
    let here = std::env::var_os("DEVPILOT_TEST_POSTGRES").is_some();
    assert!(
        here || std::env::var_os("CI").is_none(),
        "in CI nothing is skipped: set DEVPILOT_TEST_POSTGRES"
    );
    if !here {
        eprintln!("SKIPPED on Postgres, since DEVPILOT_TEST_POSTGRES is not set");
    }
    here
}
