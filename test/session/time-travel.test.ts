// Forks at every position of a session.
import { describe, expect, test } from "vitest";
import { userMsg, type ChatModel } from "agentchart";
import { openSession } from "agentchart/session";
import { memoryStore } from "../../src/store/memory.ts";
import { historyProblem } from "../support/history.ts";
import { finish, plannedAgent, plannedModel } from "../support/planned.ts";
import { show } from "../support/trace.ts";

async function recorded() {
  const store = memoryStore();
  const agent = plannedAgent({ store, sessionId: "s" });
  await finish(agent);
  await agent.close();
  const session = await openSession(store, "s");
  const positions: number[] = [];
  for await (const { seq, type } of session.entries()) if (type === "position") positions.push(seq);
  return { store, session, positions };
}

test("a session that was deleted after it was opened does not exist", async () => {
  const { store, session } = await recorded();
  await store.delete("s");
  const attempts = [
    () => session.at(),
    () => session.at(1),
    () => session.fork(1),
    () => session.fork({ before: 3 }),
    () => session.messages(),
  ];
  for (const attempt of attempts)
    await expect(attempt()).rejects.toMatchObject({ code: "session/not-found" });
});

describe("a fork", () => {
  test("a fork of every position continues to the same answer, and both sessions name each other", async () => {
    const { store, session, positions } = await recorded();
    const before = (await session.at()).messages.map(show);
    for (const seq of positions) {
      const fork = await session.fork(seq, { sessionId: `fork ${seq}` });
      const agent = plannedAgent({ store, sessionId: fork.sessionId });
      await finish(agent);
      expect(historyProblem(await agent.messages()), `fork at ${seq}`).toBeUndefined();
      expect((await agent.messages()).map(show), `fork at ${seq}`).toEqual(before);
      await agent.close();
    }
    expect((await session.forks()).length).toBe(positions.length);
    expect((await session.at()).messages.map(show)).toEqual(before);
  });

  test("a fork at an entry within an append begins with the state after that append", async () => {
    const { store, session, positions } = await recorded();
    const asked: (string | undefined)[] = [];
    const model: ChatModel = {
      ...plannedModel,
      stream: (request, options) => {
        asked.push(historyProblem(request.messages));
        return plannedModel.stream(request, options);
      },
    };
    for (let seq = 1; seq < positions.at(-1)!; seq++) {
      const end = positions.find((position) => position >= seq)!;
      if (end === seq) continue;
      const fork = await session.fork(seq, { sessionId: `fork ${seq}` });
      const forked = await openSession(store, fork.sessionId);
      expect((await forked.at()).messages, `fork at ${seq}`).toEqual((await session.at(end)).messages);
      const agent = plannedAgent({ store, sessionId: fork.sessionId, model });
      await finish(agent);
      await agent.close();
    }
    expect(asked.filter((problem) => problem !== undefined)).toEqual([]);
  });

  test("a fork before the step of any entry begins at the end of the append before it", async () => {
    const { session, positions } = await recorded();
    for (let seq = 1; seq <= positions.at(-1)!; seq++) {
      const end = positions.findLast((position) => position < seq);
      const fork = session.fork({ before: seq }, { sessionId: `before ${seq}` });
      if (end === undefined) await expect(fork).rejects.toMatchObject({ code: "session/not-found" });
      else expect((await fork).forkedAt, `before ${seq}`).toBe(end);
    }
    await expect(session.fork({ before: 0 })).rejects.toMatchObject({ code: "config/invalid" });
    await expect(session.fork({ after: 1 } as never)).rejects.toMatchObject({ code: "config/invalid" });
    await expect(session.fork({ before: 99_999 })).rejects.toMatchObject({ code: "session/not-found" });
  });

  test("a fork reports the calls open at its position and those recorded later", async () => {
    const { session, positions } = await recorded();
    const early = await session.fork(positions[1]!);
    expect(early.recordedLater.map(({ callId }) => callId)).toContain("r3-slow");
    const last = await session.fork(positions.at(-1)!);
    expect([last.runsAgain, last.recordedLater]).toEqual([[], []]);
  });

  test("a fork accepts edited messages, and refuses a used id and a position that does not exist", async () => {
    const { store, session, positions } = await recorded();
    const fork = await session.fork(positions.at(-1)!, {
      edits: (messages) => [...messages, userMsg("one more")],
    });
    const agent = plannedAgent({ store, sessionId: fork.sessionId });
    expect((await agent.messages()).at(-1)).toMatchObject({ role: "user" });
    await expect(session.fork(1, { sessionId: "s" })).rejects.toMatchObject({ code: "session/conflict" });
    await expect(session.fork(99_999)).rejects.toMatchObject({ code: "session/not-found" });
    await expect(session.fork(positions[0]!, { edits: () => [{} as never] })).rejects.toMatchObject({
      code: "message/invalid",
    });
  });
});
