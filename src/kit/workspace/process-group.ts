import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

const MARK = "AGENTCHART_COMMAND";
/** The maximum number of times that what has left a group is looked for: each look may find what the one before it made. */
const MAX_LOOKS = 20;

const running = new Set<number>();

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // nothing is left of it
  }
}

/** Kills what still runs when this process ends. */
function killAll(): void {
  for (const pid of running) killGroup(pid);
}

/** Returns the processes that were started with this mark, wherever they are now. Linux only: elsewhere none is found. */
async function marked(value: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const line = `${MARK}=${value}`;
  const names = await readdir("/proc").catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/u.test(name))
      .map(async (name) => {
        const environment = await readFile(`/proc/${name}/environ`, "latin1").catch(() => "");
        return environment.includes(line) ? Number(name) : 0;
      }),
  );
  return found.filter((pid) => pid > 0 && pid !== process.pid);
}

/** The processes of one command. */
export type ProcessGroup = {
  /** The variables that the command has in its environment, and with it each process that it starts. */
  readonly mark: { readonly [name: string]: string };
  /** Begins with the process that leads the group. */
  start(pid: number): void;
  /** Kills the group. */
  kill(): void;
  /** Kills the group, and then what has left it, such as a daemon. */
  end(): Promise<void>;
};

/** Returns the group of a command that is about to start. */
export function processGroup(): ProcessGroup {
  const value = randomBytes(12).toString("hex");
  let leader: number | undefined;
  let ended: Promise<void> | undefined;
  const kill = (): void => {
    if (leader !== undefined) killGroup(leader);
  };
  const endAll = async (): Promise<void> => {
    kill();
    for (let look = 0; look < MAX_LOOKS; look++) {
      const left = await marked(value);
      if (left.length === 0) break;
      for (const pid of left) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // it has ended meanwhile
        }
      }
    }
    if (leader !== undefined) running.delete(leader);
    if (running.size === 0) process.off("exit", killAll);
  };
  return {
    mark: { [MARK]: value },
    start(pid) {
      leader = pid;
      if (running.size === 0) process.on("exit", killAll);
      running.add(pid);
    },
    kill,
    end: () => (ended ??= endAll()),
  };
}
