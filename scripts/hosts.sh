#!/usr/bin/env bash
# The real hosts, at the versions in mcp-client/tests/hosts/hosts.json: each follows its set-up page and calls our server on fresh
# homes, with nothing else in the environment. They are installed once, outside the tree.
#   hosts.sh [HOST…]   all of them, or those named as in hosts.json
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

tests=mcp-client/tests/hosts
cache=${XDG_CACHE_HOME:-$HOME/.cache}/devpilot-hosts

version_at_least "$(node --version | tr -d v)" 20 || die "The hosts want Node.js 20 or newer; here is $(node --version)."

# pinned EXPRESSION: of hosts.json, which is `hosts` in it.
pinned() { node -p "const hosts = require('./$tests/hosts.json'); $1"; }

hosts=("$@")
((${#hosts[@]})) || read -ra hosts <<<"$(pinned 'Object.keys(hosts).join(" ")')"

for host in "${hosts[@]}"; do
  [[ $(pinned "'$host' in hosts") == true ]] || die "There is no host $host; those there are: $(pinned 'Object.keys(hosts).join(", ")')."
done

step "Building"
cargo build --locked --package plane --package mcp-client

step "The hosts, in $cache"
skipped=()
ready=()
for host in "${hosts[@]}"; do
  package=$(pinned "hosts['$host'].package + '@' + hosts['$host'].version")
  folder=$cache/$host-$(pinned "hosts['$host'].version")
  if [[ ! -e $folder/.installed ]]; then
    say "Installing $package"
    mkdir -p "$folder"
    printf '{"private":true}\n' >"$folder/package.json"
    # Some look around or write into a home when they are installed: into one that goes with it, with npm's own store kept.
    home=$(mktemp -d)
    code=0
    HOME=$home NODE_COMPILE_CACHE=$home/node npm_config_cache=$(npm config get cache) \
      npm install --prefix "$folder" --save-exact --no-audit --no-fund --loglevel=error "$package" >&2 || code=$?
    rm -rf "$home"
    if ((code)); then
      skipped+=("$host: $package could not be installed")
      continue
    fi
    touch "$folder/.installed"
  fi
  ready+=("$host")
done
skipped+=("Cursor and VS Code: they have no program that runs without a display; their lines are parsed and started by the tests in mcp-client/tests/setup")
skipped+=("Windows, macOS: not run here; the package's Windows lines are run with a stand-in for cmd")

step "Checks"
code=0
DEVPILOT_TEST_CLIENT=$TARGET/debug/devpilot-session DEVPILOT_TEST_PLANE=$TARGET/debug/devpilot-plane DEVPILOT_HOSTS=$cache \
  node "$tests/main.mjs" "${ready[@]}" || code=$?

say ""
say "SKIPPED:"
printf '  - %s\n' "${skipped[@]}" >&2
# A host that can't be had is a failure where nothing may be skipped, and when it was asked for by name.
((${#ready[@]} == ${#hosts[@]})) || [[ -z ${CI:-} && $# -eq 0 ]] || code=1
exit "$code"
