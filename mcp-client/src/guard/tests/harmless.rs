//! What developers write to each other all day and must never be stopped for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{HEX, UPPER, alnum, base64, hex, rules, symbols};

#[track_caller]
fn passes(text: &str) {
    assert_eq!(rules(text), [""; 0], "{text}");
}

#[test]
fn ids_and_hashes_pass() {
    for seed in 0..200 {
        for length in [7, 8, 12, 32, 40, 56, 64, 96, 128] {
            let hash = symbols(HEX, length, seed * 31 + length as u64);
            passes(&format!("commit {hash}"));
            passes(&format!(
                "datadog = {hash}\nheroku: \"{hash}\", sourcegraph {hash} twilio {hash}"
            ));
            passes(&format!("token: {hash}; api_key={hash}; secret: sha256:{hash}"));
            passes(&hash.to_uppercase());
        }
        let uuid = [8, 4, 4, 4, 12]
            .map(|part| symbols(HEX, part, seed + part as u64))
            .join("-");
        passes(&format!("session {uuid}, heroku_key={uuid} snyk_token: {uuid}"));
    }
}

#[test]
fn lockfiles_pass() {
    for seed in 0..200 {
        let digest = symbols(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            86,
            seed,
        );
        passes(&format!(
            "    \"node_modules/left-pad\": {{\n      \"resolved\": \"https://registry.example.org/left-pad-1.3.0.tgz\",\n      \
             \"integrity\": \"sha512-{digest}==\"\n    }},"
        ));
        let sum = symbols(HEX, 64, seed);
        passes(&format!("[[package]]\nname = \"seal\"\nchecksum = \"{sum}\""));
        passes(&format!(
            "golang.org/x/crypto v0.31.0 h1:{}=",
            digest.get(..43).unwrap()
        ));
        passes(&format!("    --hash=sha256:{sum} \\\n"));
        passes(&format!("image: registry.example.org/app@sha256:{sum}"));
    }
}

#[test]
fn encoded_pictures_and_files_pass() {
    for seed in 0..20 {
        let data = symbols(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            65_000,
            seed,
        );
        passes(&format!("![shot](data:image/png;base64,{data})"));
        let lines: Vec<&str> = (0..800).map(|line| &data[line * 76..line * 76 + 76]).collect();
        passes(&lines.join("\n"));
    }
    // Zeroes are A in base64, and pictures have many.
    passes(&format!(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ/EAAAAAAAAA{}+EAACAAAAAAA",
        "A".repeat(200)
    ));
}

#[test]
fn public_keys_and_certificates_pass() {
    let body: Vec<String> = (0..6).map(|_| base64(64)).collect();
    let body = body.join("\n");
    for kind in [
        "PUBLIC KEY",
        "RSA PUBLIC KEY",
        "CERTIFICATE",
        "CERTIFICATE REQUEST",
        "PGP PUBLIC KEY BLOCK",
        "SSH SIGNATURE",
    ] {
        passes(&format!("-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"));
    }
    passes(&format!(
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{} ada@example.org",
        base64(43)
    ));
    passes(&format!(
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{}== ada",
        base64(500)
    ));
    passes(&format!(
        "age1{}",
        symbols("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58, 3)
    ));
    passes("The parser looks for \"-----BEGIN RSA PRIVATE KEY-----\" and refuses it.");
}

#[test]
fn certificates_and_public_keys_in_base64_pass() {
    let body: Vec<String> = (0..6).map(|_| base64(64)).collect();
    let body = body.join("\n");
    for before in ["", "x", "xy"] {
        for kind in [
            "PUBLIC KEY",
            "RSA PUBLIC KEY",
            "CERTIFICATE",
            "PGP PUBLIC KEY BLOCK",
        ] {
            let text = format!("{before}-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n");
            passes(&format!("certificate-authority-data: {}", STANDARD.encode(text)));
        }
        let (begin, end) = ("BEGIN", "END");
        let spoken = format!("{before}-----{begin} PRIVATE KEY-----\n...\n-----{end} PRIVATE KEY-----\n");
        for part in [&spoken[..before.len() + 28], &spoken] {
            passes(&format!("tls.key: {}...", STANDARD.encode(part)));
        }
    }
}

#[test]
fn what_is_called_auth_and_holds_no_user_and_password_passes() {
    for text in [
        "{\"auth\": \"required\"}, {\"auth\": \"clientCredentials\"}, {'auth': 'c3R...zE2'}, {\"auth\":\"\"}",
        "{\"auth\": \"0123456789abcdef0123456789abcdef\"}",
        "\"auth\": \"$REGISTRY_AUTH\", \"auth\": \"<base64 of user:password>\"",
    ] {
        passes(text);
    }
    for pair in [
        "user:password",
        "user:<password>",
        "ada:${TOKEN}",
        "me:your-token-here",
        "ada:***",
        "ada:",
    ] {
        passes(&format!(
            "{{\"auths\":{{\"ghcr.io\":{{\"auth\":\"{}\"}}}}}}",
            STANDARD.encode(pair)
        ));
    }
    for seed in 0..200 {
        let data = symbols(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            64,
            seed,
        );
        passes(&format!("{{\"auth\": \"{data}\"}}"));
    }
}

#[test]
fn code_and_talk_about_credentials_pass() {
    for text in [
        "let token = self.tokens.next_token()?; if token.kind == TokenKind::Secret { return Err(Error::Secret) }",
        "password: String, // never logged\napi_key = os.environ[\"API_KEY\"]",
        "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <your-token>",
        "Authorization: Bearer YOUR_TOKEN_HERE_PLEASE",
        "curl -H \"Authorization: Bearer ${DEVPILOT_BRIDGE_TOKEN}\" https://plane.example.org/v1/sessions",
        "postgres://postgres:postgres@localhost:5432/app",
        "postgres://app:hunter2hunter2@db:5432/app",
        "amqp://rabbit:rabbitmq123@mq:5672 and http://localhost:3000/@vite/client/@fs/A1b2C3d4@x",
        "postgres://app:$DB_Passw0rd@db and mysql://root:%ENV_Pass1%@db/x and redis://:${Redis1Pass}@cache",
        "postgres://user:password@db.example.org/app",
        "redis://:$REDIS_PASSWORD@cache.example.org",
        "https://user:***@example.org/x",
        "mysql://root:{{password}}@db.example.org/x and amqp://app:<secret>@mq.example.org and https://a:${B}@c.example.org",
        "See https://example.org:8080/a@b and mailto:ada@example.org, http://localhost:3000/@vite/client",
        "machine HOST login NAME password <PASSWORD>",
        "aws_secret_access_key = <your secret>",
        "The risk is in the task: Asia, patience, extern, social. basket_case sk_test",
        "rules: sk-ant-..., ghp_..., AKIA..., xoxb-..., dp1f..., dps_...",
        "Use s.split('.') and foo.service.invocation.handler, hvs.Something, SG.Foo.Bar",
        "env: npm_config_registry, npm_package_name, hf_hub_download, r8_asm, pul-sar, cio",
    ] {
        passes(text);
    }
}

#[test]
fn credentials_of_manuals_pass() {
    passes(&["aws_access_key_id = AK", "IAIOSFODNN7EXAMPLE"].concat());
    passes(&["AK", "IAI44QH8DHBEXAMPLE"].concat());
    passes(
        &[
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG",
            "/bPxRfiCYEXAMPLEKEY",
        ]
        .concat(),
    );
    passes(&["sk_te", "st_4eC39HqLyjWDarjtT1zdp7dc"].concat());
    passes(
        &[
            "ey",
            "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.ey",
            "JzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.",
            "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        ]
        .concat(),
    );
    passes(
        &[
            "https://hooks.slack",
            ".com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
        ]
        .concat(),
    );
    // What only looks like an example is none.
    assert_eq!(
        rules(&["AK", "IA", &symbols(UPPER, 16, 8)].concat()),
        ["aws-access-token"]
    );
}

#[test]
fn a_longer_word_that_holds_one_is_another_thing() {
    passes(&["x", "gh", "u_", &alnum(36), &alnum(9)].concat());
    passes(&["da", "pi", &hex(64)].concat());
    passes(&["not", "AK", "IA", &symbols(UPPER, 16, 8), "QQQQ"].concat());
}

/// What this project writes about credentials, and the code that looks for them.
#[test]
fn the_documents_of_this_project_and_the_sources_of_the_guard_pass() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut left: Vec<_> = [
        "README.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "docs/decisions",
        "docs/setup",
        "mcp-client/src/guard",
    ]
    .map(|path| project.join(path))
    .into();
    let mut read = 0;
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(
                std::fs::read_dir(path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
        } else {
            let found = super::found(&std::fs::read_to_string(&path).unwrap());
            // Examples of links are written as links are.
            assert!(
                found.iter().all(|finding| finding.ours),
                "{}: {found}",
                path.display()
            );
            read += 1;
        }
    }
    assert!(read >= 40, "{read}");
}
