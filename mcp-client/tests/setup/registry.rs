//! `server.json`, the entry for the MCP registry, against the registry's rules as far as they can be checked here.
//!
//! The rules are those of the schema 2025-12-11 and of the registry's own requirements for packages of npm; what they
//! need the network for, that the package is there and names this entry, is checked when it is published.

use serde_json::Value;

use crate::json_file;

/// The schema whose rules these are.
const SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";

/// The one registry of npm packages that is let in.
const NPM: &str = "https://registry.npmjs.org";

/// What is wrong with an entry; nothing if it is right.
fn faults(entry: &Value) -> Vec<&'static str> {
    let mut faults = Vec::new();
    let mut must = |holds: bool, rule: &'static str| {
        if !holds {
            faults.push(rule);
        }
    };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let between =
        |value: &Value, least: usize, most: usize| (least..=most).contains(&text(value).chars().count());
    must(entry["$schema"] == SCHEMA, "another schema");
    must(name_is_valid(&text(&entry["name"])), "the name");
    must(between(&entry["description"], 1, 100), "the description's length");
    must(
        entry.get("title").is_none() || between(&entry["title"], 1, 100),
        "the title's length",
    );
    must(version_is_one(&text(&entry["version"])), "the version");
    let top = ["$schema", "name", "title", "description", "version", "packages"];
    must(only(entry, &top), "a member that the registry drops or refuses");
    for package in entry["packages"].as_array().into_iter().flatten() {
        must(package["registryType"] == "npm", "the kind of package");
        must(package["registryBaseUrl"] == NPM, "the package's registry");
        must(!text(&package["identifier"]).is_empty(), "the package's name");
        must(
            version_is_one(&text(&package["version"])),
            "the package's version",
        );
        must(package["transport"]["type"] == "stdio", "the transport");
        for variable in package["environmentVariables"].as_array().into_iter().flatten() {
            must(!text(&variable["name"]).is_empty(), "a variable's name");
            let kinds = ["string", "number", "boolean", "filepath"];
            must(
                kinds.contains(&text(&variable["format"]).as_str()),
                "a variable's format",
            );
        }
    }
    faults
}

/// Reverse DNS, one slash, 3 to 200 characters.
fn name_is_valid(name: &str) -> bool {
    let ok = |part: &str, more: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || more.contains(c))
    };
    let mut parts = name.split('/');
    let (space, server) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    parts.next().is_none() && ok(space, ".-") && ok(server, "._-") && (3..=200).contains(&name.len())
}

/// One release: no range, not `latest`.
fn version_is_one(version: &str) -> bool {
    let parts: Vec<&str> = version.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn only(object: &Value, members: &[&str]) -> bool {
    let keys = object.as_object().map(|object| object.keys());
    keys.is_some_and(|mut keys| keys.all(|key| members.contains(&key.as_str())))
}

#[test]
fn the_entry_keeps_the_registrys_rules_and_is_of_this_version() {
    let entry = json_file("mcp-client/server.json");
    assert_eq!(faults(&entry), Vec::<&str>::new());
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(entry["version"], version);
    assert_eq!(entry["packages"][0]["version"], version);
    assert_eq!(entry["packages"][0]["identifier"], "@devpilot.sh/mcp-session");
    // The owner of devpilot.sh proves it by the domain; npm's scope is of the same name.
    assert_eq!(entry["name"], "sh.devpilot/mcp-session");
    let token = &entry["packages"][0]["environmentVariables"][1];
    assert_eq!(
        (&token["name"], &token["isSecret"]),
        (&"DEVPILOT_BRIDGE_TOKEN".into(), &true.into())
    );
}

#[test]
fn an_entry_that_breaks_a_rule_is_noticed() {
    let good = json_file("mcp-client/server.json");
    let with = |pointer: &str, value: Value| {
        let mut entry = good.clone();
        *entry.pointer_mut(pointer).unwrap() = value;
        faults(&entry)
    };
    assert_eq!(with("/name", "mcp-session".into()), ["the name"]);
    assert_eq!(with("/name", "sh.devpilot/a/b".into()), ["the name"]);
    assert_eq!(
        with("/description", "x".repeat(101).into()),
        ["the description's length"]
    );
    assert_eq!(with("/version", "^0.1.0".into()), ["the version"]);
    assert_eq!(
        with("/packages/0/version", "latest".into()),
        ["the package's version"]
    );
    assert_eq!(
        with("/packages/0/registryBaseUrl", "https://npm.example.org".into()),
        ["the package's registry"]
    );
}
