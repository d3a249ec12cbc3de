import { useEffect } from "react";
import { BREAKPOINTS } from "../../../src/core/tool/stored-slots.ts";
import type { Breakpoint } from "../../../src/core/tool/breakpoint.ts";
import { isSame, isObject } from "../../../src/core/base/json.ts";
import { refusalText, sendCommand } from "../store/commands.ts";
import { fillAround } from "../store/load.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";
import type { Json } from "../wire/types.ts";

/** The breakpoints of a run, with the revision of the slot in which it has them. */
export type Stored = { readonly list: readonly Breakpoint[]; readonly revision: number };

/** The condition that every call meets: the next one is the next step. */
export const STEP: Breakpoint = { tool: "*" };

/** The breakpoints after the newest step of the displayed run; undefined until that is loaded. */
export function useBreakpoints(): Stored | undefined {
  const run = useModel((all) => all.run);
  const last = useModel((all) => all.run.last);
  const context = run.contextAt(last);
  const isMissing = last > 0 && context === undefined;
  useEffect(() => {
    if (isMissing) void fillAround(last);
  }, [isMissing, last, run]);
  if (!context) return undefined;
  const { slots } = context;
  const slot = isObject(slots) ? (slots as Readonly<Record<string, Json>>)[BREAKPOINTS] : undefined;
  const { value, revision } = isObject(slot) ? slot : {};
  return {
    list: Array.isArray(value) ? (value.filter(isObject) as unknown as readonly Breakpoint[]) : [],
    revision: typeof revision === "number" ? revision : 0,
  };
}

/** Replaces the breakpoints of the selected run. Resolves with the reason if that was refused. */
export async function writeBreakpoints(
  { revision }: Pick<Stored, "revision">,
  list: readonly Breakpoint[],
): Promise<string | undefined> {
  if (model.sent.has("setSlot")) return undefined; // clicked again before the next render
  const value = list as unknown as Json;
  const ack = await sendCommand({ type: "setSlot", name: BREAKPOINTS, value, revision });
  return ack.ok ? undefined : refusalText(ack);
}

/** The list with or without the step to the next call. */
export function withStep(list: readonly Breakpoint[], isStep: boolean): readonly Breakpoint[] {
  const others = list.filter((each) => !isSame(each, STEP));
  return isStep ? [...others, STEP] : others;
}
