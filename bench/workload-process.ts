import { measure, type Measured } from "./workload.ts";
import { WORKLOADS } from "./workloads/all.ts";

/** What a process says that has measured a workload. */
export type FromProcess = {
  readonly measured: Measured;
  /** The CPU µs that it has used. */
  readonly cpu: number;
};

const measured = await measure(await WORKLOADS[process.argv[2]!]!());
const { user, system } = process.cpuUsage();
process.send!({ measured, cpu: user + system } satisfies FromProcess);
