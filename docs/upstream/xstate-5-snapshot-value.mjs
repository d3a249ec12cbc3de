// Measures what a change of XState 5 saves: `node docs/upstream/xstate-5-snapshot-value.mjs [folder for the patched copy]`.
// It copies the installed xstate three times, applies the change to one copy, checks that all agree on random events, and
// measures CPU time in turns. The page beside this file says why, and what came out.
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

/** The change, as it is in the files of the package; the source is packages/core/src/State.ts. */
const CHANGE = [
  [
    "function createMachineSnapshot(config, machine) {",
    "function createMachineSnapshot(config, machine, same) {",
  ],
  [
    "    value: getStateValue(machine.root, config._nodes),",
    "    value: same ? same.value : getStateValue(machine.root, config._nodes),",
  ],
  [
    "    tags: new Set(config._nodes.flatMap(sn => sn.tags)),",
    "    tags: same ? same.tags : new Set(config._nodes.flatMap(sn => sn.tags)),",
  ],
  [
    "    ...config\n  }, snapshot.machine);",
    "    ...config\n  }, snapshot.machine, (config._nodes ?? snapshot._nodes) === snapshot._nodes ? snapshot : undefined);",
  ],
];

const ROUNDS = 41;
const WARM_UP = 10;
const EVENTS = 2_000;

const installed = join(dirname(fileURLToPath(import.meta.resolve("xstate"))), "..");
const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const [, , kept] = process.argv;
const folder = kept ?? mkdtempSync(join(tmpdir(), "xstate-5-"));

function copy(name) {
  const to = join(folder, name, "node_modules", "xstate");
  cpSync(installed, to, { recursive: true });
  return to;
}

function patch(to) {
  const files = globSync(join(to, "dist", "*.js")).filter((file) =>
    readFileSync(file, "utf8").includes("function cloneMachineSnapshot("),
  );
  if (files.length === 0) throw new Error(`xstate ${version} has no function cloneMachineSnapshot.`);
  for (const file of files) {
    const text = CHANGE.reduce(
      (text, [from, to]) => {
        if (text.split(from).length !== 2)
          throw new Error(`xstate ${version}: expected once in ${file}: ${from}`);
        return text.replace(from, () => to);
      },
      readFileSync(file, "utf8"),
    );
    writeFileSync(file, text);
  }
  return to;
}

const load = (to) => createRequire(join(to, "package.json"))("./dist/xstate.cjs.js");

const four = (of) => Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`r${i}`, of(i)]));

/** Machines of one copy, by what an event does in them. */
const MACHINES = {
  "one assign, no state left": ({ createMachine, assign }) => {
    const add = assign(({ context }) => ({ count: context.count + 1 }));
    return createMachine({
      context: { count: 0 },
      initial: "a",
      states: { a: { tags: "t", on: { x: { actions: add }, y: { actions: add } } } },
    });
  },
  "four assigns, another state of three levels": ({ createMachine, assign }) => {
    const add = assign(({ context }) => ({ count: context.count + 1 }));
    const leaf = (target) => ({
      entry: add,
      exit: add,
      on: { x: { target, actions: [add, add] }, y: { actions: add } },
    });
    return createMachine({
      context: { count: 0 },
      initial: "p",
      states: {
        p: {
          initial: "q",
          states: { q: { initial: "a", states: { a: leaf("b"), b: { ...leaf("a"), tags: ["t"] } } } },
        },
      },
    });
  },
  "four regions, an assign and another state in each": ({ createMachine, assign }) => {
    const add = assign(({ context }) => ({ count: context.count + 1 }));
    const region = (i) => ({
      initial: "a",
      states: {
        a: { on: { x: { target: "b", actions: add }, y: { actions: add } } },
        b: { tags: `t${i}`, on: { x: { target: "a", actions: add } } },
      },
    });
    return createMachine({ context: { count: 0 }, type: "parallel", states: four(region) });
  },
  "only another state": ({ createMachine }) =>
    createMachine({
      context: { count: 0 },
      initial: "a",
      states: { a: { on: { x: "b", y: "b" } }, b: { tags: "t", on: { x: "a", y: "a" } } },
    }),
};

/** Fails unless two copies make the same snapshots of the same random events. */
function compare(one, other) {
  for (const [name, machineOf] of Object.entries(MACHINES)) {
    const [a, b] = [one, other].map((xstate) => xstate.createActor(machineOf(xstate)).start());
    for (let i = 0; i < EVENTS; i++) {
      const event = { type: Math.random() < 0.5 ? "x" : "y" };
      a.send(event);
      b.send(event);
      const [left, right] = [a, b].map((actor) => [
        JSON.parse(JSON.stringify(actor.getSnapshot())),
        actor.getPersistedSnapshot(),
        [...actor.getSnapshot().tags],
      ]);
      if (!isDeepStrictEqual(left, right))
        throw new Error(`${name}: the patched copy differs at event ${i}.`);
    }
  }
}

/** CPU µs of one event. */
function sample(xstate, machine) {
  const actor = xstate.createActor(machine).start();
  const before = process.cpuUsage();
  for (let i = 0; i < EVENTS; i++) actor.send({ type: "x" });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / EVENTS;
}

const quantile = (values, part) => values.toSorted((a, b) => a - b)[Math.round(part * (values.length - 1))];
const shown = (values) =>
  `${quantile(values, 0.5).toFixed(2)} (${quantile(values, 0.25).toFixed(2)}–${quantile(values, 0.75).toFixed(2)})`;

const copies = {
  unpatched: load(copy("unpatched")),
  again: load(copy("again")),
  patched: load(patch(copy("patched"))),
};
compare(copies.unpatched, copies.patched);

console.log(
  `xstate ${version}, Node ${process.versions.node}, ${ROUNDS} rounds: median ratio of CPU time (quartiles)`,
);
for (const [name, machineOf] of Object.entries(MACHINES)) {
  const machines = Object.entries(copies).map(([copy, xstate]) => ({
    copy,
    xstate,
    machine: machineOf(xstate),
  }));
  const taken = { unpatched: [], again: [], patched: [] };
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const first = round % machines.length;
    for (const { copy, xstate, machine } of [...machines.slice(first), ...machines.slice(0, first)]) {
      const micros = sample(xstate, machine);
      if (round >= WARM_UP) taken[copy].push(micros);
    }
  }
  const ratio = (copy) => shown(taken[copy].map((micros, i) => micros / taken.unpatched[i]));
  const least = Math.min(...taken.unpatched).toFixed(1);
  console.log(
    `${name}: patched ${ratio("patched")}, unpatched again ${ratio("again")}, least ${least} µs an event`,
  );
}
console.log(`load ${loadavg()[0].toFixed(1)}`);
if (!kept) rmSync(folder, { recursive: true });
