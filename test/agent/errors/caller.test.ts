// The stack of the error of a failed call leads to the caller of the agent.
import { describe, expect, test } from "vitest";
import { AgentError, type Agent } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../../support/agents.ts";

const down = new AgentError("model/auth", "no key", { cause: new Error("401") });

async function thrownBy(run: () => Promise<unknown>): Promise<AgentError> {
  const error: unknown = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!AgentError.is(error)) throw new Error("The call did not fail with an AgentError.");
  return error;
}

const calls: readonly (readonly [string, (agent: Agent) => Promise<unknown>])[] = [
  ["awaited", namedCaller],
  ["awaited by a function that returns its promise", async (agent) => namedCaller(agent)],
  ["awaited behind a handler", namedHandler],
  ["awaited with others", namedAll],
  ["awaited later", namedLater],
  ["streamed", async (agent) => await namedStream(agent)],
  ["streamed and awaited", async (agent) => await namedStreamOf(agent)],
];

async function namedCaller(agent: Agent): Promise<unknown> {
  return await agent.call("go");
}

async function namedHandler(agent: Agent): Promise<unknown> {
  return await agent.call("go").catch((error: unknown) => Promise.reject(error as Error));
}

async function namedAll(agent: Agent): Promise<unknown> {
  return await Promise.all([agent.call("go"), Promise.resolve()]);
}

async function namedLater(agent: Agent): Promise<unknown> {
  const reply = agent.call("go");
  await Promise.resolve();
  return await reply;
}

async function namedStream(agent: Agent): Promise<void> {
  const stream = agent.stream("go");
  for await (const _ of stream);
}

async function namedStreamOf(agent: Agent): Promise<unknown> {
  return await agent.stream("go").reply;
}

describe("the stack of the error of a failed call", () => {
  test.each(calls)("has the frames of its caller if the call is %s", async (_, run) => {
    const { agent } = scripted([{ error: down }]);
    const error = await thrownBy(() => run(agent));
    expect(error).toMatchObject({ code: "model/auth", message: "no key" });
    expect(error.stack).toMatch(
      /^AgentError: no key\n {4}at [^]*named(Caller|Handler|All|Later|Stream)[^]*caller\.test\.ts/,
    );
  });

  test("has the frames of its caller if the call waits for another one, and if the store fails", async () => {
    const { agent } = scripted(["first", { error: down }]);
    const [, queued] = await Promise.allSettled([
      agent.call("one"),
      (async function namedCaller() {
        return await agent.call("two", { whenBusy: "queue" });
      })(),
    ]);
    expect((queued as PromiseRejectedResult).reason.stack).toContain("namedCaller");

    const store = Object.assign(Object.create(memoryStore()) as ReturnType<typeof memoryStore>, {
      acquire: async () => Promise.reject(new AgentError("store/failed", "no disk")),
    });
    const stored = scripted(["never"], { store, sessionId: "s" });
    expect((await thrownBy(() => namedCaller(stored.agent))).stack).toContain("namedCaller");
  });
});

describe("the cause of the error of a failed call", () => {
  test("is what the model threw, with its own cause", async () => {
    const { agent } = scripted([{ error: down }]);
    expect((await thrownBy(() => agent.call("go"))).cause).toBe(down);
  });

  test("is the same for the reply of a stream, and for its loop", async () => {
    const { agent } = scripted([{ error: down }]);
    const stream = agent.stream("go");
    expect((await thrownBy(async () => stream.reply)).cause).toBe(down);
    const loop = async (): Promise<void> => {
      for await (const _ of stream);
    };
    expect((await thrownBy(loop)).cause).toBe(down);
  });

  test("is what a hook threw", async () => {
    const bug = new Error("bug");
    const preCall = (): never => {
      throw bug;
    };
    const { agent } = scripted(["never"], { hooks: [{ name: "h", preCall }] });
    const error = await thrownBy(() => agent.call("go"));
    expect([error.code, (error.cause as Error).cause]).toEqual(["hook/failed", bug]);
  });

  test("is not that of an earlier call", async () => {
    const tools = [toolOf("ok", () => "fine")];
    const { agent } = scripted([{ error: down }, { calls: [{ name: "ok" }] }], { tools });
    await thrownBy(() => agent.call("go"));
    const error = await thrownBy(() => agent.call("on", { signal: AbortSignal.abort() }));
    expect([error.code, (error.cause as Error).cause]).toEqual(["run/aborted", undefined]);
  });
});
