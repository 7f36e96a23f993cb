# shellcheck shell=bash
# A throw-away Postgres for tests. To be sourced after lib.sh: `start_postgres FOLDER` sets POSTGRES_URL,
# `stop_postgres` ends the cluster; the folder is the caller's to remove.

# The folder of initdb and pg_ctl: that of the newest version of Debian, else wherever the PATH has it.
postgres_bin() {
  local newest
  newest=$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
  if [[ -x $newest ]]; then
    dirname "$newest"
  elif have initdb; then
    dirname "$(command -v initdb)"
  else
    return 1
  fi
}

# Postgres refuses to run as root.
as_postgres() {
  if ((EUID == 0)); then
    setpriv --reuid=postgres --regid=postgres --init-groups "$@"
  else
    "$@"
  fi
}

start_postgres() {
  local folder=$1 bin port
  bin=$(postgres_bin) || return 1
  port=$(free_port)
  mkdir -p "$folder"
  ((EUID != 0)) || chown postgres: "$folder"
  POSTGRES_DATA=$folder/data
  # The user postgres may not be allowed to enter the working directory.
  (
    cd "$folder" || exit
    as_postgres "$bin/initdb" --pgdata="$POSTGRES_DATA" --username=postgres --auth=trust --encoding=UTF8 --locale=C \
      --no-sync >"$folder/initdb.log"
    # The cluster dies with the test run, so it need not survive a power cut; a killed process loses nothing.
    as_postgres "$bin/pg_ctl" --pgdata="$POSTGRES_DATA" --log="$folder/postgres.log" --wait --silent start \
      --options="-p $port -k '' -c listen_addresses=127.0.0.1 -c max_connections=400 -c fsync=off" </dev/null
  )
  # shellcheck disable=SC2034 # read by the caller
  POSTGRES_URL=postgres://postgres@127.0.0.1:$port/postgres
}

stop_postgres() {
  [[ -n ${POSTGRES_DATA:-} && -f $POSTGRES_DATA/postmaster.pid ]] || return 0
  (cd / && as_postgres "$(postgres_bin)/pg_ctl" --pgdata="$POSTGRES_DATA" --mode=immediate --wait --silent stop)
}
