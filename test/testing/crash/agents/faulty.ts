// Agents with a fault each that only a crash shows, and a scenario of the same name for each.
import { randomUUID } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createAgent,
  defineTool,
  type Hook,
  type Schema,
  type SessionStore,
  type ToolDefinition,
  userMsg,
} from "agentchart";
import type { CrashScenario, ScriptedTurn } from "agentchart/testing";
import type { WorkerAgents } from "agentchart/worker";
import { effect, effects, isFirstProcess, saying } from "../outside.ts";

type Definition = Partial<Omit<ToolDefinition<Schema, unknown>, "name" | "input" | "execute">>;

const tool = (name: string, execute: () => unknown, more: Definition = {}) =>
  defineTool({
    name,
    description: name,
    input: { type: "object" },
    ...more,
    execute: execute as () => string,
  });
const pay = (more: Definition = {}) =>
  tool(
    "pay",
    () => {
      effect("paid");
      return "paid";
    },
    more,
  );
const call = (name: string, input = {}): ScriptedTurn => ({ calls: [{ name, input }] });
const PAYS = [call("pay"), "Done."];
const PAYS_TWO = [call("pay", { order: 1 }), call("pay", { order: 2 }), "Done."];
type Tools = readonly ReturnType<typeof tool>[];
const agent = (tools: Tools, script: readonly ScriptedTurn[], more = {}) => ({
  name: "desk",
  model: saying(script),
  tools,
  ...more,
});

let tickets = 0;
const ticket = (): string => `ticket ${++tickets}`;
let answers = 0;
const counting: Hook = {
  name: "counting",
  preReasoning: ({ messages }) => ({ messages }),
  postActing: () => ({
    result: { state: "success", output: [{ type: "text", text: `answer ${++answers}` }] },
  }),
};
const mailing: Hook = { name: "mailing", preCall: () => effect("mail") };
let isLoggedIn = false;
const logIn = (): string => {
  isLoggedIn = true;
  return "logged in";
};
const readMail = (): string => {
  if (!isLoggedIn) throw new Error("You are not logged in.");
  return "no mail";
};
/** Takes the second input in the first process only. */
const forgetful: Hook = {
  name: "forgetful",
  preCall: ({ history, input }) => ({
    input: history.length === 0 || isFirstProcess ? input : [userMsg("Nothing was said.")],
  }),
};
const failing: Hook = {
  name: "failing",
  preReasoning: () => {
    if (!isFirstProcess) throw new Error("Only the first process can do this.");
  },
};
/** A call without an id of the model: the agent gives it one. */
const UNNAMED: ScriptedTurn = [
  { type: "tool.delta", key: 0, name: "pay", args: "{}" },
  { type: "finish", reason: "tool_calls" },
];
/** An agent without a store, inside of a tool: nobody knows what it has done. */
const delegate = async (): Promise<string> => {
  const inner = createAgent(agent([pay()], PAYS));
  return (await inner.call("Pay.")).text;
};
const hang = (): unknown => (isFirstProcess ? "done" : new Promise(() => {}));

export default {
  "says idempotent and is not": () => agent([pay({ idempotent: true })], PAYS),
  "makes a key of its own": () =>
    agent([tool("pay", () => (effect("paid", randomUUID()), "paid"), { idempotent: true })], PAYS),
  "is tried again after it wrote": () => agent([pay({ onRestart: "retry" })], PAYS),
  "counts in a tool": () =>
    agent(
      [tool("ticket", ticket, { idempotent: true })],
      [call("ticket", { no: 1 }), call("ticket", { no: 2 }), "Done."],
    ),
  "counts in a hook": () => agent([pay({ onRestart: "ask" })], PAYS_TWO, { hooks: [counting] }),
  "approves by index": () => agent([pay({ permission: "ask" })], PAYS_TWO),
  "ignores the lease": () => agent([pay()], PAYS),
  "cuts the lease": () => agent([pay()], PAYS),
  "writes later": () => agent([pay()], PAYS),
  "forgets what waits": () => agent([pay({ permission: "ask" })], PAYS),
  "hangs after a restart": () => agent([tool("hang", hang, { idempotent: true })], [call("hang"), "Done."]),
  "is another release in each process": () =>
    agent([pay({ permission: "ask" })], PAYS, {
      sysPrompt: `You are process ${process.pid}.`,
      sessionOptions: { onChangedAgent: "pin" },
    }),
  "permits in memory": () => agent([pay({ permission: () => (isFirstProcess ? "ask" : "allow") })], PAYS),
  "logs in to memory": () =>
    agent(
      [tool("log_in", logIn, { idempotent: true }), tool("read_mail", readMail, { idempotent: true })],
      [call("log_in"), call("read_mail"), "Done."],
    ),
  "hides an agent": () =>
    agent([tool("delegate", delegate, { idempotent: true })], [call("delegate"), "Done."]),
  "acts in a hook": () => agent([pay()], PAYS, { hooks: [mailing] }),
  "forgets its input": () => agent([pay()], PAYS, { hooks: [forgetful] }),
  "fails in the next process": () => agent([pay()], PAYS, { hooks: [failing] }),
  "names its calls later": () => agent([pay({ permission: "ask" })], [UNNAMED, "Done."]),
  "pins in the next release": () => agent([pay({ permission: "ask" })], PAYS),
  "never ends": () => agent([tool("hang", () => new Promise(() => {}))], [call("hang"), "Done."]),
  "does not say idempotent": () => agent([tool("look", () => "a view")], [call("look"), "Done."]),
} satisfies WorkerAgents;

/** A store that keeps what is written until it is closed. */
function writingLater(real: SessionStore): SessionStore {
  const waiting: Parameters<SessionStore["append"]>[] = [];
  return new Proxy(real, {
    get(target, key) {
      if (key === "append")
        return async (...args: Parameters<SessionStore["append"]>) => {
          waiting.push(args);
          return args[1].expectedSeq + args[1].entries.length;
        };
      if (key === "release")
        return async (...args: Parameters<SessionStore["release"]>) => {
          for (const each of waiting.splice(0)) await target.append(...each);
          return target.release(...args);
        };
      const member = Reflect.get(target, key, target) as unknown;
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
}

/** A store that breaks the lease of whoever holds it. */
const withoutLeases = (real: SessionStore): SessionStore =>
  new Proxy(real, {
    get(target, key) {
      if (key === "acquire")
        return async (...args: Parameters<SessionStore["acquire"]>) => {
          const lease = (await target.acquire(...args)) ?? (await steal(target, args));
          writeFileSync(LEASE, JSON.stringify(lease));
          return lease;
        };
      const member = Reflect.get(target, key, target) as unknown;
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
const LEASE = join(process.env["AGENTCHART_CRASHTEST"] ?? ".", "lease");
async function steal(store: SessionStore, args: Parameters<SessionStore["acquire"]>) {
  await store.release(JSON.parse(readFileSync(LEASE, "utf8")) as Parameters<SessionStore["release"]>[0]);
  return store.acquire(...args);
}

/** A store whose leases end at once, whatever they are asked for. One that is cut only when it is acquired is whole again with the next append:
 *  an agent renews what has expired before it writes. */
const withShortLeases = (real: SessionStore): SessionStore =>
  new Proxy(real, {
    get(target, key) {
      if (key === "acquire")
        return (...[sessionId, options]: Parameters<SessionStore["acquire"]>) =>
          target.acquire(sessionId, { ...options, ttlMs: 1 });
      if (key === "renew") return (...[lease]: Parameters<SessionStore["renew"]>) => target.renew(lease, 1);
      if (key === "renewAll") return undefined;
      const member = Reflect.get(target, key, target) as unknown;
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });

let decided = 0;
const BY_INDEX = ["approve", { deny: "Not this one." }] as const;

const scenarioOf = (name: string): CrashScenario => ({
  agent: name,
  input: name === "forgets its input" ? ["Go on.", "And then?"] : "Go on.",
  effects,
  ...(name === "approves by index" && { decide: () => BY_INDEX[decided++] }),
  ...(name === "cuts the lease" && { store: withShortLeases }),
  ...(name === "ignores the lease" && { store: withoutLeases }),
  ...(/later|forgets what/.test(name) && { store: writingLater }),
});
const NAMES = [
  "says idempotent and is not",
  "makes a key of its own",
  "is tried again after it wrote",
  "counts in a tool",
  "counts in a hook",
  "approves by index",
  "ignores the lease",
  "cuts the lease",
  "writes later",
  "forgets what waits",
  "hangs after a restart",
  "is another release in each process",
  "permits in memory",
  "logs in to memory",
  "hides an agent",
  "acts in a hook",
  "forgets its input",
  "fails in the next process",
  "names its calls later",
  "pins in the next release",
  "never ends",
  "does not say idempotent",
];

export const scenarios = Object.fromEntries(NAMES.map((name) => [name, scenarioOf(name)]));
