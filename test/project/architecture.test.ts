// The import law: a room imports only from those below it.
import { describe, expect, test } from "vitest";
import { sourceFiles, type SourceFile } from "./source-files.ts";

const files = sourceFiles("src/**/*.{ts,cjs}", "machines/**/*.ts");

/** What each room may import, lowest room first; types count as imports. A folder of a room that has rules of its own is listed as
 *  a room. */
const ROOMS: { readonly [room: string]: readonly string[] } = {
  "core/base": [],
  "core/message": ["core/base"],
  "core/diagram": ["core/base"],
  "core/model": ["core/base", "core/message"],
  "core/model/openai": ["core/base", "core/message", "core/model"],
  "core/model/ai-sdk": ["core/base", "core/message", "core/model"],
  "core/tool": ["core/base", "core/message", "core/model"],
  "core/tool/rules": ["core/base", "core/tool", "core/message"],
  "kit/mcp": ["core/base", "core/message", "core/model", "core/tool"],
  "core/hook": ["core/base", "core/message", "core/model", "core/tool"],
  "core/event": ["core/base", "core/message", "core/model", "core/tool", "core/hook"],
  "store/sql": ["core/base"],
  store: ["core/base", "core/message", "core/tool", "core/tool/rules", "store/sql"],
  machines: [
    "core/base",
    "core/message",
    "core/model",
    "core/tool",
    "core/tool/rules",
    "core/hook",
    "core/diagram",
  ],
  session: ["core/base", "core/message", "core/model", "core/tool", "core/event", "store", "machines"],
  agent: [
    "core/base",
    "core/message",
    "core/model",
    "core/tool",
    "core/tool/rules",
    "core/hook",
    "core/event",
    "store",
    "machines",
    "session",
    "core/diagram",
  ],
  "kit/memory": ["core/base", "core/message", "core/model", "core/tool", "core/hook", "store/sql"],
  "kit/knowledge": ["core/base", "core/message", "core/model", "core/tool", "core/hook", "store/sql"],
  "kit/plan": ["core/base", "core/message", "core/tool", "core/hook", "agent"],
  "kit/skills": ["core/base", "core/message", "core/model", "core/tool", "core/hook"],
  "kit/rules": [
    "core/base",
    "core/message",
    "core/tool",
    "core/tool/rules",
    "store",
    "machines",
    "session",
    "agent",
  ],
  "testing/explorer": [
    "core/base",
    "core/message",
    "core/tool",
    "core/tool/rules",
    "core/hook",
    "core/diagram",
    "machines",
    "agent",
  ],
  "kit/team": [
    "core/base",
    "core/message",
    "core/model",
    "core/tool",
    "core/event",
    "store",
    "machines",
    "agent",
  ],
  // Of the agent only the type of its permissions.
  "kit/workspace": ["core/base", "core/message", "core/tool", "agent"],
  "kit/otel": [
    "core/base",
    "core/message",
    "core/model",
    "core/tool",
    "machines",
    "agent",
    "kit/memory",
    "kit/knowledge",
  ],
  ui: ["core/base", "core/message", "core/tool", "core/event"],
  // Of "kit/plan" only the type of a plan.
  "ui/react": ["core/base", "core/message", "core/tool", "core/event", "ui", "kit/plan"],
  "inspect/protocol": ["core/base", "core/message", "core/diagram", "core/tool", "store", "machines"],
  "inspect/labels": ["core/base", "core/model", "core/tool", "store", "session", "agent"],
  "inspect/suspicions": ["core/base", "core/message", "core/tool", "machines", "inspect/protocol"],
  "inspect/client": [
    "core/base",
    "core/message",
    "core/diagram",
    "core/tool",
    "core/event",
    "store",
    "machines",
    "session",
    "agent",
    "inspect/protocol",
  ],
  // Of the adapters only what makes their requests, loaded when it is asked for.
  "inspect/hub": [
    "core/tool/rules",
    "core/base",
    "core/message",
    "core/diagram",
    "core/model",
    "core/model/openai",
    "core/model/ai-sdk",
    "core/tool",
    "store",
    "machines",
    "session",
    "inspect/protocol",
    "inspect/labels",
    "inspect/suspicions",
    "inspect/client",
  ],
  "testing/check": [
    "core/base",
    "core/message",
    "core/tool",
    "core/tool/rules",
    "core/hook",
    "machines",
    "agent",
    "kit/rules",
    "inspect/protocol",
    "inspect/client",
    "testing/explorer",
  ],
  inspect: ["store", "inspect/protocol", "inspect/suspicions", "inspect/client", "inspect/hub"],
  "worker/queue": ["core/base", "store"],
  "worker/schedule": ["core/base", "core/message", "store"],
  worker: [
    "core/base",
    "core/message",
    "core/tool",
    "core/event",
    "store",
    "machines",
    "session",
    "agent",
    "worker/queue",
    "worker/schedule",
  ],
  // Reaches sessions through a dispatcher that its caller passes in.
  server: [
    "kit/memory",
    "core/base",
    "core/message",
    "core/tool",
    "core/event",
    "store",
    "machines",
    "session",
    "agent",
    "worker/queue",
    "worker",
    "ui",
  ],
  "testing/crash": [
    "core/base",
    "core/message",
    "core/model",
    "core/tool",
    "store",
    "agent",
    "kit/team",
    "worker",
  ],
  "testing/recordings": ["core/base", "core/message", "core/model"],
  "testing/replay": [
    "core/base",
    "core/message",
    "core/model",
    "core/hook",
    "core/tool",
    "store",
    "machines",
    "session",
    "agent",
    "testing/recordings",
  ],
  testing: [
    "core/base",
    "core/message",
    "core/model",
    "store",
    "kit/workspace",
    "kit/memory",
    "kit/knowledge",
    "worker/queue",
    "testing/crash",
    "testing/recordings",
  ],
  "testing/evals": [
    "core/base",
    "core/message",
    "core/hook",
    "core/diagram",
    "core/model",
    "core/tool",
    "store",
    "machines",
    "session",
    "agent",
    "inspect/labels",
    "inspect/suspicions",
    "inspect/hub",
    "core/tool/rules",
    "kit/rules",
    "testing/replay",
    "testing",
    "testing/crash",
  ],
  index: [
    "core/base",
    "core/message",
    "core/model",
    "core/tool",
    "core/hook",
    "core/event",
    "store",
    "session",
    "agent",
  ],
  // Of "kit/workspace" what tries a sandbox.
  cli: [
    "kit/workspace",
    "core/base",
    "core/message",
    "core/diagram",
    "core/model",
    "core/model/openai",
    "core/model/ai-sdk",
    "core/tool",
    "kit/mcp",
    "core/tool/rules",
    "core/event",
    "store",
    "machines",
    "session",
    "agent",
    "kit/knowledge",
    "kit/memory",
    "kit/plan",
    "kit/rules",
    "kit/skills",
    "inspect/protocol",
    "inspect/labels",
    "inspect/suspicions",
    "inspect/hub",
    "testing/crash",
    "testing/evals",
    "worker",
    "worker/queue",
    "server",
    "kit/otel",
    "testing/check",
  ],
};

/** The rooms that may import each package. A package that is not listed is not used. */
const PACKAGES: { readonly [name: string]: readonly string[] } = {
  xstate: [
    "machines",
    "core/diagram",
    "agent",
    "kit/team",
    "testing/explorer",
    "inspect/client",
    "inspect/hub",
  ],
  "elkjs/lib/elk.bundled.js": ["core/diagram"],
  elkjs: ["core/diagram"],
  openai: ["core/model/openai"],
  zod: [
    "core/tool",
    "kit/workspace",
    "kit/knowledge",
    "kit/memory",
    "kit/plan",
    "kit/skills",
    "inspect/protocol",
    "testing/evals",
  ],
  diff: ["kit/workspace"],
  unbash: ["kit/workspace"],
  // Loaded for schemas that cannot say their JSON Schema.
  "zod/v4/core": ["core/tool"],
  "@cfworker/json-schema": ["core/tool"],
  "eventsource-parser": ["core/model/openai", "ui/react"],
  react: ["ui/react"],
  "lru-cache": ["core/base", "core/diagram", "store", "inspect/client", "inspect/hub", "worker"],
  "gpt-tokenizer/encoding/cl100k_base": ["core/model"],
  yaml: ["kit/skills"],
  "csv-parse/sync": ["testing/evals"],
  pg: ["store", "store/sql", "kit/knowledge", "kit/memory", "worker/queue"],
  "sqlite-vec": ["kit/knowledge"],
  htmlparser2: ["kit/knowledge"],
  stemmer: ["kit/knowledge"],
  unpdf: ["kit/knowledge"],
  ws: ["inspect/client", "inspect/hub"],
  hono: ["inspect/hub", "server", "cli"],
  "hono/body-limit": ["server"],
  "hono/compress": ["inspect/hub", "server", "cli"],
  "hono/cors": ["server"],
  "hono/http-exception": ["server"],
  "hono/streaming": ["inspect/hub"],
  "@hono/zod-openapi": ["server"],
  "@hono/node-server": ["inspect/hub", "server"],
  "@hono/node-server/conninfo": ["server"],
  commander: ["cli"],
  semver: ["cli"],
  pino: ["cli"],
  "@agentclientprotocol/sdk": ["cli"],
  "prom-client": ["cli"],
  "@modelcontextprotocol/client": ["kit/mcp"],
  "@modelcontextprotocol/server": ["server"],
  "@modelcontextprotocol/server/stdio": ["server"],
  "@modelcontextprotocol/client/stdio": ["kit/mcp"],
  "@opentelemetry/api": ["kit/otel"],
  // Loaded only if a variable of OpenTelemetry is set.
  "@opentelemetry/sdk-node": ["cli"],
  bullmq: ["worker/queue"],
  croner: ["worker/schedule"],
  ioredis: ["worker/queue"],
  // Loaded by name, and only when an agent's `inspect` option is an address.
  "agentchart/inspect": ["agent"],
};

/** The services that fill the slots of the chart, and their parts. */
const SERVICES = "src/agent/services/";

/** The room of a file: the longest listed folder that it lies in. */
function roomOf(path: string): string {
  if (path === "src/index.ts") return "index";
  if (path.startsWith("machines/")) return "machines";
  const folders = path.split("/").slice(1, -1);
  const paths = folders.map((_, index) => folders.slice(0, index + 1).join("/"));
  return paths.findLast((room) => Object.hasOwn(ROOMS, room)) ?? folders.join("/");
}

const isOwn = (to: string): boolean => to.startsWith("src/") || to.startsWith("machines/");
const naming = (pattern: RegExp, of: readonly SourceFile[] = files): string[] =>
  of.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
const inRooms = (...layers: readonly string[]): SourceFile[] =>
  files.filter(({ path }) => layers.includes(roomOf(path)));

describe("architecture", () => {
  test("a room imports only from the rooms below it, types included", () => {
    const wrong = files.flatMap(({ path, imports }) => {
      const room = roomOf(path);
      const allowed = [room, ...(ROOMS[room] ?? [])];
      return imports
        .filter(({ to }) => isOwn(to) && !allowed.includes(roomOf(to)))
        .map(({ to }) => `${path} imports ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  test("every room lists only rooms that stand before it", () => {
    const rooms = Object.keys(ROOMS);
    const upward = rooms.flatMap((room, at) =>
      ROOMS[room]!.filter((other) => !rooms.slice(0, at).includes(other)).map(
        (other) => `${room} → ${other}`,
      ),
    );
    expect(upward).toEqual([]);
  });

  test("every folder of src is a listed room, and src has at most 12", () => {
    const rooms = new Set(files.map(({ path }) => roomOf(path)));
    expect([...rooms].filter((room) => !Object.hasOwn(ROOMS, room))).toEqual([]);
    const folders = new Set(
      files.filter(({ path }) => /^src\/.+\//.test(path)).map(({ path }) => path.split("/")[1]),
    );
    expect(folders.size).toBeLessThanOrEqual(12);
  });

  test("no file imports itself through other files, types included", () => {
    const all = [...files, ...sourceFiles("visualizer/src/**/*.ts", "visualizer/src/**/*.tsx")];
    const values = new Map(all.map(({ path, imports }) => [path, imports.map(({ to }) => to)]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" → "));
      if (done.has(path) || trail.includes(path)) return;
      for (const to of values.get(path) ?? []) visit(to, [...trail, path]);
      done.add(path);
    };
    for (const { path } of all) visit(path, []);
    expect(cycles).toEqual([]);
  });

  test("every import of a file of ours leads to a file", () => {
    const paths = new Set(files.map(({ path }) => path));
    const broken = files.flatMap(({ path, imports }) =>
      imports.filter(({ to }) => isOwn(to) && !paths.has(to)).map(({ to }) => `${path} → ${to}`),
    );
    expect(broken).toEqual([]);
  });

  test("each package is imported in its rooms only", () => {
    const wrong = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ to }) => !isOwn(to) && !to.startsWith("node:"))
        .filter(({ to }) => !(PACKAGES[to] ?? []).includes(roomOf(path)))
        .map(({ to }) => `${path} → ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  test("only the charts, the agent and the explorer import XState's values, one file starts charts, and one their services", () => {
    const importing = files
      .filter(({ imports }) => imports.some(({ to, isType }) => to === "xstate" && !isType))
      .filter(({ path }) => !["machines", "agent", "testing/explorer"].includes(roomOf(path)));
    expect(importing.map(({ path }) => path)).toEqual([
      "src/inspect/client/actor-kind.ts", // it compares the logic of other systems with XState's own
      "src/inspect/hub/machine-file.ts", // it makes machines of files, and starts none
      "src/inspect/hub/stately-actors.ts", // it makes the machines of other systems of their definitions, and starts none
    ]);
    const making = naming(/\bcreateActor\(/);
    expect(making.toSorted()).toEqual([
      "machines/chart/accelerator.ts",
      "src/agent/live-chart.ts",
      "src/agent/session-life.ts", // an inert one
      "src/inspect/client/browser.ts", // in the example of its docstring
      "src/testing/explorer/pure.ts", // another inert one
    ]);
  });

  test("the chart and what decides in it have no clock, no chance, no I/O and nothing asynchronous", () => {
    const pure = inRooms("machines", "core/base");
    expect(
      naming(/\b(async|await|setTimeout|setInterval|Date\.now|Math\.random|randomUUID)\b/, pure),
    ).toEqual([]);
    expect(
      pure.filter(({ imports }) => imports.some(({ to, isType }) => !isType && to.startsWith("node:"))),
    ).toEqual([]);
  });

  test("a model is read in two places, and nothing else loops over one", () => {
    const reading = naming(
      /(?<!yield\* [\w.]*)\bmodel\.stream\(/,
      files.filter(({ path }) => !["testing", "testing/crash", "testing/recordings"].includes(roomOf(path))),
    );
    expect(reading).toEqual(["src/agent/services/call-model.ts", "src/core/model/fold.ts"]);
    expect(naming(/\bfor await\b|\bwhile \(true\)/, inRooms("machines", "core/hook", "core/tool"))).toEqual(
      [],
    );
  });

  test("no service sends events to the chart", () => {
    const isService = ({ path }: SourceFile): boolean =>
      roomOf(path) !== "agent" || path.startsWith(SERVICES);
    const usesNetwork = ({ path }: SourceFile): boolean => roomOf(path).startsWith("inspect");
    const others = files.filter((file) => isService(file) && !usesNetwork(file));
    expect(others.some(({ path }) => path.startsWith(SERVICES))).toBe(true);
    // an actor logic sends itself its own outcome
    const allowed = ["src/agent/services/from-service.ts", "src/kit/team/agent-logic.ts"];
    expect(naming(/\.send\(|_parent\b|sendTo\(|sendParent\(/, others)).toEqual(allowed);
    expect(naming(/actor\.send\(|_parent\b|sendTo\(|sendParent\(/, files.filter(usesNetwork))).toEqual([
      "src/inspect/client/actor-systems.ts", // it only reads whose child an actor of another system is
      "src/inspect/hub/stately-actors.ts", // and it says so of actors of which messages tell
    ]);
  });

  test("only the CLI reads the environment, and the files that look up a token or a key, or hand it to a process", () => {
    expect(naming(/\bprocess\.env\b/).filter((path) => roomOf(path) !== "cli")).toEqual([
      "src/core/model/openai/dashscope-model.ts",
      "src/inspect/protocol/hub-address.ts",
      "src/testing/crash/child.ts",
      "src/testing/crash/life.ts",
    ]);
  });

  test("nothing is imported by name from Node.js that release 18 lacks, so that its import reaches the version check", () => {
    const NEWER = {
      "node:crypto": ["hash"],
      "node:diagnostics_channel": ["tracingChannel"],
      "node:fs": ["globSync"],
      "node:fs/promises": ["glob"],
      "node:module": ["findPackageJSON", "registerHooks", "stripTypeScriptTypes"],
      "node:sqlite": ["DatabaseSync", "StatementSync", "backup"],
      "node:util": ["getCallSites", "styleText"],
      "node:zlib": ["crc32", "createZstdCompress", "createZstdDecompress", "zstdCompressSync"],
    };
    const wrong = Object.entries(NEWER).flatMap(([module, names]) =>
      naming(new RegExp(`^import \\{[^}]*\\b(?:${names.join("|")})\\b[^}]*\\} from "${module}"`, "m")),
    );
    expect(wrong).toEqual([]);
  });

  test("nothing has a default export", () => {
    expect(naming(/^export default|\bas default\b/m)).toEqual([]);
  });

  test("a file has at most 400 lines", () => {
    const long = files.filter(({ text }) => text.trimEnd().split("\n").length > 400);
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test("files have kebab-case names", () => {
    const all = sourceFiles("src/**/*.ts", "machines/**/*.ts", "bench/**/*.ts", "examples/**/*.ts");
    const isKebab = (path: string): boolean =>
      /^[a-z\d]+(-[a-z\d]+)*(\.(machine|setup|test))?\.ts$/.test(path.split("/").at(-1)!);
    expect(all.map(({ path }) => path).filter((path) => !isKebab(path))).toEqual([]);
  });
});
