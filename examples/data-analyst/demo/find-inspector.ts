import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

/** How long an inspector may take to answer, ms. */
const ANSWER_MS = 1_000;

/** How to start an inspector, printed while none runs. */
export const NO_INSPECTOR =
  'No inspector runs. Start one in another terminal, "npm run build && npx agentchart inspect", and then this again.';

/** True if an inspector runs on this machine: it says where it is, and answers there. One that was killed says so too. */
export async function isInspectorThere(home: string = homedir()): Promise<boolean> {
  try {
    const { url } = JSON.parse(await readFile(join(home, ".agentchart", "inspect.json"), "utf8")) as {
      readonly url: string;
    };
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}
