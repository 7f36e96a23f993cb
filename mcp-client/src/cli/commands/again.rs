//! The arguments of this process as somebody may type them again. No link is among them: those are refused before.

use std::ffi::OsString;

/// All but `--json`, which is for a program.
pub(super) fn arguments() -> String {
    words(std::env::args_os().skip(1))
}

/// The same with this option in place of what was said for it.
pub(super) fn with_option(name: &str, value: &str) -> String {
    format!(
        "{} --{name} {value}",
        words(without(name, std::env::args_os().skip(1)))
    )
}

fn without(name: &str, arguments: impl Iterator<Item = OsString>) -> impl Iterator<Item = OsString> {
    let (option, joined) = (format!("--{name}"), format!("--{name}="));
    let mut is_value = false;
    arguments.filter(move |word| {
        let word = word.to_string_lossy();
        let dropped = std::mem::replace(&mut is_value, *word == *option);
        !(dropped || is_value || word.starts_with(&joined))
    })
}

fn words(arguments: impl Iterator<Item = OsString>) -> String {
    let words = arguments.map(|argument| argument.to_string_lossy().into_owned());
    let words: Vec<String> = words
        .filter(|word| word != "--json")
        .map(|word| quoted(&word))
        .collect();
    words.join(" ")
}

/// A word that a shell takes as one.
fn quoted(word: &str) -> String {
    let plain = |symbol: char| symbol.is_ascii_alphanumeric() || "-_./:=,@+".contains(symbol);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_shell_reads_the_same_words_again() {
        let typed = [
            "rekey",
            "--json",
            "--session",
            "Ben's $HOME",
            "--keep",
            "1f2e3d4c",
        ];
        let again = super::words(typed.iter().map(|word| (*word).into()));
        assert_eq!(again, r"rekey --session 'Ben'\''s $HOME' --keep 1f2e3d4c");
        for typed in [
            &["rekey", "--session", "Twice", "--keep", "1f2e3d4c"][..],
            &["rekey", "--keep", "1f2e3d4c", "--session=Twice"],
            &["rekey", "--keep", "1f2e3d4c"],
        ] {
            let left = super::without("session", typed.iter().map(|word| (*word).into()));
            assert_eq!(super::words(left), "rekey --keep 1f2e3d4c");
        }
    }
}
