#!/usr/bin/env bash
# `make run` and `make demo`, as a newcomer has them, with the quick build and folders of their own.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export PROFILE=dev
temp=$(mktemp -d)
run=
clean_up() {
  [[ -z $run ]] || end_process "$run"
  rm -rf "$temp"
}
trap clean_up EXIT

listen=127.0.0.1:$(free_port)
LISTEN=$listen DATA=$temp/plane DEVPILOT_HOME=$temp/client scripts/run.sh >"$temp/card" 2>&1 &
run=$!
failed() {
  cat "$temp/card" >&2
  die "make run: $1"
}
wait_until 300 grep -q 'Start over' "$temp/card" || failed "it did not come to its card"
grep -q "claude mcp add devpilot --scope user -- $TARGET/debug/devpilot-session" "$temp/card" || failed "the line for Claude Code is missing"
http_ok "http://$listen/readyz" || failed "the plane is not ready"
grep -q '"dpm_' "$temp/client/credentials.json" || failed "there is no machine token"
kill -TERM "$run"
wait "$run" || failed "stopping it is a failure"
run=
! http_ok "http://$listen/readyz" || failed "the plane goes on after it was stopped"
say "make run: ready, token kept, stopped."

scripts/demo.sh README.md
