"""The driver of the demo: two MCP clients on stdio, JSON-RPC line by line, with the standard library alone."""

import argparse
import glob
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import Future

LINK = re.compile(r"https?://\S+/s/[0-9a-f-]+#dp1[fv][a-z2-7]{64}")
WIDTH = max(72, shutil.get_terminal_size((116, 0)).columns - 8)
# The classes of a record: an epoch record, a sealed message, an event of a member, a notice of the plane.
CLASSES = {1: "message", 2: "notice", 3: "epoch", 4: "member"}


class Agent:
    """One `devpilot-session` process, as an MCP host runs it. Its human says yes to every question."""

    def __init__(self, name, client, home, extra=None):
        self.name = name
        self.questions = []
        self._waiting = {}
        self._lock = threading.Lock()
        self._next = 0
        environment = {
            "HOME": home,
            "PATH": os.environ["PATH"],
            "DEVPILOT_NAME": name,
            "DEVPILOT_CLIPBOARD": "off",
            **(extra or {}),
        }
        self._process = subprocess.Popen(
            [client], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=environment, cwd=home,
        )
        threading.Thread(target=self._listen, daemon=True).start()
        self._request("initialize", {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "demo", "version": "1"},
        }).result(timeout=20)
        self._send({"method": "notifications/initialized"})

    def call(self, tool, **arguments):
        """Calls a tool and gives its structured answer."""
        return self.start(tool, **arguments)()

    def start(self, tool, **arguments):
        """Starts a call; the answer is what the returned function gives."""
        answer = self._request("tools/call", {"name": tool, "arguments": arguments})

        def finish():
            result = answer.result(timeout=90)
            if result.get("isError"):
                text = " ".join(part.get("text", "") for part in result.get("content", []))
                sys.exit(f"{self.name}: {tool} failed: {text}")
            return result["structuredContent"]

        return finish

    def close(self):
        self._process.stdin.close()
        self._process.wait(timeout=10)

    def _send(self, message):
        with self._lock:
            self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._process.stdin.flush()

    def _request(self, method, params):
        with self._lock:
            self._next += 1
            number = self._next
        self._waiting[number] = Future()
        self._send({"id": number, "method": method, "params": params})
        return self._waiting[number]

    def _listen(self):
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("method") == "elicitation/create":
                self.questions.append(message["params"]["message"])
                self._send({"id": message["id"], "result": {"action": "accept", "content": yes(message["params"])}})
            elif "method" not in message:
                waiting = self._waiting.pop(message["id"])
                if "error" in message:
                    waiting.set_exception(RuntimeError(message["error"]["message"]))
                else:
                    waiting.set_result(message["result"])


def yes(question):
    """An answer that fits the form and agrees."""
    fields = question.get("requestedSchema", {}).get("properties", {})
    return {name: True if field.get("type") == "boolean" else field.get("enum", ["yes"])[0] for name, field in fields.items()}




def say(who, did, *quoted):
    """One step of the tour: who did what, and what of it is worth seeing."""
    print(f"{who:>5}  {did}")
    for text in quoted:
        line = " ".join(str(text).split())
        print("       " + (line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"))


def link_in(note_file):
    """What Ada's human does when they send the note: the demo carries the link, no model sees it."""
    with open(note_file, encoding="utf-8") as note:
        found = LINK.search(note.read())
    return found.group() if found else sys.exit("The note holds no link.")


def converse(arguments):
    """The conversation. Gives what must not be found at the plane."""
    name = os.path.basename(arguments.file)
    with open(arguments.file, encoding="utf-8", errors="replace") as source:
        lines = [line.strip() for line in source if line.strip()]
    if not lines:
        sys.exit(f"{arguments.file} is empty; name a file with some text.")
    beginning, rest = lines[:8], lines[8:16]

    ada = Agent("Ada Lovelace", arguments.client, f"{arguments.folder}/ada")
    title = f"A second pair of eyes on {name}"
    shared = ada.call("devpilot_session_share", title=title, context="\n".join([f"{name} begins like this:", *beginning]),
                      paths=[name], **{"with": "Ben"})
    link = link_in(shared["handoff_file"])
    say("Ada", f"share    a new session; its first sealed message is the beginning of {name}",
        f"link withheld from the model: {shared['link_withheld']}; the note for Ben is in a file only Ada's user can read")

    ben = Agent("Ben Franklin", arguments.client, f"{arguments.folder}/ben", {"DEVPILOT_SESSION_LINK": link})
    joined = ben.call("devpilot_session_join")
    say("Ben", f"join     with the link alone: no account, no token; mode: {joined['mode']}",
        f"the hand-off he reads: {joined['card']['handoff']['text']}")

    ada.call("devpilot_session_mode", set="relay")
    say("Ada", "mode     relay: agents may wait now, and post what their human agreed to; Ada's human was asked:",
        ada.questions[-1])

    waiting = ada.start("devpilot_session_wait", timeout_s=45)
    words = len(joined["card"]["handoff"]["text"].split())
    question = f"I count {words} words, and the first line is “{beginning[0][:60]}”. What comes after that?"
    posted = ben.call("devpilot_session_post", text=question, kind="question")
    woken = waiting()
    asked = "Ben's human was asked first" if posted["human"] == "approved" else posted["human"]
    say("Ben", f"post     a question, seq {posted['seq']}; {asked}")
    say("Ada", f"wait     returned by itself, woken by: {woken['woke_by']}", woken["messages"][-1]["text"])

    answer = "\n".join(["Next:", *rest] if rest else ["Nothing: that was all of it."])
    ada.call("devpilot_session_post", text=answer, kind="answer", reply_to=posted["seq"])
    read = ben.call("devpilot_session_read")
    say("Ben", f"read     Ada's answer, signed and verified; integrity: {read['integrity']['state']}",
        read["messages"][-1]["text"])

    who = ben.call("devpilot_session_who")
    people = ", ".join(
        f"{one['name']} ({one['kind']}, {'may write' if one['may_write'] else 'reads only'}{', me' if one['me'] else ''})"
        for one in who["participants"]
    )
    say("Ben", f"who      {people}", f"head {who['head_seq']}  {who['head_hash']}   ← read it to each other to compare")

    ada.close()
    ben.close()
    secrets = [title, name, ada.name, ben.name, link.split("#", 1)[1], question, *beginning, *rest]
    # Shorter ones turn up in random bytes by chance.
    return [secret for secret in secrets if len(secret) >= 6]


def look_inside(folder, secrets):
    """What the plane holds: the rows, and a search of every byte it wrote."""
    files = [path for path in glob.glob(f"{folder}/**", recursive=True) if os.path.isfile(path)]
    database = next(path for path in files if open(path, "rb").read(15) == b"SQLite format 3")
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    print("\nWhat the plane's database has of that, record by record:\n")
    print("  seq  kind     bytes  stored")
    for seq, kind, body in connection.execute("SELECT seq, class, body FROM records ORDER BY seq"):
        stored = body.decode()[: WIDTH - 24] if body.startswith(b"{") else body[:24].hex(" ") + " …"
        print(f"  {seq:>3}  {CLASSES[kind]:<7}  {len(body):>5}  {stored}")
    connection.close()

    held = b"".join(open(path, "rb").read() for path in files)
    found = [secret for secret in secrets if secret.encode() in held]
    # The same search finds what the plane does know, so that finding nothing means something.
    if b"mode_changed" not in held:
        sys.exit("The search is broken: it did not even find the notice in plain text.")
    if found:
        sys.exit(f"FOUND at the plane: {found}")
    print(f"\nSearched {len(held):,} bytes of the plane's files for {len(secrets)} strings (title, names, file name, link,"
          "\nevery line and message): none is there. The plane knows who came when, the mode, and how long messages are.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--client", required=True, help="the devpilot-session binary")
    parser.add_argument("--folder", required=True, help="holds the home folders ada and ben, and the plane's data")
    parser.add_argument("--file", required=True, help="what the conversation is about")
    arguments = parser.parse_args()
    print(f"Two agents, two home folders, one plane that can't read. Subject: {arguments.file}\n")
    secrets = converse(arguments)
    look_inside(f"{arguments.folder}/plane", secrets)


main()
