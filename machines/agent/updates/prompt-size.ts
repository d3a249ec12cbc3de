import { sizeOfText } from "../../../src/message/size.ts";
import type { AgentContext } from "../context.ts";
import { sizeOfView } from "../view.ts";
import { ratioOf } from "./view.ts";

/** Returns the size of the next prompt in tokens of the provider: an estimate until it has counted one. */
export function promptTokens(context: AgentContext): number {
  const { transcript, view, settings, request, progress } = context;
  const overhead = progress.counted?.overhead ?? 0;
  const messages = sizeOfView(transcript, view, settings.results) + sizeOfText(request.system);
  return Math.round((messages + overhead) * ratioOf(context));
}

/** The size of a prompt from which on it is made shorter; undefined if the model's window is unknown. */
export function threshold({ settings }: AgentContext): number | undefined {
  const { window, reserve } = settings.compaction!;
  return window === null ? undefined : window - reserve;
}

/** The index of the first message that the model has not seen: behind its last answer. */
export function unseenFrom({ transcript, view }: AgentContext): number {
  let index = transcript.length;
  while (index > (view?.from ?? 0) && transcript.at(index - 1)!.role !== "assistant") index--;
  return index;
}
