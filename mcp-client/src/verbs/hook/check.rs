//! Whether a shell command is a check: a test, a build, a type check, a linter. Pure, and by the words of the command alone.

/// Programs that check by themselves.
const CHECKERS: &[&str] = &[
    "ava",
    "biome",
    "ctest",
    "eslint",
    "flake8",
    "golangci-lint",
    "jest",
    "just",
    "make",
    "mocha",
    "mypy",
    "ninja",
    "nox",
    "phpunit",
    "playwright",
    "prettier",
    "pylint",
    "pyright",
    "pytest",
    "rspec",
    "ruff",
    "tox",
    "tsc",
    "vitest",
];
/// Programs that check if one of the next words says so.
const RUNNERS: &[&str] = &[
    "bash", "bazel", "bun", "bundle", "cargo", "cmake", "composer", "deno", "dotnet", "flutter", "go",
    "gradle", "gradlew", "mix", "mvn", "mvnw", "node", "npm", "npx", "nx", "pnpm", "poetry", "python",
    "python3", "rake", "sh", "swift", "turbo", "uv", "yarn",
];
const SAYS_SO: &[&str] = &[
    "build",
    "check",
    "checks",
    "clippy",
    "compile",
    "e2e",
    "lint",
    "nextest",
    "spec",
    "test",
    "tests",
    "typecheck",
    "unittest",
    "verify",
    "vet",
];
/// Programs that run another.
const AROUND: &[&str] = &[
    "env", "nice", "script", "stdbuf", "sudo", "time", "timeout", "xvfb-run",
];
/// How many words after a runner are looked at.
const WORDS: usize = 4;

/// Whether one of its parts is a check.
pub(super) fn is_check(command: &str) -> bool {
    command
        .split(['\n', ';', '|', '&', '(', ')'])
        .any(is_simple_check)
}

fn is_simple_check(command: &str) -> bool {
    let mut words = command.split_whitespace().filter(|word| !is_aside(word));
    let Some(program) = words.next().map(base_name) else {
        return false;
    };
    CHECKERS.contains(&program)
        || (RUNNERS.contains(&program) && words.take(WORDS).any(|word| says_so(word) || CHECKERS.contains(&base_name(word))))
        // A script of the repository that is called so.
        || (program != "test" && says_so(program))
}

/// Variables that are set, programs around, their numbers, and options.
fn is_aside(word: &str) -> bool {
    let variable = word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    });
    let number = word.trim_end_matches(['s', 'm']).parse::<u32>().is_ok();
    variable || number || word.starts_with('-') || AROUND.contains(&base_name(word))
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

fn says_so(word: &str) -> bool {
    // As in `test:unit`, `run-tests.sh`, or `//pay:test`.
    word.split([':', '-', '_', '/', '.'])
        .any(|part| SAYS_SO.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::is_check;

    #[test]
    fn checks_are_told_from_other_commands() {
        for command in [
            "cargo test -p pay",
            "cargo +nightly clippy --all-targets",
            "cd pay && npm run test:unit 2>&1 | tail -20",
            "RUST_LOG=debug timeout 60 cargo nextest run",
            "python3 -m pytest tests/",
            "./gradlew check",
            "scripts/run-tests.sh",
            "sh run_tests.sh --fast",
            "make",
            "npx tsc --noEmit",
            "go vet ./...",
        ] {
            assert!(is_check(command), "{command}");
        }
        for command in [
            "ls tests",
            "test -f Cargo.toml",
            "cat test.txt",
            "git commit -m 'fix the test'",
            "grep -rn test src",
            "cargo add serde",
            "npm install",
            "node server.js",
            "echo build",
            "",
        ] {
            assert!(!is_check(command), "{command}");
        }
    }
}
