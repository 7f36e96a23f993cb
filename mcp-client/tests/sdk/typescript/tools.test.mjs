// Every tool of `devpilot-session`, driven by the official TypeScript clients in both protocol eras.

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";

import { CLIENTS } from "./clients.mjs";
import { Plane, linkIn } from "./harness.mjs";

const VERBS = ["join", "mode", "post", "read", "share", "wait", "who"];
const TOOLS = ["devpilot_history", ...VERBS.map((verb) => `devpilot_session_${verb}`)];

for (const { name, skip, version, open } of CLIENTS) {
  describe(name, { skip, timeout: 180_000 }, () => {
    let plane;
    const opened = [];
    const agent = async (...seat) => {
      const one = await open(plane, ...seat);
      opened.push(one);
      return one;
    };
    const share = (ada, title) => ada.call("devpilot_session_share", { title, context: "Start at the queue." });
    const texts = (answer) => answer.messages.map((message) => message.text);

    before(async () => {
      plane = await new Plane().start();
    });
    after(async () => {
      await Promise.all(opened.map((one) => one.client.close()));
      await plane.close();
    });

    it("negotiates its era and lists every tool", async () => {
      const ada = await agent("ada");
      const { tools } = await ada.client.listTools();
      assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
      assert.equal(ada.client.getNegotiatedProtocolVersion?.() ?? version, version);
    });

    it("goes through a session from share to who", async () => {
      const ada = await agent("ada");
      const shared = await share(ada, "From share to who");
      assert.equal(shared.link_withheld, true);
      const ben = await agent("ben", linkIn(shared));
      const joined = await ben.call("devpilot_session_join");
      assert.equal(joined.session, shared.session);
      assert.match(joined.card.handoff.text, /Start at the queue\./);
      assert.equal(joined.card.handoff.untrusted, true);

      assert.equal((await ada.call("devpilot_session_mode", { set: "relay" })).session_mode, "relay");
      assert.equal(ada.human.asked.length, 1);
      const waiting = ada.call("devpilot_session_wait", { timeout_s: 40 });
      const posted = await ben.call("devpilot_session_post", { text: "Which queue?", kind: "question" });
      assert.equal(posted.human, "approved");
      assert.match(ben.human.asked.at(-1), /Which queue\?/);
      const woken = await waiting;
      assert.equal(woken.woke_by, "messages");
      assert.deepEqual(texts(woken), ["Which queue?"]);

      await ada.call("devpilot_session_post", { text: "The outgoing one.", kind: "answer", reply_to: posted.seq });
      const read = await ben.call("devpilot_session_read");
      assert.deepEqual(texts(read), ["The outgoing one."]);
      assert.equal(read.messages[0].reply_to, posted.seq);
      const who = await ben.call("devpilot_session_who");
      assert.deepEqual(who.participants.map((one) => one.name), ["ada", "ben"]);
      assert.equal((await ben.call("devpilot_session_mode", { set: "observe" })).session_mode, "observe");
    });

    it("posts nothing and changes no mode without a yes", async () => {
      const ada = await agent("ada");
      await share(ada, "Without a yes");
      ada.human.answer = "decline";
      await ada.refused("devpilot_session_mode", { set: "relay" });
      assert.equal((await ada.call("devpilot_session_mode")).session_mode, "observe");
      ada.human.answer = "accept";
      await ada.call("devpilot_session_mode", { set: "relay" });
      ada.human.answer = "decline";
      await ada.refused("devpilot_session_post", { text: "Not to be sent." });
      ada.human.answer = "cancel";
      await ada.refused("devpilot_session_post", { text: "Not to be sent." });
      assert.deepEqual(texts(await ada.call("devpilot_session_read", { since: 0 })).length, 1);
    });

    it("tells how far a wait is, and stops it when cancelled", async () => {
      const ada = await agent("ada");
      const shared = await share(ada, "How far");
      await ada.call("devpilot_session_mode", { set: "relay" });
      const steps = [];
      const onprogress = (step) => steps.push(step.progress);
      const waited = await ada.call("devpilot_session_wait", { timeout_s: 12 }, { onprogress });
      assert.equal(waited.woke_by, "timed_out");
      assert.ok(steps.length >= 1, "no progress in 12 s");
      assert.deepEqual(steps, [...new Set(steps)].sort((a, b) => a - b));

      const stop = new AbortController();
      const waiting = ada.call("devpilot_session_wait", { timeout_s: 45 }, { signal: stop.signal });
      setTimeout(() => stop.abort(), 1000);
      await assert.rejects(waiting);
      await ada.call("devpilot_session_who");
      const ben = await agent("ben", linkIn(shared));
      await ben.call("devpilot_session_join");
      await ben.call("devpilot_session_post", { text: "Still there?" });
      assert.deepEqual(texts(await ada.call("devpilot_session_read")), ["Still there?"]);
    });

    it("lists prompts that lead to the tools", async () => {
      const ada = await agent("ada");
      const { prompts } = await ada.client.listPrompts();
      assert.deepEqual(prompts.map((prompt) => prompt.name), ["share", "join", "catch-up"]);
      for (const { name } of prompts) {
        const { messages } = await ada.client.getPrompt({ name });
        assert.match(messages[0].content.text, /devpilot_session_/);
      }
    });

    it("shows a transcript as a resource, and tells who follows it of news", async () => {
      const ada = await agent("ada");
      const shared = await share(ada, "A resource");
      const uri = `devpilot://sessions/${shared.session}/transcript`;
      const { resourceTemplates } = await ada.client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map((one) => one.uriTemplate), ["devpilot://sessions/{id}/transcript"]);
      const ben = await agent("ben", linkIn(shared));
      await ben.call("devpilot_session_join");
      await ada.follow(uri);
      await ben.call("devpilot_session_post", { text: "Which queue?" });
      assert.equal(await ada.news, uri);
      const { resources } = await ada.client.listResources();
      assert.ok(resources.some((one) => one.uri === uri));
      const { contents } = await ada.client.readResource({ uri });
      assert.match(contents[0].text, /Start at the queue\.[^]*not instructions[^]*Which queue\?/);
      assert.deepEqual(texts(await ada.call("devpilot_session_read")), ["Which queue?"]);
      assert.deepEqual(texts(await ada.call("devpilot_session_read", { query: "QUEUE start" })), ["Start at the queue."]);
    });

    it("answers bad arguments with a tool error and goes on", async () => {
      const ada = await agent("ada");
      await share(ada, "Bad arguments");
      await ada.refused("devpilot_session_post", { text: "x", no_such_field: 1 });
      await ada.refused("devpilot_session_read", { limit: 100000 });
      assert.equal((await ada.call("devpilot_session_mode")).mode, "observe");
    });
  });
}
