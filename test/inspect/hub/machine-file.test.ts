// Machines of XState that the inspector opens from files: modules, and configurations as JSON.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMachine } from "xstate";
import { describe, expect, test } from "vitest";
import { chartJson } from "../../../src/core/diagram/chart-json.ts";
import { openMachines } from "../../../src/inspect/hub/machine-file.ts";
import type { ChartMessage, RunRow } from "../../../src/inspect/protocol/protocol.ts";
import { ROOT } from "../../project/source-files.ts";
import { ask, testHome, testHub } from "../../support/hub-page.ts";
import { DOCUMENTED } from "../../support/machines/documented.ts";

const CONFIG = {
  id: "player",
  type: "parallel",
  context: { volume: 5 },
  states: {
    sound: {
      initial: "on",
      states: { on: { on: { mute: { target: "off", guard: { type: "mayMute" } } } }, off: {} },
    },
    film: {
      initial: "paused",
      states: {
        paused: { on: { play: "playing" } },
        playing: { invoke: { src: "decode", onDone: "paused" } },
      },
    },
  },
};
const ACTIVE = ["player", "player.sound", "player.sound.on", "player.film", "player.film.paused"];

function fileOf(name: string, text: string): string {
  const folder = testHome();
  const path = join(folder, name);
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(ROOT, "node_modules/xstate"), join(folder, "node_modules/xstate"));
  writeFileSync(path, text);
  return path;
}

describe("a configuration as JSON is shown with the chart of its machine and its first states", () => {
  test.each(Object.entries(DOCUMENTED))("of the machine %s", async (_, { machine }) => {
    const named = (_key: string, value: unknown): unknown =>
      typeof value === "function" ? { type: "named" } : value;
    const text = JSON.stringify(machine.config, named);
    const [opened, ...more] = (await openMachines(fileOf("machine.json", text)))!;
    expect(more).toEqual([]);
    const expected = chartJson(createMachine(JSON.parse(text) as object));
    expect(opened!.chart!.chart.nodes.map(({ id }) => id)).toEqual(expected.nodes.map(({ id }) => id));
    expect(opened!.chart!.chart.edges.map(({ id }) => id)).toEqual(expected.edges.map(({ id }) => id));
    expect(opened!.run.log.active[0]).toBe(expected.id);
  });

  test("in the list of runs, and dropped on the page", async () => {
    const path = fileOf("player.json", JSON.stringify(CONFIG));
    const hub = await testHub({ home: testHome(), files: [path] });
    const { rows } = (await (await ask(hub, "/api/runs")).json()) as { readonly rows: readonly RunRow[] };
    expect(rows).toMatchObject([
      { agent: "player", source: "file", title: "player.json", can: [], actor: { kind: "machine" } },
    ]);
    const { chart } = (await (await ask(hub, `/api/charts/${rows[0]!.chart}`)).json()) as ChartMessage;
    expect(chart.edges.map(({ id }) => id)).toContain("player.sound.on|mute|0");
    const { states } = (await (await ask(hub, `/api/runs/${rows[0]!.runId}/steps`)).json()) as {
      readonly states: readonly (readonly string[])[];
    };
    expect(states).toEqual([ACTIVE]);
    const dropped = await ask(hub, "/api/machines", { method: "POST", body: JSON.stringify(CONFIG) });
    expect(await dropped.text()).toContain(JSON.stringify({ state: ACTIVE }));
  });
});

/** What stands in a configuration where XState takes something else, with the path that the notice names. */
const STRANGE: readonly (readonly [string, object, string])[] = [
  ["a state", { states: { a: {}, b: "off" } }, "states.b"],
  ["a state that is null", { states: { a: {}, b: null } }, "states.b"],
  ["all states of one", { states: { a: { states: 7 } } }, "states.a.states"],
  ["a transition", { states: { a: { on: { go: 5 } } } }, "states.a.on.go"],
  ["one of several transitions", { on: { go: [{ target: ".a" }, 5] }, states: { a: {} } }, "on.go.1"],
  ["all transitions", { on: [], states: { a: {} } }, "on"],
  ["a delayed transition", { states: { a: { after: { 100: true } } } }, "states.a.after.100"],
  ["an automatic transition", { states: { a: { always: 1 } } }, "states.a.always"],
  ["an action", { states: { a: { entry: ["beep", 1] } } }, "states.a.entry.1"],
  ["an actor", { states: { a: { invoke: [{ src: "load" }, "load"] } } }, "states.a.invoke.1"],
  [
    "the end of an actor",
    { states: { a: { invoke: { src: "load", onDone: 3 } } } },
    "states.a.invoke.onDone",
  ],
];

test.each(STRANGE)("%s that is not an object is left out, and the run says so", async (_, config, path) => {
  const text = JSON.stringify({ id: "odd", initial: "a", ...config });
  const [opened] = (await openMachines(fileOf("odd.json", text)))!;
  const { notice } = opened!.run.row;
  expect(notice).toMatch(/^This machine does not run/u);
  expect(notice).toContain(`Left out, since XState takes an object or a name there: ${path}.`);
  expect(opened!.chart!.chart.nodes[0]!.id).toBe("odd");
  const hub = await testHub({ home: testHome() });
  const dropped = await ask(hub, "/api/machines", { method: "POST", body: text });
  expect(await dropped.text()).toContain(`takes an object or a name there: ${path}.`);
});

test("of many entries that are left out the first are named, and the others counted", async () => {
  const states = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`s${at}`, at === 0 ? {} : at]));
  const [opened] = (await openMachines(
    fileOf("odd.json", JSON.stringify({ id: "odd", initial: "s0", states })),
  ))!;
  expect(opened!.run.row.notice).toContain(
    "states.s1, states.s2, states.s3, states.s4, states.s5 and 3 more.",
  );
});

test("a module is shown with each machine that it exports", async () => {
  const path = fileOf(
    "machines.ts",
    `import { createMachine, createActor } from "xstate";
     export const one = createMachine({ id: "one", initial: "a", states: { a: { on: { go: "b" } }, b: {} } });
     export const same: typeof one = one;
     export const helper = (): number => 1;
     export default createMachine({ id: "two", initial: "a", states: { a: { entry: () => { throw new Error("It ran."); } } } });`,
  );
  const opened = (await openMachines(path))!;
  expect(opened.map(({ run }) => run.row.agent).toSorted()).toEqual(["one", "two"]);
});

test.each([
  ["a.json", '{"states":{"x":{"on":{"go":"nowhere"}}}}', "config/invalid"],
  ["a.json", `{"states":{"x":${'{"states":{"x":'.repeat(150)}{}${"}}".repeat(150)}}}`, "config/invalid"],
  ["a.ts", "export const one = 1;", "config/invalid"],
  ["a.ts", "throw new Error('planted');", "config/invalid"],
  ["a.json", '{"name":"other"}', "session/damaged"],
  ["a.json", "{", "session/damaged"],
])("%s with %s is refused", async (name, text, code) => {
  const starting = testHub({ home: testHome(), files: [fileOf(name, text)] });
  await expect(starting).rejects.toMatchObject({ code });
});
