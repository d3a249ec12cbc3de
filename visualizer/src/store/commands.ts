import type { Ack, RunCommand, RunRow } from "../wire/types.ts";
import { send } from "./client.ts";
import { loadRun } from "./load.ts";
import { model } from "./model.ts";
import { notify } from "./notices.ts";

/** Long enough for a process that is busy; after it the outcome is not known. */
const PATIENCE = 20_000;

type Waiting = {
  readonly cmd: RunCommand;
  readonly settle: (ack: Ack) => void;
  timer: ReturnType<typeof setTimeout>;
  /** Sent on a connection that was lost before it was answered: it may have been carried out. */
  isUnsure: boolean;
  /** To be asked when the process of its run is there again. */
  isRefused: boolean;
};
const waiting = new Map<string, Waiting>();

type Body = RunCommand extends infer One
  ? One extends RunCommand
    ? Omit<One, "id" | "runId">
    : never
  : never;

/** Why a command ended without being carried out. */
const REFUSALS: { readonly [code: string]: string } = {
  answered: "It was answered in another tab.",
  readonly: "This inspector only shows; it was started with --readonly.",
  unavailable: "No process drives this run now.",
};

/** Asks the run for something. The ack tells whether it was done; nobody answering is one that says so. */
export async function command(body: Body, key: string = body.type): Promise<Ack> {
  const { runId } = model.selection;
  if (runId === null) throw new Error("A command needs a run.");
  const id = newId();
  mark(key, id);
  const { promise, resolve } = Promise.withResolvers<Ack>();
  const cmd = { id, runId, ...body } as RunCommand;
  waiting.set(id, { cmd, settle: resolve, timer: patience(id), isUnsure: false, isRefused: false });
  if (!send({ type: "cmd", cmd })) resolve(unanswered(id, "The inspector is not connected."));
  const ack = await promise;
  clearTimeout(waiting.get(id)?.timer);
  waiting.delete(id);
  // The card of a call stays as "sent" until the agent's own list says that it is settled.
  if (!ack.ok || body.type !== "decide") mark(key, undefined);
  if (!ack.ok) notify("bad", refusalText(ack));
  if (ack.error?.code === "stale") void loadRun(runId);
  return ack;
}

/** A page that another machine opened by plain HTTP has no `randomUUID`. */
const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Gives a command up that nobody answers. While there is no connection it waits: it is asked again. */
function patience(id: string): ReturnType<typeof setTimeout> {
  const text = "No answer came in 20 s; it may still be carried out.";
  const end = (): void => {
    if (model.connection.kind === "open") waiting.get(id)?.settle(unanswered(id, text));
  };
  return setTimeout(end, PATIENCE);
}

function unanswered(id: string, message: string): Ack {
  return { id, ok: false, error: { code: "unavailable", message } };
}

/** A process that has not come back yet may have carried out what nobody has answered: that waits for it. */
export function settleAck(ack: Ack): void {
  const found = waiting.get(ack.id);
  if (found?.isUnsure && ack.error?.code === "unavailable") found.isRefused = true;
  else found?.settle(ack);
}

/** The connection is there again: what was not answered is asked again, and done once. A fork waits for the process that may
 *  have written it: another hub would write it itself. */
export function askAgain(): void {
  for (const each of waiting.values()) {
    const { cmd } = each;
    clearTimeout(each.timer);
    each.timer = patience(cmd.id);
    each.isUnsure = true;
    if (cmd.type === "fork" && model.rows.get(cmd.runId)?.worker) each.isRefused = true;
    else send({ type: "cmd", cmd });
  }
}

/** The connection does not come back: nobody will answer any more. */
export function giveUp(): void {
  for (const [id, { settle }] of waiting) settle(unanswered(id, "This page is no longer connected."));
}

/** What is still unsure is asked again when the process of its run is there again. */
export function askProcesses(rows: readonly RunRow[]): void {
  for (const each of waiting.values()) {
    const { cmd, isRefused } = each;
    if (!isRefused || !rows.some(({ runId, worker }) => runId === cmd.runId && worker?.isUp)) continue;
    each.isRefused = false;
    send({ type: "cmd", cmd });
  }
}

/** The command, and a word when it was done. */
export async function commandAndSay(body: Body, done: string): Promise<Ack> {
  const ack = await command(body);
  if (ack.ok) notify("good", done);
  return ack;
}

/** What a command expects of a run that is seen at rest. */
export function seen(leaf = model.row?.leaf): { readonly expect?: { readonly leaf: string } } {
  return leaf === undefined ? {} : { expect: { leaf } };
}

function mark(key: string, id: string | undefined): void {
  const sent = new Map(model.sent);
  if (id === undefined) sent.delete(key);
  else sent.set(key, id);
  model.set({ sent });
}

export function refusalText({ error }: Ack): string {
  if (!error) return "It was refused.";
  if (error.code === "stale") return `${error.message} Look again, then decide.`;
  const known = REFUSALS[error.code];
  return known && error.code !== "unavailable" ? known : error.message || (known ?? error.code);
}
