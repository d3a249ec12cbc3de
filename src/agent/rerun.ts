import { AgentError, agentErrorOf } from "../core/base/error.ts";
import * as s from "../core/base/option-schema.ts";
import { check } from "../core/base/options.ts";
import { checkChanges } from "../session/fork-changes.ts";
import type { Fork } from "../session/fork.ts";
import type { ForkChanges } from "../../machines/agent/prompt/edits.ts";
import { RESERVED_NAMES } from "../core/tool/reserved-names.ts";
import { checkConfig, toolkitOf } from "./options/config.ts";
import { withoutSnapshot } from "./options/config-groups.ts";
import { createAgent } from "./create-agent.ts";
import { findModel } from "./options/model-named.ts";
import type { Agent, Input, Reply } from "./types.ts";
import type { AgentConfig, AnyAgentConfig } from "./options/agent-config.ts";

/** Options of {@link rerun}. */
export type RerunOptions<Ctx = unknown> = {
  /** The journal position after which each fork begins, as {@link StoredSession.fork} takes it. */
  readonly at: number;
  /** The changes that each fork makes; default: nothing. */
  readonly changes?: ForkChanges | undefined;
  /** The number of forks that run, 1 to 100; default 1. */
  readonly times?: number | undefined;
  /** The number of them that run at once, 1 to 100; default 1. */
  readonly parallel?: number | undefined;
  /** The input of a new turn; default: the turn that is open at the position goes on, or the model is called again. */
  readonly input?: Input | undefined;
  /** An aborted signal interrupts the turns that run, and no other begins. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the agent of each fork before it runs, such as to subscribe to its events. */
  readonly onStart?: ((agent: Agent<Ctx>) => void) | undefined;
};

/** A fork that ran. It has `reply` or `error`. */
export type Rerun = {
  readonly sessionId: string;
  readonly reply?: Reply | undefined;
  /** The reason for which its turn ended without a reply. */
  readonly error?: AgentError | undefined;
};

const rerunSchema = s.lazily(() =>
  s.options<RerunOptions<never>>({
    at: s.integer(1),
    changes: s.optional(s.object<ForkChanges>()),
    times: s.optional(s.integer(1, 100)),
    parallel: s.optional(s.integer(1, 100)),
    input: s.anything(),
    signal: s.optional(s.having("addEventListener", "an AbortSignal")),
    onStart: s.optional(s.func()),
  }),
);

/** Throws `config/invalid` for changes of another shape, and `session/bad-change` for those that this configuration cannot follow. */
export function checkChangesOf(config: AnyAgentConfig, changes: ForkChanges): void {
  checkChanges(changes, "fork");
  const { tools = [], model } = changes;
  if (model !== undefined) findModel(config, model);
  const names = [...toolkitOf(config).names(), ...(config.toolOptions?.clientTools ?? []), ...RESERVED_NAMES];
  const unknown = tools.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new AgentError("session/bad-change", `The agent has no tool '${unknown}'.`);
}

/**
 * Forks the stored session `config.sessionId` of `config.store` at a position, with changes. It runs each fork with this configuration
 * until its turn rests. The original is not touched, and each fork is a session of its own. Tools really run again;
 * `replayOf` of `agentchart/evals` gives recorded results instead. Returns the forks that ran, in the order of their beginning; one that failed says so in its `error`.
 *
 * Rejects, before anything is written, `config/invalid` for wrong options and without `store` or `sessionId`, `session/not-found`, and
 * `session/bad-change` for a change that does not fit the session or the configuration.
 *
 * @example
 * ```ts
 * import { rerun, type AgentConfig } from "agentchart";
 *
 * async function tryPrompt(config: AgentConfig, at: number) {
 *   const runs = await rerun(config, { at, times: 3, changes: { system: "Answer in one word." } });
 *   for (const { sessionId, reply } of runs) console.log(sessionId, reply?.text);
 * }
 * ```
 */
export async function rerun<Ctx = unknown>(
  config: AgentConfig<Ctx>,
  options: RerunOptions<Ctx>,
): Promise<readonly Rerun[]> {
  const given = config as unknown as AnyAgentConfig;
  checkConfig(given);
  check(rerunSchema(), options, "rerun");
  const { store, sessionId } = config;
  if (!store || sessionId === undefined)
    throw new AgentError("config/invalid", "rerun: the configuration needs `store` and `sessionId`.");
  const { changes, times = 1, parallel = 1, signal } = options;
  if (changes) checkChangesOf(given, changes);
  if (signal?.aborted) throw new AgentError("run/aborted", "rerun: the signal was aborted before it began.");
  const { openSession } = await import("../session/open-session.ts"); // which an agent alone does not need
  const session = await openSession(store, sessionId);
  const fork = (): Promise<Fork> => session.fork(options.at, changes && { changes });
  const first = await fork();
  const runs: Rerun[] = [];
  let begun = 0;
  const isCancelled = (): boolean => begun > 0 && signal?.aborted === true;
  const work = async (): Promise<void> => {
    while (begun < times && !isCancelled()) {
      const index = begun++;
      const { sessionId: forked } = index === 0 ? first : await fork();
      runs[index] = await runFork(
        { ...config, sessionId: forked, meta: { ...config.meta, ...first.meta } },
        options,
      );
    }
  };
  const workers = Array.from({ length: Math.min(parallel, times) }, work);
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === "rejected");
  if (failed) await Promise.all(workers);
  return runs;
}

/** Runs the turn of a fork until it rests, and closes the agent. Never rejects. */
async function runFork<Ctx>(
  config: AgentConfig<Ctx> & { readonly sessionId: string },
  { input, signal, onStart }: RerunOptions<Ctx>,
): Promise<Rerun> {
  const { messages: _, ...rest } = withoutSnapshot(config);
  const { sessionId } = config;
  const agent = createAgent<Ctx>(rest);
  try {
    onStart?.(agent);
    const reply = await agent.call(input, signal && { signal });
    return { sessionId, reply };
  } catch (error) {
    return { sessionId, error: agentErrorOf(error, "run/invalid-event") };
  } finally {
    await agent.close();
  }
}
