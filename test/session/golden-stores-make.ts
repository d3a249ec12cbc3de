import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { exportSession } from "agentchart/session";
import pg from "pg";
import { openStore, type StoreSpec } from "../support/open-store.ts";
import { answerAll, finish, plannedAgent, plannedTools } from "../support/planned.ts";
import { startPostgres } from "../support/postgres.ts";

/**
 * Writes one golden folder of stored sessions: for each durable store an idle, a suspended and an unfinished session (its
 * process is killed in the middle of a tool), and the exported file of the suspended one. Run it for a NEW release only: a
 * released golden session is never written again.
 */
const [release, only, id] = process.argv.slice(2);
if (!release) throw new Error("usage: golden-stores-make.ts <release>");
const folder = `${import.meta.dirname}/../fixtures/sessions/${release}`;

/** The part of the suspended session that runs before it waits for a person; the unfinished one goes on to its next tool. */
async function makeSession(spec: StoreSpec, sessionId: string): Promise<void> {
  const store = await openStore(spec);
  const killSelf = (callId: string): void => {
    if (sessionId === "unfinished" && callId === "r2-slow") process.kill(process.pid, "SIGKILL");
  };
  const agent = plannedAgent({
    store,
    sessionId,
    tools: plannedTools(killSelf),
    sessionOptions: { leaseMs: 1_000 },
  });
  if (sessionId === "idle") await finish(agent);
  else {
    await agent.call("go");
    if (sessionId === "unfinished") {
      await answerAll(agent);
      await agent.call();
    }
  }
  await agent.shutdown();
  await store.close();
}

if (only && id) {
  await makeSession(JSON.parse(only) as StoreSpec, id);
  process.exit(0);
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const server = await startPostgres();
if (!server) throw new Error("The golden sessions need a PostgreSQL server.");
const { connectionString } = server;
const specs: readonly StoreSpec[] = [
  { kind: "file", dir: `${folder}/file` },
  { kind: "sqlite", path: `${folder}/sessions.sqlite` },
  { kind: "postgres", connectionString, schema: "golden" },
];

/** The statements that make the tables, as the store sends them. */
const ddl: string[] = [];
const send = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => unknown;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]): unknown {
  const [sql] = args;
  if (typeof sql === "string" && /^\s*(?:CREATE|ALTER)/u.test(sql)) ddl.push(sql);
  return send.apply(this, args);
} as never;
const tables = await openStore(specs[2]!);
await tables.load("none");
await tables.close();

for (const spec of specs) {
  for (const sessionId of ["idle", "suspended", "unfinished"]) {
    const args = [
      "--conditions=agentchart-source",
      import.meta.filename,
      release,
      JSON.stringify(spec),
      sessionId,
    ];
    const { status, signal } = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
    if (sessionId === "unfinished" ? signal !== "SIGKILL" : status !== 0)
      throw new Error(`${spec.kind} ${sessionId}: exit ${String(status)}, signal ${String(signal)}`);
  }
}

const sqlite = await openStore(specs[1]!);
await sqlite.load("idle"); // replays what the killed process left in the write-ahead log
let lines = "";
for await (const line of exportSession(sqlite, "suspended")) lines += line;
writeFileSync(`${folder}/suspended.ndjson`, lines);
await sqlite.close();

const client = new pg.Client({ connectionString });
await client.connect();
const inserts: string[] = [];
for (const table of ["migrations", "sessions", "checkpoints", "entries", "inputs", "last_fence"]) {
  const { rows, fields } = await client.query<Record<string, unknown>>({
    text: `SELECT * FROM golden.${table}`,
    types: { getTypeParser: () => (value: string) => value },
  });
  const names = fields.map(({ name }) => name);
  const system = table === "inputs" ? " OVERRIDING SYSTEM VALUE" : "";
  if (table === "last_fence") inserts.push("DELETE FROM golden.last_fence;");
  for (const row of rows) {
    const values = names.map((name) =>
      row[name] === null ? "NULL" : client.escapeLiteral(row[name] as string),
    );
    inserts.push(`INSERT INTO golden.${table} (${names.join(", ")})${system} VALUES (${values.join(", ")});`);
  }
}
await client.end();
await server.stop();
const trimmed = ddl.map((sql) => `${sql.replace(/;\s*$/u, "")};`);
writeFileSync(`${folder}/postgres.sql`, `${[...trimmed, ...inserts].join("\n")}\n`);
