//! All files that browsers get, by the path they have here. Looked up by that path as it stands in the request line:
//! what is not in this list is not there.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use wire::transcript::sha256;

use super::built::{BuiltApp, BuiltFile};

/// One file in the forms it can be sent in.
#[derive(Debug, Clone)]
pub struct File {
    /// The `Content-Type`.
    pub content_type: &'static str,
    /// As it is.
    pub plain: &'static [u8],
    /// Compressed with Brotli.
    pub brotli: Option<&'static [u8]>,
    /// Compressed with gzip.
    pub gzip: Option<&'static [u8]>,
    /// SHA-256 of it as it is, in hexadecimal.
    pub sha256: String,
    /// Whether its name changes with its content, so that it may be kept for good.
    pub hashed: bool,
}

impl File {
    fn new(name: &str, plain: &'static [u8]) -> Self {
        Self {
            content_type: content_type(name),
            plain,
            brotli: None,
            gzip: None,
            sha256: hex(&sha256(plain)),
            hashed: false,
        }
    }

    fn built(file: &BuiltFile) -> Self {
        Self {
            brotli: file.brotli,
            gzip: file.gzip,
            ..Self::new(file.name, file.plain)
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, end)| end) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("wasm") => "application/wasm",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

/// A page for people.
#[derive(Debug, Clone)]
pub struct Page {
    /// Its file.
    pub file: File,
    /// Whether it is the app: it runs scripts of ours and speaks to the API.
    pub is_app: bool,
}

/// The files of a plane.
#[derive(Debug, Clone)]
pub struct Files {
    /// `/`: what this is and how to install the client.
    pub landing: Page,
    /// `/s/{id}`: the app, or how to join without it.
    pub session: Page,
    /// Any other path under `/s/`: the link was damaged and is exposed.
    pub damaged: Page,
    /// `/connect`: what a machine's code is for, and who types it where.
    pub connect: Page,
    /// Any path that leads to nothing, where a browser asks for a page.
    pub missing: Page,
    assets: BTreeMap<String, File>,
}

macro_rules! here {
    ($name:literal) => {
        File::new($name, include_bytes!(concat!("../../../web/static/", $name)))
    };
}

impl Files {
    /// The files with this app, or without one.
    pub fn with(app: Option<&BuiltApp>) -> Self {
        let text = |file| Page { file, is_app: false };
        let own = [
            ("/assets/style.css", here!("style.css")),
            ("/favicon.svg", here!("icon.svg")),
            ("/favicon.ico", here!("icon.svg")),
            ("/robots.txt", here!("robots.txt")),
        ];
        let mut assets: BTreeMap<String, File> = own
            .into_iter()
            .map(|(path, file)| (path.to_owned(), file))
            .collect();
        for asset in app.iter().flat_map(|app| app.assets) {
            let file = File {
                hashed: true,
                ..File::built(asset)
            };
            assets.insert(format!("/assets/{}", asset.name), file);
        }
        let session = match app {
            Some(app) => Page {
                file: File::built(&app.page),
                is_app: true,
            },
            None => text(here!("session.html")),
        };
        Self {
            landing: text(here!("landing.html")),
            session,
            damaged: text(here!("damaged.html")),
            connect: text(here!("connect.html")),
            missing: text(here!("missing.html")),
            assets,
        }
    }

    /// The file of a path, except for pages.
    pub fn asset(&self, path: &str) -> Option<&File> {
        self.assets.get(path)
    }

    /// SHA-256 of each file by its path, in hexadecimal; that of the session page stands under its route, and that of the page of
    /// a damaged link, which any other path below gets, under `/s/`, and that of the page of what is not there under `/{other}`.
    pub fn hashes(&self) -> BTreeMap<String, String> {
        let pages = [
            ("/", &self.landing),
            ("/s/{session_id}", &self.session),
            ("/s/", &self.damaged),
            ("/connect", &self.connect),
            ("/{other}", &self.missing),
        ];
        let pages = pages.map(|(path, page)| (path.to_owned(), page.file.sha256.clone()));
        let assets = self.assets.iter();
        assets
            .map(|(path, file)| (path.clone(), file.sha256.clone()))
            .chain(pages)
            .collect()
    }
}
