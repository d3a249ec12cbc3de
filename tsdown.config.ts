import { readFileSync } from "node:fs";
import { basename, dirname, relative } from "node:path/posix";
import { transform } from "esbuild";
import { defineConfig } from "tsdown";
import { chunksOf } from "./scripts/chunks.mjs";
import { recordBundled } from "./scripts/record-bundled.mjs";

const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** The CommonJS files that load a package in the middle of a function, and what of them is bundled. */
const LOADERS: { readonly [file: string]: readonly [from: string, to: string] | undefined } = {
  "src/core/model/load-tokenizer.cjs": ["gpt-tokenizer/encoding/cl100k_base", "./vendor/gpt-tokenizer.cjs"],
  "src/core/tool/load-zod.cjs": undefined,
};

type Emitter = { emitFile(file: { type: "asset"; fileName: string; source: string }): void };

/** Copies these files, instead of making them a part of a module. */
const copyLoaders = {
  name: "copy-loaders",
  resolveId: (source: string) =>
    Object.keys(LOADERS).some((file) => basename(file) === basename(source))
      ? { id: `./${basename(source)}`, external: true }
      : undefined,
  generateBundle(this: Emitter) {
    for (const [file, replaced] of Object.entries(LOADERS)) {
      const source = readFileSync(file, "utf8");
      this.emitFile({
        type: "asset",
        fileName: basename(file),
        source: replaced ? source.replace(...replaced) : source,
      });
    }
  },
};

/** Leaves out what prom-client needs for exemplars, which are not used: a worker runs without `@opentelemetry/api`. */
const withoutExemplars = {
  name: "without-exemplars",
  resolveId: {
    order: "pre" as const,
    handler: (source: string, importer = "") =>
      source === "@opentelemetry/api" && importer.includes("/prom-client/") ? "\0no-exemplars" : undefined,
  },
  load: (id: string) => (id === "\0no-exemplars" ? "export {};" : undefined),
};

/** Minifies the bundled packages: nobody reads them here, and elkjs alone loses 1 MB. Of the other modules the docstrings are left out,
 *  a fifth of what an agent loads: an editor shows those of the declarations. Statements are shortened, names and lines are left. */
const shrink = {
  name: "shrink",
  async renderChunk(source: string, { fileName }: { readonly fileName: string }) {
    if (!fileName.endsWith(".mjs")) return undefined;
    const minify = fileName.startsWith("vendor/");
    const { code } = await transform(source, { minify, minifySyntax: true, format: "esm", target: "node22" });
    return { code };
  },
};

/** What is loaded by a page. */
const FOR_PAGES = ["react/index", "inspect/browser"];

/** True for what a user imports on a server. */
const isForNode = (entry: string): boolean =>
  ![
    "check-node",
    "cli/main",
    "cli/dev-thread",
    "diagram/layout-worker",
    "tool/check-thread",
    "check/check-thread",
    "testing/crash-child",
    ...FOR_PAGES,
  ].includes(entry);

/** The first line of a module: what is for React is a part of the client, what is for Node checks its version. */
function firstLineOf(entry: string, fileName: string): string {
  if (entry === "react/index") return `"use client";`;
  if (!isForNode(entry)) return "";
  return `import "${relative(dirname(fileName), "check-node.mjs").replace(/^(?!\.)/, "./")}";`;
}

/** The entries that are loaded without an agent. */
const ALONE = [
  "src/core/model/openai/index.ts",
  "src/ui/index.ts",
  "src/ui/react/index.ts",
  "src/store/memory.ts",
  "src/store/file.ts",
  "src/store/sqlite.ts",
  "src/store/postgres.ts",
  "src/store/partitioned.ts",
  "src/session/index.ts",
  "machines/index.ts",
  "src/core/diagram/layout-worker.ts",
  "src/core/tool/check-thread-main.ts",
  "src/inspect/index.ts",
  "src/inspect/client/browser.ts",
  "src/cli/main.ts",
  "src/core/base/check-node.ts",
];

// One build for all entries, so that they share their modules: an error class is the same class everywhere.
const main = defineConfig({
  entry: {
    index: "src/index.ts",
    "openai/index": "src/core/model/openai/index.ts",
    "ai-sdk/index": "src/core/model/ai-sdk/index.ts",
    "plan/index": "src/kit/plan/index.ts",
    "skills/index": "src/kit/skills/index.ts",
    "team/index": "src/kit/team/index.ts",
    "workspace/index": "src/kit/workspace/index.ts",
    "memory/index": "src/kit/memory/index.ts",
    "knowledge/index": "src/kit/knowledge/index.ts",
    "mcp/index": "src/kit/mcp/index.ts",
    "otel/index": "src/kit/otel/index.ts",
    "rules/index": "src/kit/rules/index.ts",
    "check/index": "src/testing/check/index.ts",
    "check/check-thread": "src/testing/check/check-thread.ts",
    "ui/index": "src/ui/index.ts",
    "react/index": "src/ui/react/index.ts",
    "testing/index": "src/testing/index.ts",
    "testing/crash-child": "src/testing/crash/child.ts",
    // What of "agentchart/testing" runs without Node.js.
    "testing/scripted-model": "src/testing/scripted-model.ts",
    "evals/index": "src/testing/evals/index.ts",
    "machines/index": "machines/index.ts",
    "store/memory": "src/store/memory.ts",
    "store/file": "src/store/file.ts",
    "store/sqlite": "src/store/sqlite.ts",
    "store/postgres": "src/store/postgres.ts",
    "store/partitioned": "src/store/partitioned.ts",
    "session/index": "src/session/index.ts",
    "inspect/index": "src/inspect/index.ts",
    "inspect/browser": "src/inspect/client/browser.ts",
    "diagram/layout-worker": "src/core/diagram/layout-worker.ts",
    "tool/check-thread": "src/core/tool/check-thread-main.ts",
    "worker/index": "src/worker/index.ts",
    "server/index": "src/server/index.ts",
    "cli/main": "src/cli/main.ts",
    "cli/dev-thread": "src/cli/dev/thread-main.ts",
    "check-node": "src/core/base/check-node.ts",
  },
  format: "esm",
  dts: true,
  hash: false, // a package is no cache, and each import repeats the name
  platform: "node",
  tsconfig: "tsconfig.build.json",
  deps: {
    // Loaded by the package's own name, so that a bundle of `agentchart` alone holds no inspector.
    neverBundle: ["agentchart/inspect"],
    // What is imported from `devDependencies` is bundled, with its notice.
    onlyBundle: false,
    onlyImport: [
      "agentchart",
      "xstate",
      "zod",
      "openai",
      "@cfworker/json-schema",
      "pg",
      "react",
      "sqlite-vec",
      "unpdf",
      "bullmq",
      "croner",
      "csv-parse",
      "ioredis",
      "@modelcontextprotocol/client",
      "@modelcontextprotocol/server",
      "@modelcontextprotocol/server/stdio",
      "@agentclientprotocol/sdk",
      "yaml",
      "@opentelemetry/api",
      "@opentelemetry/sdk-node",
    ],
  },
  plugins: [copyLoaders, withoutExemplars, shrink, recordBundled("package")],
  outputOptions: {
    banner: ({ isEntry, name, fileName }) =>
      isEntry && !fileName.endsWith(".d.mts") ? firstLineOf(name, fileName) : "",
    codeSplitting: {
      // Each bundled package is a file of its own, loaded only by what needs it.
      groups: [
        ...chunksOf("src/index.ts", ALONE),
        {
          test: /node_modules\/.*\.[cm]?js$/,
          name: (id) => `vendor/${packageName.exec(id)![1]!.replace("@", "").replace("/", "-")}`,
        },
      ],
    },
  },
});

/** Writes the 100,000 tokens as a file of JSON, which is read in a seventh of the time that V8 takes for the array literal. */
const tokensAsJson = {
  name: "tokens-as-json",
  resolveId: (source: string) => (source === TOKENS ? { id: TOKENS, external: true } : undefined),
  transform: {
    filter: { id: /\/bpeRanks\/\w+\.js$/ },
    async handler(this: Emitter, _code: string, id: string) {
      const { default: tokens } = (await import(id)) as { readonly default: readonly unknown[] };
      const source = JSON.stringify(tokens);
      this.emitFile({ type: "asset", fileName: `vendor/${basename(TOKENS)}`, source });
      return { code: `export default require("${TOKENS}");`, map: null };
    },
  },
};
const TOKENS = "./gpt-tokenizer.json";

const tokenizer = defineConfig({
  entry: { "vendor/gpt-tokenizer": "gpt-tokenizer/encoding/cl100k_base" },
  format: "cjs",
  dts: false,
  clean: false,
  minify: true,
  platform: "node",
  deps: { alwaysBundle: ["gpt-tokenizer"], onlyBundle: false },
  plugins: [tokensAsJson, recordBundled("tokenizer")],
});

export default [main, tokenizer];
