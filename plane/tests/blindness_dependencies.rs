//! The plane is blind because of what is linked into it: nothing that could open a sealed record.
//!
//! The list below names every crate that does; `cargo tree` says what the plane depends on, in every
//! target, feature and kind of dependency, those of its tests included.

#![allow(clippy::expect_used)]

use std::collections::BTreeSet;
use std::process::Command;

/// Crates that open records, keys or re-key entries, or that lead to one that does.
const FORBIDDEN: [&str; 6] = [
    "seal",
    "aead",
    "chacha20poly1305",
    "hpke",
    "x25519-dalek",
    "mcp-client",
];

/// The names in the output of `cargo tree --prefix none --format {p}`: the first word of each line.
/// The titles of the dependency kinds (`[dev-dependencies]`) are no crates.
fn crate_names(tree: &str) -> BTreeSet<&str> {
    tree.lines()
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| !name.starts_with('['))
        .collect()
}

fn forbidden_in(tree: &str) -> Vec<&'static str> {
    let names = crate_names(tree);
    FORBIDDEN
        .into_iter()
        .filter(|name| names.contains(name))
        .collect()
}

/// What `package` depends on, itself included.
fn cargo_tree(package: &str) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--locked", "--package", package])
        .args(["--edges", "all", "--target", "all", "--all-features"])
        .args(["--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo tree: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("crate names are UTF-8")
}

#[test]
fn nothing_that_opens_records_is_linked_into_the_plane() {
    let tree = cargo_tree("plane");
    let names = crate_names(&tree);
    assert!(
        names.contains("plane") && names.contains("wire"),
        "this is not the tree of the plane: {tree}"
    );
    assert_eq!(forbidden_in(&tree), [""; 0], "the plane must stay blind");
}

/// Each name of the list is a crate the client really has, so that a misspelt one can't pass unnoticed. `hpke` alone is
/// nobody's: `seal` has its own, and the crate would do the same.
#[test]
fn every_forbidden_name_is_one_the_client_depends_on() {
    let tree = cargo_tree("mcp-client");
    let used: Vec<&str> = FORBIDDEN.into_iter().filter(|name| *name != "hpke").collect();
    assert_eq!(forbidden_in(&tree), used);
}

#[test]
fn the_check_finds_what_it_looks_for() {
    let broken = "plane v0.1.0 (/src/plane)\nwire v0.1.0 (/src/wire)\n[dev-dependencies]\nseal v0.1.0 (/src/seal)\naead v0.6.0 (*)\n";
    assert_eq!(forbidden_in(broken), ["seal", "aead"]);

    let look_alikes =
        "sealed-bid v1.0.0\nchacha20 v0.10.2\nx25519-dalek-ng v1.1.1\n\nwire v0.1.0 (/src/seal)\n";
    assert_eq!(forbidden_in(look_alikes), [""; 0]);
}
