"""A real plane on SQLite and home folders for agents, for the tests beside this file."""

import asyncio
import json
import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types import ElicitResult, ResourceUpdatedNotification

LINK = re.compile(r"https?://\S+/s/[0-9a-f-]+#dp1[fv][a-z2-7]{64}")
SECRETS = re.compile(r"dp1[fv][a-z2-7]{16,}|dp[sma]_[A-Za-z0-9_-]{16,}")


class Plane:
    """A plane of its own, with its data in a temporary folder. The machine token lies in the folder `ada`."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="devpilot-sdk-")
        self.folder = self._folder.name
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        environment = {"HOME": self.home("ada"), "PATH": os.environ["PATH"]}
        self._process = subprocess.Popen(
            [os.environ["DEVPILOT_TEST_PLANE"], "serve", "--listen", address, "--data", f"{self.folder}/plane"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 30
        while not self._ready(f"http://{address}/readyz"):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.close()
                raise RuntimeError("the plane did not start")
            time.sleep(0.05)

    def home(self, name):
        path = f"{self.folder}/{name}"
        os.makedirs(path, mode=0o700, exist_ok=True)
        return path

    def close(self):
        self._process.terminate()
        self._process.wait(timeout=15)
        self._folder.cleanup()

    @staticmethod
    def _ready(url):
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                return answer.status == 200
        except (urllib.error.URLError, OSError):
            return False


class Agent:
    """A client of the official SDK on one `devpilot-session`, with a human who answers its questions."""

    def __init__(self, client, human, news):
        self.client = client
        self.human = human
        self.news = news

    async def call(self, tool, /, **arguments):
        """The structured answer; a tool error fails the test."""
        result = await self.result(tool, **arguments)
        assert not result.is_error, f"{tool}: {text_of(result)}"
        return result.structured_content

    async def refused(self, tool, /, **arguments):
        """The text of the tool error; success fails the test."""
        result = await self.result(tool, **arguments)
        assert result.is_error, f"{tool} was expected to be refused: {text_of(result)}"
        return text_of(result)

    async def result(self, tool, /, progress=None, **arguments):
        """The result as the SDK gives it. Whatever it is, nothing in it opens a session."""
        result = await self.client.call_tool(tool, arguments, progress_callback=progress)
        leaked = SECRETS.findall(text_of(result) + json.dumps(result.structured_content))
        assert not leaked, f"{tool} answers a link or token"
        return result


class News:
    """The addresses that the connection was told of, in the era where it is told and no request is."""

    def __init__(self):
        self.uris = asyncio.Queue()

    async def __call__(self, message):
        if isinstance(message, ResourceUpdatedNotification):
            self.uris.put_nowait(message.params.uri)


class Human:
    """Answers elicitation: `accept`, `decline` or `cancel`; keeps what it was asked."""

    def __init__(self):
        self.answer = "accept"
        self.asked = []

    async def __call__(self, _context, question):
        self.asked.append(question.message)
        if self.answer != "accept":
            return ElicitResult(action=self.answer)
        fields = question.requested_schema.get("properties", {})
        return ElicitResult(action="accept", content={name: yes(field) for name, field in fields.items()})


def yes(field):
    return True if field.get("type") == "boolean" else field.get("enum", ["yes"])[0]


def text_of(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


def link_in(answer):
    """The link in the handoff file, as the human who sends the note has it."""
    with open(answer["handoff_file"], encoding="utf-8") as note:
        return LINK.search(note.read()).group()


@asynccontextmanager
async def agent(plane, name, era, link=None, human=True):
    """Starts `devpilot-session` with HOME and PATH and as little else as the SDK allows."""
    home = plane.home(name)
    answers, news = Human() if human else None, News()
    environment = {"HOME": home, "DEVPILOT_NAME": name, "DEVPILOT_CLIPBOARD": "off"}
    if link:
        environment["DEVPILOT_SESSION_LINK"] = link
    server = StdioServerParameters(command=os.environ["DEVPILOT_TEST_CLIENT"], env=environment, cwd=home)
    async with asyncio.timeout(120):
        async with Client(server, mode=era, elicitation_callback=answers, message_handler=news) as client:
            yield Agent(client, answers, news)
