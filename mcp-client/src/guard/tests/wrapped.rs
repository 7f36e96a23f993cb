//! The corpus inside what programs and people put around a credential before it is pasted.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::corpus::credentials;
use super::{alnum, base64, found, pem, putty, rules};

/// With each symbol but letters and digits as two hexadecimal digits.
fn percent(text: &str, sign: &str) -> String {
    let encoded = text.bytes().map(|byte| match byte {
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("{sign}{byte:02X}"),
    });
    encoded.collect()
}

/// With each symbol but letters and digits, and each fifth of those, as `write` writes its number.
fn numbered(text: &str, write: impl Fn(u8) -> String) -> String {
    let encoded = text.bytes().enumerate().map(|(at, byte)| match byte {
        byte if byte.is_ascii_alphanumeric() && at % 5 != 0 => char::from(byte).to_string(),
        byte => write(byte),
    });
    encoded.collect()
}

/// By the names that HTML has for them.
fn referred(text: &str) -> String {
    let names = [
        ('&', "amp"),
        ('_', "lowbar"),
        ('@', "commat"),
        (':', "colon"),
        ('/', "sol"),
        ('=', "equals"),
        ('+', "plus"),
        ('.', "period"),
        ('"', "quot"),
        ('\'', "apos"),
        ('<', "lt"),
        ('>', "gt"),
        ('%', "percnt"),
        ('$', "dollar"),
        ('\n', "NewLine"),
    ];
    let write = |sign: char| match names.iter().find(|(named, _)| *named == sign) {
        Some((_, name)) => format!("&{name};"),
        None => sign.to_string(),
    };
    text.chars().map(write).collect()
}

#[test]
fn each_rule_finds_it_inside_what_is_put_around() {
    for (rule, credential) in credentials() {
        let escaped = credential.replace('"', "\\\"").replace('\n', "\\n");
        for (wrapper, text) in [
            ("a colour", format!("\u{1B}[32m{credential}\u{1B}[0m")),
            ("a colour without its escape", format!("[32m{credential}[0m")),
            (
                "what grep marks",
                format!("key\u{1B}[01;31m\u{1B}[K{credential}\u{1B}[m\u{1B}[Kend"),
            ),
            ("a colour as cat -v shows it", format!("x^[[1m{credential}^[[0m")),
            (
                "a colour as JSON has it",
                format!("\\u001b[32m{escaped}\\u001b[0m"),
            ),
            (
                "a colour as a shell has it",
                format!("\\033[32m{credential}\\e[0m"),
            ),
            (
                "a line of JSON",
                format!("{{\"out\":\"line\\n{escaped}\\nline\"}}"),
            ),
            ("a tab of JSON", format!("line\\t{escaped}\\tline")),
            ("a code point of JSON", format!("key\\u003d{escaped}\\u0026on")),
            (
                "JSON in JSON",
                format!("\\\"line\\\\n{}\\\\nline\\\"", escaped.replace('\\', "\\\\")),
            ),
            (
                "an address",
                format!("https://a.example.org/?t%3D{credential}%26u"),
            ),
            (
                "an address, whole",
                format!("?t%3D{}%26u", percent(&credential, "%")),
            ),
            (
                "an address, twice",
                format!("?t%253D{}%2526u", percent(&credential, "%25")),
            ),
            ("mail", format!("t=3D{credential}=20u")),
            ("emphasis", format!("*{credential}*")),
            ("strong emphasis", format!("**{credential}**")),
            ("underscores", format!("_{credential}_")),
            ("two underscores", format!("__{credential}__")),
            ("a name before it", format!("prod_{credential}")),
            (
                "Markdown's escapes",
                credential.replace('_', "\\_").replace('*', "\\*"),
            ),
            ("names of HTML", referred(&credential)),
            (
                "names of HTML, twice",
                referred(&credential).replace('&', "&amp;"),
            ),
            (
                "numbers of HTML",
                numbered(&credential, |byte| format!("&#{byte};")),
            ),
            (
                "hexadecimal numbers of HTML",
                numbered(&credential, |byte| format!("&#x{byte:X};")),
            ),
            (
                "octal numbers of a shell",
                numbered(&credential, |byte| format!("\\{byte:03o}")),
            ),
            (
                "code points in braces",
                numbered(&credential, |byte| format!("\\u{{{byte:x}}}")),
            ),
        ] {
            assert!(
                rules(&text).contains(&rule),
                "{rule} in {wrapper}: {:?}",
                rules(&text)
            );
        }
    }
}

#[test]
fn a_private_key_is_found_whatever_its_lines_begin_with() {
    for key in [pem("RSA "), pem("OPENSSH "), pem(""), putty()] {
        type Line = fn(usize, &str) -> String;
        let prefixes: [(&str, Line); 14] = [
            ("an agent's reader", |at, line| format!("{at:>6}\u{2192}{line}")),
            ("cat -n", |at, line| format!("{at:>6}\t{line}")),
            ("grep -n", |at, line| format!("{at}:{line}")),
            ("grep -rn", |at, line| {
                format!("deploy/keys/id_rsa.pem:{at}:{line}")
            }),
            ("docker compose logs", |_, line| format!("web-1  | {line}")),
            ("a log", |_, line| {
                format!("2026-03-01T10:11:12.123456789Z stdout F {line}")
            }),
            ("a removed line", |_, line| format!("-{line}")),
            ("an added line", |_, line| format!("+{line}")),
            ("a comment", |_, line| format!("# {line}")),
            ("a comment of two", |_, line| format!("// {line}")),
            ("a comment of many", |_, line| format!(" * {line}")),
            ("concatenation", |_, line| format!("  \"{line}\\n\" +")),
            ("continuation", |_, line| format!("{line} \\")),
            ("a table", |at, line| format!("| {at} | `{line}` |")),
        ];
        for (name, prefix) in prefixes {
            let lines: Vec<String> = key
                .lines()
                .enumerate()
                .map(|(at, line)| prefix(at + 1, line))
                .collect();
            let text = format!("Look:\n{}\nThat was it.", lines.join("\n"));
            assert_eq!(rules(&text), ["private-key"], "{name}: {text}");
            let shown = found(&text).withheld_in(&text);
            assert!(shown.ends_with("\nThat was it."), "{name}: {shown}");
            let body = key.lines().filter(|line| line.len() == 64);
            for line in body {
                assert!(!shown.contains(&line[8..56]), "{name}: {shown}");
            }
        }
        let key = key.trim_end().replace('\n', "\\n");
        let twice = key.replace('\\', "\\\\");
        for text in [
            format!("{{\"a\":\"x\\n{key}\"}}"),
            format!("{{\"a\":\"{{\\\"b\\\":\\\"x\\\\n{twice}\\\"}}\"}}"),
        ] {
            assert_eq!(rules(&text), ["private-key"], "{text}");
        }
    }
}

#[test]
fn a_key_that_is_only_spoken_of_passes() {
    for text in [
        "It begins with -----BEGIN RSA PRIVATE KEY-----\nand commit 0123456789abcdef0123456789abcdef01234567 reads it.",
        "\"-----BEGIN PRIVATE KEY-----\\n\"\n\nsee mcp-client/src/guard/tests/harmless.rs",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
    let certificate = pem("").replace("PRIVATE KEY", "CERTIFICATE");
    let text = format!("No -----BEGIN {}KEY-----, but\n{certificate}", "PRIVATE ");
    assert_eq!(rules(&text), [""; 0], "{text}");
}

#[test]
fn the_place_is_where_it_stands_as_it_is_written() {
    let token = ["gh", "s_", &alnum(36)].concat();
    let (front, back) = token.split_at(9);
    for (text, shown) in [
        (
            format!("one\ntwo \u{1B}[32m{token}\u{1B}[0m end"),
            "one\ntwo \u{1B}[[credential withheld]\u{1B}[0m end",
        ),
        (
            format!("one\ntwo {front}\u{1B}[1m{back} end"),
            "one\ntwo [credential withheld] end",
        ),
        (
            format!("one\ntwo {} end", token.replace('_', "\\u005f")),
            "one\ntwo [credential withheld] end",
        ),
        (
            format!("one\ntwo {} end &amp; more", token.replace('_', "&lowbar;")),
            "one\ntwo [credential withheld] end &amp; more",
        ),
        (
            format!("one\ntwo &#103;{} end", token[1..].replace('_', "&#x5F;")),
            "one\ntwo [credential withheld] end",
        ),
    ] {
        let found = found(&text);
        let places: Vec<_> = found.iter().map(|finding| finding.place.line).collect();
        assert_eq!(places, [2], "{text:?}");
        assert_eq!(found.withheld_in(&text), shown);
    }
}

#[test]
fn a_hidden_character_inside_hides_nothing() {
    let token = ["gh", "p_", &alnum(36)].concat();
    for hidden in [
        '\u{200B}',
        '\u{2060}',
        '\u{E0041}',
        '\u{202E}',
        '\u{7}',
        '\r',
        '\u{301}',
        '\u{A0}',
        '\u{2800}',
        '\u{85}',
    ] {
        let mut text = token.clone();
        text.insert(9, hidden);
        let text = format!("one\ntwo {text} end");
        let found = found(&text);
        let places: Vec<_> = found.iter().map(|finding| finding.place.to_string()).collect();
        assert_eq!(places, ["`text`, line 2, column 5"], "{hidden:?}");
        assert_eq!(found.withheld_in(&text), "one\ntwo [credential withheld] end");
    }
}

/// What is hidden may itself be escaped, and then shows only once the escapes are undone.
#[test]
fn a_hidden_character_inside_escaped_text_hides_nothing() {
    let token = ["gh", "p_", &alnum(36)].concat();
    let (front, back) = token.split_at(9);
    for text in [
        format!("{front}%E2%80%8B{back}"),
        format!("{front}%25E2%2580%258B{back}"),
        format!("{{\"key\":\"{front}\\u200b{back}\"}}"),
        format!("{front}\\u001b[0m{back}"),
        format!("{front}\\x07{back}"),
        format!("{front}&shy;{back}"),
        format!("{front}&#8203;{back}"),
        format!("{front}&ZeroWidthSpace;{back}"),
        // As it is, in text that is escaped beside it.
        format!("%67{}\u{200B}{back}", &front[1..]),
    ] {
        let found = found(&text);
        let kinds: Vec<_> = found.iter().map(|finding| finding.rule).collect();
        assert_eq!(kinds, ["github-pat"], "{text}");
        let shown = found.withheld_in(&text);
        assert!(!shown.contains(&back[..12]) && !shown.contains(front), "{shown}");
    }
}

#[test]
fn a_password_is_found_in_an_address_of_any_host_and_with_any_signs() {
    for (front, back) in [
        ("Zq8x", "T2mW@10.0.0.5/db"),
        ("Zq8x", "T2mW@[2001:db8::1]:5432/db"),
        ("mySecr", "3tX9@db.example.net/x"),
        ("yourk", "9Wq2@db.example.net/x"),
        ("$3cr", "3tX@db.example.net/x"),
        ("Zq8x", "T2m)@db.example.net/x"),
        ("Zq8/", "T2mW@db.example.net/x"),
        ("p@", "ss@db.example.net/x"),
        ("Zq8x@", "T2mW@10.0.0.5/db"),
        ("Zq@8x@", "T2@mW@[2001:db8::1]/db"),
        ("@Zq8x", "T2mW@@db.example.net"),
        ("Zq8x@", "9.org@db.example.net"),
    ] {
        let text = ["postgres://app:", front, back].concat();
        assert_eq!(rules(&text), ["url-password"], "{text}");
    }
    for text in [
        "https://cdn.example.org:8443/npm/left-pad@1.3.0/index.js and https://example.org:8080/a/b@c.example.org",
        "postgres://app:your_password@db.example.org, postgres://app:my-secret@10.0.0.5, postgres://app:$PASSWORD@[::1]/db",
        "https://cdn.example.org:8443/@scope/left-pad@1.3.0/a@b.example.org and http://localhost:8080/@a@b.example.org",
        "postgres://app:$PASSWORD@db.example.org:5432,ada@example.org postgres://a:secret@db.example.org:ada@example.org",
    ] {
        assert_eq!(rules(text), [""; 0], "{text}");
    }
}

/// RFC 3986 section 3.2: the authority ends at the first slash; what programs take for its user and password ends at the last
/// sign @ in it.
#[test]
fn a_password_with_the_sign_that_ends_it_is_withheld_whole() {
    let text = ["psql postgres://app:Zq8x", "@T2mW@db.example.net/x now"].concat();
    let shown = found(&text).withheld_in(&text);
    assert_eq!(
        shown,
        "psql postgres://app:[credential withheld]@db.example.net/x now"
    );
}

#[test]
fn a_private_key_in_base64_is_found_wherever_it_begins_and_however_it_is_wrapped() {
    let certificate = pem("").replace("PRIVATE KEY", "CERTIFICATE");
    for before in ["", "x", "xy", certificate.as_str()] {
        for kind in ["", "RSA ", "EC ", "ENCRYPTED ", "OPENSSH "] {
            let text = STANDARD.encode([before, &pem(kind)].concat());
            assert_eq!(rules(&text), ["private-key-base64"], "{before:?} {kind}");
        }
    }
    let encoded = STANDARD.encode(pem("RSA "));
    // As `base64` and `openssl base64` write it, and YAML's block.
    for width in [76, 64] {
        for indent in ["", "    ", "> "] {
            let lines: Vec<&[u8]> = encoded.as_bytes().chunks(width).collect();
            let lines: Vec<_> = lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
            let text = format!(
                "client-key-data: |\n{indent}{}\nend",
                lines.join(&format!("\n{indent}"))
            );
            assert_eq!(rules(&text), ["private-key-base64"], "{width} {indent:?}");
            let shown = found(&text).withheld_in(&text);
            for line in &lines[1..lines.len() - 1] {
                assert!(!shown.contains(line.as_ref()), "{shown}");
            }
            assert!(shown.ends_with("\nend"), "{shown}");
        }
    }
}

#[test]
fn a_name_beside_a_credential_may_be_written_in_other_ways() {
    for text in [
        ["secretAccess", "Key: \"", &base64(40), "\""].concat(),
        ["aws_secret", "_access_key          =     ", &base64(40)].concat(),
    ] {
        assert_eq!(rules(&text), ["aws-secret-access-key"], "{text}");
    }
    let text = ["Authorization", ": Bearer example", &alnum(40)].concat();
    assert_eq!(rules(&text), ["authorization-header"], "{text}");
}

#[test]
fn hidden_characters_before_a_credential_do_not_move_it() {
    let token = ["gh", "p_", &alnum(36)].concat();
    for inside in ["", "\u{200B}"] {
        let mut token = token.clone();
        token.insert_str(9, inside);
        let text = format!("o\u{200B}\u{2060}\u{200B}ne\ntwo {token} end");
        let found = found(&text);
        let places: Vec<_> = found.iter().map(|finding| finding.place.to_string()).collect();
        assert_eq!(places, ["`text`, line 2, column 5"]);
        assert_eq!(
            found.withheld_in(&text),
            "o\u{200B}\u{2060}\u{200B}ne\ntwo [credential withheld] end"
        );
    }
}
