#!/usr/bin/env bash
# Measures the plane and its client. Two throw-away clusters of Postgres, one on the disk and one in memory, are made and
# removed.
#   bench.sh          every figure beside its baselines, as a table
#   bench.sh soak     a mixed load for MINUTES=10: does anything grow?
#   bench.sh growth   an append and a page with 10^3, 10^5 and 10^6 records stored, plotted to docs/growth.png
#   bench.sh flame    where the plane's time goes in one row: ONLY=append-spread
#
#   QUICK=1         two rounds of one second, a tenth of the records, and without ONLY not the store in memory; for a look, so
#                   nothing is kept
#   ONLY=append     the rows whose name begins so; nothing is kept
#   PROFILE=NAME    how both programs are built. Else, where results are kept, as published: minutes to build
#   REMARK="…"      what a reader must know, such as that other work was going on
#   BENCH_DISK=DIR  a folder on the disk that counts; else that of temporary files
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=postgres.sh
source scripts/postgres.sh

[[ -d /proc/self && -d /dev/shm ]] || die "What processes use is read from /proc, and a store is kept in /dev/shm: run this on Linux."
bin=$(postgres_bin) || die "The baselines need Postgres: apt-get install postgresql."
PATH=$bin:$PATH
[[ $(ulimit -n) -ge 16384 ]] || ulimit -n 16384 || die "Too few file handles for 5,000 connections: ulimit -n 16384."

task=${1:-table}
keep=
case $task in
  table) [[ -n ${QUICK:-}${ONLY:-} ]] || keep=1 ;;
  soak) ((${MINUTES:-10} < 10)) || keep=1 ;;
  growth) [[ -n ${QUICK:-} ]] || keep=1 ;;
  flame) [[ -n $(command -v perf) ]] || die "perf is not installed (apt-get install linux-perf): there is no profile without it." ;;
  *) die "There is no task $task: table, soak, growth or flame." ;;
esac

# What is kept is told of the programs as they are published.
plane_profile=${PROFILE:-${keep:+dist}}
client_profile=${PROFILE:-${keep:+client}}
[[ $task != flame ]] || plane_profile=flame
plane_profile=${plane_profile:-release}
client_profile=${client_profile:-release}
if [[ $plane_profile == "$client_profile" ]]; then
  # Together, so that what both use is built once.
  PROFILE=$plane_profile build_programs
elif [[ $task == flame && ! ${ONLY:-} =~ ^(tool|serial|client|search|open) ]]; then
  # The row has no client in it.
  cargo build --profile "$plane_profile" --locked --package plane
else
  cargo build --profile "$plane_profile" --locked --package plane
  cargo build --profile "$client_profile" --locked --package mcp-client
fi
cargo build --release --locked --package bench

disk=$(mktemp -d -p "${BENCH_DISK:-${TMPDIR:-/tmp}}" devpilot-bench.XXXXXX)
memory=$(mktemp -d -p /dev/shm devpilot-bench.XXXXXX)
clusters=()
clean_up() {
  local code=$?
  trap - EXIT
  for POSTGRES_DATA in "${clusters[@]}"; do stop_postgres || true; done
  rm -rf "$disk" "$memory"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
chmod 755 "$disk" "$memory"
[[ $(stat -f -c %T "$disk") != tmpfs ]] || die "$disk is in memory: name a folder on a disk with BENCH_DISK."

# As durable as they come; a checkpoint in the middle of a round would be in one figure and not in the other.
settings=(fsync=on synchronous_commit=on shared_buffers=512MB max_wal_size=8GB checkpoint_timeout=1h)
start_postgres "$disk/postgres" "${settings[@]}"
clusters+=("$POSTGRES_DATA")
export DEVPILOT_BENCH_DISK=$POSTGRES_URL
start_postgres "$memory/postgres" "${settings[@]}"
clusters+=("$POSTGRES_DATA")
export DEVPILOT_BENCH_MEMORY=$POSTGRES_URL

plane=$TARGET/$plane_profile/devpilot-plane
program=$plane
[[ $task != flame ]] || program=$memory/plane
arguments=(--plane "$program" --plane-profile "$plane_profile" --disk "$disk" --memory "$memory"
  --client "$TARGET/$client_profile/devpilot-session" --client-profile "$client_profile")
[[ -z ${REMARK:-} ]] || arguments+=(--remark "$REMARK")
[[ -z ${QUICK:-} ]] || arguments+=(--rounds 2 --seconds 1 --brief)
[[ -z $keep ]] || arguments+=(--output bench/results)

case $task in
  table)
    arguments+=(table)
    [[ -z ${ONLY:-} ]] || arguments+=(--only "$ONLY")
    [[ -z ${QUICK:-} || -n ${ONLY:-} ]] || arguments+=(--on-disk)
    "$TARGET/release/devpilot-bench" "${arguments[@]}"
    ;;
  soak)
    "$TARGET/release/devpilot-bench" "${arguments[@]}" soak --minutes "${MINUTES:-10}"
    ;;
  growth)
    results=bench/results picture=docs/growth.png
    if [[ -z $keep ]]; then
      results=$disk/results picture=$TARGET/growth.png
      arguments+=(--output "$results")
    fi
    "$TARGET/release/devpilot-bench" "${arguments[@]}" growth
    # The library that plots is needed for this alone, so it is kept outside the tree.
    venv=${XDG_CACHE_HOME:-$HOME/.cache}/devpilot-build/plot
    if ! cmp -s "$venv/requirements.txt" bench/growth/requirements.txt; then
      python3 -m venv --clear "$venv"
      "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement bench/growth/requirements.txt
      cp bench/growth/requirements.txt "$venv/requirements.txt"
    fi
    "$venv/bin/python" bench/growth/plot.py "$results/growth.json" "$picture"
    say "" "Plotted: $picture"
    ;;
  flame)
    # The plane is started through perf. Its stacks are read from the debug information, since it is built without frame
    # pointers, as it is released.
    out=$TARGET/flame/profile
    rm -rf "$out"
    mkdir -p "$out"
    cat >"$program" <<END
#!/bin/sh
case "\$1" in
  serve) exec $(command -v perf) record --quiet --freq 499 --call-graph dwarf,16384 --output "$out/\$\$.perf" -- "$plane" "\$@" ;;
  *) exec "$plane" "\$@" ;;
esac
END
    chmod 755 "$program"
    "$TARGET/release/devpilot-bench" "${arguments[@]}" --rounds 1 --seconds 8 --brief \
      table --only "${ONLY:-append-spread}" --on-disk
    for data in "$out"/*.perf; do
      perf script --no-inline --input "$data" --fields comm,ip,sym 2>/dev/null |
        python3 bench/flame/fold.py --folded "${data%.perf}.folded" --svg "${data%.perf}.svg"
    done
    say "" "Where the plane's time went: $out"
    ;;
esac
