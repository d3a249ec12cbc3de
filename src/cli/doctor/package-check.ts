import packageJson from "agentchart/package.json" with { type: "json" };
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { satisfies } from "semver";
import { queueSpec, storeSpec } from "../workers/open-backend.ts";
import { missing, ok, wrong, type Asked, type Check, type Finding } from "./check.ts";

/** The optional packages, and what each is for. */
export const USES: { readonly [name: string]: string } = {
  "@agentclientprotocol/sdk": "agents in editors",
  "@modelcontextprotocol/client": "tools of MCP servers",
  "@modelcontextprotocol/server": "agents as an MCP server",
  "@opentelemetry/api": "traces and metrics",
  "@opentelemetry/sdk-node": "traces and metrics",
  bullmq: "the queue of workers",
  croner: "schedules with `cron`",
  "csv-parse": "cases of evaluations in CSV",
  ioredis: "a queue on Redis",
  openai: '`transport: "openai"` of openaiModel',
  pg: "stores, queues and knowledge in Postgres",
  react: "useAgent in a page",
  "sqlite-vec": "knowledge with vectors in SQLite",
  unpdf: "knowledge from PDF files",
  yaml: "skills in folders",
};

/** The optional packages that a store and a queue need. */
export function packagesFor(store: string | undefined, queue: string | undefined): readonly string[] {
  const isPostgres = (spec = ""): boolean => /^postgres(ql)?:/.test(spec);
  const isRedis = /^rediss?:/.test(queue ?? "");
  return [
    ...(isPostgres(store) || isPostgres(queue) ? ["pg"] : []),
    ...(isPostgres(queue) || isRedis ? ["bullmq"] : []),
    ...(isRedis ? ["ioredis"] : []),
  ];
}

/** The version of a package that a module would import; undefined if it would find none. */
export function versionFrom(name: string, module: string): string | undefined {
  for (const folder of createRequire(module).resolve.paths(name) ?? []) {
    try {
      const text = readFileSync(join(folder, name, "package.json"), "utf8");
      return (JSON.parse(text) as { readonly version: string }).version;
    } catch {
      // the next folder
    }
  }
  return undefined;
}

/** Finds whether an optional package has a version that is known to work. */
export function packageFinding(
  name: string,
  range: string,
  version: string | undefined,
  isNeeded: boolean,
): Finding {
  const install = `npm install '${name}@${range}'`;
  const use = USES[name] ?? "an option";
  if (version === undefined)
    return missing("package", `${name} ${range}, for ${use}, is not installed: ${install}`, isNeeded);
  if (!satisfies(version, range))
    return wrong("package", `${name} ${version}, for ${use}, must be ${range}: ${install}`, isNeeded);
  return ok("package", `${name} ${version}, for ${use}`, isNeeded);
}

const neededOf = ({ flags: { store, queue }, env }: Asked): readonly string[] =>
  packagesFor(storeSpec(store, env), queue === undefined ? undefined : queueSpec(queue, env));

export const packageCheck: Check = {
  name: "package",
  async run(asked) {
    const needed = neededOf(asked);
    return Object.entries(packageJson.peerDependencies).map(([name, range]) =>
      packageFinding(name, range, versionFrom(name, import.meta.url), needed.includes(name)),
    );
  },
};
