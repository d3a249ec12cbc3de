import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Returns the bytes of the heap that are in use after what nobody needs was collected. */
export async function heapBytes(): Promise<number> {
  for (let times = 0; times < 3; times++) {
    collect();
    await new Promise(setImmediate);
  }
  return process.memoryUsage().heapUsed;
}
