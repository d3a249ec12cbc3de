import { sizeOfContent, sizeOfText } from "../../../src/core/message/size.ts";
import { toolResultsOf } from "../../../src/core/message/query.ts";
import type { AgentContext } from "../context.ts";
import { formAt } from "../prompt/shown.ts";
import { headOf, shownSize, WHOLE, type Cut } from "../prompt/view.ts";
import { promptTokens, threshold, unseenFrom, ratioOf } from "./view.ts";

/** The size that a summary of all that came before needs, in tokens. */
const SUMMARY = 1_000;
/** Results are cut to this share of what there is room for, so that the turn goes on a while. */
const SHARE = 0.5;
/** No result is cut to less than one line, in tokens. */
const LINE = 40;

/** The size that each result may have, so that all of them together have `room`. */
function shareOf(sizes: readonly number[], room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = left / (sizes.length - index);
    if (size >= share) return Math.max(LINE, Math.floor(share));
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** Returns the cut of the results that the model has not seen, if they alone are too much for a prompt. No summary of what came before
 *  makes room for them. Undefined if they are not, or cannot be made shorter. */
export function batchCut(context: AgentContext, isRefused: boolean): Cut | undefined {
  const { transcript, settings, request, progress } = context;
  const view = context.view ?? WHOLE;
  const from = unseenFrom(context);
  const batch = transcript.slice(from);
  const { exclude } = settings.results;
  const results = batch.flatMap(toolResultsOf).filter(({ name }) => !exclude.includes(name));
  if (results.length === 0) return undefined;
  // how much a prompt may have that was refused cannot be known without the window
  const limit = threshold(context) ?? (isRefused ? promptTokens(context) / 2 : Number.POSITIVE_INFINITY);
  const sizeAt = (index: number): number =>
    shownSize(transcript.at(index)!, formAt(view, index), settings.results);
  const all = batch.reduce((sum, _, at) => sum + sizeAt(from + at), 0);
  const asked = from > 0 ? sizeAt(from - 1) : 0;
  const head = headOf(transcript, from, progress.turnAt).reduce((sum, index) => sum + sizeAt(index), 0);
  const rest = SUMMARY + sizeOfText(request.system) + (progress.counted?.overhead ?? 0) + asked + head;
  const room = limit / ratioOf(context) - rest;
  if (all <= room) return undefined;
  const tokens = shareOf(
    results.map(({ output }) => sizeOfContent(output)),
    Math.max(0, room * SHARE),
  );
  const before = view.cut?.findLast((cut) => cut.from === from && cut.to === transcript.length);
  const isShorter = tokens < (before?.tokens ?? Number.POSITIVE_INFINITY);
  return isShorter ? { from, to: transcript.length, tokens } : undefined;
}

/** The cuts that still show in a view, with one more. */
export function withCut(cuts: readonly Cut[], cut: Cut, hiddenTo: number): readonly Cut[] {
  return [...cuts.filter(({ from, to }) => to > hiddenTo && from !== cut.from), cut];
}
