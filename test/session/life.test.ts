// The life of a session in a process.
import { describe, expect, test } from "vitest";
import { AgentError, textOf } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scripted, toolOf } from "../support/agents.ts";
import { freshModules } from "../support/fresh-modules.ts";
import { failureOf } from "../support/failure.ts";

describe("a session in this process", () => {
  test("is open from the start without a store", async () => {
    const { agent } = scripted(["Hi"]);
    const call = agent.call("Hello");
    expect(agent.status().phase).toBe("running"); // in the same tick
    expect((await call).text).toBe("Hi");
  });

  test("that ends while it is opened gives its lease back, and nothing is stored", async () => {
    const store = memoryStore();
    const { acquire } = store;
    const gate = Promise.withResolvers<void>();
    store.acquire = async (...args) => (await gate.promise, acquire(...args));
    const { agent } = scripted(["Hi"], { store, sessionId: "s" });
    const call = failureOf(agent.call("Hello"));
    await agent.shutdown();
    gate.resolve();
    expect(await call).toMatchObject({ code: "run/shutdown" });
    store.acquire = acquire;
    expect(await store.load("s")).toBeUndefined();
    expect(await store.acquire("s", { owner: "other", ttlMs: 1_000 })).toMatchObject({ takeovers: 0 });
  });

  test("whose first append failed is opened by the next call", async () => {
    const store = memoryStore();
    const { append } = store;
    store.append = async () => {
      store.append = append;
      throw new AgentError("store/failed", "The disk is full.");
    };
    const { agent } = scripted(["Hi"], { store, sessionId: "s" });
    await expect(agent.call("Hello")).rejects.toMatchObject({ code: "store/failed" });
    expect((await agent.call("Hello")).text).toBe("Hi");
    expect((await agent.messages()).map(textOf)).toEqual(["Hello", "Hi"]);
  });

  test("says that it lost its lease while it was at rest", async () => {
    const store = memoryStore();
    const { agent } = scripted(["Hi", "There"], { store, sessionId: "s", sessionOptions: { leaseMs: 30 } });
    await agent.call("Hello");
    store.renew = () => Promise.reject(new AgentError("session/lease-lost", "Another process has it."));
    await expect
      .poll(() => agent.call("Again").then(textOf, (error: AgentError) => error.code))
      .toBe("session/lease-lost");
    await expect(agent.observe([])).rejects.toMatchObject({ code: "session/lease-lost" });
  });

  test("whose lease is not renewed in time counts as lost, and its tool is aborted (Y2)", async () => {
    const store = memoryStore();
    const aborted = Promise.withResolvers<void>();
    const wait = toolOf("wait", (_, { signal }) => {
      store.renew = () => Promise.reject(new AgentError("store/failed", "No answer."));
      signal.addEventListener("abort", () => aborted.resolve());
      return new Promise(() => {});
    });
    const { agent } = scripted([{ calls: [{ id: "c1", name: "wait" }] }], {
      store,
      sessionId: "s",
      sessionOptions: { leaseMs: 60 },
      tools: [wait],
    });
    const message = "The lease of session 's' was not renewed in time: No answer.";
    await expect(agent.call("Hello")).rejects.toMatchObject({ code: "session/lease-lost", message });
    await aborted.promise;
    await expect(agent.call("Again")).rejects.toMatchObject({ code: "session/lease-lost", message });
  });

  test("goes on if a later attempt renews the lease in time", async () => {
    const store = memoryStore();
    const { renew } = store;
    let failures = 0;
    store.renew = (...args) => {
      if (++failures === 1) return Promise.reject(new AgentError("store/failed", "No answer."));
      return renew(...args);
    };
    const { agent } = scripted(["Hi", "There"], { store, sessionId: "s", sessionOptions: { leaseMs: 300 } });
    await agent.call("Hello");
    await expect.poll(() => failures).toBeGreaterThan(3);
    expect((await agent.call("Again")).text).toBe("There");
    await agent.close();
  });
});

describe("a session of a process that is about to exit", () => {
  test("is opened again if the process goes on", async () => {
    freshModules(); // no session of another file is open in them
    const { scripted, toolOf } = await import("../support/agents.ts");
    const others = process.listeners("beforeExit");
    const store = memoryStore();
    const ask = toolOf("ask");
    const turns = [{ calls: [{ id: "c1", name: "ask" }] }, "Done."];
    const { agent } = scripted(turns, { store, sessionId: "s", tools: [ask] });
    await agent.call("Hello");
    process.listeners("beforeExit").at(-1)?.(0);
    expect(await store.holder?.("s")).toBeUndefined();
    expect(agent.interrupt()).toBe(false); // it would not be stored
    await agent.decide("c1", { answer: "Yes." });
    expect((await agent.call()).text).toBe("Done.");
    await agent.close();
    expect(process.listeners("beforeExit")).toEqual(others);
  });
});
