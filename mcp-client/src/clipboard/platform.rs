//! What differs by platform: how a clipboard is told that a text is a secret, and whether text outlives its process.

use arboard::Set;

/// Whether copied text stays when the process that copied it ends.
pub(super) const OUTLIVES_PROCESS: bool = cfg!(any(windows, target_os = "macos"));

/// Asks that what is set be kept out of histories and clouds.
pub(super) fn as_secret(set: Set<'_>) -> Set<'_> {
    #[cfg(all(unix, not(target_os = "macos")))]
    let set = arboard::SetExtLinux::exclude_from_history(set);
    #[cfg(target_os = "macos")]
    let set = arboard::SetExtApple::exclude_from_history(set);
    #[cfg(windows)]
    let set = arboard::SetExtWindows::exclude_from_cloud(arboard::SetExtWindows::exclude_from_history(set));
    set
}
