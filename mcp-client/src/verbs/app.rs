//! What one process of the client holds: home, configuration, clock, HTTP client, and the session it last used.

use super::delivered::CursorMove;
use super::failure::Failure;

/// One process of the client. Cheap to make: no network, and no file is touched before the first verb.
#[derive(Debug)]
pub struct App {}

impl App {
    /// From the process environment.
    ///
    /// # Errors
    /// A setting that can't be understood.
    pub fn from_environment() -> Result<Self, Failure> {
        Ok(Self {})
    }

    pub(crate) async fn move_cursor(&self, _to: CursorMove) -> Result<(), Failure> {
        Ok(())
    }
}
