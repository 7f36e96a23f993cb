//! The web app as it was built, if it was when this binary was: `build.rs` says which files there are.

use std::fmt;

/// The page and what it loads.
#[derive(Debug, Clone, Copy)]
pub struct BuiltApp {
    /// The page behind a link.
    pub page: BuiltFile,
    /// Scripts, styles and images, each with a hash of its content in its name.
    pub assets: &'static [BuiltFile],
}

/// One file, in the forms that there are.
#[derive(Clone, Copy)]
pub struct BuiltFile {
    /// Letters, digits, `.`, `_` and `-`.
    pub name: &'static str,
    /// As it is.
    pub plain: &'static [u8],
    /// Compressed with Brotli.
    pub brotli: Option<&'static [u8]>,
    /// Compressed with gzip.
    pub gzip: Option<&'static [u8]>,
}

impl fmt::Debug for BuiltFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

static BUILT: Option<BuiltApp> = include!(concat!(env!("OUT_DIR"), "/app.rs"));

/// The app in this binary; none if there was none when it was built.
pub fn built() -> Option<&'static BuiltApp> {
    BUILT.as_ref()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;

    /// The folder that the build leaves is taken as a whole, or there is none.
    #[test]
    fn the_app_is_here_when_it_was_built_and_its_page_finds_what_it_loads() {
        let dist = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/dist");
        let page = std::fs::read_to_string(dist.join("session.html")).ok();
        assert_eq!(
            built().map(|app| app.page.plain),
            page.as_deref().map(str::as_bytes)
        );
        let Some((app, page)) = built().zip(page) else {
            return;
        };
        let loaded: Vec<_> = page.split("\"/assets/").skip(1).collect();
        assert!(!loaded.is_empty(), "a page without a script");
        for rest in loaded {
            let name = rest.split('"').next().unwrap();
            assert!(app.assets.iter().any(|asset| asset.name == name), "{name}");
        }
        for asset in app.assets {
            let file = dist.join("assets").join(asset.name);
            assert_eq!(asset.plain, std::fs::read(file).unwrap(), "{}", asset.name);
        }
    }
}
