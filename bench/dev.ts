// How soon an answer begins in `agentchart dev`: from the request of an API client to the first delta that it receives, in fresh
// processes of the built package, with a model that answers at once. The session is stored in SQLite before the answer begins.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { IS_SMOKE, median } from "./cpu.ts";
import { benchOptions, whole } from "./options.ts";

const { values } = benchOptions(
  `Measures how soon an answer begins in agentchart dev: from the request to the first delta.

Usage: npm run bench:dev -- [options]

  --processes N  fresh processes (default: 9)
  --help         prints this`,
  { processes: { type: "string", default: IS_SMOKE ? "1" : "9" } },
);
const processes = whole("processes", values.processes);
const CLI = join(import.meta.dirname, "../dist/cli/main.mjs");
const WORDS = 40;
const WORD_MS = 5;
/** Turns of a process after its first two: these warm up, those are measured. */
const [UNMEASURED, MEASURED] = IS_SMOKE ? [1, 1] : [5, 10];

const AGENTS = `const model = {
  name: "instant",
  async *stream() {
    for (let word = 0; word < ${WORDS}; word++) {
      yield { type: "text.delta", delta: "word " };
      await new Promise((resolve) => setTimeout(resolve, ${WORD_MS}));
    }
    yield { type: "finish", reason: "stop" };
  },
};
export default { desk: () => ({ name: "desk", model }) };
`;

type Api = { readonly origin: string; readonly token: string };
type Turn = {
  /** From the request to the first delta, ms. */
  readonly begunMs: number;
  /** How many deltas the client received, which shows that they stream. */
  readonly deltas: number;
  /** The position behind the turn. */
  readonly end: string;
};

/** Sends a message and reads its turn; `after` is the position before it. */
async function turn({ origin, token }: Api, sessionId: string, after?: string): Promise<Turn> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const at = `${origin}/v1/sessions/${sessionId}`;
  const start = performance.now();
  const body = JSON.stringify({ agent: "desk", input: "Hello." });
  const sent = await fetch(`${at}/messages`, { method: "POST", headers, body });
  if (!sent.ok) throw new Error(`The message was refused: ${sent.status} ${await sent.text()}`);
  const events = await fetch(`${at}/events`, {
    headers: { ...headers, ...(after !== undefined && { "Last-Event-ID": after }) },
  });
  let begunMs: number | undefined;
  let text = "";
  for await (const chunk of events.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('"block.delta"')) begunMs ??= performance.now() - start;
    if (text.includes('"turn.end"')) break;
  }
  if (begunMs === undefined) throw new Error("The turn had no deltas.");
  const end = [...text.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? "";
  return { begunMs, deltas: text.match(/"block\.delta"/g)?.length ?? 0, end };
}

/** Starts `agentchart dev` in a folder, and returns where its API is once it has said so. */
async function startDev(folder: string): Promise<Api & { stop(): Promise<void> }> {
  const args = [CLI, "dev", "--agents", "agents.mjs", "--port", "0", "--inspect-port", "0"];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (out += String(data)));
  while (!out.includes("API ")) {
    if (child.exitCode !== null) throw new Error(`agentchart dev has ended: ${out}`);
    await sleep(10);
  }
  const url = new URL(/^Chat +(\S+)/m.exec(out)![1]!);
  const stop = async (): Promise<void> => {
    child.kill("SIGINT");
    await ended;
  };
  return { origin: url.origin, token: url.hash.slice("#t=".length), stop };
}

const [fresh, second, warm, deltas]: [number[], number[], number[], number[]] = [[], [], [], []];
for (let count = 0; count < processes; count++) {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-dev-"));
  writeFileSync(join(folder, "agents.mjs"), AGENTS);
  const dev = await startDev(folder);
  await (await fetch(dev.origin)).text(); // the first request of this client costs the client
  await sleep(1_000); // a person reads the link
  const first = await turn(dev, "s1");
  fresh.push(first.begunMs);
  deltas.push(first.deltas);
  second.push((await turn(dev, "s2")).begunMs);
  let { end } = first;
  for (let more = 0; more < UNMEASURED + MEASURED; more++) {
    const next = await turn(dev, "s1", end);
    ({ end } = next);
    if (more >= UNMEASURED) warm.push(next.begunMs);
  }
  await dev.stop();
  rmSync(folder, { recursive: true, force: true });
}

const row = (what: string, times: readonly number[]): string =>
  `| ${what} | ${median(times).toFixed(1)} | ${Math.min(...times).toFixed(1)}–${Math.max(...times).toFixed(1)} | ${times.length} |`;
console.log(`From the request to the first delta, ms; load ${loadavg()[0]!.toFixed(1)}; ${median(deltas)} deltas a turn

| turn | median | least–most | turns |
|---|---|---|---|
${row("the first of a process (aim 50)", fresh)}
${row("the first of another session", second)}
${row("later ones", warm)}`);
