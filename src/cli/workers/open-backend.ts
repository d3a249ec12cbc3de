import { hideSecrets } from "../../core/base/secrets.ts";
import type { SessionStore } from "../../store/port.ts";
import { bullQueue } from "../../worker/queue/bull.ts";
import { inProcessQueue } from "../../worker/queue/in-process.ts";
import type { WakeQueue } from "../../worker/queue/port.ts";
import { withExistingStore, withStore } from "../open-store.ts";
import type { Environment } from "../terminal.ts";
import { UsageError } from "../usage-error.ts";
import { withClosing } from "../with-cleanup.ts";

/** The store and the queue that workers, servers and dispatchers share. */
export type Backend = { readonly store: SessionStore; readonly queue: WakeQueue };

export type BackendFlags = { readonly store: string | undefined; readonly queue: string | undefined };

/** Calls `use` with the store and the queue of the flags and the environment, and closes both. Rejects with a
 *  {@link UsageError} if one of them is missing or unknown, and for a store that is not there if it must be. */
export async function withBackend<T>(
  flags: BackendFlags,
  env: Environment,
  use: (backend: Backend) => Promise<T>,
  mustExist = false,
): Promise<T> {
  const storeSpec = storeOf(flags, env);
  const withIt = mustExist ? withExistingStore : withStore;
  return withClosing(openQueue(queueOf(flags, env, storeSpec)), (queue) =>
    withIt(storeSpec, (store) => use({ store, queue })),
  );
}

function storeOf({ store }: BackendFlags, env: Environment): string {
  const spec = storeSpec(store, env);
  if (spec !== undefined) return spec;
  throw new UsageError(
    "Missing store: use --store sqlite:PATH, file:DIR or postgres://…, or set DATABASE_URL.",
  );
}

/** The store of `--store`, or the database of DATABASE_URL; undefined without both. */
export function storeSpec(store: string | undefined, env: Environment): string | undefined {
  if (store === "postgres" || (store === undefined && env["DATABASE_URL"])) return urlOf("DATABASE_URL", env);
  return store;
}

/** The queue of `--queue`, with the address of the environment that it may stand for. */
export function queueSpec(queue: string, env: Environment): string {
  if (queue === "redis") return urlOf("REDIS_URL", env);
  return queue === "postgres" ? urlOf("DATABASE_URL", env) : queue;
}

function queueOf({ queue }: BackendFlags, env: Environment, store: string): string {
  if (queue !== undefined) return queueSpec(queue, env);
  if (/^postgres(ql)?:/.test(store)) return store;
  throw new UsageError("Missing queue: use --queue redis://…, postgres://… or memory.");
}

function urlOf(name: string, env: Environment): string {
  const url = env[name]?.trim();
  if (!url) throw new UsageError(`The environment variable ${name} is not set.`);
  return url;
}

/** Opens the queue that a text names; it connects when first used. Throws a {@link UsageError} for another kind. */
export function openQueue(spec: string): WakeQueue {
  if (spec === "memory") return inProcessQueue();
  if (/^rediss?:\/\//.test(spec)) return bullQueue({ redis: spec });
  if (/^postgres(ql)?:\/\//.test(spec)) return bullQueue({ postgres: spec });
  throw new UsageError(
    `Unknown queue "${hideSecrets(spec)}": use --queue redis://…, postgres://… or memory.`,
  );
}
