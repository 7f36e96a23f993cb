#!/usr/bin/env bash
# The web app by itself: its packages as locked, formatting, types, tests, and that it builds. The build goes to a folder
# that is thrown away, so that the plane's build is not changed by its tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

step "The web app"
cd web
npm ci --no-audit --no-fund --loglevel=error >&2
npm run --silent format:check
npm run --silent check
npm test --silent
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
npx --no-install vite build --outDir "$out" --logLevel warn
