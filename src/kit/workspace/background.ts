import { randomBytes } from "node:crypto";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { OutputTail } from "./output-tail.ts";
import type { CommandEvent, Workspace } from "./port.ts";

const MAX_RUNNING = 8;
const MAX_KEPT = 24;
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

type Exit = Extract<CommandEvent, { type: "exit" }>;

/** A command in the background. */
export type BackgroundCommand = {
  readonly id: string;
  readonly session: string;
  readonly tail: OutputTail;
  readonly stopping: AbortController;
  /** Resolves when it has ended. */
  readonly ended: Promise<void>;
  /** The exit of the command; undefined while it runs. */
  exit: Exit | undefined;
};

/** The commands that run in the background of a workspace. They belong to this process, and each is known to its session only. */
export class BackgroundCommands {
  readonly #workspace: Workspace;
  readonly #maxOutput: number;
  readonly #commands = new Map<string, BackgroundCommand>();

  constructor(workspace: Workspace, maxOutput: number) {
    this.#workspace = workspace;
    this.#maxOutput = maxOutput;
  }

  /** Starts a command. Throws `workspace/failed` if eight of the session run already. */
  start(session: string, command: string, cwd: string | undefined): BackgroundCommand {
    const own = [...this.#commands.values()].filter((each) => each.session === session);
    if (own.filter(({ exit }) => !exit).length >= MAX_RUNNING)
      throw new AgentError(
        "workspace/failed",
        `${MAX_RUNNING} commands run in the background already; stop one first.`,
      );
    const stopping = new AbortController();
    const tail = new OutputTail(this.#maxOutput);
    const started = {
      id: `cmd_${randomBytes(4).toString("hex")}`, // no count: a session goes on in later processes, which would begin again
      session,
      tail,
      stopping,
      exit: undefined as Exit | undefined,
    };
    const follow = async (): Promise<void> => {
      try {
        const options = {
          signal: stopping.signal,
          timeoutMs: MAX_TIMEOUT_MS,
          ...(cwd !== undefined && { cwd }),
        };
        for await (const event of this.#workspace.exec!(command, options)) {
          if (event.type === "output") tail.push(event.data);
          else running.exit = event;
        }
      } catch (error) {
        tail.push(new TextEncoder().encode(messageOf(error)));
      }
      running.exit ??= { type: "exit", exitCode: null };
    };
    const running: BackgroundCommand = Object.assign(started, { ended: Promise.resolve().then(follow) });
    this.#commands.set(`${session}\0${running.id}`, running);
    for (const [key, { exit }] of this.#commands) {
      if (this.#commands.size <= MAX_KEPT) break;
      if (exit) this.#commands.delete(key);
    }
    return running;
  }

  /** Returns a command of a session. Throws if this process has none with that name. */
  find(session: string, id: string): BackgroundCommand {
    const found = this.#commands.get(`${session}\0${id}`);
    if (found) return found;
    throw new AgentError(
      "workspace/not-found",
      `There is no command '${id.slice(0, 40)}' in the background: it was never started, it has ended and was forgotten for later ones, or the process that ran it has ended, and the command with it.`,
    );
  }
}
