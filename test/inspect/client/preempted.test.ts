// Which steps of XState 6, that tells the transitions of all microsteps in one list, may have selected one that was not taken.
import { createMachine, type AnyTransitionDefinition } from "xstate";
import { expect, test } from "vitest";
import { mayBePreempted } from "../../../src/inspect/client/preempted.ts";

const region = (other: string) => ({
  initial: "x",
  states: {
    x: {
      always: { target: "y", guard: "never" },
      on: {
        own: "y",
        stays: { actions: "note" },
        across: `#m.p.${other}.y`,
        out: "#m.out",
        again: { target: "x", reenter: true },
        past: { target: `#m.p.${other}.past` },
        "*": "y",
      },
    },
    y: {},
    past: { type: "history" },
  },
});
const machine = createMachine({
  id: "m",
  initial: "p",
  states: { p: { type: "parallel", states: { l: region("r"), r: region("l") } }, out: {} },
} as never);

/** A transition by its region and event; "l " is the one without an event. */
function transition(name: string): AnyTransitionDefinition & { readonly to?: unknown } {
  const [state, event, decides] = name.split(" ");
  const { transitions, always } = machine.getStateNodeById(`m.p.${state}.x`);
  const found = (event === "" ? always : transitions.get(event!))![0]!;
  return { ...found, ...(decides && { to: () => ({}) }) };
}

type Case = readonly [names: readonly string[], isOpen: boolean, why?: string];
const CASES: readonly Case[] = [
  [["l own", "r own"], false],
  [["l own", "r stays"], false],
  [["l again", "r again"], false],
  [["l out", "r out"], true],
  [["l across", "r across"], false],
  [["l stays", "r stays"], false],
  [["l out", "r own"], false, "no event selects both"],
  [["l out", "r *"], true],
  [["l *", "r out"], true],
  [["l out", "l out"], false, "in one region they are taken one after the other"],
  [["l out", "l stays", "r out"], false, "a microstep ends between those of one region"],
  [["l stays", "l out", "r out"], true],
  [["l out", "l ", "r out"], false, "the one without an event is between them"],
  [["l own f", "r own"], true, "a function decides where it leads"],
  [["l own f", "r stays"], false],
  [["l past", "r past"], true],
  [["l out"], false],
  [[], false],
];

test.each(CASES.map(([names, isOpen]) => ({ names, isOpen })))("$names: $isOpen", ({ names, isOpen }) => {
  expect(mayBePreempted(names.map(transition))).toBe(isOpen);
});
