import { and, createMachine, not } from "xstate";
import { agentMachine, chartJson, type Chart } from "agentchart/machines";
import agentLayouts from "../../src/core/diagram/agent-layouts.json" with { type: "json" };
import { layoutChart } from "../../src/core/diagram/layout-chart.ts";
import { layoutKey } from "../../src/core/diagram/layout-in-worker.ts";
import type { Layouts } from "../../src/core/diagram/layout.ts";

const parallel = createMachine({
  id: "player",
  type: "parallel",
  states: {
    sound: { initial: "on", states: { on: { on: { mute: "off" } }, off: { on: { mute: "on" } } } },
    picture: {
      initial: "small",
      states: { small: { on: { grow: "large" } }, large: { on: { shrink: "small" } } },
    },
    title: {},
  },
  on: { reset: { target: [".sound.on", ".picture.small"] } },
});

const history = createMachine({
  id: "editor",
  initial: "writing",
  states: {
    writing: {
      initial: "text",
      states: {
        text: { on: { draw: "shapes", both: { target: ["#split.left.b", "#split.right.b"] } } },
        shapes: { on: { type: "text" } },
        last: { type: "history", history: "deep" },
      },
      on: { leave: "away" },
    },
    away: { on: { back: "writing.last" }, after: { 60_000: "over" } },
    split: {
      id: "split",
      type: "parallel",
      states: {
        left: { initial: "a", states: { a: {}, b: { on: { go: "#editor.over" } } } },
        right: { initial: "a", states: { a: {}, b: { type: "final" } } },
      },
      onDone: "over",
    },
    over: { type: "final" },
  },
});

const deep = createMachine({
  id: "deep",
  initial: "one",
  states: {
    one: {
      initial: "two",
      on: { in: ".two.three.b", again: { target: "one", reenter: true } },
      states: {
        two: {
          initial: "three",
          states: {
            three: {
              initial: "a",
              states: { a: { on: { up: "#deep.one", out: "#deep.end" } }, b: { always: "#deep.one.two.c" } },
            },
            c: { on: { back: "#deep.one.two.three.a" } },
          },
        },
      },
    },
    end: { on: { restart: "#deep.one.two.three.b" } },
  },
});

const loops = createMachine({
  id: "loops",
  initial: "a",
  on: { any: { actions: "note" }, "*": { actions: "note" } },
  states: {
    a: {
      entry: "enter",
      exit: "leave",
      on: {
        self: { target: "a", reenter: true },
        stay: { actions: "note" },
        quiet: {},
        pick: [{ guard: "first", target: "b" }, { guard: "second", target: "b" }, { target: "a" }],
      },
      invoke: { src: "work", onDone: "b", onError: { actions: "note" } },
    },
    b: { always: [{ guard: "ready", target: "a" }], after: { 500: "b" } },
  },
});

const lonely = createMachine({ id: "lonely" });

const isReady = () => true;

/** A machine with parallel, final and history states, a delay, guards given as code, and keys with special characters. */
export const unusualMachine = createMachine({
  id: "odd",
  initial: "a b",
  states: {
    "a b": {
      after: { 1000: "both" },
      on: { "x:y": [{ guard: isReady, target: "both" }, { guard: () => true }, { guard: not("isReady") }] },
    },
    both: {
      type: "parallel",
      states: {
        left: { initial: "on", states: { on: { type: "final" }, last: { type: "history" } } },
        right: {
          on: { go: "#odd.both.left.last", both: [{ guard: and([isReady]), target: ["#odd.end"] }] },
        },
      },
      on: { tick: { actions: () => {} } },
      onDone: "end",
    },
    end: { type: "final" },
  },
});

/** Charts that differ in shape, by name. */
export const CHARTS: { readonly [name: string]: Chart } = {
  "the agent": chartJson(agentMachine),
  "parallel states": chartJson(parallel),
  "history and two targets": chartJson(history),
  "three levels": chartJson(deep),
  "loops and transitions that stay": chartJson(loops),
  "a root without states": chartJson(lonely),
};

/** What `layoutChart` makes of one of them. That of the agent takes seconds: it is read from the file of the package, which
 *  `docs-chart.test.ts` compares with the machine. */
export async function layoutsOf(chart: Chart): Promise<Required<Layouts>> {
  if (layoutKey(chart) !== agentLayouts.key) return layoutChart(chart);
  return agentLayouts.layouts as unknown as Required<Layouts>;
}
