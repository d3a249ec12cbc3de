// What people say about runs: who may, where it is kept, and what an evaluation makes of it.
import { join } from "node:path";
import { addLabel, casesOfLabels, evaluate, labelsOf, reply, type Label } from "agentchart/evals";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";
import { sqliteStore } from "agentchart/store/sqlite";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { LABELS_SESSION } from "../../../src/store/labels-session.ts";
import { testHome, testHub } from "../../support/hub-page.ts";
import { get, type List } from "../../support/stored-runs.ts";
import { scratch } from "../../store/scratch.ts";
import { expectLabelsKept, play, type Two } from "./labels-law.ts";

const STORES: { readonly [name: string]: (dir: string) => Two } = {
  memory: () => {
    const store = memoryStore();
    return [store, store];
  },
  file: (dir) => [fileStore({ dir }), fileStore({ dir })],
  sqlite: (dir) => [sqliteStore({ path: join(dir, "s.db") }), sqliteStore({ path: join(dir, "s.db") })],
};

describe.each(Object.entries(STORES))("Labels in a store of %s", (_, open) => {
  test("are all kept when many people give them at once, whatever becomes of the session", async () => {
    const { dir, remove } = scratch();
    const stores = open(dir);
    onTestFinished(async () => {
      await Promise.all(stores.map((store) => store.close?.()));
      remove();
    });
    await expectLabelsKept(stores);
  });
});

test("a label is added however many others are added before it", async () => {
  const store = memoryStore();
  await play(store, "sum", "Four.");
  const acquire = store.acquire.bind(store);
  let others = 15;
  let isOther = false;
  vi.spyOn(store, "acquire").mockImplementation(async (...given) => {
    if (isOther || given[0] !== LABELS_SESSION || others === 0) return acquire(...given);
    isOther = true;
    await addLabel(store, { sessionId: "sum", label: "wrong", by: `other ${others--}` });
    isOther = false;
    return undefined;
  });
  await addLabel(store, { sessionId: "sum", label: "right", by: "ada" });
  const kept = await labelsOf(store, "sum");
  expect([kept.length, kept.at(-1)!.by]).toEqual([16, "ada"]);
});

test("the newest label makes a case of a session, which an evaluation reads", async () => {
  const store = memoryStore();
  await play(store, "good", "Four.");
  await play(store, "bad", "Five.");
  await play(store, "unsure", "Perhaps four.");
  await addLabel(store, { sessionId: "good", label: "wrong", by: "ada" });
  await addLabel(store, { sessionId: "good", label: "right", by: "bob" });
  await addLabel(store, {
    sessionId: "bad",
    label: "wrong",
    by: "ada",
    note: "Off by one.",
    expected: "Four.",
  });
  await addLabel(store, { sessionId: "unsure", label: "wrong", by: "ada" });
  await addLabel(store, { sessionId: "unsure", label: "none", by: "ada" });
  const input = ["What is two and two?"];
  const cases = await casesOfLabels(store);
  expect(cases).toEqual([
    { name: "good", input, expected: "Four.", meta: { label: "right", by: "bob" } },
    { name: "bad", input, expected: "Four.", meta: { label: "wrong", by: "ada", note: "Off by one." } },
  ]);
  expect(await casesOfLabels(store, "wrong")).toEqual(cases.slice(1));
  const agent = () => ({ name: "clerk", model: scriptedModel(["Four."]) });
  const { counts } = await evaluate("labelled", { agent, cases, judge: reply.equals() });
  expect(counts.passed).toBe(2);
  await expect(addLabel(store, { sessionId: "nobody", label: "right", by: "ada" })).rejects.toMatchObject({
    code: "session/not-found",
  });
  for (const wrong of [{ label: "fine" }, { by: "" }, { note: "x".repeat(10_001) }])
    await expect(
      addLabel(store, { sessionId: "good", label: "right", by: "ada", ...(wrong as object) }),
    ).rejects.toMatchObject({ code: "config/invalid" });
});

test("a page adds labels unless the hub is read-only, and lists no session for them", async () => {
  const store = memoryStore();
  await play(store, "sum", "Four.");
  const home = testHome();
  const hub = await testHub({ home, store });
  const post = (to: typeof hub, body: unknown, headers: object = {}, id = "sum"): Promise<Response> =>
    fetch(`${to.url}/api/runs/${id}/labels`, {
      method: "POST",
      headers: { authorization: `Bearer ${to.token}`, ...headers },
      body: JSON.stringify(body),
    });
  const label = { label: "wrong", by: "ada", note: "<b>no</b>" };
  expect((await post(hub, label)).status).toBe(201);
  const path = "/api/runs/sum/labels";
  const { labels, canAdd } = await get<{ labels: readonly Label[]; canAdd: boolean }>(hub, path);
  expect(labels).toMatchObject([{ sessionId: "sum", ...label }]);
  expect(canAdd).toBe(true);
  expect((await get<List>(hub, "/api/runs")).rows.map(({ runId }) => runId)).toEqual(["sum"]);
  expect((await get<List>(hub, "/api/runs")).total).toBe(1);
  await play(store, "other", "Five.");
  const found = async (query: string) =>
    (await get<List>(hub, `/api/runs?${query}`)).rows.map(({ runId }) => runId);
  expect(await found("label=wrong")).toEqual(["sum"]);
  expect(await found("label=right")).toEqual([]);
  expect(await found("label=wrong&q=nobody")).toEqual([]);
  expect(await get(hub, "/api/overview?label=wrong")).toMatchObject({ runs: 1 });
  expect((await post(hub, { ...label, sessionId: "other", by: "" })).status).toBe(400);
  expect((await post(hub, label, {}, "nobody")).status).toBe(404);
  expect((await post(hub, label, { authorization: "Bearer no" })).status).toBe(401);
  expect((await post(hub, label, { origin: "http://evil.example" })).status).toBe(403);
  await hub.close();
  const shown = await testHub({ home, store, readonly: true });
  expect((await post(shown, label)).status).toBe(403);
  expect((await get<{ canAdd: boolean }>(shown, path)).canAdd).toBe(false);
  expect(await labelsOf(store)).toHaveLength(1);
});
