import { outerCallOf } from "../agent/services/run-call.ts";
import { checkPath, MAX_DEPTH } from "../agent/nested-path.ts";
import { configError } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import type { JsonObject } from "../core/base/json.ts";
import { storeSchema } from "../store/store-schema.ts";
import type { SessionStore } from "../store/port.ts";
import { defineTool } from "../core/tool/define.ts";
import { defineSlot } from "../core/tool/slot.ts";
import { toolError } from "../core/tool/suspend.ts";
import type { SlotReader, Tool, AnyToolContext, ToolReturn } from "../core/tool/types.ts";
import { createDispatcher } from "./dispatcher.ts";
import { findStatus } from "./find-status.ts";
import { queueSchema } from "./option-schemas.ts";
import type { WakeQueue } from "./queue/port.ts";
import { endText, lastTurnEnd } from "./turn-report.ts";
import type { Dispatcher, SessionStatus } from "./types.ts";

/** Options of {@link backgroundAgents}. */
export type BackgroundAgentsOptions = {
  /** The queue of the workers. */
  readonly queue: WakeQueue;
  /** The store of the workers, in which the agent that starts tasks has its session too. */
  readonly store: SessionStore;
  /** The workers' agents that may be started, by name: what the model chooses them by. */
  readonly agents: { readonly [name: string]: string };
  /** True (default): the end of a task is told to the session that has started it, see {@link DispatchOptions.reportTo}. */
  readonly report?: boolean | undefined;
  /** The maximum number of tasks of one session that run or wait at once; default 10. */
  readonly maxRunning?: number | undefined;
  /** The maximum depth to which agents may start each other, counted from the outermost; default 3. */
  readonly maxDepth?: number | undefined;
};

/** A task, as the session knows it that has started it. */
export type BackgroundTask = {
  /** The id of the call that has started it. Its session is the session's id, "/", and this. */
  readonly id: string;
  readonly agent: string;
  /** The first characters of what it was told. */
  readonly title: string;
  /** Epoch ms. */
  readonly startedAt: number;
};

/** The longest that `task_output` waits, seconds. */
const MAX_WAIT_S = 600;
const TITLE_CHARS = 80;
const DELETED = "Its session was deleted.";

/** The tasks of a session, in the order of their start. */
export const backgroundTasksSlot = defineSlot<readonly BackgroundTask[]>({
  name: "background_tasks",
  initial: [],
  schema: { type: "array" },
});

const schema = s.lazily(() =>
  s.options<BackgroundAgentsOptions>(
    {
      queue: queueSchema(),
      store: storeSchema(),
      agents: s.recordOf(s.nonEmpty(), "an object of descriptions: { name: description }"),
      report: s.optional(s.boolean()),
      maxRunning: s.optional(s.integer(1)),
      maxDepth: s.optional(s.integer(1)),
    },
    { what: "an object with `queue`, `store` and `agents`" },
  ),
);

type Settings = Pick<BackgroundAgentsOptions, "report"> & {
  readonly maxRunning: number;
  readonly maxDepth: number;
  readonly dispatcher: Dispatcher;
  readonly store: SessionStore;
};

type Ctx = AnyToolContext;

/** The JSON Schema of an object with these properties. */
const objectOf = (required: JsonObject, optional: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
});

const sessionOf = (ctx: Ctx, id: string): string => `${ctx.sessionId}/${id}`;
const isOver = ({ phase, inputs, seq }: SessionStatus): boolean =>
  phase === "stopped" && inputs === 0 && seq > 0;

/** An error for the model if a session has no task with this id. */
function unknownTask(slots: SlotReader, id: string): ToolReturn | undefined {
  const ids = slots.get(backgroundTasksSlot).map((task) => task.id);
  if (ids.includes(id)) return undefined;
  return toolError(`There is no task ${JSON.stringify(id)}; there are: ${ids.join(", ") || "none"}.`);
}

/** Returns the text that a model is told of a task that has not ended. */
function progressText({ phase, waitsFor, pending, quarantine }: SessionStatus): string {
  if (quarantine) return `It cannot go on: ${quarantine.reason}`;
  if (phase !== "suspended") return "It is running.";
  const calls = pending.map(({ name }) => name).join(", ");
  return `It waits for a person (${waitsFor.join(", ")})${calls && `: ${calls}`}.`;
}

class Tasks {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Starts an agent. Whoever does it again, after a crash, changes nothing. */
  async start(agent: string, message: string, ctx: Ctx): Promise<ToolReturn> {
    const { dispatcher, report, maxRunning } = this.#settings;
    const { callId, sessionId, slots } = ctx;
    if (message.trim() === "") return toolError("Message is required");
    const meta = this.#metaOf(agent, ctx);
    const tasks = slots.get(backgroundTasksSlot).filter(({ id }) => id !== callId);
    const states = await Promise.all(tasks.map(({ id }) => this.#status(sessionOf(ctx, id))));
    const running = states.filter((status) => status && !isOver(status)).length;
    if (running >= maxRunning)
      return toolError(`${running} tasks run already, the most that may; wait for one or cancel it.`);
    await dispatcher.dispatch(sessionOf(ctx, callId), message, {
      agent,
      meta,
      idempotencyKey: callId,
      ...(report && { reportTo: sessionId }),
    });
    const title = message.slice(0, TITLE_CHARS).toWellFormed();
    const told = report ? " You will be told when it has ended." : "";
    return {
      output: [{ type: "text", text: `Started task ${callId} of '${agent}'.${told}` }],
      slots: {
        [backgroundTasksSlot.name]: [...tasks, { id: callId, agent, title, startedAt: Date.now() }],
      },
    };
  }

  /** Returns how a task has ended, or how it stands after `waitSeconds` or when it waits for a person. */
  async output(id: string, waitSeconds: number, ctx: Ctx): Promise<ToolReturn> {
    const unknown = unknownTask(ctx.slots, id);
    if (unknown) return unknown;
    const sessionId = sessionOf(ctx, id);
    const before = await this.#status(sessionId);
    const mayEnd = before && !isOver(before) && before.phase !== "suspended";
    if (mayEnd && waitSeconds > 0) await this.#waitForEnd(sessionId, before.seq, waitSeconds, ctx);
    const status = await this.#status(sessionId);
    if (!status) return DELETED;
    if (status.phase !== "stopped" || status.seq === 0) return progressText(status);
    const end = await lastTurnEnd(this.#settings.store, sessionId, id);
    return end ? endText(end) : progressText(status);
  }

  async #waitForEnd(sessionId: string, after: number, waitSeconds: number, ctx: Ctx): Promise<void> {
    const { dispatcher } = this.#settings;
    const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(waitSeconds * 1_000)]);
    for await (const { type } of dispatcher.subscribe(sessionId, { after, signal })) {
      const isEnd = type === "turn.end" || type === "input.refused";
      if (isEnd && (await this.#status(sessionId))?.phase !== "running") break;
    }
    ctx.signal.throwIfAborted();
  }

  async cancel(id: string, ctx: Ctx): Promise<ToolReturn> {
    const unknown = unknownTask(ctx.slots, id);
    if (unknown) return unknown;
    const { dispatcher } = this.#settings;
    const sessionId = sessionOf(ctx, id);
    const status = await this.#status(sessionId);
    if (!status) return DELETED;
    if (isOver(status)) return `Task ${id} has ended already.`;
    await dispatcher.cancel(sessionId, { idempotencyKey: `${ctx.callId}/cancel` });
    return `Task ${id} is being cancelled.`;
  }

  async list(ctx: Ctx): Promise<string> {
    const lines = ctx.slots.get(backgroundTasksSlot).map(async ({ id, agent, title }) => {
      const status = await this.#status(sessionOf(ctx, id));
      const state = !status ? DELETED : isOver(status) ? "It has ended." : progressText(status);
      return `${id} (${agent}, ${JSON.stringify(title)}): ${state}`;
    });
    return (await Promise.all(lines)).join("\n") || "There are no tasks.";
  }

  /** The status of a task; undefined if its session was deleted. */
  #status(sessionId: string): Promise<SessionStatus | undefined> {
    return findStatus(this.#settings.dispatcher, sessionId);
  }

  /** The labels of a task: those of the session that starts it, and that it belongs to it. */
  #metaOf(agent: string, ctx: Ctx): JsonObject {
    const host = outerCallOf(ctx)?.host;
    if (!host?.config.store)
      throw configError(
        "backgroundAgents: the agent that starts tasks has no `store`; expected that of the workers.",
      );
    const { agent: _, parent, ...labels } = host.config.meta ?? {};
    const { path: above = [] } = (parent ?? {}) as { readonly path?: readonly string[] };
    const path = [...above, ...host.path];
    checkPath([...path, agent], this.#settings.maxDepth);
    return {
      ...labels,
      parent: { sessionId: ctx.sessionId, callId: ctx.callId, isBackground: true, path },
    };
  }
}

/**
 * Returns the tools with which a model starts agents in the background and goes on without waiting: `task_start { agent, message }`,
 * `task_output { id, wait_seconds? }` (0 to 600), `task_cancel { id }` and `task_list`. A task is a session of its own, below that of
 * the one that starts it, which workers drive: started once, and carried to its end, whatever becomes of any process. Its end comes
 * as a message to the session that has started it, once, if a worker drives that session too. What waits inside is decided in the
 * task's own session (`dispatcher.decide`). Its limits and permissions are those of the worker's agent, and what it uses does not
 * count for its parent. Give the tools to an agent with the same `store`. Throws `config/invalid` for wrong options; a task whose
 * agents start each other in a circle or deeper than `maxDepth` is an error for the model.
 *
 * @example
 * ```ts
 * import type { ChatModel } from "agentchart";
 * import { memoryStore } from "agentchart/store/memory";
 * import { backgroundAgents, createWorker, inProcessQueue } from "agentchart/worker";
 *
 * export function office(model: ChatModel) {
 *   const backend = { queue: inProcessQueue(), store: memoryStore() };
 *   const tools = backgroundAgents({ ...backend, agents: { researcher: "Finds facts; takes some minutes." } });
 *   const agents = {
 *     desk: () => ({ name: "desk", model, tools }),
 *     researcher: () => ({ name: "researcher", model }),
 *   };
 *   return createWorker({ ...backend, agents });
 * }
 * ```
 */
export function backgroundAgents(options: BackgroundAgentsOptions): Tool[] {
  check(schema(), options, "backgroundAgents");
  const { queue, store, agents, report = true, maxRunning = 10, maxDepth = MAX_DEPTH } = options;
  const names = Object.keys(agents);
  if (names.length === 0)
    throw configError("backgroundAgents: `agents` has no agent; expected at least one.");
  const dispatcher = createDispatcher({ queue, store });
  const tasks = new Tasks({ dispatcher, store, report, maxRunning, maxDepth });
  const id = { type: "string", description: "The id of the task." };
  const chosen = names.map((name) => `${name}: ${agents[name]}`).join("\n");
  return [
    defineTool({
      name: "task_start",
      description: `Starts an agent in the background, and returns the id of its task at once. Agents:\n${chosen}`,
      input: objectOf({
        agent: { type: "string", enum: names },
        message: { type: "string", description: "What it is to do." },
      }),
      deferred: false,
      onRestart: "retry",
      writes: [backgroundTasksSlot],
      execute: ({ agent, message }, ctx) => tasks.start(agent as string, message as string, ctx as Ctx),
    }),
    defineTool({
      name: "task_output",
      description: "Returns the answer of a task, or how it stands.",
      input: objectOf(
        { id },
        {
          wait_seconds: {
            type: "number",
            minimum: 0,
            maximum: MAX_WAIT_S,
            description: "How long to wait for its end; default 0.",
          },
        },
      ),
      idempotent: true,
      execution: { timeoutMs: (MAX_WAIT_S + 30) * 1_000 },
      execute: (input, ctx) =>
        tasks.output(input["id"] as string, (input["wait_seconds"] as number | undefined) ?? 0, ctx as Ctx),
    }),
    defineTool({
      name: "task_cancel",
      description: "Cancels a task.",
      input: objectOf({ id }),
      onRestart: "retry",
      execute: (input, ctx) => tasks.cancel(input["id"] as string, ctx as Ctx),
    }),
    defineTool({
      name: "task_list",
      description: "Lists the tasks that you have started, and how they stand.",
      input: objectOf({}),
      idempotent: true,
      execute: (_, ctx) => tasks.list(ctx as Ctx),
    }),
  ] as Tool[];
}
