import { fork } from "node:child_process";
import { join } from "node:path";
import { inTurns, type Sampling } from "./cpu.ts";
import type { FromProcess } from "./workload-process.ts";

/** One way to do the work of a workload. */
export type Variant = {
  /** Takes one sample, in the unit of the workload. */
  readonly run: () => Promise<number>;
  /** The variant that this one is compared with; default the reference. */
  readonly over?: string;
  /** What the ratio should be at most. */
  readonly aim?: number;
  /** Why the ratio is above the aim, said if it is. */
  readonly why?: string;
};

/** The same work done in several ways. */
export type Workload = {
  readonly title: string;
  /** What is done, as Markdown. */
  readonly text: string;
  readonly unit: string;
  /** Decimals of figures. */
  readonly digits: number;
  /** The name of the bare variant. */
  readonly reference: string;
  readonly variants: { readonly [name: string]: Variant };
  readonly sampling: Sampling;
  readonly close?: () => Promise<void>;
};

/** A workload as its report describes it. */
export type Described = Omit<Workload, "variants" | "sampling" | "close"> & {
  readonly variants: { readonly [name: string]: Omit<Variant, "run"> };
};

export type Measured = {
  readonly workload: Described;
  readonly samples: { readonly [name: string]: readonly number[] };
  /** The reference once more: how far its ratio is from 1 is the noise of the others. */
  readonly again: readonly number[];
};

const AGAIN = "the same again";

/** Measures a workload in a process of its own: what V8 has learnt of other workloads, and what they have left on the heap, would
 *  change its figures. Resolves with the CPU µs of the process too. */
export async function measureApart(name: string): Promise<FromProcess> {
  const child = fork(join(import.meta.dirname, "workload-process.ts"), [name]);
  return new Promise((resolve, reject) => {
    child.once("message", (said) => resolve(said as FromProcess));
    child.once("exit", (code) =>
      reject(new Error(`The process of the workload '${name}' ended with ${code}.`)),
    );
  });
}

/** Takes all samples of a workload. */
export async function measure(workload: Workload): Promise<Measured> {
  const { variants, reference, sampling, close } = workload;
  const runs = Object.fromEntries(Object.entries(variants).map(([name, { run }]) => [name, run]));
  try {
    const samples = await inTurns({ ...runs, [AGAIN]: variants[reference]!.run }, sampling);
    return { workload, samples, again: samples[AGAIN]! };
  } finally {
    await close?.();
  }
}
