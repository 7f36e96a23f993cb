"""Start, memory and size of the client beside Node servers, measured in one run, with the standard library alone.

Every contender starts once a round, in turns, so that a busy machine is busy for all of them.
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request

START_GOAL_MS = 10
MEMORY_GOAL_MIB = 12
SIZE_GOAL = 12_000_000
IDLE_SECONDS = 10
MESSAGES = 100
LINK = re.compile(r"https?://\S+/s/[0-9a-f-]+#dp1[fv][a-z2-7]{64}")


class Server:
    """One started MCP server."""

    def __init__(self, command, environment):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment, cwd=environment["HOME"], bufsize=0,
        )
        self.output = self.process.stdout
        self.rest = b""
        self.next = 1

    def line(self):
        while b"\n" not in self.rest:
            part = os.read(self.output.fileno(), 1 << 20)
            if not part:
                raise SystemExit("a server ended before it answered")
            self.rest += part
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def request(self, method, params):
        number, self.next = self.next, self.next + 1
        self.send({"id": number, "method": method, "params": params})
        while True:
            message = self.line()
            if message.get("method") == "elicitation/create":
                fields = message["params"].get("requestedSchema", {}).get("properties", {})
                content = {name: field.get("enum", [True])[0] for name, field in fields.items()}
                self.send({"id": message["id"], "result": {"action": "accept", "content": content}})
            elif message.get("id") == number and "method" not in message:
                return message["result"]

    def call(self, tool, **arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise SystemExit(f"{tool}: {result['content']}")
        return result["structuredContent"]

    def initialize(self):
        self.request("initialize", {
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "figures", "version": "1"},
        })
        self.send({"method": "notifications/initialized"})

    def milliseconds_to_tools(self):
        self.initialize()
        self.request("tools/list", {})
        return (time.perf_counter() - self.started) * 1_000

    def tree(self):
        """The process and all that descend from it."""
        parents = {}
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/stat", encoding="utf-8", errors="replace") as stat:
                    parents[int(entry)] = int(stat.read().rpartition(")")[2].split()[1])
            except OSError:
                continue
        found = {self.process.pid}
        while more := {pid for pid, parent in parents.items() if parent in found} - found:
            found |= more
        return found

    def mebibytes(self, field="VmRSS"):
        total = 0
        for pid in self.tree():
            with open(f"/proc/{pid}/status", encoding="utf-8") as status:
                total += int(re.search(rf"^{field}:\s+(\d+)", status.read(), re.M)[1])
        return total / 1024

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.output.close()


def environment(home, name="ada", **more):
    os.makedirs(home, mode=0o700, exist_ok=True)
    return {"HOME": home, "PATH": os.environ["PATH"], "DEVPILOT_NAME": name, "DEVPILOT_CLIPBOARD": "off", **more}


def starts(contenders, rounds, folder):
    """Milliseconds by contender. The first round fills the page cache and does not count."""
    measured = {name: [] for name in contenders}
    for number in range(rounds + 1):
        for name, command in contenders.items():
            server = Server(command, environment(os.path.join(folder, "starts")))
            taken = server.milliseconds_to_tools()
            server.close()
            if number:
                measured[name].append(taken)
    return measured


def session(program, plane, folder):
    """A session with its hundred messages on a plane of its own. Gives the plane's process and the link."""
    with subprocess.Popen(
        ["node", "-e", "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})"],
        stdout=subprocess.PIPE,
    ) as port:
        address = f"127.0.0.1:{int(port.stdout.read())}"
    ada = environment(os.path.join(folder, "ada"))
    serving = subprocess.Popen(
        [plane, "serve", "--listen", address, "--data", os.path.join(folder, "plane")],
        env=ada, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    for _ in range(300):
        try:
            urllib.request.urlopen(f"http://{address}/readyz", timeout=1).close()
            break
        except OSError:
            time.sleep(0.1)
    author = Server([program], ada)
    author.initialize()
    shared = author.call("devpilot_session_share", title="Figures", context="x" * 1024)
    for number in range(MESSAGES - 1):
        author.call("devpilot_session_post", text=f"{number:04}" + "x" * 1020)
    author.close()
    with open(shared["handoff_file"], encoding="utf-8") as note:
        return serving, LINK.search(note.read())[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--plane", required=True)
    parser.add_argument("--launcher", required=True, help="the installed launcher's script")
    parser.add_argument("--prefix", required=True, help="where the packages are installed")
    parser.add_argument("--node", action="append", default=[], help="VERSION=PROGRAM of a further Node")
    parser.add_argument("--server", action="append", default=[], help="NAME=SCRIPT of a Node server to stand beside")
    parser.add_argument("--rounds", type=int, default=25)
    options = parser.parse_args()
    node = shutil.which("node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()

    ours = {"devpilot-session itself": [options.program]}
    ours[f"launcher, Node {version}"] = [node, options.launcher]
    for named in options.node:
        label, _, other = named.partition("=")
        ours[f"launcher, Node {label}"] = [other, options.launcher]
    ours["npx, installed already"] = ["npx", "--prefix", options.prefix, "mcp-session"]
    others = {}
    for named in options.server:
        label, _, script = named.partition("=")
        others[label] = [node, script]

    folder = tempfile.mkdtemp(prefix="devpilot-figures-")
    serving = None
    try:
        measured = starts({**ours, **others}, options.rounds, folder)
        serving, link = session(options.program, options.plane, folder)
        memory = {}
        for number, (name, command) in enumerate({**ours, **others}.items()):
            home = environment(os.path.join(folder, f"idle-{number}"), "ben", DEVPILOT_SESSION_LINK=link)
            server = Server(command, home)
            server.milliseconds_to_tools()
            if name in ours:
                joined = server.call("devpilot_session_join")
                server.call("devpilot_session_read", since=0, limit=200)
                assert joined["card"]["handoff"]["text"].startswith("x"), "the session was not joined"
            time.sleep(IDLE_SECONDS)
            memory[name] = server.mebibytes(), server.mebibytes("VmHWM")
            server.close()
    finally:
        if serving:
            serving.terminate()
            serving.wait()
        shutil.rmtree(folder)
    table(measured, memory, options)


def table(measured, memory, options):
    load = os.getloadavg()[0]
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {load:.1f}; {options.rounds} rounds in turns\n")
    print(f"| {'':32} | start to tools/list, ms: median (min to max) | idle memory, MiB (peak) |")
    print(f"| {'-' * 32} | {'-' * 44} | {'-' * 23} |")
    for name, taken in measured.items():
        figures = f"{statistics.median(taken):.1f} ({min(taken):.1f} to {max(taken):.1f})"
        idle, peak = memory[name]
        print(f"| {name:32} | {figures:44} | {f'{idle:.1f} ({peak:.1f})':23} |")
    print(f"\nMemory {IDLE_SECONDS} s after start; ours with a session of {MESSAGES} messages of 1 KiB joined and read.\n")
    start = statistics.median(measured["devpilot-session itself"])
    idle = memory["devpilot-session itself"][0]
    size = os.path.getsize(options.program)
    for what, value, goal, unit in [
        ("start", start, START_GOAL_MS, "ms"),
        ("idle memory", idle, MEMORY_GOAL_MIB, "MiB"),
        ("stripped program", size / 1e6, SIZE_GOAL / 1e6, "MB"),
    ]:
        print(f"{what}: {value:.1f} {unit}, goal at most {goal:g} {unit}: {'met' if value <= goal else 'NOT MET'}")


if __name__ == "__main__":
    main()
