import { parentPort, workerData } from "node:worker_threads";
import { explore } from "./explore.ts";
import type { Share, WorldFindings } from "./explore-in-threads.ts";
import { BOUNDS } from "./worlds.ts";

/** Explores the worlds that no other thread has taken, one after the other. */
const { name, next } = workerData as Share;
const bounds = BOUNDS[name];
for (let world = 0; (world = Atomics.add(next, 0, 1)) < bounds.worlds.length;) {
  const { edges, table, ...findings } = explore({ ...bounds, worlds: [bounds.worlds[world]!] });
  const found: WorldFindings = { ...findings, world, taken: edges.taken, table: table.states };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port between threads has no origin
  parentPort?.postMessage(found);
}
