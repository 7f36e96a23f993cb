#!/usr/bin/env bash
# Everything that is judged without running the code. A tool that is not installed is named, not passed over.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

step "Formatting"
cargo fmt --all --check

step "Clippy"
cargo clippy --workspace --all-targets --locked -- -D warnings

step "Shell scripts"
if have shellcheck; then
  shellcheck scripts/*.sh mcp-client/plugin/hooks/*.sh .ci/run
else
  say "SKIPPED: shellcheck is not installed (apt-get install shellcheck)."
fi

step "Licences, bans and sources of the dependencies"
if have cargo-deny; then
  cargo deny --locked check bans licenses sources
else
  say "SKIPPED: cargo-deny is not installed (cargo install --locked cargo-deny). The ban that keeps the plane blind is tested all the same."
fi
