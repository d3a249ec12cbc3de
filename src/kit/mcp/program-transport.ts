import { spawn, type ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import type { AgentError } from "../../core/base/error.ts";
import type { Loaded } from "./load-client.ts";
import { MessageMeter } from "./bounded.ts";
import { mendAnswer } from "./mend-answer.ts";

/** The maximum time that a program and what it started may take to end by themselves, and after SIGTERM, ms. */
const GRACE_MS = 2_000;
const POLL_MS = 20;
/** The time for which messages are delivered before something else has its turn, ms. */
const TURN_MS = 10;

/** A program that is a server. */
export type Program = {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
  readonly cwd?: string | undefined;
  /** The size of the content of the largest message, in bytes. */
  readonly maxMessageBytes: number;
};

/** The process groups that run, which end with this process. */
const groups = new Set<number>();
const endAll = (): void => groups.forEach((group) => signal(group, "SIGKILL"));

/** Sends a signal to all processes of a group. Returns false if there are none. */
function signal(group: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-group, name);
  } catch {
    return false;
  }
}

async function isGone(group: number): Promise<boolean> {
  for (let waited = 0; signal(group, 0); waited += POLL_MS) {
    if (waited >= GRACE_MS) return false;
    await sleep(POLL_MS);
  }
  return true;
}

async function end(group: number): Promise<void> {
  for (const name of [0, "SIGTERM"] as const) {
    signal(group, name);
    if (await isGone(group)) break;
  }
  signal(group, "SIGKILL");
  groups.delete(group);
  if (groups.size === 0) process.off("exit", endAll);
}

/** Speaks to a program over its standard input and output. The program leads a process group of its own, so that the programs that it has
 *  started, such as those of npx, end with it. */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #loaded: Loaded;
  readonly #program: Program;
  readonly #onStderr: (chunk: Buffer) => void;
  readonly #onTooLarge: (error: AgentError) => void;
  readonly #lines: MessageLines;
  #queue: unknown[] = [];
  #onDelivered: (() => void) | undefined;
  #child: ChildProcess | undefined;
  #ending: Promise<void> | undefined;

  /** `onTooLarge` is called before the transport closes itself because of a message that is larger than it may be. */
  constructor(
    loaded: Loaded,
    program: Program,
    onStderr: (chunk: Buffer) => void,
    onTooLarge: (error: AgentError) => void,
  ) {
    this.#onTooLarge = onTooLarge;
    this.#loaded = loaded;
    this.#program = program;
    this.#onStderr = onStderr;
    this.#lines = new MessageLines(program.maxMessageBytes);
  }

  /** Starts the program. Rejects if there is no such program. */
  start(): Promise<void> {
    const { command, args, env, cwd } = this.#program;
    const child = spawn(command, args, {
      env,
      detached: true,
      stdio: "pipe",
      ...(cwd !== undefined && { cwd }),
    });
    this.#child = child;
    for (const stream of [child.stdin, child.stdout]) stream.on("error", (error) => this.onerror?.(error));
    child.stderr.on("data", this.#onStderr);
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk, child.stdout));
    child.once("close", () => {
      this.#child = undefined;
      void this.#end(child);
      this.#onDelivered = () => {
        this.#onDelivered = undefined;
        this.onclose?.();
      };
      if (this.#queue.length === 0) this.#onDelivered();
    });
    return new Promise((resolve, reject) => {
      child.once("error", (error) => {
        reject(error);
        this.onerror?.(error);
      });
      child.once("spawn", () => {
        if (groups.size === 0) process.on("exit", endAll);
        groups.add(child.pid!);
        resolve();
      });
    });
  }

  #read(chunk: Buffer, stdout: Readable): void {
    let messages: unknown[];
    try {
      messages = this.#lines.read(chunk);
    } catch (error) {
      stdout.destroy(); // the message is larger than it may be
      this.#onTooLarge(error as AgentError);
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    this.#queue.push(...messages);
    this.#deliver(stdout);
  }

  /** Delivers what has been read, for a few ms at a time: a program may write faster than messages are understood. */
  #deliver(stdout: Readable): void {
    const until = performance.now() + TURN_MS;
    while (this.#queue.length > 0) {
      if (performance.now() > until) {
        stdout.pause();
        setImmediate(() => this.#deliver(stdout));
        return;
      }
      try {
        this.onmessage?.(this.#queue.shift() as JSONRPCMessage);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
    if (stdout.isPaused()) stdout.resume();
    this.#onDelivered?.();
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error("Not connected"));
    return new Promise((resolve) => {
      if (stdin.write(this.#loaded.serializeMessage(message))) resolve();
      else stdin.once("drain", resolve);
    });
  }

  /** Ends the input of the program, and resolves when it and all that it has started have ended. After 2 s they get SIGTERM, after 2 s more
   *  SIGKILL. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child) {
      child.stdin?.end();
      await this.#end(child);
    }
    await this.#ending;
    this.#lines.clear();
    this.#queue = [];
  }

  #end({ pid }: ChildProcess): Promise<void> {
    return (this.#ending ??= pid === undefined ? Promise.resolve() : end(pid));
  }
}

const LINE_FEED = 10;

/** Reads messages that are lines of JSON. */
class MessageLines {
  readonly #meter: MessageMeter;
  #parts: Buffer[] = [];

  /** `max` is the size of the content of the largest message, in bytes. */
  constructor(max: number) {
    this.#meter = new MessageMeter(max);
  }

  /** Returns the messages that end in what has come, in the form that the protocol has; a line that is not JSON is skipped. Throws for a
   *  message that is larger than it may be. */
  read(chunk: Buffer): unknown[] {
    const messages: unknown[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      this.#meter.add(byte);
      if (byte !== LINE_FEED) continue;
      this.#check();
      this.#parts.push(chunk.subarray(start, at));
      start = at + 1;
      messages.push(...this.#taken());
    }
    this.#check();
    if (start < chunk.length) this.#parts.push(Buffer.from(chunk.subarray(start)));
    return messages;
  }

  #check(): void {
    const problem: AgentError | undefined = this.#meter.problem;
    if (problem) throw problem;
  }

  #taken(): unknown[] {
    const line = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#meter.reset();
    try {
      return [mendAnswer(JSON.parse(line))];
    } catch {
      return []; // what a program logs
    }
  }

  clear(): void {
    this.#parts = [];
    this.#meter.reset();
  }
}
