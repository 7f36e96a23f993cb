#!/usr/bin/env bash
# Measures the plane and its client beside their baselines and prints the table. The plane is the optimised one; two
# throw-away clusters of Postgres, one on the disk and one in memory, are made and removed.
#
#   QUICK=1         two rounds of one second, in minutes; for a look, so nothing is kept
#   ONLY=appends    the rows whose name begins so; nothing is kept
#   PROFILE=dist    as published: smaller and faster, but minutes to build
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

profile=${PROFILE:-release}
build_programs
cargo build --profile "$profile" --locked --package bench

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

arguments=(--plane "$BIN/devpilot-plane" --client "$BIN/devpilot-session" --profile "$profile" --disk "$disk" --memory "$memory")
[[ -z ${QUICK:-} ]] || arguments+=(--rounds 2 --seconds 1)
[[ -z ${ONLY:-} ]] || arguments+=(--only "$ONLY")
[[ -z ${REMARK:-} ]] || arguments+=(--remark "$REMARK")
[[ -n ${QUICK:-}${ONLY:-} ]] || arguments+=(--output bench/results)
"$BIN/devpilot-bench" "${arguments[@]}"
