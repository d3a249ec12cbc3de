// The account of a call says in which process each of its attempts ran, live and stored alike.
import { expect, test } from "vitest";
import {
  accountLines,
  createAgent,
  defineTool,
  toolResultsOf,
  type CallAccount,
  type Json,
} from "agentchart";
import { exportSession, importSession, openSession } from "agentchart/session";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { thisProcessName } from "../../src/store/leases.ts";
import { stored, watched } from "../support/lens.ts";
import { call } from "../support/trace.ts";
import { mortal } from "../worker/mortal.ts";

const LEASE_MS = 30_000;
const HERE = thisProcessName();
const FORMER = "pid 1 on <b>former</b> (00000000)";

/** What a process of another name would have written in place of this one; undefined: one of a release that names no process. */
const writtenBy =
  (name: string | undefined) =>
  (value: Json): Json =>
    JSON.parse(
      name === undefined
        ? JSON.stringify(value, (key, each: unknown) => (key === "process" ? undefined : each))
        : JSON.stringify(value).replaceAll(JSON.stringify(HERE).slice(1, -1), name),
    ) as Json;

type Life = {
  readonly onRestart: "retry" | "fail";
  readonly name: string | undefined;
  readonly fails?: number;
};

/** A call that runs in a process that dies, and what becomes of it in this one. */
async function lived({ onRestart, name, fails = 0 }: Life) {
  let ahead = 0;
  const real = memoryStore({ now: () => Date.now() + ahead });
  const dead = mortal(real);
  let runs = 0;
  const toolOf = (execute: () => string | Promise<string>) =>
    defineTool({
      name: "pay",
      description: "",
      input: { type: "object" },
      onRestart,
      execution: { maxAttempts: 3, initialBackoffMs: 1 },
      execute,
    });
  const open = (store: typeof real, tool: ReturnType<typeof toolOf>, redact?: (value: Json) => Json) =>
    createAgent({
      name: "bot",
      model: scriptedModel([...(redact ? [{ calls: [call("c1", "pay")] }] : []), "done"]),
      tools: [tool],
      store,
      sessionId: "s",
      ...(redact && { sessionOptions: { redact } }),
    });
  const hangs = toolOf(() => {
    if (++runs <= fails) throw new Error("not yet");
    return new Promise<string>(() => {});
  });
  const former = open(dead.store, hangs, writtenBy(name));
  former.call("go").catch(() => {});
  await expect.poll(() => runs).toBe(fails + 1);
  await expect
    .poll(async () => JSON.stringify(await kept(real)).includes(`"attempt":${fails + 1}`))
    .toBe(true);
  dead.bury();
  ahead = LEASE_MS + 1;
  const agent = open(
    real,
    toolOf(() => "paid"),
  );
  const live = watched(agent);
  const { text } = await agent.call([]);
  expect(text).toBe("done");
  await agent.close();
  return { store: real, live };
}

/** The records of the open calls, as they are stored. */
async function kept(store: ReturnType<typeof memoryStore>): Promise<Json> {
  return (await openSession(store, "s")).at().then(
    ({ context }) => context["calls"] ?? null,
    () => null,
  );
}

async function accountIn(store: ReturnType<typeof memoryStore>, id = "s"): Promise<CallAccount> {
  const { messages } = await (await openSession(store, id)).at();
  return messages.flatMap(toolResultsOf)[0]!.account!;
}

const shownIn = ({ log }: Awaited<ReturnType<typeof stored>>): unknown => {
  const messages = log.contextAt(log.last)!["messages"] as unknown as Parameters<typeof toolResultsOf>[0][];
  return messages.flatMap(toolResultsOf)[0]!.account;
};

test("an attempt that another process has begun is told with that process, alike live, stored and imported", async () => {
  const { store, live } = await lived({ onRestart: "retry", name: FORMER });
  const account = await accountIn(store);
  expect(account).toEqual({
    attempts: [
      {
        attempt: 1,
        process: FORMER,
        startedAt: expect.any(Number) as number,
        error: "Its process ended while it ran.",
      },
    ],
    process: HERE,
  });
  expect(accountLines(account)).toEqual([
    `attempt 1 failed in ${FORMER}: Its process ended while it ran.`,
    `attempt 2 began in ${HERE}`,
  ]);
  expect(shownIn(live())).toEqual(account);
  expect(shownIn(await stored(store, "s"))).toEqual(account);
  const copy = memoryStore();
  await importSession(copy, exportSession(store, "s"), { sessionId: "copy" });
  expect(await accountIn(copy, "copy")).toEqual(account);
  expect(shownIn(await stored(copy, "copy"))).toEqual(account);
});

test("each attempt of a call is told with the process that made it", async () => {
  const { store } = await lived({ onRestart: "retry", name: FORMER, fails: 1 });
  const { attempts = [], process } = await accountIn(store);
  expect([...attempts.map((each) => each.process), process]).toEqual([FORMER, FORMER, HERE]);
  expect(attempts.map(({ error }) => error)).toEqual([
    expect.stringContaining("not yet"),
    "Its process ended while it ran.",
  ]);
});

test("an attempt of which nobody has noted the process is told with an unknown one", async () => {
  const { store } = await lived({ onRestart: "retry", name: undefined });
  const account = await accountIn(store);
  expect(account.attempts?.[0]).not.toHaveProperty("process");
  expect(accountLines(account)[0]).toBe(
    "attempt 1 failed in an unknown process: Its process ended while it ran.",
  );
});

test("the last attempt of a call that is not repeated is told with its process, too", async () => {
  const { store } = await lived({ onRestart: "fail", name: FORMER });
  expect(await accountIn(store)).toMatchObject({ attempts: [{ attempt: 1, process: FORMER }] });
});

test("lines name no process if there was one, and a name of any length is bounded", () => {
  const one = { attempt: 1, startedAt: 1, endedAt: 2, error: "no", process: HERE };
  expect(accountLines({ attempts: [one], process: HERE })).toEqual(["attempt 1 failed: no"]);
  expect(accountLines({ attempts: [{ attempt: 1, startedAt: 1, endedAt: 2, error: "no" }] })).toEqual([
    "attempt 1 failed: no",
  ]);
  const [line = ""] = accountLines({ attempts: [{ ...one, process: "x".repeat(10_000) }], process: HERE });
  expect(line.length).toBeLessThan(300);
});
