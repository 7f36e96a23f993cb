#!/usr/bin/env bash
# Builds both programs, starts a plane with the embedded store on this machine, and says what to do next.
# LISTEN=127.0.0.1:9000 moves it to another port; DATA=FOLDER keeps its data elsewhere.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

scripts/check-versions.sh

listen=${LISTEN:-127.0.0.1:8787}
data=${DATA:-$HOME/.devpilot/plane}
credentials=${DEVPILOT_HOME:-$HOME/.devpilot}/credentials.json
log=$data/plane.log

step "Building (the first time takes a few minutes)"
build_programs
client=$BIN/devpilot-session

step "Starting the plane"
mkdir -p "$data"
chmod 700 "$data"
touch "$log"
written=$(wc -c <"$log")
# `make run` is the embedded store, whatever database this shell is set up for.
env -u DATABASE_URL "$BIN/devpilot-plane" serve --listen "$listen" --data "$data" >>"$log" 2>&1 &
plane=$!
stopping=
trap 'stopping=yes; end_process "$plane"' INT TERM
trap 'end_process "$plane"' EXIT

# What this plane has said so far. Its own word, since another one may answer on the same port.
said() { tail -c "+$((written + 1))" "$log"; }
settled() { not_running "$plane" || grep -q '"message":"listening"' <(said); }
wait_until 20 settled || die "The plane did not become ready within 20 s; its log: $log"
if not_running "$plane"; then
  said >&2
  die "The plane did not start. With another port: LISTEN=127.0.0.1:9000 make run"
fi

# As words of the lines that are to be copied.
client_word=$(printf '%q' "$client")
data_word=$(printf '%q' "$data")
browser_line='in a browser it is a seat as well'
[[ -f web/dist/session.html ]] || browser_line='says how to join, and no more: the web app could not be built, see above'
cat >&2 <<EOT

  DevPilot session: the plane runs on http://$listen

  Add the client to your agent, once
    Claude Code     claude mcp add devpilot --scope user -- $client_word
    Codex           codex mcp add devpilot -- $client_word
    other hosts     {"mcpServers": {"devpilot": {"command": "$client"}}}

  Then tell your agent
    "Share this session with Sam."                        the note for Sam is then on your clipboard
    "Join the DevPilot session on my clipboard."          in the agent that shall join
    The link by itself                                    $browser_line

  This plane       opens on this machine only; docs/hosting.md says how two machines meet
  Data             $data (database, plane.log)
                   $credentials (the machine token that lets you share)
  Stop             Ctrl-C
  Start over       stop, then: rm -r $data_word

EOT

wait "$plane" || [[ -n $stopping ]] || die "The plane stopped by itself; its log: $log"
say "Stopped. The data stays in $data."
