// Deletion of sessions and of those inside of their calls.
import { expect, test } from "vitest";
import { createAgent, type SessionStore } from "agentchart";
import { deleteSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { agentTool } from "agentchart/team";
import { scriptedModel } from "agentchart/testing";

const call = (id: string, name: string) => ({ calls: [{ id, name, input: { message: "m" } }] });

/** A session with one inside of it, and one inside of that. */
async function nested(store: SessionStore, sessionId: string): Promise<void> {
  const reader = agentTool({ agent: { name: "reader", model: scriptedModel(["Read."]) } });
  const clerk = agentTool({
    agent: { name: "clerk", model: scriptedModel([call("c2", "call_reader"), "Done."]), tools: [reader] },
  });
  const model = scriptedModel([call("c1", "call_clerk"), "End."]);
  const agent = createAgent({ name: "desk", model, tools: [clerk], store, sessionId });
  await agent.call("go");
  await agent.close();
}

test("a session is deleted with those inside of its calls, and with no other", async () => {
  const store = memoryStore();
  await nested(store, "p");
  await nested(store, "p/other"); // its id only looks like one inside
  await nested(store, "pp");
  expect(await deleteSession(store, "p")).toBe(true);
  const ids = (await store.list()).sessions.map(({ sessionId }) => sessionId);
  expect(ids).toEqual(["p/other", "p/other/c1", "p/other/c1/c2", "pp", "pp/c1", "pp/c1/c2"]);
  expect(await deleteSession(store, "p")).toBe(false);
});
