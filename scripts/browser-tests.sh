#!/usr/bin/env bash
# The session page in a real browser, against the built plane and the built client, once for each store. Leaves pictures of
# each page in web/shots.
#   browser-tests.sh        wants $DEVPILOT_TEST_POSTGRES, the address of a server on which databases may be made
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

export CHROMIUM
CHROMIUM=$(browser) || die "There is no Chromium: apt-get install chromium."
export DEVPILOT_BIN_DIR=${DEVPILOT_BIN_DIR:-$TARGET/debug}

step "The plane's types in the web app"
scripts/web-api.sh check
say "As the plane's document gives them."

step "The session page in a browser"
npm --prefix web run --silent e2e
