//! Whether there is a Postgres to test on, and a pooler before it.

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

/// The pooler in transaction mode before that Postgres, if there is one; in CI there is.
#[allow(dead_code, reason = "shared with tests that need none")]
pub(crate) fn pooler() -> Option<String> {
    let pooler = std::env::var("DEVPILOT_TEST_POOLER").ok();
    assert!(
        pooler.is_some() || std::env::var_os("CI").is_none(),
        "in CI nothing is skipped: set DEVPILOT_TEST_POOLER"
    );
    if pooler.is_none() {
        eprintln!("SKIPPED behind a pooler, since DEVPILOT_TEST_POOLER is not set");
    }
    pooler
}
