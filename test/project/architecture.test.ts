import { describe, expect, test } from "vitest";
import { sourceFiles, type SourceFile } from "./source-files.ts";

const files = sourceFiles("src/**/*.ts", "machines/**/*.ts");

/** What each layer may import, lowest first: values and types from `values`, types only from `types`. */
const LAYERS: {
  readonly [layer: string]: { readonly values: readonly string[]; readonly types?: readonly string[] };
} = {
  error: { values: [], types: ["message"] },
  message: { values: ["error"] },
  chart: { values: [], types: ["message"] },
  layout: { values: ["chart"], types: ["message"] },
  model: { values: ["error", "message"] },
  tool: { values: ["error", "message", "model"] },
  // The pure half of the chart. It names hook points; `hook` folds hooks over its data.
  turn: { values: ["error", "message", "model", "tool"], types: ["hook"] },
  hook: { values: ["error", "message", "model", "tool", "turn"] },
  machines: { values: ["message", "turn", "chart"], types: ["hook"] },
  store: { values: ["error", "message"], types: ["turn"] },
  // A journal is read back as the events of an agent, whose type it names.
  session: { values: ["error", "message", "tool", "turn"], types: ["model", "store", "agent"] },
  agent: {
    values: ["error", "message", "chart", "model", "tool", "turn", "hook", "machines", "session"],
    types: ["store"],
  },
  // What goes on in agents, for the visualizer; `hub` is its server.
  inspect: {
    values: ["error", "message", "chart", "tool", "turn", "session", "agent"],
    types: ["store", "layout"],
  },
  hub: {
    values: ["error", "message", "chart", "layout", "turn", "session", "store", "inspect", "machines"],
  },
  openai: { values: ["error", "message", "model"] },
  queue: { values: ["error", "store"], types: ["message"] },
  worker: {
    values: ["error", "message", "agent", "session", "store", "queue", "inspect"],
    types: ["turn"],
  },
  // Talks to sessions by way of a dispatcher that is handed to it.
  server: { values: ["error", "message", "session", "store"], types: ["agent", "turn", "worker"] },
  testing: { values: ["error", "message", "model", "store"], types: ["queue"] },
  cli: {
    values: [
      "error",
      "message",
      "chart",
      "layout",
      "tool",
      "turn",
      "machines",
      "store",
      "session",
      "agent",
      "hub",
      "openai",
      "queue",
      "worker",
      "server",
    ],
  },
};

/** Packages by the layers that may name them. What is not listed is not used. */
const PACKAGES: { readonly [name: string]: readonly string[] } = {
  xstate: ["machines", "chart", "agent", "inspect"],
  "elkjs/lib/elk.bundled.js": ["layout"],
  elkjs: ["layout"],
  openai: ["openai"],
  zod: ["message", "tool", "inspect"],
  "@cfworker/json-schema": ["tool"],
  "@dqbd/tiktoken": ["model"],
  pg: ["store", "queue"],
  ws: ["inspect", "hub"],
  hono: ["hub", "server"],
  "hono/body-limit": ["server"],
  "hono/http-exception": ["server"],
  "@hono/zod-openapi": ["server"],
  "@hono/node-server/conninfo": ["server"],
  pino: ["cli"],
  "prom-client": ["cli"],
  "hono/streaming": ["hub"],
  "@hono/node-server": ["hub", "server"],
  bullmq: ["queue"],
  ioredis: ["queue"],
};

/** The services that fill the slots of the chart, and what they are made of. */
const SERVICES = ["actors", "call-model", "run-call", "review-calls", "request", "host"];

function layerOf(path: string): string {
  if (path === "src/index.ts" || path === "src/inspect/index.ts") return "index";
  return path.startsWith("machines/") ? "machines" : path.split("/")[1]!;
}

const isOwn = (to: string): boolean => to.startsWith("src/") || to.startsWith("machines/");
const naming = (pattern: RegExp, of: readonly SourceFile[] = files): string[] =>
  of.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
const inLayers = (...layers: readonly string[]): SourceFile[] =>
  files.filter(({ path }) => layers.includes(layerOf(path)));

describe("architecture", () => {
  test("a layer imports only what lies below it", () => {
    const wrong = files
      .filter(({ path }) => layerOf(path) !== "index")
      .flatMap(({ path, imports }) => {
        const { values, types = [] } = LAYERS[layerOf(path)] ?? { values: [] };
        const allowed = (to: string, isType: boolean): boolean =>
          [layerOf(path), ...values, ...(isType ? types : [])].includes(layerOf(to));
        return imports
          .filter(({ to, isType }) => isOwn(to) && !allowed(to, isType))
          .map(({ to, isType }) => `${path} imports ${isType ? "types of " : ""}${to}`);
      });
    expect(wrong).toEqual([]);
  });

  test("every folder of src has its place in the list of layers", () => {
    const folders = new Set(files.map(({ path }) => layerOf(path)));
    expect([...folders].filter((folder) => folder !== "index" && !LAYERS[folder])).toEqual([]);
  });

  test("no file imports itself by way of others", () => {
    const values = new Map(
      files.map(({ path, imports }) => [
        path,
        imports.filter(({ to, isType }) => isOwn(to) && !isType).map(({ to }) => to),
      ]),
    );
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      if (done.has(path) || trail.includes(path)) return;
      for (const to of values.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    };
    for (const { path } of files) visit(path, []);
    expect(cycles).toEqual([]);
  });

  test("every import of a file of ours leads to a file", () => {
    const paths = new Set(files.map(({ path }) => path));
    const broken = files.flatMap(({ path, imports }) =>
      imports.filter(({ to }) => isOwn(to) && !paths.has(to)).map(({ to }) => `${path} → ${to}`),
    );
    expect(broken).toEqual([]);
  });

  test("each package is named in its layers only", () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ to }) => !isOwn(to) && !to.startsWith("node:"))
        .filter(({ to }) => !(PACKAGES[to] ?? []).includes(layerOf(path)))
        .map(({ to }) => `${path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test("actors are made by the charts and by one file of the composition root", () => {
    const making = files
      .filter(({ imports }) => imports.some(({ to, isType }) => to === "xstate" && !isType))
      .map(({ path }) => path)
      .filter((path) => layerOf(path) !== "machines");
    expect(making).toHaveLength(1);
    expect(making[0]).toMatch(/^src\/agent\//);
  });

  test("the chart and what decides in it have no clock, no chance, no I/O and nothing asynchronous", () => {
    const pure = inLayers("machines", "turn", "chart", "error");
    expect(
      naming(/\b(async|await|setTimeout|setInterval|Date\.now|Math\.random|randomUUID)\b/, pure),
    ).toEqual([]);
    expect(pure.filter(({ imports }) => imports.some(({ to }) => /^node:(?!crypto)/.test(to)))).toEqual([]);
  });

  test("a model is read in two places, and nothing else loops over one", () => {
    const reading = naming(
      /(?<!yield\* [\w.]*)\bmodel\.stream\(/,
      files.filter(({ path }) => layerOf(path) !== "testing"),
    );
    expect(reading).toEqual(["src/agent/call-model.ts", "src/model/fold.ts"]);
    expect(naming(/\bfor await\b|\bwhile \(true\)/, inLayers("machines", "turn", "hook", "tool"))).toEqual(
      [],
    );
  });

  test("no service sends events to the chart", () => {
    const services = SERVICES.map((name) => `src/agent/${name}.ts`);
    const isService = ({ path }: SourceFile): boolean => layerOf(path) !== "agent" || services.includes(path);
    const talksByNet = ({ path }: SourceFile): boolean => ["inspect", "hub"].includes(layerOf(path));
    const others = files.filter((file) => isService(file) && !talksByNet(file));
    expect(naming(/\.send\(|_parent\b|sendTo\(|sendParent\(/, others)).toEqual([]);
    expect(naming(/actor\.send\(|_parent\b|sendTo\(|sendParent\(/, files.filter(talksByNet))).toEqual([]);
    expect(services.filter((path) => !files.some((file) => file.path === path))).toEqual([]);
  });

  test("only the command line reads the environment, and what finds the visualizer's token in it", () => {
    expect(naming(/\bprocess\.env\b/).filter((path) => layerOf(path) !== "cli")).toEqual([
      "src/inspect/address.ts",
    ]);
  });

  test("nothing has a default export", () => {
    expect(naming(/^export default|\bas default\b/m)).toEqual([]);
  });

  test("files have kebab-case names", () => {
    const all = sourceFiles("src/**/*.ts", "machines/**/*.ts", "bench/**/*.ts", "examples/**/*.ts");
    const isKebab = (path: string): boolean =>
      /^[a-z\d]+(-[a-z\d]+)*(\.(machine|setup|test))?\.ts$/.test(path.split("/").at(-1)!);
    expect(all.map(({ path }) => path).filter((path) => !isKebab(path))).toEqual([]);
  });
});
