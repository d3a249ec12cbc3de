import type { Ack, Command, JsonObject } from "../wire/types.ts";
import { send } from "./client.ts";
import { model } from "./model.ts";
import { notify } from "./notices.ts";

/** Long enough for a process that is busy; after it the outcome is not known. */
const PATIENCE = 20_000;

type Waiting = { readonly settle: (ack: Ack) => void; readonly timer: ReturnType<typeof setTimeout> };
const waiting = new Map<string, Waiting>();

type Body = Command extends infer One ? (One extends Command ? Omit<One, "id" | "runId"> : never) : never;

/** Why a command ended without being carried out. */
const REFUSALS: { readonly [code: string]: string } = {
  stale: "It has changed since you saw it. Look again, then decide.",
  answered: "It was answered in another tab.",
  readonly: "This inspector only shows; it was started with --readonly.",
  unavailable: "No process drives this run now.",
};

/** Asks the run for something. The ack tells whether it was done; nobody answering is one that says so. */
export async function command(body: Body, key: string = body.type): Promise<Ack> {
  const { runId } = model.selection;
  if (runId === null) throw new Error("A command needs a run.");
  const id = crypto.randomUUID();
  mark(key, id);
  const ack = await new Promise<Ack>((resolve) => {
    const give = (code: "unavailable", message: string): void =>
      resolve({ id, ok: false, error: { code, message } });
    const timer = setTimeout(
      () => give("unavailable", "No answer came in 20 s; it may still be carried out."),
      PATIENCE,
    );
    waiting.set(id, { settle: resolve, timer });
    const isSent = send({ type: "cmd", cmd: { id, runId, ...body } });
    if (!isSent) give("unavailable", "The inspector is not connected.");
  });
  clearTimeout(waiting.get(id)?.timer);
  waiting.delete(id);
  // The card of a call stays as "sent" until the agent's own list says that it is settled.
  if (!ack.ok || body.type !== "decide") mark(key, undefined);
  if (!ack.ok) notify("bad", refusalText(ack));
  return ack;
}

export function settleAck(ack: Ack): void {
  waiting.get(ack.id)?.settle(ack);
}

/** The command, and a word when it was done. */
export async function commandAndSay(body: Body, done: string): Promise<JsonObject | undefined> {
  const ack = await command(body);
  if (ack.ok) notify("good", done);
  return ack.ok ? (ack.data ?? {}) : undefined;
}

function mark(key: string, id: string | undefined): void {
  const sent = new Map(model.sent);
  if (id === undefined) sent.delete(key);
  else sent.set(key, id);
  model.set({ sent });
}

export function refusalText({ error }: Ack): string {
  if (!error) return "It was refused.";
  const known = REFUSALS[error.code];
  return known && error.code !== "unavailable" ? known : error.message || (known ?? error.code);
}
