#!/usr/bin/env bash
# A tour: a real plane, two real clients over MCP on two home folders, a conversation around FILE, and what the
# plane's database then holds of it. Everything lies in a temporary folder and is removed.
#   demo.sh FILE
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

file=${1:-README.md}
[[ -f $file ]] || die "There is no file $file. Name one: make demo FILE=README.md"
scripts/check-versions.sh
have python3 || die "The demo's driver needs Python 3: apt-get install python3, or brew install python."

step "Building (the first time takes a few minutes)"
build_programs
say ""

temp=$(mktemp -d)
plane=
clean_up() {
  [[ -z $plane ]] || end_process "$plane"
  rm -rf "$temp"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

listen=127.0.0.1:$(free_port)
mkdir -m 700 "$temp/ada" "$temp/ben" "$temp/plane"
# The embedded plane puts its machine token into the home folder of who starts it: Ada's. Ben has none.
env -u DATABASE_URL -u DEVPILOT_HOME HOME="$temp/ada" \
  "$BIN/devpilot-plane" serve --listen "$listen" --data "$temp/plane" >"$temp/plane/plane.log" 2>&1 &
plane=$!
wait_until 20 http_ok "http://$listen/readyz" || {
  cat "$temp/plane/plane.log" >&2
  die "The plane did not start."
}

python3 scripts/demo.py --client "$BIN/devpilot-session" --folder "$temp" --file "$file"
