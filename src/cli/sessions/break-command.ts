import type { Json } from "../../core/base/json.ts";
import { breakpointText, type Breakpoint } from "../../core/tool/breakpoint.ts";
import { breakpoints, breakpointsIn } from "../../core/tool/breakpoints.ts";
import { revisionOf } from "../../core/tool/stored-slots.ts";
import type { Slot } from "../../core/tool/types.ts";
import { findBreaks, type FoundBreak } from "../../agent/breakpoints/find.ts";
import { checkNames } from "../../agent/breakpoints/names.ts";
import type { SessionStore } from "../../store/port.ts";
import type { CliIo } from "../cli-io.ts";
import type { Handler } from "../define-command.ts";
import { withExistingStore } from "../open-store.ts";
import { formatTime, printItems, printReport, printsJson } from "../output.ts";
import { sessionsOf } from "../paginate.ts";
import { explainSessionErrors, unlessUnreadable } from "../session-commands.ts";
import { UsageError } from "../usage-error.ts";
import type { breakpoints as definition } from "./definitions.ts";
import { readValue, replaceSlot, slotsOf } from "./stored-slot.ts";

type Flags = Parameters<Handler<typeof definition>>[0]["flags"];
type Line = FoundBreak & { readonly sessionId: string };

const NAMED = { slot: breakpoints as Slot, what: "the breakpoints", it: "them" };
const HEAD = ["SESSION", "POSITION", "TIME", "TOOL", "CALL", "BREAKPOINT"];

/** `agentchart sessions break`. */
export const breakCommand: Handler<typeof definition> = async ({ args: { id }, flags }, io) => {
  if (flags.set !== undefined && flags.find !== undefined)
    throw new UsageError("--set and --find exclude each other.");
  if (flags.find === undefined && id === undefined)
    throw new UsageError("Name a session, or the breakpoints to find with --find.");
  return withExistingStore(flags.store, async (store) => {
    if (flags.find !== undefined)
      return (await find(store, id, await read("--find", flags.find), flags, io)) > 0 ? 1 : 0;
    await explainSessionErrors({ sessionId: id!, flags }, async () => {
      if (flags.set === undefined) return show(store, id!, flags, io);
      const value = (await read("--set", flags.set)) as unknown as Json;
      const seen = revisionOf(await slotsOf(store, id!), breakpoints.name);
      return replaceSlot({ store, sessionId: id!, flags, io }, NAMED, value, seen);
    });
    return 0;
  });
};

/** The breakpoints of a file, or of stdin for "-". */
async function read(flag: string, file: string): Promise<readonly Breakpoint[]> {
  const conditions = await readValue(breakpoints as Slot, file, `The list of ${flag}`);
  checkNames(conditions as unknown as readonly Breakpoint[]);
  return conditions as unknown as readonly Breakpoint[];
}

async function show(store: SessionStore, sessionId: string, flags: Flags, io: CliIo): Promise<void> {
  const slots = await slotsOf(store, sessionId);
  const { conditions, others } = breakpointsIn(slots);
  const revision = revisionOf(slots, breakpoints.name);
  const textOf = (): string => conditions.map(breakpointText).join("\n");
  if (conditions.length > 0 || printsJson(io, flags))
    printReport(io, flags, { sessionId, revision, breakpoints: conditions, others }, textOf);
  else if (others === 0) io.terminal.note(`Session ${sessionId} has no breakpoints.`);
  if (others > 0)
    io.terminal.note(`It has ${others} that this release does not know: each call waits for an approval.`);
}

/** Prints what meets the conditions. Returns the number of sessions that cannot be read. */
async function find(
  store: SessionStore,
  id: string | undefined,
  conditions: readonly Breakpoint[],
  flags: Flags,
  io: CliIo,
): Promise<number> {
  let unread = 0;
  const { limit = Number.POSITIVE_INFINITY } = flags;
  async function* lines(): AsyncGenerator<Line> {
    let left = limit;
    for await (const { sessionId } of id === undefined ? sessionsOf(store, {}) : [{ sessionId: id }]) {
      const inSession = () => findBreaks(store, sessionId, conditions);
      const found = await (id === undefined
        ? unlessUnreadable(sessionId, io, inSession)
        : explainSessionErrors({ sessionId, flags }, inSession));
      if (!found) unread++;
      for (const each of found ?? []) {
        if (left-- <= 0) return;
        yield { sessionId, ...each };
      }
    }
  }
  await printItems(io, flags, lines(), HEAD, rowOf, "No call and no request meets them.");
  return unread;
}

function rowOf({ sessionId, seq, at, tool = "(request)", callId = "", breakpoint }: Line): string[] {
  return [sessionId, String(seq), formatTime(at), tool, callId, breakpointText(breakpoint)];
}
