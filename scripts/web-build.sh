#!/usr/bin/env bash
# The web app into web/dist, where the next build of the plane takes it from. Brings what it needs, as locked. Does nothing
# where nothing has changed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

node_builds_the_app ||
  die "The web app wants Node.js 20.19 or newer with npm; here is $(node --version 2>/dev/null || echo none). See https://nodejs.org/en/download"

cd web
if [[ ! node_modules/.package-lock.json -nt package-lock.json ]]; then
  npm ci --include=dev --no-audit --no-fund --no-update-notifier --loglevel=error >&2
fi
built=dist/session.html
if [[ ! -f $built || -n $(find src session.html package-lock.json ./*.ts ./*.js -newer "$built" -print -quit) ]]; then
  npm run --silent build >&2
fi
