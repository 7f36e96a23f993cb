# shellcheck shell=bash
# What the scripts share. To be sourced; it moves to the root of the repository.

cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
# shellcheck disable=SC2034 # read by the scripts
TARGET=${CARGO_TARGET_DIR:-$PWD/target}

say() { printf '%s\n' "$*" >&2; }
step() { printf '\n── %s\n' "$*" >&2; }
die() {
  printf '\n%s\n' "$*" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

# version_at_least HAVE WANT
version_at_least() { [[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" == "$2" ]]; }

# The value of a key in the root manifest.
manifest() { sed -n "s/^$1 = \"\(.*\)\"/\1/p" Cargo.toml | head -n 1; }

# Whether this machine can build and test the web app.
node_builds_the_app() { have npm && have node && version_at_least "$(node --version | tr -d v)" 20.19; }

# A browser for tests.
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

# Builds both programs, the plane with the web app where that can be had, and sets BIN to the folder they are in. PROFILE=dev
# takes the quick build.
build_programs() {
  if ! scripts/web-build.sh; then
    [[ ! -f web/dist/session.html ]] || say "Going on with the one that was built before."
  fi
  local profile=${PROFILE:-release}
  cargo build --profile "$profile" --locked --package plane --package mcp-client
  # shellcheck disable=SC2034 # read by the scripts
  BIN=$TARGET/${profile/#dev/debug}
}

# A TCP port of the loopback interface that nobody listens on.
free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# wait_until SECONDS COMMAND…: succeeds as soon as the command does.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# http_ok URL
http_ok() {
  node -e 'fetch(process.argv[1]).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))' "$1"
}

# end_process PID: asks politely, waits 10 s, insists.
end_process() {
  kill -TERM "$1" 2>/dev/null || return 0
  wait_until 10 not_running "$1" || kill -KILL "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
not_running() { ! kill -0 "$1" 2>/dev/null; }
