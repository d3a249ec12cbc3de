// Approvals of arguments that have changed since are refused on every route.
import { expect, onTestFinished, test } from "vitest";
import type { Hook, PendingCall } from "agentchart";
import { serve } from "agentchart/server";
import { createWorker, type WorkerAgents } from "agentchart/worker";
import { SessionConnection } from "../../src/ui/react/session-connection.ts";
import { toolOf } from "../support/agents.ts";
import { Page } from "./ag-ui-client.ts";
import { Chat } from "./chat-client.ts";
import { openServer, TOKENS, type TestServer } from "./open-server.ts";
import { AGENTS, paid, resetAgents } from "./page-agents.ts";
import { scriptModel } from "./script-model.ts";

type Session = { readonly seq: number; readonly phase: string; readonly pending: readonly PendingCall[] };

/** Its call waits for a person before a hook has seen it, which pays 1,000 more: then it waits with other arguments. */
const raising: Hook[] = [
  { name: "stop", postReasoning: ({ iteration }) => ({ stop: iteration === 0 }) },
  {
    name: "raise",
    preActing: ({ call }) => ({ input: { euros: Number(call.input["euros"]) + 1_000 } }),
  },
];
const agents: WorkerAgents = {
  ...AGENTS,
  raising: () => ({
    name: "bot",
    model: scriptModel({ calls: [{ id: "c1", name: "pay", input: { euros: 7 } }] }, "It is paid."),
    tools: [toolOf("pay", (input) => `paid ${paid.push(input)}`)] as never,
    hooks: raising as never,
  }),
};

/** Three pages of one session that waits, as they show it. */
async function openPages(agent: string) {
  resetAgents();
  const server = openServer();
  const worker = createWorker({ queue: server.queue, store: server.store, agents, sweepMs: 200 });
  onTestFinished(() => worker.close({ deadlineMs: 100 }));
  await worker.start();
  const { url, close } = await serve(server.app);
  onTestFinished(close);
  const chat = new Chat({ url, id: "talk", body: { agent }, sendsAutomatically: false });
  await chat.say("Pay.");
  const agUi = new Page(url, "talk", agent);
  await agUi.go();
  const own = new SessionConnection({ url, sessionId: "talk", token: TOKENS.acme });
  onTestFinished(own.subscribe(() => {}));
  await expect.poll(() => own.getView().pending.length).toBeGreaterThan(0);
  return { server, chat, agUi, own, call: own.getView().pending[0]! };
}

const sessionOf = async (server: TestServer): Promise<Session> =>
  (await (await server.request("GET", "/v1/sessions/talk")).json()) as Session;
const decide = async (server: TestServer, call: PendingCall, decision: object | string, headers = {}) => {
  const { callId, argsHash } = call;
  const body = { callId, argsHash, decision };
  const response = await server.request("POST", "/v1/sessions/talk/decisions", { body, headers });
  const { status, code, state } = (await response.json()) as { readonly [field: string]: unknown };
  return state ?? [status, code];
};

/** What each page is told that approves what it has shown. */
async function approvals({ server, chat, agUi, own, call }: Awaited<ReturnType<typeof openPages>>) {
  const part = { type: "dynamic-tool", toolName: "pay", toolCallId: call.callId, input: call.input };
  const approval = { id: call.callId, approved: true };
  const shown = [{ ...part, state: "approval-responded", approval }];
  const messages = [...chat.messages.slice(0, -1), { ...chat.messages.at(-1), parts: shown }];
  const posted = await server.request("POST", "/v1/sessions/talk/chat", { body: { messages } });
  const run = agUi.go(Object.fromEntries(agUi.pendingInterrupts.map(({ id }) => [id, APPROVED])));
  return [
    ((await posted.json()) as { readonly code: string }).code,
    await run.catch((error: Error) => error.message),
    await decide(server, call, "approve"),
    await own.decide(call, "approve").catch((error: unknown) => error),
  ];
}
const APPROVED = { status: "resolved", payload: { approved: true } } as const;
const STALE = [
  "run/stale-decision",
  expect.stringContaining("run/stale-decision"),
  [409, "run/stale-decision"],
  expect.objectContaining({ status: 409, code: "run/stale-decision" }),
];

test("an approval of arguments that a hook has changed since is refused on every route, and the new ones are asked for", async () => {
  const pages = await openPages("raising");
  const { server, own, call } = pages;
  expect(call).toMatchObject({ callId: "c1", input: { euros: 7 } });
  expect(await decide(server, call, "approve")).toBe("accepted"); // another person, who was the first
  await expect.poll(async () => (await sessionOf(server)).pending[0]?.input).toEqual({ euros: 1_007 });
  const before = await sessionOf(server);
  expect(before.pending).toMatchObject([{ callId: "c1", waitsFor: "approval" }]);
  expect(before.pending[0]!.argsHash).not.toBe(call.argsHash);

  expect(await approvals(pages)).toEqual(STALE);
  expect(await sessionOf(server)).toEqual(before);
  expect(paid).toEqual([]);

  await expect.poll(() => own.getView().pending[0]?.input).toEqual({ euros: 1_007 });
  await own.decide(own.getView().pending[0]!, "approve");
  await expect.poll(async () => (await sessionOf(server)).phase).toBe("stopped");
  expect(paid).toEqual([{ euros: 1_007 }]);
});

test("an approval of arguments that another person has edited is refused on every route, before and after the turn goes on", async () => {
  const pages = await openPages("desk");
  const { server, call, own } = pages;
  const edited = { "Idempotency-Key": "the-edit" };
  const edit = () => decide(server, call, { edit: { euros: 5 } }, edited);
  expect(await edit()).toBe("accepted");
  await expect
    .poll(async () => (await sessionOf(server)).pending[0]?.decided)
    .toEqual({ edit: { euros: 5 } });
  const before = await sessionOf(server);
  expect(await approvals(pages)).toEqual(STALE);
  expect(await edit()).toBe("duplicate"); // sent twice, it is one decision
  expect(await sessionOf(server)).toEqual(before);

  await expect.poll(() => own.getView().pending.map(({ callId }) => callId)).toEqual(["c2"]);
  await own.decide(own.getView().pending[0]!, "deny");
  await expect.poll(async () => (await sessionOf(server)).phase).toBe("stopped");
  const after = await sessionOf(server);
  expect(await approvals(pages)).toEqual(STALE);
  expect(await edit()).toBe("duplicate");
  expect(await sessionOf(server)).toEqual(after);
  expect(paid).toEqual([{ euros: 5 }]);
});
