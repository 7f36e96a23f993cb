//! One credential a rule at least, in the form its issuer documents.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::{DIGITS, HEX, LOWER, UPPER, alnum, base64, found, hex, pem, putty, rules, symbols};
use crate::guard::rules as data;

/// A credential that a rule must find, taken apart so that no literal is one.
pub(super) fn credentials() -> Vec<(&'static str, String)> {
    let lower = |count| symbols(&format!("{LOWER}{DIGITS}"), count, 21);
    let upper = |count| symbols(&format!("{UPPER}{DIGITS}"), count, 22);
    let url64 = |count| symbols(&format!("{UPPER}{LOWER}{DIGITS}-_"), count, 23);
    let digits = |count| symbols("123456789", count, 24);
    let uuid = || format!("{}-{}-{}-{}-{}", hex(8), hex(4), hex(4), hex(4), hex(12));
    let join = |parts: &[&str]| parts.concat();
    vec![
        (
            "1password-secret-key",
            join(&[
                "A3",
                "-",
                &upper(6),
                "-",
                &upper(11),
                "-",
                &upper(5),
                "-",
                &symbols(UPPER, 5, 1),
                "-",
                &symbols(UPPER, 5, 2),
            ]),
        ),
        (
            "1password-service-account-token",
            join(&["ops", "_eyJ", &base64(300)]),
        ),
        ("adobe-client-secret", join(&["p8e", "-", &lower(32)])),
        (
            "age-secret-key",
            join(&[
                "AGE-SECRET",
                "-KEY-1",
                &symbols("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, 4),
            ]),
        ),
        (
            "airtable-personnal-access-token",
            join(&["pat", &alnum(14), ".", &hex(64)]),
        ),
        ("alibaba-access-key-id", join(&["LT", "AI", &alnum(20)])),
        ("anthropic-key", join(&["sk-", "ant-api03-", &url64(93), "AA"])),
        ("anthropic-key", join(&["sk-", "ant-oat01-", &url64(93), "AA"])),
        ("artifactory-api-key", join(&["AK", "Cp", &alnum(69)])),
        ("artifactory-reference-token", join(&["cmVm", "dGtu", &alnum(56)])),
        ("atlassian-api-token", join(&["ATA", "TT3", &url64(186)])),
        (
            "authorization-header",
            join(&["Authorization", ": Bearer ", &url64(40)]),
        ),
        (
            "authorization-header",
            join(&["curl -H 'authorization", ": Basic ", &base64(24), "=='"]),
        ),
        (
            "authress-service-client-access-key",
            join(&[
                "sc_",
                &lower(12),
                ".",
                &lower(5),
                ".acc-",
                &lower(12),
                ".",
                &base64(44),
            ]),
        ),
        (
            "aws-access-token",
            join(&["AK", "IA", &symbols("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, 9)]),
        ),
        (
            "aws-access-token",
            join(&["AS", "IA", &symbols("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, 10)]),
        ),
        (
            "aws-amazon-bedrock-api-key-long-lived",
            join(&["AB", "SK", &base64(128)]),
        ),
        (
            "aws-secret-access-key",
            join(&["aws_secret", "_access_key = ", &base64(40)]),
        ),
        (
            "aws-secret-access-key",
            join(&["export AWS_SECRET", "_ACCESS_KEY=\"", &base64(40), "\""]),
        ),
        (
            "azure-ad-client-secret",
            join(&["secret=", &alnum(3), "8Q", "~", &url64(33)]),
        ),
        (
            "azure-storage-key",
            join(&["AccountName=x;Account", "Key=", &base64(86), "==;"]),
        ),
        ("clickhouse-cloud-api-secret-key", join(&["4b", "1d", &alnum(38)])),
        ("clojars-api-token", join(&["CLO", "JARS_", &lower(60)])),
        (
            "cloudflare-origin-ca-key",
            join(&["v1", ".0-", &hex(24), "-", &hex(146)]),
        ),
        ("crates-io-token", join(&["ci", "o", &alnum(32)])),
        ("databricks-api-token", join(&["da", "pi", &hex(32)])),
        ("digitalocean-access-token", join(&["dop", "_v1_", &hex(64)])),
        ("docker-access-token", join(&["dckr", "_pat_", &url64(27)])),
        ("doppler-api-token", join(&["dp", ".pt.", &alnum(43)])),
        ("duffel-api-token", join(&["duffel", "_live_", &url64(43)])),
        (
            "dynatrace-api-token",
            join(&[
                "dt0",
                "c01.",
                &upper(24),
                ".",
                &symbols(&format!("{UPPER}{DIGITS}"), 64, 31),
            ]),
        ),
        ("easypost-api-token", join(&["EZ", "AK", &alnum(54)])),
        ("facebook-page-access-token", join(&["EA", "AM", &alnum(120)])),
        ("figma-token", join(&["fi", "gd_", &url64(43)])),
        (
            "flutterwave-secret-key",
            join(&["FLW", "SECK-", &symbols("abcdef0123456789", 32, 6), "-X"]),
        ),
        ("flyio-access-token", join(&["fo", "1_", &url64(43)])),
        ("frameio-api-token", join(&["fio", "-u-", &url64(64)])),
        ("gcp-api-key", join(&["AI", "za", &url64(35)])),
        ("github-app-token", join(&["gh", "s_", &alnum(36)])),
        (
            "github-fine-grained-pat",
            join(&["github", "_pat_", &alnum(22), "_", &alnum(59)]),
        ),
        ("github-oauth", join(&["gh", "o_", &alnum(36)])),
        ("github-pat", join(&["gh", "p_", &alnum(36)])),
        ("github-refresh-token", join(&["gh", "r_", &alnum(36)])),
        ("gitlab-cicd-job-token", join(&["glc", "bt-64_", &url64(20)])),
        ("gitlab-deploy-token", join(&["gl", "dt-", &url64(20)])),
        ("gitlab-feed-token", join(&["gl", "ft-", &url64(20)])),
        ("gitlab-incoming-mail-token", join(&["gli", "mt-", &url64(25)])),
        (
            "gitlab-kubernetes-agent-token",
            join(&["gla", "gent-", &url64(50)]),
        ),
        ("gitlab-oauth-app-secret", join(&["glo", "as-", &hex(64)])),
        ("gitlab-pat", join(&["gl", "pat-", &url64(20)])),
        ("gitlab-ptt", join(&["gl", "ptt-", &hex(40)])),
        ("gitlab-rrt", join(&["GR", "1348941", &url64(20)])),
        (
            "gitlab-runner-authentication-token",
            join(&["gl", "rt-", &url64(20)]),
        ),
        ("gitlab-scim-token", join(&["gls", "oat-", &url64(20)])),
        ("gitlab-session-cookie", join(&["_gitlab", "_session=", &hex(32)])),
        ("google-oauth-client-secret", join(&["GOC", "SPX-", &url64(28)])),
        ("google-oauth-token", join(&["ya", "29.", &url64(120)])),
        ("grafana-cloud-api-token", join(&["gl", "c_", &base64(80)])),
        (
            "grafana-service-account-token",
            join(&["gl", "sa_", &alnum(32), "_", &hex(8)]),
        ),
        ("groq-key", join(&["gs", "k_", &alnum(52)])),
        (
            "harness-api-key",
            join(&["pat", ".", &alnum(22), ".", &hex(24), ".", &alnum(20)]),
        ),
        (
            "hashicorp-tf-api-token",
            join(&[&alnum(14), ".atlas", "v1.", &alnum(67)]),
        ),
        ("heroku-api-key-v2", join(&["HRKU", "-AA", &url64(58)])),
        ("huggingface-access-token", join(&["h", "f_", &alnum(34)])),
        ("infracost-api-token", join(&["ic", "o-", &alnum(32)])),
        (
            "jwt",
            join(&[
                "ey",
                "JhbGciOiJSUzI1NiJ9",
                ".ey",
                "JpZCI6Ij",
                &alnum(30),
                ".",
                &url64(86),
            ]),
        ),
        ("linear-api-key", join(&["lin", "_api_", &alnum(40)])),
        (
            "maxmind-license-key",
            join(&[&alnum(6), "_", &alnum(29), "_m", "mk"]),
        ),
        (
            "microsoft-teams-webhook",
            join(&[
                "https://contoso.webhook.office",
                ".com/webhookb2/",
                &uuid(),
                "@",
                &uuid(),
                "/IncomingWebhook/",
                &hex(32),
                "/",
                &uuid(),
            ]),
        ),
        (
            "netrc-password",
            join(&["machine api.example.org login ada pass", "word ", &alnum(12)]),
        ),
        ("new-relic-insert-key", join(&["NR", "II-", &alnum(32)])),
        ("new-relic-user-api-key", join(&["NR", "AK-", &upper(27)])),
        ("notion-api-token", join(&["nt", "n_", &digits(11), &alnum(35)])),
        ("npm-access-token", join(&["np", "m_", &alnum(36)])),
        (
            "npm-auth",
            join(&["//registry.example.org/:_auth", "Token=", &uuid()]),
        ),
        (
            "nuget-config-password",
            join(&["<add key=\"ClearText", "Password\" value=\"", &alnum(14), "\" />"]),
        ),
        ("octopus-deploy-api-key", join(&["AP", "I-", &upper(26)])),
        (
            "openai-api-key",
            join(&["sk-", "proj-", &url64(74), "T3Blbk", "FJ", &url64(74)]),
        ),
        ("openrouter-key", join(&["sk-", "or-v1-", &hex(64)])),
        ("openshift-user-token", join(&["sha", "256~", &url64(43)])),
        ("perplexity-api-key", join(&["pp", "lx-", &alnum(48)])),
        ("planetscale-api-token", join(&["pscale", "_tkn_", &url64(43)])),
        ("postman-api-token", join(&["PM", "AK-", &hex(24), "-", &hex(34)])),
        ("prefect-api-token", join(&["pn", "u_", &alnum(36)])),
        ("private-key", pem("RSA ")),
        ("private-key", pem("OPENSSH ")),
        ("private-key", pem("")),
        ("private-key", pem("EC ").replace('\n', "\\n")),
        ("private-key", putty()),
        ("private-key-base64", STANDARD.encode(pem(""))),
        ("private-key-base64", STANDARD.encode(pem("RSA "))),
        (
            "docker-config-auth",
            format!("\"auth\": \"{}\"", STANDARD.encode(join(&["ada:", &alnum(20)]))),
        ),
        ("pulumi-api-token", join(&["pu", "l-", &hex(40)])),
        (
            "pypi-upload-token",
            join(&["pypi", "-AgEIcHlwaS5vcmc", &url64(100)]),
        ),
        ("readme-api-token", join(&["rd", "me_", &lower(70)])),
        ("replicate-token", join(&["r", "8_", &alnum(37)])),
        ("rubygems-api-token", join(&["rubygems", "_", &hex(48)])),
        ("scalingo-api-token", join(&["tk", "-us-", &url64(48)])),
        (
            "sendgrid-api-token",
            join(&["S", "G.", &url64(22), ".", &url64(43)]),
        ),
        (
            "sendinblue-api-token",
            join(&["xkey", "sib-", &hex(64), "-", &alnum(16)]),
        ),
        (
            "sentry-org-token",
            join(&[
                "sntrys",
                "_eyJpYXQiO",
                &alnum(40),
                "LCJyZWdpb25fdXJs",
                &alnum(40),
                "=_",
                &alnum(43),
            ]),
        ),
        ("sentry-user-token", join(&["sntr", "yu_", &hex(64)])),
        (
            "settlemint-application-access-token",
            join(&["sm", "_aat_", &alnum(16)]),
        ),
        ("shippo-api-token", join(&["shippo", "_live_", &hex(40)])),
        ("shopify-access-token", join(&["shp", "at_", &hex(32)])),
        (
            "sidekiq-sensitive-url",
            join(&[
                "https://",
                &hex(8),
                ":",
                &symbols(HEX, 8, 77),
                "@gems.contribsys",
                ".com/",
            ]),
        ),
        (
            "slack-app-token",
            join(&["xa", "pp-1-", &upper(11), "-", &digits(13), "-", &hex(64)]),
        ),
        (
            "slack-bot-token",
            join(&["xo", "xb-", &digits(12), "-", &digits(13), "-", &alnum(24)]),
        ),
        (
            "slack-browser-token",
            join(&["xo", "xc-", &digits(12), "-", &digits(12), "-", &hex(64)]),
        ),
        (
            "slack-config-access-token",
            join(&["xoxe", ".xoxp-1-", &alnum(166)]),
        ),
        (
            "slack-legacy-token",
            join(&[
                "xo",
                "xs-",
                &digits(11),
                "-",
                &digits(11),
                "-",
                &digits(11),
                "-",
                &hex(20),
            ]),
        ),
        (
            "slack-user-token",
            join(&[
                "xo",
                "xp-",
                &digits(12),
                "-",
                &symbols("123456789", 12, 41),
                "-",
                &symbols("123456789", 12, 42),
                "-",
                &hex(32),
            ]),
        ),
        (
            "slack-webhook-url",
            join(&[
                "https://hooks.slack",
                ".com/services/T",
                &upper(10),
                "/B",
                &upper(10),
                "/",
                &alnum(24),
            ]),
        ),
        (
            "sourcegraph-access-token",
            join(&["sg", "p_", &hex(16), "_", &hex(40)]),
        ),
        ("square-access-token", join(&["sq0", "atp-", &url64(22)])),
        ("stripe-access-token", join(&["sk", "_live_", &alnum(24)])),
        ("stripe-webhook-secret", join(&["wh", "sec_", &alnum(32)])),
        ("supabase-key", join(&["sb", "p_", &hex(40)])),
        (
            "tailscale-key",
            join(&["ts", "key-auth-", &alnum(12), "-", &alnum(32)]),
        ),
        (
            "telegram-bot-api-token",
            join(&[&digits(10), ":", "AA", &url64(33)]),
        ),
        ("typeform-api-token", join(&["tf", "p_", &url64(59)])),
        (
            "url-password-near",
            join(&["postgres://app:", "Gk3m", "Pz7q", "@db:5432/prod"]),
        ),
        (
            "url-password-near",
            join(&["redis://:", "gk3mpz7q", "lw2xnd81", "@cache:6379"]),
        ),
        (
            "url-password",
            join(&["postgres://app:", &alnum(14), "@db.internal.corp/orders"]),
        ),
        (
            "url-password-near",
            join(&["postgres://app:", "G", "@", "k3mPz7qX", "@db:5432/prod"]),
        ),
        ("vault-batch-token", join(&["hv", "b.", &url64(150)])),
        ("vault-service-token", join(&["hv", "s.", &url64(95)])),
        ("xai-key", join(&["xa", "i-", &alnum(80)])),
        ("yandex-api-key", join(&["AQ", "VN", &url64(36)])),
    ]
}

#[test]
fn each_rule_finds_what_its_issuer_hands_out() {
    for (rule, credential) in credentials() {
        assert_eq!(rules(&credential), [rule], "alone");
        for (before, after) in [
            ("The key is ", ", keep it."),
            ("KEY=", "\n"),
            ("{\"key\":\"", "\"}"),
            ("(", ")"),
            ("`", "`"),
            ("> ", " <"),
        ] {
            let text = format!("Übergabe\n{before}{credential}{after}");
            let found = found(&text);
            let places: Vec<_> = found
                .iter()
                .map(|finding| (finding.rule, finding.place.line))
                .collect();
            assert_eq!(places, [(rule, 2)], "after {before:?}");
        }
    }
}

#[test]
fn no_rule_is_without_a_credential_in_this_corpus() {
    let tried: BTreeSet<&str> = credentials().iter().map(|(rule, _)| *rule).collect();
    let rules: BTreeSet<&str> = data::all().unwrap().iter().map(data::Rule::id).collect();
    assert_eq!(tried, rules);
}

#[test]
fn every_pattern_compiles_within_its_room_and_a_kind_reads_as_a_noun() {
    let mut ids = BTreeSet::new();
    for rule in data::all().unwrap().iter() {
        assert!(rule.compiled().is_ok(), "{}", rule.id());
        assert!(
            rule.kind().starts_with("a ") || rule.kind().starts_with("an "),
            "{}",
            rule.kind()
        );
        assert!(ids.insert(rule.id()), "{} twice", rule.id());
    }
    assert!(ids.len() >= 100, "{}", ids.len());
}

#[test]
fn the_data_names_its_source_and_its_licence() {
    let (data, licence) = (include_str!("../rules.toml"), include_str!("../rules.LICENSE"));
    for part in [
        "gitleaks 8.30.1",
        "https://github.com/gitleaks/gitleaks",
        "MIT",
        "Zachary Rice",
    ] {
        assert!(data.contains(part), "{part}");
    }
    assert!(licence.starts_with("MIT License") && licence.contains("Zachary Rice"));
}

#[test]
fn the_value_is_in_no_form_of_a_finding() {
    for (rule, credential) in credentials() {
        let text = format!("first line\nsecond: {credential}\n");
        let found = found(&text);
        let sentences: Vec<_> = found.iter().map(ToString::to_string).collect();
        let said = format!("{found:?} {found} {sentences:?}");
        let shown = found.withheld_in(&text);
        assert!(shown.starts_with("first line\n"), "{shown}");
        let secret = random_part(&credential);
        for at in 0..=secret.len() - 6 {
            let part = &secret[at..at + 6];
            assert!(!said.contains(part), "{rule}: {part} of {said}");
            assert!(!shown.contains(part), "{rule}: {part} of {shown}");
        }
    }
}

/// What of a credential is secret: its longest run of letters and digits that is no word.
fn random_part(credential: &str) -> &str {
    let runs = credential.split(|symbol: char| !symbol.is_ascii_alphanumeric());
    runs.filter(|run| run.contains(|symbol: char| symbol.is_ascii_digit()))
        .max_by_key(|run| run.len())
        .unwrap()
}

#[test]
fn the_place_is_the_line_and_the_column_in_characters() {
    let token = ["gh", "p_", &alnum(36)].concat();
    let text = format!("Grüße,\nder Schlüssel „{token}“ und\n\t{token}");
    let found = found(&text);
    let places: Vec<_> = found.iter().map(|finding| finding.place.to_string()).collect();
    assert_eq!(places, ["`text`, line 2, column 16", "`text`, line 3, column 2"]);
    assert_eq!(
        found.to_string(),
        "a GitHub personal access token (`text`, line 2, column 16) and a GitHub personal access token (`text`, line 3, \
         column 2)"
    );
}
