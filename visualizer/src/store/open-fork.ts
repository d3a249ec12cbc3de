import { isMessage } from "../logic/message-shape.ts";
import type { ForkPlace, Msg } from "../wire/types.ts";
import { model, type Model } from "./model.ts";

/** True if the displayed run can be forked now. */
export function canFork({ isConnected, row }: Model): boolean {
  return isConnected && (row?.can.includes("fork") ?? false);
}

/** Opens the dialog in which a message is edited and run again; an answer is made again, with another prompt. */
export function editMessage({ id, role }: Msg): void {
  if (role === "assistant") open({ messageId: id, side: "before" }, "system");
  else open({ messageId: id, side: "with" }, `message:${id}`);
}

/** Opens the dialog in which the arguments of a call are edited, with which it runs again. */
export function editArguments(callId: string): void {
  editCall(callId, "tool_use", `arguments:${callId}`);
}

/** Opens the dialog in which the result of a call is edited, with which the turn goes on. */
export function editResult(callId: string): void {
  editCall(callId, "tool_result", `result:${callId}`);
}

function editCall(callId: string, type: "tool_use" | "tool_result", edited: string): void {
  const messages = model.run.contextAt(model.stepNumber)?.["messages"];
  const all = Array.isArray(messages) ? messages.filter(isMessage) : [];
  const found = all.find(({ content }) =>
    content.some((block) => block.type === type && block.id === callId),
  );
  if (found) open({ messageId: found.id, side: "with" }, edited);
}

function open(at: ForkPlace, edited: string): void {
  const step = model.run.stepOfMessage(at.messageId);
  if (step === undefined) return;
  const stepNumber = at.side === "before" ? step : step + 1;
  model.set({ dialog: { kind: "fork", stepNumber, edited, at } });
}
