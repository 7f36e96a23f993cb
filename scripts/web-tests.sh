#!/usr/bin/env bash
# What is written in TypeScript, by itself: its packages as locked, formatting, types, tests, and the app's build with its
# budget. Comes before the plane is built, which takes the app in.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

step "The web app"
npm --prefix web ci --include=dev --no-audit --no-fund --no-update-notifier --loglevel=error >&2
npm --prefix web run --silent format:check
npm --prefix web run --silent check
npm --prefix web test --silent
scripts/web-build.sh
