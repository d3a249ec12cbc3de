// X4 finds differences that are planted in the engine.
import { mkdtempSync, rmSync, writeFileSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { fromPromise } from "xstate";
import { afterAll, beforeAll, expect, test } from "vitest";
import fc from "../../support/fast-check.ts";
import { eventOf } from "./deeds.ts";
import { randomChart, randomDeeds } from "./random-chart.ts";
import { START, toyOf } from "./toys.ts";
import { Twins, type Engine } from "./x4.ts";

const CHART = resolve(import.meta.dirname, "../../../machines/chart");
const work = fromPromise(() => new Promise<never>(() => {}));

let folder: string;
// in the project, so that the bundle finds its packages
beforeAll(() => void (folder = mkdtempSync(join(import.meta.dirname, "../../../node_modules/.planted-"))));
afterAll(() => rmSync(folder, { recursive: true }));

/** The engine with a text of one of its files replaced. */
async function planted(file: string, from: string, to: string): Promise<Engine> {
  const target = join(CHART, file);
  const source = readFileSync(target, "utf8");
  expect(source.split(from)).toHaveLength(2); // the text is there, once
  const entry = `export { acceleratedMachine } from "${CHART}/accelerator.ts";
    import { Resolver } from "${CHART}/resolve.ts";
    export const resolverOf = (chart) => new Resolver(chart);`;
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: CHART, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    packages: "external",
    plugins: [
      {
        name: "planted",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === target ? { contents: source.replace(from, to), loader: "ts" } : undefined,
          ),
      },
    ],
  });
  const path = join(folder, `${Math.random().toString(36).slice(2)}.mjs`);
  writeFileSync(path, outputFiles[0]!.contents);
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Engine;
}

const CHARTS = fc.sample(fc.tuple(randomChart, randomDeeds), { numRuns: 1_500, seed: 1 });

/** True if some random chart tells the engine from XState. */
function isFound({ resolverOf, acceleratedMachine }: Engine): boolean {
  return CHARTS.some(([root, deeds]) => {
    try {
      const twins = new Twins(resolverOf(toyOf(root) as never), { work }, acceleratedMachine);
      let now = twins.begin(START);
      for (const deed of deeds) {
        const event = now.status === "active" ? eventOf(deed, now) : undefined;
        if (event) now = twins.send(now, event) ?? now;
      }
      return false;
    } catch {
      return true;
    }
  });
}

const RESOLVE = "resolve.ts";
const PLANTED: { readonly [title: string]: readonly [file: string, from: string, to: string] } = {
  "patterns are not tried behind an exact type whose guards fail": [
    RESOLVE,
    "if (found) return found;",
    "if (exact) return found;",
  ],
  "a shorter pattern comes before a longer one": ["nodes.ts", "b.length - a.length", "a.length - b.length"],
  "a pattern matches a type that only begins like it": [
    "nodes.ts",
    "type === prefix || type.startsWith(`${prefix}.`)",
    "type.startsWith(prefix)",
  ],
  "a pattern does not match its own prefix": ["nodes.ts", "type === prefix || ", ""],
  "the state around is asked first": [
    RESOLVE,
    "const own = ownTransition(node, context, event);",
    "const own = ownTransition(node.parent ?? node, context, event);",
  ],
  "`reenter` is ignored": ["nodes.ts", "if (!reenter && contains(", "if (contains("],
  "a transition into its own source leaves it": [
    "nodes.ts",
    "if (!reenter && contains(source, target)) return source;",
    "",
  ],
  "the source is not left with `reenter`": [
    "nodes.ts",
    "while (domain && (domain === source || !contains",
    "while (domain && (!contains",
  ],
  "exit effects see the context of after": [
    RESOLVE,
    "if (route) leave(leaf, route.domain, draft, event);\n      this.#follow(transition, draft, event);",
    "this.#follow(transition, draft, event);\n      const left = { ...draft, effects: [], actions: [] };\n      if (route) leave(leaf, route.domain, left, event);\n      draft.effects.unshift(...left.effects);",
  ],
  "exit effects come behind those of the transition": [
    RESOLVE,
    "if (route) leave(leaf, route.domain, draft, event);\n      this.#follow(transition, draft, event);",
    "this.#follow(transition, draft, event);\n      if (route) leave(leaf, route.domain, draft, event);",
  ],
  "exit effects of a later microstep come first of all": [
    RESOLVE,
    "const { length: effects } = draft.effects;",
    "const effects = 0;",
  ],
  "services are stopped before the exit effects of their state": [
    RESOLVE,
    'run(node.exit, draft, event);\n    for (const { id } of node.services) draft.effects.push({ type: "stop", id });',
    'for (const { id } of node.services) draft.effects.push({ type: "stop", id });\n    run(node.exit, draft, event);',
  ],
  "services are not stopped": [
    RESOLVE,
    'for (const { id } of node.services) draft.effects.push({ type: "stop", id });',
    "",
  ],
  "services start before the entry actions of their state": [
    RESOLVE,
    'run(entry, draft, event);\n    for (const { src, id, input } of services)\n      draft.effects.push({ type: "spawn", src, id, input: input(draft.context) });',
    'for (const { src, id, input } of services)\n      draft.effects.push({ type: "spawn", src, id, input: input(draft.context) });\n    run(entry, draft, event);',
  ],
  "the innermost state is entered first": ["nodes.ts", "path.unshift(node);", "path.push(node);"],
  "the states around a decision are not entered": [
    "nodes.ts",
    "entered: pathTo(leaf, domain) };",
    'entered: pathTo(leaf, leaf.kind === "decision" ? leaf.parent : domain) };',
  ],
  "a compound target is entered without its initial state": [
    "nodes.ts",
    "const leaf = firstOf(nodes, target);",
    "const leaf = target.initial === undefined ? target : nodes.get(target.children[0]!)!;",
  ],
  "guards of a choice see the context of before": [
    RESOLVE,
    "run(transition.actions, draft, event);\n    if (transition.choose.length > 0)\n      return this.#follow(firstThatHolds(transition.choose, draft.context, event)!, draft, event);",
    "const { context } = draft;\n    run(transition.actions, draft, event);\n    if (transition.choose.length > 0)\n      return this.#follow(firstThatHolds(transition.choose, context, event)!, draft, event);",
  ],
  "the exit effects of a choice see the context of after": [
    RESOLVE,
    "draft.isCopy = false;\n    const left = { ...draft, effects: [], actions: [] };",
    "const left = { ...draft, effects: [], actions: [] };",
  ],
  "the exit effects of a choice come behind those of the transition": [
    RESOLVE,
    "draft.effects.splice(effects, 0, ...left.effects);",
    "draft.effects.push(...left.effects);",
  ],
  "an action does not see the update before it": [
    RESOLVE,
    "const change = update(draft.context, event, params);",
    "const change = update(draft.isCopy ? { ...draft.context, count: 0 } : draft.context, event, params);",
  ],
  "the last effect of a step is lost": [
    "accelerator.ts",
    "for (const effect of effects) {",
    "for (const effect of effects.slice(0, Math.max(1, effects.length - 1))) {",
  ],
  "a service that was stopped stays in the snapshot": [
    "accelerator.ts",
    "if (child) delete (hasEnded ? this.children : this.#own())[id];",
    "",
  ],
  "the context of before stays": [
    "accelerator.ts",
    "({ ...place, context, children } as AnyMachineSnapshot)",
    "({ ...place, context: snapshot.context, children } as AnyMachineSnapshot)",
  ],
};

test.each(Object.entries(PLANTED))("X4 finds that %s", async (_, [file, from, to]) => {
  expect(isFound(await planted(file, from, to))).toBe(true);
});

test("X4 finds nothing in the engine as it is", async () => {
  const engine = await planted("resolve.ts", "export class Resolver", "export class Resolver");
  expect(isFound(engine)).toBe(false);
});
