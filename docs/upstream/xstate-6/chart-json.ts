// What src/core/diagram/chart-json.ts is, for XState 6: a machine has no edges to read, so a chart of ours is drawn as XState 5 has it.
import { createMachine, type AnyStateMachine } from "xstate-5";
import { madeOf as madeOfFive } from "../../../machines/chart/xstate-5.ts";
import { chartJson as drawn, type Chart } from "../../../src/core/diagram/chart-json.ts";
import { madeOf } from "./xstate-6.ts";

export * from "../../../src/core/diagram/chart-json.ts";

export function chartJson(machine: AnyStateMachine): Chart {
  const made = madeOf(machine);
  return drawn(made ? createMachine(madeOfFive(made.resolver, made.actors).config as never) : machine);
}
