import type { Ack, RunCommand, RunRow } from "../wire/types.ts";
import { send } from "./client.ts";
import { loadRun } from "./load.ts";
import { model } from "./model.ts";
import { notify } from "./notices.ts";
import { t } from "../words/t.ts";

/** The time for which a command waits for its answer, ms; after this its outcome is unknown. */
const ANSWER_TIMEOUT_MS = 20_000;

type WaitingCommand = {
  readonly cmd: RunCommand;
  readonly settle: (ack: Ack) => void;
  timer: ReturnType<typeof setTimeout>;
  /** It was sent on a connection that was lost: it may have been executed. */
  mayBeExecuted: boolean;
  /** It is sent again when the process of its run has reconnected. */
  waitsForProcess: boolean;
};
const waiting = new Map<string, WaitingCommand>();

type CommandBody = RunCommand extends infer One
  ? One extends RunCommand
    ? Omit<One, "id" | "runId">
    : never
  : never;

/** The reasons for which a command was refused, by error code. */
const REFUSAL_TEXTS: { readonly [code: string]: string } = {
  answered: t("Already answered in another tab."),
  readonly: t("This inspector is read-only; it was started with --readonly."),
  unavailable: t("No process drives this run."),
};

/** Sends a command to the selected run and resolves to its acknowledgement, also if no answer arrives. */
export function sendCommand(body: CommandBody, key: string = body.type): Promise<Ack> {
  const { runId } = model.selection;
  if (runId === null) throw new Error(t("A command needs a selected run."));
  return sendCommandTo(runId, body, key);
}

/** As {@link sendCommand}, to any run. */
export async function sendCommandTo(
  runId: string,
  body: CommandBody,
  key: string = `${body.type} ${runId}`,
): Promise<Ack> {
  const id = newId();
  markSent(key, id);
  const { promise, resolve } = Promise.withResolvers<Ack>();
  const cmd = { id, runId, ...body } as RunCommand;
  waiting.set(id, {
    cmd,
    settle: resolve,
    timer: startTimeout(id),
    mayBeExecuted: false,
    waitsForProcess: false,
  });
  if (!send({ type: "cmd", cmd })) resolve(unanswered(id, t("The inspector is not connected.")));
  const ack = await promise;
  clearTimeout(waiting.get(id)?.timer);
  waiting.delete(id);
  // A decided call stays marked as sent until the agent reports that it is settled.
  if ((!ack.ok || body.type !== "decide") && model.sent.get(key) === id) markSent(key, undefined);
  if (!ack.ok) notify("bad", refusalText(ack));
  if (ack.error?.code === "stale") void loadRun(runId);
  return ack;
}

/** `randomUUID` does not exist in a page that was opened from another machine over plain HTTP. */
const newId = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/**
 * Ends a command without an answer. While the connection is lost the command waits, because it is sent again.
 */
function startTimeout(id: string): ReturnType<typeof setTimeout> {
  const text = t("No answer within 20 s; the command may still be executed.");
  const end = (): void => {
    if (model.connection.kind === "open") waiting.get(id)?.settle(unanswered(id, text));
  };
  return setTimeout(end, ANSWER_TIMEOUT_MS);
}

function unanswered(id: string, message: string): Ack {
  return { id, ok: false, error: { code: "unavailable", message } };
}

/** Handles an acknowledgement. A command that may have been executed waits for the process that executed it. */
export function settleAck(ack: Ack): void {
  const found = waiting.get(ack.id);
  if (found?.mayBeExecuted && ack.error?.code === "unavailable") found.waitsForProcess = true;
  else found?.settle(ack);
}

/**
 * Sends unanswered commands again after a reconnect; each is executed once per id. A fork waits for the process
 * that may have written it, because another server would write it again.
 */
export function resendWaiting(): void {
  for (const each of waiting.values()) {
    const { cmd } = each;
    clearTimeout(each.timer);
    each.timer = startTimeout(cmd.id);
    each.mayBeExecuted = true;
    if (cmd.type === "fork" && model.rows.get(cmd.runId)?.worker) each.waitsForProcess = true;
    else send({ type: "cmd", cmd });
  }
}

/** Ends all commands: the connection was refused for good. */
export function refuseWaiting(): void {
  for (const [id, { settle }] of waiting) settle(unanswered(id, t("This page is no longer connected.")));
}

/** Sends waiting commands again when the process of their run has reconnected. */
export function resendToProcesses(rows: readonly RunRow[]): void {
  for (const each of waiting.values()) {
    const { cmd, waitsForProcess } = each;
    if (!waitsForProcess || !rows.some(({ runId, worker }) => runId === cmd.runId && worker?.isUp)) continue;
    each.waitsForProcess = false;
    send({ type: "cmd", cmd });
  }
}

/** Sends a command and displays a notice when it has succeeded. */
export async function sendAndNotify(body: CommandBody, notice: string): Promise<Ack> {
  const ack = await sendCommand(body);
  if (ack.ok) notify("good", notice);
  return ack;
}

/** The expected revision of a command: a run that has continued since is not changed. */
export function expectRevision(revision = model.row?.leaf): { readonly expect?: { readonly leaf: string } } {
  return revision === undefined ? {} : { expect: { leaf: revision } };
}

function markSent(key: string, id: string | undefined): void {
  const sent = new Map(model.sent);
  if (id === undefined) sent.delete(key);
  else sent.set(key, id);
  model.set({ sent });
}

/** Returns the text that the page shows for a command that was not executed. */
export function refusalText({ error }: Ack): string {
  if (!error) return t("The command was refused.");
  if (error.code === "stale") return t`${error.message} Check the run and try again.`;
  const text = REFUSAL_TEXTS[error.code];
  return text && error.code !== "unavailable" ? text : error.message || (text ?? error.code);
}
