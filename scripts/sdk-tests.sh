#!/usr/bin/env bash
# Drives every tool of the client with the official MCP clients for Python and TypeScript, against a real plane.
#   sdk-tests.sh install   fetches them into the target folder
#   sdk-tests.sh run       runs the tests against the debug build
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests=mcp-client/tests/sdk
venv=$TARGET/sdk-tests/python

# fetched STAMP FILE: whether what FILE asks for is installed already.
fetched() { [[ -f $1 ]] && cmp -s "$1" "$2"; }

case ${1:-} in
  install)
    if ! fetched "$venv/requirements.txt" "$tests/python/requirements.txt"; then
      python3 -m venv --clear "$venv"
      "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$tests/python/requirements.txt"
      cp "$tests/python/requirements.txt" "$venv/"
    fi
    modules=$tests/typescript/node_modules
    if ! fetched "$modules/.installed" "$tests/typescript/package-lock.json"; then
      npm ci --prefix "$tests/typescript" --no-audit --no-fund --loglevel=error
      cp "$tests/typescript/package-lock.json" "$modules/.installed"
    fi
    ;;
  run)
    export DEVPILOT_TEST_PLANE=$TARGET/debug/devpilot-plane DEVPILOT_TEST_CLIENT=$TARGET/debug/devpilot-session
    # Both wait for most of their time, so they wait together.
    code=0
    "$venv/bin/python" -m unittest discover --start-directory "$tests/python" &
    python=$!
    node --test "$tests/typescript/tools.test.mjs" || code=$?
    wait "$python" || code=$?
    exit "$code"
    ;;
  *) die "sdk-tests.sh install | run" ;;
esac
