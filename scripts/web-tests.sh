#!/usr/bin/env bash
# What is written in TypeScript, by itself: its packages as locked, formatting, types, tests.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

step "The cryptography in TypeScript"
cd web
npm ci --no-audit --no-fund --loglevel=error >&2
npm run --silent format:check
npm run --silent check
npm test --silent
