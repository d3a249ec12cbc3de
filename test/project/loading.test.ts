// The modules that an entry loads.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

/** The packages that each entry loads before anything of it is used. */
const PACKAGES: { readonly [entry: string]: readonly string[] } = {
  agentchart: ["@cfworker/json-schema", "xstate"],
  "agentchart/openai": ["eventsource-parser"],
  // None of the AI SDK: its packages are the caller's.
  "agentchart/ai-sdk": [],
  "agentchart/plan": ["@cfworker/json-schema", "zod"],
  // The parser of YAML is loaded when a directory has a skill.
  "agentchart/skills": ["@cfworker/json-schema", "zod"],
  "agentchart/team": ["@cfworker/json-schema", "xstate"],
  "agentchart/memory": ["@cfworker/json-schema", "zod"],
  "agentchart/knowledge": ["@cfworker/json-schema", "stemmer", "zod"],
  "agentchart/workspace": ["@cfworker/json-schema", "diff", "unbash", "zod"],
  // The client of MCP is loaded when a server is connected to.
  "agentchart/mcp": ["@cfworker/json-schema"],
  "agentchart/rules": ["@cfworker/json-schema"],
  "agentchart/otel": ["@opentelemetry/api"],
  "agentchart/ui": [],
  "agentchart/react": ["eventsource-parser", "react"],
  "agentchart/testing": ["stemmer"],
  "agentchart/machines": ["@cfworker/json-schema", "xstate"],
  "agentchart/session": [],
  "agentchart/store/memory": [],
  "agentchart/store/file": ["lru-cache"],
  "agentchart/store/sqlite": [],
  "agentchart/store/postgres": [],
  "agentchart/store/partitioned": [],
  "agentchart/inspect": ["@cfworker/json-schema", "xstate", "zod"],
  "agentchart/inspect/browser": ["xstate"],
  "agentchart/worker": ["@cfworker/json-schema", "lru-cache", "xstate"],
  // The server of MCP is loaded with the first request to `/mcp`.
  "agentchart/server": [
    "@asteasolutions/zod-to-openapi",
    "@hono/node-server",
    "@hono/zod-openapi",
    "@hono/zod-validator",
    "hono",
    "lru-cache",
    "zod",
  ],
};

/** What the import of an entry loads: packages by their names, files of ours by their paths. */
function loadedBy(entry: string): {
  readonly packages: readonly string[];
  readonly files: readonly string[];
  readonly builtins: readonly string[];
} {
  const script = join(ROOT, "test/support/loaded-modules.mjs");
  const args = ["--conditions=agentchart-source", script, entry];
  const urls = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as readonly string[];
  const packages = urls.flatMap((url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  const files = urls.flatMap((url) => /\/((?:src|machines)\/(?!.*node_modules).*)$/.exec(url)?.[1] ?? []);
  const builtins = urls.filter((url) => url.startsWith("node:"));
  return { packages: [...new Set(packages)].toSorted(), files, builtins };
}

test.each(Object.entries(PACKAGES))("import %s loads the packages %j", (entry, packages) => {
  expect(loadedBy(entry).packages).toEqual(packages);
});

test('import "agentchart" loads no model adapter, store, inspector, layout, worker, server or command', () => {
  const { files } = loadedBy("agentchart");
  expect(files).toContain("src/agent/create-agent.ts");
  const others =
    /^src\/(?:core\/model\/(?:openai|ai-sdk)|store\/(?:memory|file|sqlite|postgres|partition|moved|move-)|inspect|worker|server|testing|cli|kit)\b|layout|svg/;
  expect(files.filter((path) => others.test(path))).toEqual([]);
});

test('import "agentchart/inspect" loads no server and no layout', () => {
  const { files } = loadedBy("agentchart/inspect");
  expect(files).toContain("src/inspect/client/inspector.ts");
  expect(files.filter((path) => /^src\/inspect\/hub\b|layout|svg/.test(path))).toEqual([]);
});

/** What makes and runs agents: their machine, their models and their tools. */
const OF_AGENTS =
  /^machines\/agent\/(?:agent|states|updates|vocabulary)\b|^src\/agent\/(?!steps|observed-systems)|^src\/core\/model\/(?!request\.|load-tokenizer)|^src\/core\/tool\/(?:toolkit|run|define|catalogue)\.|^src\/kit\b/;

test.each(["agentchart/inspect", join(ROOT, "test/support/inspects-a-machine.mjs")])(
  "%s, which shows machines of XState, loads no agent, no machine of agents, no model and no tools",
  (entry) => {
    const { files } = loadedBy(entry);
    expect(files).toContain("src/inspect/client/actor-systems.ts");
    expect(files.filter((path) => OF_AGENTS.test(path))).toEqual([]);
  },
);

test('import "agentchart/inspect/browser" loads nothing of Node.js and nothing of the hub', () => {
  const { files, builtins } = loadedBy("agentchart/inspect/browser");
  expect(files).toContain("src/inspect/client/browser-socket.ts");
  expect(builtins).toEqual([]);
  const others = /^src\/inspect\/hub\b|watched|hub-address/;
  expect(files.filter((path) => OF_AGENTS.test(path) || others.test(path))).toEqual([]);
});
