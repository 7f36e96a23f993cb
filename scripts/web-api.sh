#!/usr/bin/env bash
# The web app's types of the plane's API, made from the OpenAPI document that the built plane serves.
#   web-api.sh          writes web/src/api/schema.d.ts
#   web-api.sh check    fails when that file is not what the plane's document gives
# The program is that of $DEVPILOT_BIN_DIR, else of the debug build.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

kept=web/src/api/schema.d.ts
bin=${DEVPILOT_BIN_DIR:-$TARGET/debug}
[[ -x $bin/devpilot-plane ]] || die "There is no $bin/devpilot-plane. Build it first: cargo build --package plane"
[[ -d web/node_modules ]] || die "Install what the web app needs first: scripts/web-build.sh"

temp=$(mktemp -d)
plane=
clean_up() {
  [[ -z $plane ]] || end_process "$plane"
  rm -rf "$temp"
}
trap clean_up EXIT

listen=127.0.0.1:$(free_port)
DEVPILOT_HOME=$temp/client "$bin/devpilot-plane" --data "$temp/plane" serve --listen "$listen" 2>"$temp/log" &
plane=$!
wait_until 30 http_ok "http://$listen/readyz" || die "The plane does not start: $(cat "$temp/log")"

made=$temp/schema.d.ts
document=http://$listen/v1/openapi.json
npm --prefix web exec --no -- openapi-typescript "$document" --output "$made" >"$temp/log" 2>&1 || die "$(cat "$temp/log")"

case ${1:-} in
  '') cp "$made" "$kept" ;;
  check)
    cmp -s "$made" "$kept" ||
      die "$kept is not what this plane's API gives. Make it again with scripts/web-api.sh, and see what no longer compiles."
    ;;
  *) die "Usage: scripts/web-api.sh [check]" ;;
esac
