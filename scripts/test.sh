#!/usr/bin/env bash
# Every check and every test. Brings what they need where it may, starts a Postgres of its own, leaves nothing
# behind. The test runner of the workspace comes last, so that its summary is the closing line.
#
# Outside CI a part whose tools can't be had is skipped, and named before the last step; in CI it is a failure. What a
# machine itself may not have or allow is skipped in both, and named: the list stands below the tools.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=postgres.sh
source scripts/postgres.sh

scripts/check-versions.sh

TEMP=$(mktemp -d)
chmod 755 "$TEMP"
# What a process that outlives its test by a moment still writes goes with the rest.
mkdir -m 1777 "$TEMP/t"
export TMPDIR=$TEMP/t
skipped=()

clean_up() {
  local code=$?
  trap - EXIT
  stop_pooler || true
  stop_postgres || true
  end_left_behind || code=1
  rm -rf "$TEMP"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The processes that run a program of this build, one id a line.
running() {
  local exe
  for exe in /proc/[0-9]*/exe; do
    [[ $(readlink "$exe" 2>/dev/null) != "$TARGET"/debug/* ]] || basename "$(dirname "$exe")"
  done
}
running_before=$(running)
# Those that outlived the tests: a fault of the test that started them.
left_behind() { comm -13 <(sort <<<"$running_before") <(running | sort); }
none_left_behind() { [[ -z $(left_behind) ]]; }
end_left_behind() {
  [[ -d /proc/self ]] || return 0
  wait_until 3 none_left_behind && return 0
  local pid
  for pid in $(left_behind); do
    say "LEFT BEHIND by a test: process $pid, $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null || true)"
    kill -KILL "$pid" 2>/dev/null || true
  done
  return 1
}

# skip WHAT HOW
skip() {
  [[ -z ${CI:-} ]] || die "$1 can't be tested here, and in CI nothing is skipped. $2"
  skipped+=("$1. $2")
}

# Installs Debian packages without letting them start the services they bring.
install_packages() {
  local policy=/usr/sbin/policy-rc.d made=
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made=yes
  fi
  local code=0
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"; } >&2 || code=$?
  [[ -z $made ]] || rm -f "$policy"
  return "$code"
}

step "Tools"
packages=()
postgres_bin >/dev/null || packages+=(postgresql)
have pgbouncer || packages+=(pgbouncer)
have Xvfb || packages+=(xvfb)
have xclip || packages+=(xclip)
have caddy || packages+=(caddy)
have python3 && python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3 python3-venv)
have npm || packages+=(npm)
have shellcheck || packages+=(shellcheck)
browser >/dev/null || packages+=(chromium)
[[ $(uname -s) != Linux ]] || have strace || packages+=(strace)
[[ $(uname -s) != Linux ]] || have faketime || packages+=(faketime)
if ((${#packages[@]})) && ((EUID == 0)) && have apt-get; then
  say "Installing: ${packages[*]}"
  install_packages "${packages[@]}" || say "apt-get could not install all of them."
fi
postgres_bin >/dev/null || die "The tests need Postgres: apt-get install postgresql, or brew install postgresql."
{ have Xvfb && have xclip; } || skip "The clipboard under X11" "Install: apt-get install xvfb xclip."
have caddy || skip "Sharing and joining over https" "Install: apt-get install caddy."
[[ $(uname -s) != Linux ]] || have strace ||
  skip "That the client opens no socket before it is asked to" "Install: apt-get install strace."
[[ $(uname -s) != Linux ]] || have faketime ||
  skip "Sharing and joining by a wrong clock" "Install: apt-get install faketime."
have pgbouncer || skip "The plane behind a pooler" "Install: apt-get install pgbouncer."
have shellcheck || skip "The shell scripts" "Install: apt-get install shellcheck."
browser >/dev/null || skip "The session page in a browser" "Install: apt-get install chromium."
node_builds_the_app || skip "The web app" "It wants Node.js 20.19 or newer."
version_at_least "$(node --version | tr -d v)" 20 ||
  skipped+=("The second line of the TypeScript client. It wants Node.js 20.")
# What a machine of a workflow may not have or allow; each test says so as well.
((EUID == 0)) || skipped+=("A full disk, a read-only home, other users, containers. These take root.")
((EUID != 0)) || unshare --mount --pid --fork true 2>/dev/null || skipped+=("Containers. This machine allows no unshare.")
{ have sway && have wl-paste; } || skipped+=("The clipboard under Wayland. Install: apt-get install sway wl-clipboard.")
# Not Debian's to give; the workflow has a job of its own for it.
have cargo-deny || skipped+=("Licences and bans of the dependencies. Install: cargo install --locked cargo-deny.")

step "A Postgres of our own"
start_postgres "$TEMP/postgres"
export DEVPILOT_TEST_POSTGRES=$POSTGRES_URL
if start_pooler "$TEMP/postgres"; then
  export DEVPILOT_TEST_POOLER=$POOLER_URL
fi
# A test starts from nothing of this machine's.
unset DATABASE_URL DEVPILOT_HOME DEVPILOT_PLANE DEVPILOT_BRIDGE_TOKEN DEVPILOT_SESSION_LINK DEVPILOT_NAME
say "$DEVPILOT_TEST_POSTGRES"

! node_builds_the_app || scripts/web-tests.sh

scripts/lint.sh

step "Building"
cargo build --workspace --locked

step "The first start and the tour"
scripts/commands-test.sh

scripts/npm.sh quick

if node_builds_the_app && browser >/dev/null; then
  scripts/browser-tests.sh
fi

step "Examples in the documentation"
cargo test --workspace --locked --doc --quiet

step "The official MCP clients"
if scripts/sdk-tests.sh install; then
  scripts/sdk-tests.sh run
else
  skip "The official Python and TypeScript clients" "They come from PyPI and npm; see the error above."
fi

if [[ -n ${DEVPILOT_TEST_POOLER:-} ]]; then
  step "The service's tests on Postgres, once more through a pooler in transaction mode"
  if have cargo-nextest; then
    DEVPILOT_TEST_THROUGH_POOLER=1 cargo nextest run --package plane --locked --test service -E 'not test(/::sqlite$/)'
  else
    DEVPILOT_TEST_THROUGH_POOLER=1 cargo test --package plane --locked --test service -- --skip ::sqlite
  fi
fi

step "Tests"
if ((${#skipped[@]})); then
  say "SKIPPED on this machine:"
  printf '  - %s\n' "${skipped[@]}" >&2
fi
if have cargo-nextest; then
  # Most of a test's time goes by in waiting, for programs, locks and the disk.
  cargo nextest run --workspace --locked --test-threads "$((2 * $(getconf _NPROCESSORS_ONLN)))"
else
  cargo test --workspace --locked --lib --bins --tests --no-fail-fast
fi
