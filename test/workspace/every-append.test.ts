// A coding agent that is cut off at any append.
import { expect, test } from "vitest";
import { createAgent, type ChatModel } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { codingTools, filesSlot, memoryWorkspace, type CommandEvent } from "agentchart/workspace";

const TURNS: readonly ScriptedTurn[] = [
  { calls: [{ name: "write_file", input: { path: "a", content: "one" } }] },
  {
    calls: [
      {
        name: "edit_file",
        input: { path: "a", old_string: "one", new_string: "one one", replace_all: true },
      },
    ],
  },
  { calls: [{ name: "run_command", input: { command: "count" } }] },
  "Done.",
];
/** Answers by what it has said before, in whatever process. */
const model: ChatModel = {
  ...scriptedModel([]),
  stream: (request, signal) => {
    const said = request.messages.filter(({ role }) => role === "assistant").length;
    return scriptedModel([TURNS[Math.min(said, TURNS.length - 1)]!]).stream(request, signal);
  },
};

/** Runs the turn with a store that fails at an append, before or after it is written, and again with one that works. */
async function cutOff(at: number, when: "before" | "after") {
  const real = memoryStore();
  let appends = 0;
  const failing = new Proxy(real, {
    get(target, key) {
      const member = Reflect.get(target, key, target) as unknown;
      if (typeof member !== "function") return member;
      if (key !== "append") return member.bind(target) as unknown;
      return async (...args: Parameters<typeof real.append>) => {
        appends++;
        if (appends > at || (appends === at && when === "before")) throw new Error("the disk is gone");
        const seq = await target.append(...args);
        if (appends === at) throw new Error("the disk is gone");
        return seq;
      };
    },
  });
  let commands = 0;
  const workspace = memoryWorkspace({
    exec: async function* (): AsyncGenerator<CommandEvent> {
      commands++;
      yield { type: "exit", exitCode: 0 };
    },
  });
  const tools = codingTools({ workspace });
  const options = { name: "coder", model, tools, sessionId: "s" };
  const first = createAgent({ ...options, store: failing });
  const ended = await first.call("go").then(
    ({ reason }) => reason,
    () => "FAILED",
  );
  await first.close().catch(() => {});
  if (ended === "MODEL_STOP") return { ended, appends };

  const second = createAgent({ ...options, store: real });
  await second.open();
  const begun = second.status().phase === "unfinished" || second.status().pending.length > 0;
  let reply = await second.call(begun ? undefined : "go");
  const doubtful = reply.pending.map(({ name }) => name);
  if (reply.pending.length > 0) {
    expect(reply.reason).toBe("OUTCOME_UNKNOWN");
    for (const { callId } of reply.pending) await second.decide(callId, { answer: "Nobody knows." });
    reply = await second.call();
  }
  const content = Buffer.from(await workspace.read("a")).toString();
  const seen = (await second.slots.get(filesSlot)).value;
  await second.close();
  return { ended, appends, reason: reply.reason, doubtful, commands, content, seen };
}

test("cut off at any append, no edit and no command happens twice, and what is in doubt is asked about", async () => {
  const doubts = new Set<string>();
  let at = 1;
  for (; at < 100; at++) {
    const [before, after] = [await cutOff(at, "before"), await cutOff(at, "after")];
    if (before.ended === "MODEL_STOP" && after.ended === "MODEL_STOP") break;
    for (const result of [before, after]) {
      if (result.ended === "MODEL_STOP") continue;
      expect(result.reason, `append ${at}`).toBe("MODEL_STOP");
      expect(result.commands).toBeLessThanOrEqual(1);
      // an edit that happened twice would leave four of them
      expect(["one", "one one"]).toContain(result.content);
      for (const name of result.doubtful ?? []) doubts.add(name);
    }
  }
  expect(at).toBeGreaterThan(5);
  expect([...doubts].toSorted()).toEqual(["edit_file", "run_command"]);
});
