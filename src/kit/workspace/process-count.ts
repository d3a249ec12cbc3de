import { readdir, readFile, readlink } from "node:fs/promises";

const EVERY_MS = 100;

async function firstChild(pid: number): Promise<string | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "latin1").catch(() => "");
  return /\d+/u.exec(children)?.[0];
}

/** Returns the number of processes in the same namespace as this one; 0 if it has ended. */
async function inNamespaceOf(pid: string): Promise<number> {
  const space = await readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);
  if (space === undefined || space === (await readlink("/proc/self/ns/pid"))) return 0;
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/u.test(name))
      .map((name) => readlink(`/proc/${name}/ns/pid`).catch(() => "")),
  );
  return found.filter((each) => each === space).length;
}

/**
 * Counts the processes of a sandbox ten times a second, and calls `stop` if they are more than `max`. The limit of the system does not
 * hold for root: without this a command of root could take all processes of the machine. Returns what ends the watch.
 */
export function watchProcesses(pid: number, max: number, stop: () => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async (): Promise<void> => {
    const init = await firstChild(pid);
    if (init !== undefined && (await inNamespaceOf(init)) > max) return stop();
    if (isOver) return;
    timer = setTimeout(() => void look(), EVERY_MS);
    timer.unref();
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
