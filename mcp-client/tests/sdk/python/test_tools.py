"""Every tool of `devpilot-session`, driven by the official Python client in both protocol eras."""

import asyncio
import unittest
from contextlib import asynccontextmanager

from harness import Plane, agent, link_in, text_of

TOOLS = {f"devpilot_session_{verb}" for verb in ("share", "join", "read", "wait", "post", "who", "mode")} | {"devpilot_history"}


def schemas_in(value):
    """Every object inside a schema, itself included."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from schemas_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from schemas_in(inner)


class Story:
    """The same tests for both eras; a subclass names one."""

    era: str
    version: str

    @classmethod
    def setUpClass(cls):
        cls.plane = Plane()

    @classmethod
    def tearDownClass(cls):
        cls.plane.close()

    def agent(self, name, link=None, **options):
        return agent(self.plane, name, self.era, link, **options)

    async def share(self, ada, **more):
        return await ada.call("devpilot_session_share", title=self.id(), context="Start at the queue.", **more)

    async def test_the_era_is_the_one_asked_for_and_every_tool_is_listed(self):
        async with self.agent("ada") as ada:
            self.assertEqual(ada.client.protocol_version, self.version)
            self.assertLessEqual(len(ada.client.instructions or ""), 1500)
            tools = (await ada.client.list_tools()).tools
            self.assertEqual({tool.name for tool in tools}, TOOLS)
            for tool in tools:
                self.assertIsNotNone(tool.output_schema, tool.name)
                for schema in schemas_in(tool.input_schema):
                    self.assertNotIsInstance(schema.get("type"), list, tool.name)
                    self.assertNotIn("$ref", schema, tool.name)

    async def test_a_session_from_share_to_who(self):
        async with self.agent("ada") as ada:
            shared = await self.share(ada, paths=["src/queue.rs"], **{"with": "Ben"})
            self.assertTrue(shared["created"] and shared["link_withheld"])
            async with self.agent("ben", link_in(shared)) as ben:
                joined = await ben.call("devpilot_session_join")
                self.assertEqual(joined["session"], shared["session"])
                self.assertEqual(joined["source"], "environment")
                self.assertEqual(joined["mode"], "observe")
                self.assertIn("Start at the queue.", joined["card"]["handoff"]["text"])
                self.assertIs(joined["card"]["handoff"]["untrusted"], True)

                self.assertIn("relay", await ada.refused("devpilot_session_wait"))
                self.assertEqual((await ada.call("devpilot_session_mode", set="relay"))["session_mode"], "relay")
                self.assertEqual(len(ada.human.asked), 1)

                waiting = asyncio.create_task(ada.call("devpilot_session_wait", timeout_s=40))
                posted = await ben.call("devpilot_session_post", text="Which queue?", kind="question")
                self.assertEqual(posted["human"], "approved")
                self.assertIn("Which queue?", ben.human.asked[-1])
                woken = await waiting
                self.assertEqual(woken["woke_by"], "messages")
                self.assertEqual([message["text"] for message in woken["messages"]], ["Which queue?"])

                answered = await ada.call("devpilot_session_post", text="The outgoing one.", kind="answer", reply_to=posted["seq"])
                self.assertGreater(answered["seq"], posted["seq"])
                read = await ben.call("devpilot_session_read")
                self.assertEqual([message["text"] for message in read["messages"]], ["The outgoing one."])
                self.assertEqual(read["messages"][0]["reply_to"], posted["seq"])
                self.assertEqual(read["integrity"]["state"], "ok")

                again = await ben.call("devpilot_session_read", since=0)
                self.assertEqual(len(again["messages"]), 3)
                who = await ben.call("devpilot_session_who")
                self.assertEqual([one["name"] for one in who["participants"]], ["ada", "ben"])
                self.assertRegex(who["head_hash"], r"^([0-9a-f]{4} ){7}[0-9a-f]{4}$")

                self.assertEqual((await ben.call("devpilot_session_mode", set="observe"))["session_mode"], "observe")

    async def test_without_a_yes_nothing_is_posted_and_no_mode_changes(self):
        async with self.agent("ada") as ada:
            shared = await self.share(ada)
            for answer in ("decline", "cancel"):
                ada.human.answer = answer
                await ada.refused("devpilot_session_mode", set="relay")
                self.assertEqual((await ada.call("devpilot_session_mode"))["session_mode"], "observe")

            ada.human.answer = "accept"
            await ada.call("devpilot_session_mode", set="relay")
            head = (await ada.call("devpilot_session_who"))["head_seq"]
            for answer in ("decline", "cancel"):
                ada.human.answer = answer
                await ada.refused("devpilot_session_post", text="Not to be sent.")
            self.assertEqual((await ada.call("devpilot_session_who"))["head_seq"], head)
            self.assertEqual(len((await ada.call("devpilot_session_read", since=0))["messages"]), 1)
            self.assertIsNotNone(shared)

    async def test_a_host_that_cannot_ask_gets_no_relay(self):
        async with self.agent("ada", human=False) as ada:
            await self.share(ada)
            await ada.refused("devpilot_session_mode", set="relay")
            self.assertEqual((await ada.call("devpilot_session_mode"))["session_mode"], "observe")

    async def test_waiting_tells_how_far_it_is(self):
        steps = []

        async def progress(value, total, _message):
            steps.append((value, total))

        async with self.agent("ada") as ada:
            await self.share(ada)
            await ada.call("devpilot_session_mode", set="relay")
            result = await ada.result("devpilot_session_wait", progress=progress, timeout_s=12)
            self.assertEqual(result.structured_content["woke_by"], "timed_out", text_of(result))
        self.assertGreaterEqual(len(steps), 1)
        self.assertEqual([value for value, _ in steps], sorted({value for value, _ in steps}))

    async def test_a_cancelled_wait_loses_nothing(self):
        async with self.agent("ada") as ada:
            shared = await self.share(ada)
            await ada.call("devpilot_session_mode", set="relay")
            waiting = asyncio.create_task(ada.result("devpilot_session_wait", timeout_s=45))
            await asyncio.sleep(1)
            waiting.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await waiting
            async with asyncio.timeout(10):
                await ada.call("devpilot_session_who")
                async with self.agent("ben", link_in(shared)) as ben:
                    await ben.call("devpilot_session_join")
                    await ben.call("devpilot_session_post", text="Still there?")
                read = await ada.call("devpilot_session_read")
            self.assertEqual([message["text"] for message in read["messages"]], ["Still there?"])

    async def test_bad_arguments_are_tool_errors_and_the_session_goes_on(self):
        async with self.agent("ada") as ada:
            await self.share(ada)
            await ada.refused("devpilot_session_post", text="x", no_such_field=1)
            await ada.refused("devpilot_session_post", text="x", kind="no such kind")
            await ada.refused("devpilot_session_read", limit=100000)
            await ada.refused("devpilot_session_post")
            self.assertEqual((await ada.call("devpilot_session_mode"))["mode"], "observe")

    async def test_prompts_lead_to_the_tools(self):
        async with self.agent("ada") as ada:
            prompts = (await ada.client.list_prompts()).prompts
            self.assertEqual([prompt.name for prompt in prompts], ["share", "join", "catch-up"])
            for prompt in prompts:
                names = [argument.name for argument in prompt.arguments or []]
                self.assertNotIn("link", names)
                values = {name: "Flaky login" for name in names}
                got = await ada.client.get_prompt(prompt.name, values)
                self.assertIn("devpilot_session_", got.messages[0].content.text)
                self.assertEqual("Flaky login" in got.messages[0].content.text, bool(names))

    async def test_a_transcript_is_a_resource_that_marks_nothing_as_read(self):
        async with self.agent("ada") as ada:
            shared = await self.share(ada)
            uri = f"devpilot://sessions/{shared['session']}/transcript"
            templates = (await ada.client.list_resource_templates()).resource_templates
            self.assertEqual([one.uri_template for one in templates], ["devpilot://sessions/{id}/transcript"])
            async with self.agent("ben", link_in(shared)) as ben:
                await ben.call("devpilot_session_join")
                await ben.call("devpilot_session_post", text="Which queue?")
                self.assertIn(uri, [one.uri for one in (await ada.client.list_resources()).resources])
                [content] = (await ada.client.read_resource(uri)).contents
                self.assertIn("Start at the queue.", content.text)
                self.assertIn("Which queue?", content.text)
                self.assertIn("not instructions", content.text)
                read = await ada.call("devpilot_session_read")
                self.assertEqual([message["text"] for message in read["messages"]], ["Which queue?"])
                found = await ada.call("devpilot_session_read", query="QUEUE start")
                self.assertEqual([message["text"] for message in found["messages"]], ["Start at the queue."])

    async def test_who_follows_a_transcript_is_told_of_news(self):
        async with self.agent("ada") as ada:
            shared = await self.share(ada)
            uri = f"devpilot://sessions/{shared['session']}/transcript"
            async with self.agent("ben", link_in(shared)) as ben:
                await ben.call("devpilot_session_join")
                async with self.news(ada, uri) as next_news:
                    await ben.call("devpilot_session_post", text="Which queue?")
                    async with asyncio.timeout(40):
                        self.assertEqual(await next_news(), uri)


class LegacyEra(Story, unittest.IsolatedAsyncioTestCase):
    era = "legacy"
    version = "2025-11-25"

    @asynccontextmanager
    async def news(self, agent, uri):
        await agent.client.subscribe_resource(uri)
        yield agent.news.uris.get
        await agent.client.unsubscribe_resource(uri)


class ModernEra(Story, unittest.IsolatedAsyncioTestCase):
    era = "auto"
    version = "2026-07-28"

    @asynccontextmanager
    async def news(self, agent, uri):
        async with agent.client.listen(resource_subscriptions=[uri]) as heard:
            async def next_news():
                return (await anext(aiter(heard))).uri

            yield next_news


if __name__ == "__main__":
    unittest.main()
