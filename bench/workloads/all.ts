import type { Workload } from "../workload.ts";
import { chunk } from "./chunk.ts";
import { history, iteration } from "./iteration.ts";
import { long, saved, task } from "./long.ts";
import { parallel } from "./parallel.ts";
import { parts } from "./parts.ts";
import { http, short } from "./short.ts";
import { first, machine, start } from "./start.ts";

/** What `npm run bench` measures, in the order of its report. */
export const WORKLOADS: { readonly [name: string]: () => Promise<Workload> } = {
  iteration,
  short,
  http,
  parts,
  chunk,
  parallel,
  long,
  saved,
  history,
  task,
  machine,
  start,
  first,
};
