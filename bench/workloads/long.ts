import { mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentConfig, SessionStore } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { sqliteStore } from "agentchart/store/sqlite";
import { IS_SMOKE } from "../cpu.ts";
import { inProcess } from "../in-process.ts";
import { loopback } from "../loopback.ts";
import { byAgent, byBareLoop, millisPerRun, SIZES, type Server } from "../rooms.ts";
import { ROUNDS, turnOf, type Size } from "../task.ts";
import type { Workload } from "../workload.ts";

const LONG = IS_SMOKE ? 10 : 1_000;

function serverOf(size: Size, rounds: number): Server {
  return inProcess(Array.from({ length: rounds + 1 }, (_, done) => turnOf(done, size, rounds)));
}

/** One turn of many rounds. */
export async function long(): Promise<Workload> {
  const size = SIZES.small;
  const server = serverOf(size, LONG);
  return {
    title: `A turn of ${LONG.toLocaleString("en")} rounds`,
    text: "Every request carries the whole history, over a `fetch` that answers within the process.",
    unit: "ms",
    digits: 0,
    reference: "bare loop",
    variants: {
      "bare loop": { run: millisPerRun(byBareLoop(server, size)) },
      "`agent.call`": {
        run: millisPerRun(byAgent(server, size, { rounds: LONG })),
        aim: 1.05,
        why: "what a round costs beside its request does not fall with the length",
      },
    },
    sampling: { samples: 7, warmUpMs: 3_000, sampleMs: 250 },
  };
}

/** The same over HTTP, in two sizes. */
export async function task(): Promise<Workload> {
  const small = await loopback("small", ROUNDS);
  const usual = await loopback("usual", ROUNDS);
  const variants = ({ server }: typeof small, size: keyof typeof SIZES) => ({
    [`${size}: bare loop`]: { run: millisPerRun(byBareLoop(server, SIZES[size])) },
    [`${size}: agent`]: {
      run: millisPerRun(byAgent(server, SIZES[size], { rounds: ROUNDS })),
      over: `${size}: bare loop`,
      aim: 1.15,
      why: "what a round costs beside its request does not fall with the length",
    },
  });
  return {
    title: `A turn of ${ROUNDS} rounds over HTTP`,
    text: `The server runs in a process of its own and is not counted. In a round of the small task the model says ${SIZES.small.words} words and the tool
answers ${SIZES.small.characters} characters, in the usual one ${SIZES.usual.words} and ${SIZES.usual.characters.toLocaleString("en")}.`,
    unit: "ms",
    digits: 0,
    reference: "small: bare loop",
    variants: { ...variants(small, "small"), ...variants(usual, "usual") },
    sampling: { samples: 9, warmUpMs: 2_000, sampleMs: 250 },
    close: async () => void (await Promise.all([small.close(), usual.close()])),
  };
}

/** The same saved at every step. */
export async function saved(): Promise<Workload> {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-bench-"));
  const size: Size = { words: 3, characters: 190 };
  const server = serverOf(size, ROUNDS);
  const log = await open(join(folder, "messages.ndjson"), "a");
  const stores: readonly SessionStore[] = [
    fileStore({ dir: join(folder, "files") }),
    sqliteStore({ path: join(folder, "sessions.sqlite") }),
  ];
  let sessions = 0;
  const stored = (store: SessionStore) => ({
    run: millisPerRun(
      byAgent(server, size, {
        rounds: ROUNDS,
        config: (): Partial<AgentConfig> => ({ store, sessionId: `s${++sessions}` }),
      }),
    ),
    aim: 1.4,
    why: "a step is stored with what a restore needs of it, with a checksum, under a lease; a line of the loop is one message",
  });
  return {
    title: `A turn of ${ROUNDS} rounds, saved at every step`,
    text: "Results of 190 characters, over a `fetch` that answers within the process. The bare loop appends each message to a file as a line of JSON.",
    unit: "ms",
    digits: 0,
    reference: "bare loop that appends",
    variants: {
      "bare loop that appends": {
        run: millisPerRun(
          byBareLoop(server, size, (message) => log.appendFile(`${JSON.stringify(message)}\n`)),
        ),
      },
      "agent, files": stored(stores[0]!),
      "agent, SQLite": stored(stores[1]!),
      "agent, no store": { run: millisPerRun(byAgent(server, size, { rounds: ROUNDS })) },
    },
    sampling: { samples: 9, warmUpMs: 2_000, sampleMs: 250 },
    close: async () => {
      await Promise.all([log.close(), ...stores.map((store) => store.close())]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
