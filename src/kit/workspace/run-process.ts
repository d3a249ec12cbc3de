import { delayOf } from "../../core/base/time.ts";
import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { AgentError } from "../../core/base/error.ts";
import { processGroup, type ProcessGroup } from "./process-group.ts";
import type { CommandEvent } from "./port.ts";

type Output = Extract<CommandEvent, { type: "output" }>;
type Exit = Extract<CommandEvent, { type: "exit" }>;
type Stopped = NonNullable<Exit["stopped"]>;

/** A process that is to be run. */
export type ProcessSpec = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: { readonly [name: string]: string };
  readonly timeoutMs: number;
  /** The process stops for its reasons: each is `timeout`, `aborted` or `closed`. */
  readonly signals: readonly (readonly [signal: AbortSignal | undefined, stopped: Stopped])[];
  /** Watches a started process; calls `stop` if it must end, and returns what ends the watch. */
  readonly watch?: (pid: number, stop: () => void) => () => void;
};

/** The amount of output that may wait to be read before the process waits. */
const MAX_WAITING = 1024 * 1024;
/** The maximum time that the output of an ended process may take to end, ms: something that was not ended may hold it open. */
const DRAIN_MS = 1_000;

/** The data that come from a process and are not read yet. */
class Waiting {
  readonly #events: Output[] = [];
  readonly #streams: Readable[] = [];
  #size = 0;
  #wake: (() => void) | undefined;
  #isOver = false;

  add(name: Output["stream"], stream: Readable): void {
    this.#streams.push(stream);
    stream.on("error", () => {});
    stream.on("data", (data: Buffer) => {
      this.#events.push({ type: "output", stream: name, data });
      this.#size += data.length;
      if (this.#size > MAX_WAITING) for (const each of this.#streams) each.pause();
      this.#wake?.();
    });
  }

  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  /** The next output; undefined if there will be none. */
  async next(): Promise<Output | undefined> {
    for (;;) {
      const event = this.#events.shift();
      if (event) {
        this.#size -= event.data.length;
        if (this.#size <= MAX_WAITING) for (const each of this.#streams) each.resume();
        return event;
      }
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** Calls `ended` when the process has ended and its output too; what holds the output open after that is stopped. */
function whenEnded(child: ChildProcess, group: ProcessGroup, ended: (exit: Exit) => void): void {
  let exit: Exit | undefined;
  let drain: NodeJS.Timeout | undefined;
  child.once("exit", (exitCode, signal) => {
    exit = { type: "exit", exitCode, ...(signal !== null && { signal }) };
    group.kill();
    drain = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, DRAIN_MS);
  });
  child.once("close", () => {
    clearTimeout(drain);
    if (exit) ended(exit);
  });
}

function notStarted(cause: Error): AgentError {
  return new AgentError("workspace/failed", `The command cannot be started: ${cause.message}.`, { cause });
}

function started({ file, args, cwd, env }: ProcessSpec, mark: { readonly [name: string]: string }) {
  try {
    return spawn(file, args, {
      cwd,
      env: { ...env, ...mark },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    throw notStarted(error as Error); // such as arguments that are too long
  }
}

/**
 * Runs a process in a group of its own and yields its output, then how it ended. Leaving the loop, a signal and the end of its time
 * kill the whole group and what has left it. A process whose output nobody reads waits.
 */
export async function* runProcess(spec: ProcessSpec): AsyncGenerator<CommandEvent, void> {
  for (const [signal, stopped] of spec.signals) {
    if (signal?.aborted) {
      yield { type: "exit", exitCode: null, stopped };
      return;
    }
  }
  const group = processGroup();
  const child = started(spec, group.mark);
  const waiting = new Waiting();
  let exit: Exit | undefined;
  let failure: Error | undefined;
  let stopped: Stopped | undefined;
  child.once("error", (error) => {
    failure = error;
    waiting.end();
  });
  if (child.pid !== undefined) group.start(child.pid);
  whenEnded(child, group, (how) => {
    exit = how;
    waiting.end();
  });
  waiting.add("stdout", child.stdout);
  waiting.add("stderr", child.stderr);

  const stop = (why: Stopped): void => {
    if (exit) return;
    stopped ??= why;
    group.kill();
  };
  const undo = spec.signals.map(([signal, why]) => {
    const onAbort = (): void => stop(why);
    signal?.addEventListener("abort", onAbort, { once: true });
    return () => signal?.removeEventListener("abort", onAbort);
  });
  const timer = setTimeout(() => stop("timeout"), delayOf(spec.timeoutMs));
  const unwatch = child.pid === undefined ? undefined : spec.watch?.(child.pid, () => stop("processes"));
  try {
    for (let event = await waiting.next(); event; event = await waiting.next()) yield event;
    if (failure) throw notStarted(failure);
    await group.end();
    yield { ...exit!, ...(stopped && { stopped }) };
  } finally {
    clearTimeout(timer);
    unwatch?.();
    for (const each of undo) each();
    await group.end();
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
