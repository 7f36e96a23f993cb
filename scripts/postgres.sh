# shellcheck shell=bash
# A throw-away Postgres for tests, and a pooler in transaction mode before it. To be sourced after lib.sh: `start_postgres FOLDER
# [SETTING…]` sets POSTGRES_URL and POSTGRES_DATA, then `start_pooler FOLDER` sets POOLER_URL; `stop_postgres` ends the cluster of
# POSTGRES_DATA, `stop_pooler` the pooler; the folder is the caller's to remove.

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
  shift
  # The cluster dies with the test run, so it need not survive a power cut; a killed process loses nothing.
  (($#)) || set -- fsync=off
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
    as_postgres "$bin/pg_ctl" --pgdata="$POSTGRES_DATA" --log="$folder/postgres.log" --wait --silent start \
      --options="-p $port -k '' -c listen_addresses=127.0.0.1 -c max_connections=400 ${*/#/-c }" </dev/null
  )
  # shellcheck disable=SC2034 # read by the caller
  POSTGRES_URL=postgres://postgres@127.0.0.1:$port/postgres
}

stop_postgres() {
  [[ -n ${POSTGRES_DATA:-} && -f $POSTGRES_DATA/postmaster.pid ]] || return 0
  (cd / && as_postgres "$(postgres_bin)/pg_ctl" --pgdata="$POSTGRES_DATA" --mode=immediate --wait --silent stop)
}

# PgBouncer as it comes: it refuses settings that it does not know, and keeps no prepared statements. Tests make hundreds of
# databases, so connections that nobody uses go soon.
start_pooler() {
  local folder=$1 server port
  have pgbouncer || return 1
  server=${POSTGRES_URL##*127.0.0.1:}
  server=${server%/*}
  port=$(free_port)
  printf '"postgres" ""\n' >"$folder/pooler-users.txt"
  cat >"$folder/pooler.ini" <<END
[databases]
* = host=127.0.0.1 port=$server
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = trust
auth_file = $folder/pooler-users.txt
pool_mode = transaction
default_pool_size = 10
max_client_conn = 2000
server_idle_timeout = 2
logfile = $folder/pooler.log
pidfile = $folder/pooler.pid
END
  # It refuses to run as root as well.
  ((EUID != 0)) || chown -R postgres: "$folder/pooler.ini" "$folder/pooler-users.txt"
  (cd "$folder" && as_postgres pgbouncer --daemon --quiet "$folder/pooler.ini" </dev/null)
  # shellcheck disable=SC2034 # read by the caller
  POOLER_URL=postgres://postgres@127.0.0.1:$port/postgres
  POOLER_PID=$folder/pooler.pid
}

stop_pooler() {
  [[ -n ${POOLER_PID:-} && -f $POOLER_PID ]] || return 0
  kill -TERM "$(cat "$POOLER_PID")" 2>/dev/null || true
}
