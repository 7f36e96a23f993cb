#!/usr/bin/env bash
# Runs a black-box suite of the plane's HTTP API against the debug build: on SQLite, and on Postgres with a second
# process over the same database; each with the default limits and with the suite's lowered ones.
#   conformance.sh SUITE            the folder with the suite's conftest.py, requirements.txt and limits*.json
#   SELECT='core and not auto'      pytest's -m; default: what this version of the plane has, which is all but attachments
#                                   and organisations
#   MATCH='connect or me'           pytest's -k; default: all of those
#   ON='sqlite postgres'            the stores
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=postgres.sh
source scripts/postgres.sh

[[ -n ${1:-} ]] || die "Name the folder of the suite, which is not part of this repository: make conformance SUITE=DIR"
[[ -f $1/conftest.py && -f $1/requirements.txt ]] || die "There is no suite in $1: make conformance SUITE=DIR"
suite=$(cd "$1" && pwd)
select=${SELECT:-(core or auto or door or rekey or events) and not (attachments or orgs)}
read -ra stores <<<"${ON:-sqlite postgres}"

TEMP=$(mktemp -d)
chmod 755 "$TEMP"
planes=()
stop_planes() {
  local pid
  ((${#planes[@]})) || return 0
  for pid in "${planes[@]}"; do end_process "$pid"; done
  planes=()
}
clean_up() {
  local code=$?
  stop_planes
  stop_postgres || true
  rm -rf "$TEMP"
  exit "$code"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

scripts/check-versions.sh
cargo build --locked -p plane
plane=$TARGET/debug/devpilot-plane
venv=$TARGET/conformance
if ! cmp -s "$venv/requirements.txt" "$suite/requirements.txt"; then
  python3 -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check --requirement "$suite/requirements.txt"
  cp "$suite/requirements.txt" "$venv/"
fi
unset DATABASE_URL
export DEVPILOT_HOME=$TEMP/home

# start_plane ARGUMENTS…: sets URL.
start_plane() {
  local listen
  listen=127.0.0.1:$(free_port)
  URL=http://$listen
  "$plane" serve --listen "$listen" "$@" >>"$TEMP/plane.log" 2>&1 &
  planes+=($!)
  wait_until 20 http_ok "$URL/readyz" || {
    tail -n 20 "$TEMP/plane.log" >&2
    die "The plane did not start."
  }
}

# token ORG MEMBER ROLE SCOPES STORE…: makes the member and prints a machine token.
token() {
  local org=$1 member=$2 role=$3 scopes=$4
  shift 4
  "$plane" admin "$@" member create --org "$org" --name "$member" --role "$role" >/dev/null
  "$plane" admin "$@" token create --org "$org" --member "$member" --scopes "$scopes" --json | grep -o 'dpm_[A-Za-z0-9_-]*'
}

# run_suite NAME LIMITS STORE…: STORE are the plane's arguments that choose the store.
run_suite() {
  local name=$1 limits=$2
  shift 2
  step "$name"
  start_plane "$@" --limits "$limits"
  local arguments=(--plane "$URL" --limits "$limits")
  if [[ -n ${DATABASE_URL:-} ]]; then
    start_plane "$@" --limits "$limits"
    arguments+=(--second-plane "$URL")
  fi
  "$plane" admin "$@" org create one >/dev/null
  "$plane" admin "$@" org create two >/dev/null
  arguments+=(
    --machine-token "$(token one ada member share,rekey "$@")"
    --admin-token "$(token one root admin admin "$@")"
    --other-machine-token "$(token two eve member share,rekey "$@")"
  )
  "$venv/bin/python" -m pytest "$suite" -q -p no:cacheprovider -m "$select" -k "${MATCH:-}" "${arguments[@]}"
  stop_planes
}

for limits in limits limits-low; do
  for store in "${stores[@]}"; do
    case $store in
      sqlite) run_suite "SQLite, $limits" "$suite/$limits.json" --data "$TEMP/$limits" ;;
      postgres)
        start_postgres "$TEMP/postgres-$limits"
        export DATABASE_URL=$POSTGRES_URL
        run_suite "Postgres, two processes, $limits" "$suite/$limits.json"
        unset DATABASE_URL
        stop_postgres
        ;;
      *) die "ON names stores: sqlite, postgres" ;;
    esac
  done
done
