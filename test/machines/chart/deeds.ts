import { fromPromise, type AnyMachineSnapshot } from "xstate";
import { acceleratedMachine } from "../../../machines/chart/accelerator.ts";
import type { Deed } from "./random-chart.ts";
import { resolverOf, START, type ToyState } from "./toys.ts";
import { Twins } from "./x4.ts";

const work = fromPromise(() => new Promise<never>(() => {}));

/** The event of a deed; undefined if no service runs that could end. */
export function eventOf(deed: Deed, { children }: AnyMachineSnapshot): object | undefined {
  if ("type" in deed) return deed;
  const ids = Object.keys(children);
  const id = ids[deed.ends % ids.length];
  if (id === undefined) return undefined;
  return deed.fails
    ? { type: `xstate.error.actor.${id}`, error: new Error("broken"), actorId: id }
    : { type: `xstate.done.actor.${id}`, output: "done", actorId: id };
}

/** Plays deeds on both machines of a chart, and compares each step. */
export function played(
  root: ToyState,
  deeds: readonly Deed[],
): { readonly steps: number; readonly failed: number } {
  const twins = new Twins(resolverOf(root) as never, { work }, acceleratedMachine);
  let [steps, failed] = [0, 0];
  let now = twins.begin(START);
  for (const deed of deeds) {
    if (now.status !== "active") break;
    const event = eventOf(deed, now);
    if (!event) continue;
    const next = twins.send(now, event);
    steps++;
    if (next) now = next;
    else failed++;
  }
  return { steps, failed };
}
