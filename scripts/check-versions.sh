#!/usr/bin/env bash
# Says what is missing to build this project, and how to get it. Succeeds in silence.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

missing=()

# hint DEBIAN MACOS
hint() {
  if [[ $(uname -s) == Darwin ]]; then printf '%s' "$2"; else printf '%s' "$1"; fi
}

want_rust=$(manifest rust-version)
if ! have cargo || ! have_rust=$(rustc --version 2>/dev/null); then
  missing+=("Rust $want_rust or newer: install it with https://rustup.rs (the packages of Debian are too old)")
else
  have_rust=$(cut -d ' ' -f 2 <<<"$have_rust")
  version_at_least "${have_rust%%-*}" "$want_rust" ||
    missing+=("Rust $want_rust or newer, here is $have_rust: rustup update stable")
fi

want_node=18
if ! have node; then
  missing+=("Node.js $want_node or newer: $(hint 'apt-get install nodejs npm' 'brew install node')")
else
  have_node=$(node --version)
  version_at_least "${have_node#v}" "$want_node" ||
    missing+=("Node.js $want_node or newer, here is $have_node: https://nodejs.org/en/download")
fi

have make || missing+=("make: $(hint 'apt-get install make' 'xcode-select --install')")
have cc || missing+=("a C compiler: $(hint 'apt-get install build-essential' 'xcode-select --install')")

if ((${#missing[@]})); then
  say "This is missing:"
  printf '  - %s\n' "${missing[@]}" >&2
  exit 1
fi
