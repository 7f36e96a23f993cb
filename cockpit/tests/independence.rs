//! Nothing that the cockpit knows can reach a plane through it: it depends on no crate of ours, and on nothing that opens
//! a connection to another machine.
#![allow(clippy::expect_used)]

use std::process::Command;

/// Ours, and what speaks HTTP or TLS to others.
const FORBIDDEN: [&str; 8] = [
    "wire",
    "seal",
    "plane",
    "mcp-client",
    "reqwest",
    "rustls",
    "native-tls",
    "openssl",
];

fn forbidden_in(tree: &str) -> Vec<&'static str> {
    let names: Vec<&str> = tree
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    FORBIDDEN
        .into_iter()
        .filter(|name| names.contains(name))
        .collect()
}

#[test]
fn it_depends_on_nothing_that_leads_off_the_machine() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args([
            "tree",
            "--locked",
            "--package",
            "cockpit",
            "--edges",
            "normal,build",
            "--target",
            "all",
        ])
        .args(["--all-features", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let tree = String::from_utf8(output.stdout).expect("crate names are UTF-8");
    assert!(tree.starts_with("cockpit ") && tree.contains("axum"), "{tree}");
    assert_eq!(forbidden_in(&tree), [""; 0]);
}

#[test]
fn the_check_finds_what_it_looks_for() {
    assert_eq!(
        forbidden_in("cockpit v0\nwire v0 (/x)\nrustls-pki-types v1\nrustls v0.23\n"),
        ["wire", "rustls"]
    );
}
